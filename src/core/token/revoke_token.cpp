#include "core/base/names.hpp"
#include "core/token/on_token.hpp"

namespace flowfabric {
namespace {

class RevokeTokenBody final : public OnToken {
  public:
    using OnToken::OnToken;

    CommandTraits traits() const override {
        return {.name = "revoke_token", .urgency = Urgency::bulk, .on_tables = true};
    }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(token().name); }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        WorkingSet& set = context.set;
        auto& tokens = set.side.of<ApiTokenRow>();
        const ApiTokenRow* known = tokens.find(token());
        if (known == nullptr) return EngineError{.kind = ErrorKind::token_not_found, .detail = token().name};
        if (known->revoked_at_ms) {
            return Answer::of<TokenRevoked>(
                {.name = token().name, .revoked_at_ms = *known->revoked_at_ms, .changed = false});
        }
        ApiTokenRow row = *known;
        row.revoked_at_ms = set.now_ms;
        row.previous_hash.reset();
        row.previous_expires_at_ms.reset();
        tokens.put(std::move(row));
        return Answer::of<TokenRevoked>({.name = token().name, .revoked_at_ms = set.now_ms});
    }
};

}  // namespace

template <>
Result<Command> admit(RevokeToken command, const Settings&, const IdSource&) {
    if (auto checked = check_identity("name", command.name); !checked) return checked.error();
    return Command::make<RevokeTokenBody>(std::move(command.name));
}

}  // namespace flowfabric
