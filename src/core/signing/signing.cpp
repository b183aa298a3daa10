#include "core/signing/signing.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <stdexcept>

#include "core/base/hex.hpp"
#include "core/base/names.hpp"
#include "core/base/octets.hpp"

namespace flowfabric {
namespace {

constexpr std::size_t digest_bytes = 32;
constexpr std::size_t seed_secret_bytes = 32;
constexpr std::size_t fingerprint_digits = 16;

using Digest = std::array<unsigned char, digest_bytes>;

Bytes bytes_of(const Digest& digest) {
    return {digest.begin(), digest.end()};
}

EngineError refusal(ErrorKind kind, std::string_view field, std::string_view why) {
    return {.kind = kind, .detail = std::string(field).append(": ").append(why)};
}

Bytes token_mac(std::string_view kid, std::string_view secret, const ExecutionId& execution_id,
                const WaitpointId& waitpoint_id) {
    std::string message(kid);
    message.append(":").append(execution_id.to_string()).append(":").append(waitpoint_id.to_string());
    return hmac_sha256(secret, message);
}

}  // namespace

Bytes sha256(std::string_view data) {
    Digest digest{};
    if (EVP_Digest(data.data(), data.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1) {
        throw std::runtime_error("SHA-256 failed");
    }
    return bytes_of(digest);
}

Bytes hmac_sha256(std::string_view secret, std::string_view message) {
    Digest digest{};
    const auto* mac = HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()), octets_of(message),
                           message.size(), digest.data(), nullptr);
    if (mac == nullptr) throw std::runtime_error("HMAC-SHA-256 failed");
    return bytes_of(digest);
}

bool equal_in_constant_time(std::string_view left, std::string_view right) {
    return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

Result<void> check_kid(std::string_view field, std::string_view kid) {
    if (kid.find(':') != std::string_view::npos) {
        return refusal(ErrorKind::invalid_kid, field, "must not contain ':', which ends it in a token");
    }
    if (auto checked = check_identity(field, kid); !checked) {
        return EngineError{.kind = ErrorKind::invalid_kid, .detail = checked.error().detail};
    }
    return {};
}

Result<Bytes> secret_of_hex(std::string_view field, std::string_view hex) {
    auto secret = bytes_of_hex(hex);
    if (!secret || secret->empty()) {
        return refusal(ErrorKind::invalid_secret_hex, field, "expected pairs of hexadecimal digits, at least one");
    }
    return std::move(*secret);
}

Result<Bytes> seed_secret_of_hex(std::string_view field, std::string_view hex) {
    auto secret = hex.size() == 2 * seed_secret_bytes ? bytes_of_hex(hex) : std::nullopt;
    if (!secret) {
        return refusal(ErrorKind::invalid_secret_hex, field, "expected 64 hexadecimal digits");
    }
    return std::move(*secret);
}

Result<void> check_grace_ms(std::int64_t grace_ms) {
    if (grace_ms >= 0 && grace_ms <= max_grace_ms) return {};
    return refusal(ErrorKind::invalid_grace_ms, "grace_ms", "expected an integer from 0 to 2^53-1");
}

std::string waitpoint_token(const SigningKey& key, const ExecutionId& execution_id, const WaitpointId& waitpoint_id) {
    const Bytes mac = token_mac(key.kid, key.secret, execution_id, waitpoint_id);
    return std::string(key.kid).append(":").append(hex_of(mac));
}

std::optional<TokenParts> parse_token(std::string_view token) {
    const auto colon = token.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const std::string_view kid = token.substr(0, colon);
    auto digest = bytes_of_hex(token.substr(colon + 1));
    if (!check_kid("kid", kid) || !digest || digest->size() != digest_bytes) return std::nullopt;
    return TokenParts{std::string(kid), std::move(*digest)};
}

bool token_is_valid(const TokenParts& presented, const SigningKey* key, const ExecutionId& execution_id,
                    const WaitpointId& waitpoint_id) {
    const bool known = key != nullptr && key->kid == presented.kid;
    const Bytes secret = known ? key->secret : Bytes(seed_secret_bytes, '\0');
    const bool equal =
        equal_in_constant_time(token_mac(presented.kid, secret, execution_id, waitpoint_id), presented.digest);
    return known && equal;
}

std::string fingerprint_of(std::string_view token) {
    const auto parts = parse_token(token);
    return parts ? hex_of(parts->digest).substr(0, fingerprint_digits) : std::string();
}

}  // namespace flowfabric
