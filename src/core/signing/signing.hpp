#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "flowfabric/commands.hpp"
#include "flowfabric/ids.hpp"
#include "flowfabric/result.hpp"

// The keys of the keystore and the waitpoint tokens that they sign.
namespace flowfabric {

struct SigningKey {
    std::string kid;
    Bytes secret;

    bool operator==(const SigningKey&) const = default;
};

Bytes sha256(std::string_view data);
Bytes hmac_sha256(std::string_view secret, std::string_view message);
bool equal_in_constant_time(std::string_view left, std::string_view right);

// ---- what a keystore accepts --------------------------------------------------------------------------------------

// `field` is the caller's name for it: kid, new_kid, secret_hex, new_secret_hex.
Result<void> check_kid(std::string_view field, std::string_view kid);
// A rotation takes a secret of any length but none.
Result<Bytes> secret_of_hex(std::string_view field, std::string_view hex);
// A seed takes 32 bytes.
Result<Bytes> seed_secret_of_hex(std::string_view field, std::string_view hex);
Result<void> check_grace_ms(std::int64_t grace_ms);

// ---- waitpoint tokens: `kid:<64 hex digits>` ------------------------------------------------------------------------

struct TokenParts {
    std::string kid;
    Bytes digest;  // 32 bytes, decoded

    bool operator==(const TokenParts&) const = default;
};

std::string waitpoint_token(const SigningKey& key, const ExecutionId& execution_id, const WaitpointId& waitpoint_id);
std::optional<TokenParts> parse_token(std::string_view token);

// Computes and compares a MAC in every case: pass no key for an unknown kid or an absent waitpoint, and the refusal
// takes as long as that of a wrong digest.
bool token_is_valid(const TokenParts& presented, const SigningKey* key, const ExecutionId& execution_id,
                    const WaitpointId& waitpoint_id);

// The 16 digits that may be logged and stored; none of a malformed token.
std::string fingerprint_of(std::string_view token);

}  // namespace flowfabric
