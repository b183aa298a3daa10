#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/signing/signing.hpp"

// The signed keys that stand for a grant outside the engine.
namespace flowfabric {

// In the order in which a key is checked.
enum class GrantRefusal : std::uint8_t { malformed, expired, unknown_kid, unknown_grant, signature_mismatch };

template <>
inline constexpr std::array enum_names<GrantRefusal> =
    std::to_array<std::string_view>({"malformed", "expired", "unknown_kid", "unknown_grant", "signature_mismatch"});

struct GrantKey {
    GrantKind kind = GrantKind::claim;
    ExecutionId execution_id;
    std::int64_t expires_at_ms = 0;
    std::string kid;
    Bytes signature;  // 32 bytes, decoded

    bool operator==(const GrantKey&) const = default;
};

// The worker that the grant's row names. The key does not contain it, only its signature does.
struct GrantHolder {
    std::string worker_id;
    std::string worker_instance_id;

    bool operator==(const GrantHolder&) const = default;
};

std::string mint_grant_key(const SigningKey& key, GrantKind kind, const ExecutionId& execution_id,
                           const GrantHolder& holder, std::int64_t expires_at_ms);
Bytes grant_id_of(std::string_view grant_key);

// Accepts only the spelling that was minted, so that one grant has one grant_id.
std::optional<GrantKey> parse_grant_key(std::string_view text);

// Finds the signing key of a kid while it still verifies; null otherwise.
using KeyLookup = std::function<const SigningKey*(std::string_view kid)>;

// `holder` is named by the row under grant_id_of(text); null if there is no such row.
Expected<GrantKey, GrantRefusal> verify_grant_key(std::string_view text, const GrantHolder* holder,
                                                  const KeyLookup& key_of, std::int64_t now_ms);

EngineError error_of(GrantRefusal refusal);

}  // namespace flowfabric
