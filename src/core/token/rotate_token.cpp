#include "core/base/names.hpp"
#include "core/command/admission.hpp"
#include "core/execution/retry.hpp"
#include "core/token/on_token.hpp"

namespace flowfabric {
namespace {

class RotateTokenBody final : public OnToken {
  public:
    RotateTokenBody(RotateToken command, NewSecret secret)
        : OnToken(std::move(command.name)),
          overlap_ms_(static_cast<std::uint64_t>(command.overlap_ms)),
          secret_(std::move(secret)) {}

    CommandTraits traits() const override {
        return {.name = "rotate_token", .urgency = Urgency::bulk, .on_tables = true};
    }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(token().name, secret_.text); }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        WorkingSet& set = context.set;
        auto& tokens = set.side.of<ApiTokenRow>();
        const ApiTokenRow* known = tokens.find(token());
        if (known == nullptr) return EngineError{.kind = ErrorKind::token_not_found, .detail = token().name};
        const auto state = state_of(*known, set.now_ms);
        if (state != TokenView::State::active) {
            return invalid_input("name", "the token is " + std::string(to_string(state)) + "; create it anew");
        }
        ApiTokenRow row = *known;
        const std::int64_t until = saturating_add(set.now_ms, overlap_ms_);
        row.previous_hash = std::exchange(row.secret_hash, secret_.hash);
        row.previous_expires_at_ms = until;
        tokens.put(std::move(row));
        return Answer::of<TokenRotated>(
            {.name = token().name, .secret = secret_.text, .previous_expires_at_ms = until});
    }

  private:
    std::uint64_t overlap_ms_;
    NewSecret secret_;
};

}  // namespace

template <>
Result<Command> admit(RotateToken command, const Settings& settings, const IdSource&) {
    if (auto checked = check_identity("name", command.name); !checked) return checked.error();
    if (command.overlap_ms < 0 || command.overlap_ms > max_grace_ms) {
        return invalid_input("overlap_ms", "must be 0 to " + std::to_string(max_grace_ms));
    }
    auto secret = new_secret(settings);
    if (!secret) return secret.error();
    return Command::make<RotateTokenBody>(std::move(command), *std::move(secret));
}

}  // namespace flowfabric
