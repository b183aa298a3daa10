#include "core/decisions.hpp"
#include "core/keyring.hpp"
#include "core/retry.hpp"

namespace flowfabric {
namespace {

std::optional<SigningKeyRow> active_key(const RowTable<SigningKeyRow>& keys) {
    const auto active = keys.where([](const SigningKeyRow& row) { return row.active; });
    return active.empty() ? std::nullopt : std::optional(active.front());
}

Result<bool> has_secret(const SigningKeyRow& row, const SigningKey& key, const Settings& settings) {
    auto stored = open_stored(row.key.kid, row.secret.bytes, settings.master_key ? &*settings.master_key : nullptr);
    if (!stored) return stored.error();
    return equal_in_constant_time(stored->secret, key.secret);
}

std::uint32_t remove_lapsed(RowTable<SigningKeyRow>& keys, std::int64_t now_ms) {
    const auto lapsed = keys.where([&](const SigningKeyRow& row) { return has_lapsed(row, now_ms); });
    for (const SigningKeyRow& row : lapsed) keys.erase(row.key);
    return static_cast<std::uint32_t>(lapsed.size());
}

}  // namespace

Result<Answer> decide(const AdmittedKeySeed& command, DecisionContext& context) {
    auto& keys = context.set.side.of<SigningKeyRow>();
    const std::string& kid = command.signing_key.kid;
    if (const SigningKeyRow* known = keys.find({kid})) {
        const auto same = has_secret(*known, command.signing_key, context.settings);
        if (!same) return same.error();
        return Answer{KeySeeded{.kid = kid, .already_there = true, .same_secret = *same}};
    }
    if (const auto active = active_key(keys)) {
        return invalid_input("kid", "'" + active->key.kid + "' is active: rotate instead");
    }
    keys.put({.key = {kid}, .secret = command.stored, .rotated_at_ms = context.set.now_ms, .active = true});
    return Answer{KeySeeded{.kid = kid}};
}

Result<Answer> decide(const AdmittedKeyRotation& command, DecisionContext& context) {
    auto& keys = context.set.side.of<SigningKeyRow>();
    const std::int64_t now = context.set.now_ms;
    const std::string& kid = command.signing_key.kid;
    if (const SigningKeyRow* known = keys.find({kid})) {
        const auto same = has_secret(*known, command.signing_key, context.settings);
        if (!same) return same.error();
        if (!*same || !known->active) return EngineError{.kind = ErrorKind::rotation_conflict, .detail = kid};
        return Answer{KeyRotated{.previous_kid = std::nullopt, .new_kid = kid, .gc_count = 0, .changed = false}};
    }
    KeyRotated answer{.previous_kid = std::nullopt, .new_kid = kid, .gc_count = remove_lapsed(keys, now)};
    if (auto retired = active_key(keys)) {
        answer.previous_kid = retired->key.kid;
        retired->active = false;
        retired->expires_at_ms = saturating_add(now, static_cast<std::uint64_t>(command.grace_ms));
        keys.put(std::move(*retired));
    }
    keys.put({.key = {kid}, .secret = command.stored, .rotated_at_ms = now, .active = true});
    return Answer{answer};
}

}  // namespace flowfabric
