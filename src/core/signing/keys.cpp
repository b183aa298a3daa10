#include "core/command/decisions.hpp"
#include "core/execution/retry.hpp"
#include "core/signing/keyring.hpp"

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

// One secret in plain would undo what the master key of the others is for.
std::optional<EngineError> refuse_plain(const Binary& stored, const RowTable<SigningKeyRow>& keys) {
    if (is_sealed(stored.bytes)) return std::nullopt;
    const auto sealed = keys.where([](const SigningKeyRow& row) { return is_sealed(row.secret.bytes); });
    if (sealed.empty()) return std::nullopt;
    return missing_master_key("the store has sealed secrets (kid " + sealed.front().key.kid + ")");
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
    if (auto refused = refuse_plain(command.stored, keys)) return *std::move(refused);
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
    if (auto refused = refuse_plain(command.stored, keys)) return *std::move(refused);
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

Result<Answer> decide(const AdmittedReseal& command, DecisionContext& context) {
    auto& keys = context.set.side.of<SigningKeyRow>();
    const MasterKey& master = *context.settings.master_key;
    KeysResealed answer;
    std::vector<SigningKeyRow> resealed;
    for (SigningKeyRow row : keys.rows()) {
        // Those that are sealed must open as well: two master keys in one store serve nobody.
        const auto key = open_stored(row.key.kid, row.secret.bytes, &master);
        if (!key) return key.error();
        ++answer.keys;
        if (is_sealed(row.secret.bytes)) continue;
        row.secret = {stored_sealed(*key, master, nonce_of(command.ids.at(answer.resealed++)))};
        resealed.push_back(std::move(row));
    }
    for (SigningKeyRow& row : resealed) keys.put(std::move(row));
    return Answer{answer};
}

}  // namespace flowfabric
