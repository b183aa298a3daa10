#include "core/signing/on_keystore.hpp"

#include "core/signing/stored_secret.hpp"

namespace flowfabric {

NewKey new_key(SigningKey key, const Settings& settings, const IdSource& ids) {
    Bytes stored =
        settings.master_key ? stored_sealed(key, *settings.master_key, nonce_of(ids.at(0))) : stored_plain(key);
    return {.key = std::move(key), .stored = {std::move(stored)}};
}

std::optional<SigningKeyRow> active_key(const RowTable<SigningKeyRow>& keys) {
    const auto active = keys.where([](const SigningKeyRow& row) { return row.active; });
    return active.empty() ? std::nullopt : std::optional(active.front());
}

Result<bool> has_secret(const SigningKeyRow& row, const SigningKey& key, const Settings& settings) {
    auto stored = open_stored(row.key.kid, row.secret.bytes, settings.master_key ? &*settings.master_key : nullptr);
    if (!stored) return stored.error();
    return equal_in_constant_time(stored->secret, key.secret);
}

std::optional<EngineError> refuse_plain(const Binary& stored, const RowTable<SigningKeyRow>& keys) {
    if (is_sealed(stored.bytes)) return std::nullopt;
    const auto sealed = keys.where([](const SigningKeyRow& row) { return is_sealed(row.secret.bytes); });
    if (sealed.empty()) return std::nullopt;
    return missing_master_key("the store has sealed secrets (kid " + sealed.front().key.kid + ")");
}

}  // namespace flowfabric
