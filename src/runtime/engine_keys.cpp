#include "runtime/engine_keys.hpp"

#include <openssl/rand.h>

#include <algorithm>

#include "core/base/hex.hpp"
#include "core/signing/keyring.hpp"
#include "core/signing/signing.hpp"
#include "runtime/engine_impl.hpp"

namespace flowfabric {

Result<std::vector<SigningKeyView>> Engine::list_signing_keys() {
    auto rows = impl_->readers().run([](StoreReader& reader) { return reader.all<SigningKeyRow>(); });
    if (!rows) return rows.error();
    auto now = impl_->readers().run([](StoreReader& reader) { return reader.now(); });
    if (!now) return now.error();
    using State = SigningKeyView::State;
    std::vector<SigningKeyView> keys;
    for (const SigningKeyRow& row : *rows) {
        const State state = row.active ? State::active : has_lapsed(row, *now) ? State::lapsed : State::verifying;
        keys.push_back({.kid = row.key.kid,
                        .state = state,
                        .sealed = is_sealed(row.secret.bytes),
                        .rotated_at_ms = row.rotated_at_ms,
                        .expires_at_ms = row.expires_at_ms});
    }
    return keys;
}

Result<SigningKids> Engine::list_waitpoint_hmac_kids() {
    const auto keys = list_signing_keys();
    if (!keys) return keys.error();
    using State = SigningKeyView::State;
    SigningKids kids;
    for (const SigningKeyView& key : *keys) {
        if (key.state == State::active) kids.current_kid = key.kid;
        if (key.state == State::verifying) kids.verifying.push_back({key.kid, *key.expires_at_ms});
    }
    return kids;
}

Result<void> ensure_signing_key(Engine& engine) {
    const auto kids = engine.list_waitpoint_hmac_kids();
    if (!kids) return kids.error();
    if (kids->current_kid) return {};
    Bytes secret(32, '\0');
    if (RAND_bytes(reinterpret_cast<unsigned char*>(secret.data()), static_cast<int>(secret.size())) != 1) {
        return EngineError{.kind = ErrorKind::unavailable, .detail = "no random bytes for a signing key"};
    }
    const std::string kid = "generated-" + hex_of(sha256(secret)).substr(0, 8);
    const auto seeded = engine.seed_waitpoint_hmac_secret({.kid = kid, .secret_hex = hex_of(secret)});
    if (seeded) return {};
    // Another engine may have been faster.
    const auto now = engine.list_waitpoint_hmac_kids();
    if (now && now->current_kid) return {};
    return seeded.error();
}

Result<std::optional<MasterKey>> master_key_of(const EngineOptions& options) {
    if (!options.master_key_hex) return std::optional<MasterKey>{};
    const auto bytes = bytes_of_hex(*options.master_key_hex);
    MasterKey key{};
    if (!bytes || bytes->size() != key.size()) return invalid_input("master_key_hex", "must be 64 hex digits");
    std::ranges::copy(*bytes, key.begin());
    return std::optional(key);
}

}  // namespace flowfabric
