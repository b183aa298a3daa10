#include "runtime/engine_keys.hpp"

#include <algorithm>

#include "core/base/hex.hpp"
#include "core/signing/random_bytes.hpp"
#include "runtime/log.hpp"

namespace flowfabric {

Result<void> ensure_signing_key(Engine& engine) {
    const auto kids = engine.list_waitpoint_hmac_kids();
    if (!kids) return kids.error();
    if (kids->current_kid) return {};
    constexpr std::size_t secret_bytes = 32;
    const auto secret = random_bytes(secret_bytes);
    if (!secret) return secret.error();
    const auto seeded =
        engine.seed_waitpoint_hmac_secret({.kid = std::string(first_kid), .secret_hex = hex_of(*secret)});
    if (seeded) {
        if (seeded->already_there) return {};
        log_warning("the store had no signing key: " + std::string(first_kid) + " was generated and is kept there");
        return {};
    }
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
