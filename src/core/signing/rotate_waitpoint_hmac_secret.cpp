#include "core/command/contents.hpp"
#include "core/execution/retry.hpp"
#include "core/signing/keyring.hpp"
#include "core/signing/on_keystore.hpp"
#include "flowfabric/signing.hpp"

namespace flowfabric {
namespace {

std::uint32_t remove_lapsed_keys(RowTable<SigningKeyRow>& keys, std::int64_t now_ms) {
    const auto lapsed = keys.where([&](const SigningKeyRow& row) { return has_lapsed(row, now_ms); });
    for (const SigningKeyRow& row : lapsed) keys.erase(row.key);
    return static_cast<std::uint32_t>(lapsed.size());
}

class RotateWaitpointHmacSecretBody final : public OnKeystore {
  public:
    RotateWaitpointHmacSecretBody(NewKey added, std::int64_t grace_ms)
        : added_(std::move(added)), grace_ms_(grace_ms) {}

    CommandTraits traits() const override {
        return {.name = "rotate_waitpoint_hmac_secret", .urgency = Urgency::bulk, .on_tables = true};
    }
    std::size_t bytes() const override {
        return sizeof(*this) + contents_of(added_.key.kid, added_.key.secret, added_.stored.bytes);
    }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        auto& keys = context.set.side.of<SigningKeyRow>();
        const std::int64_t now = context.set.now_ms;
        const std::string& kid = added_.key.kid;
        if (const SigningKeyRow* known = keys.find({kid})) {
            const auto same = has_secret(*known, added_.key, context.settings);
            if (!same) return same.error();
            if (!*same || !known->active) return EngineError{.kind = ErrorKind::rotation_conflict, .detail = kid};
            return Answer::of<KeyRotated>(
                {.previous_kid = std::nullopt, .new_kid = kid, .gc_count = 0, .changed = false});
        }
        if (auto refused = refuse_plain(added_.stored, keys)) return *std::move(refused);
        KeyRotated answer{.previous_kid = std::nullopt, .new_kid = kid, .gc_count = remove_lapsed_keys(keys, now)};
        if (auto retired = active_key(keys)) {
            answer.previous_kid = retired->key.kid;
            retired->active = false;
            retired->expires_at_ms = saturating_add(now, static_cast<std::uint64_t>(grace_ms_));
            keys.put(std::move(*retired));
        }
        keys.put({.key = {kid}, .secret = added_.stored, .rotated_at_ms = now, .active = true});
        return Answer::of<KeyRotated>(std::move(answer));
    }

  private:
    NewKey added_;
    std::int64_t grace_ms_;
};

}  // namespace

template <>
Result<Command> admit(RotateWaitpointHmacSecret command, const Settings& settings, const IdSource& ids) {
    if (auto checked = check_kid("new_kid", command.new_kid); !checked) return checked.error();
    auto secret = secret_of_hex("new_secret_hex", command.new_secret_hex);
    if (!secret) return secret.error();
    if (auto checked = check_grace_ms(command.grace_ms); !checked) return checked.error();
    SigningKey key{std::move(command.new_kid), std::move(*secret)};
    return Command::make<RotateWaitpointHmacSecretBody>(new_key(std::move(key), settings, ids), command.grace_ms);
}

}  // namespace flowfabric
