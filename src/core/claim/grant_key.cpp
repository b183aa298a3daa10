#include "core/claim/grant_key.hpp"

#include <algorithm>
#include <charconv>

#include "core/base/hex.hpp"

namespace flowfabric {
namespace {

constexpr std::string_view claim_prefix = "pg:";
constexpr std::string_view reclaim_prefix = "pg:reclaim:";

std::string text_of(const GrantKey& grant) {
    std::string text(grant.kind == GrantKind::claim ? claim_prefix : reclaim_prefix);
    text.append(grant.execution_id.to_string()).append(":").append(std::to_string(grant.expires_at_ms));
    return text.append(":").append(grant.kid).append(":").append(hex_of(grant.signature));
}

std::string with_length(std::string_view id) {
    return std::to_string(id.size()).append(":").append(id);
}

Bytes signature_of(const GrantKey& grant, const GrantHolder& holder, std::string_view secret) {
    std::string message(grant.kid);
    message.append(":{fp:").append(std::to_string(grant.execution_id.partition)).append("}|");
    message.append(grant.execution_id.uuid.to_string()).append("|");
    message.append(with_length(holder.worker_id)).append("|");
    message.append(with_length(holder.worker_instance_id)).append("|");
    message.append(std::to_string(grant.expires_at_ms));
    if (grant.kind == GrantKind::reclaim) message.append("|reclaim");
    return hmac_sha256(secret, message);
}

// Cuts the text at its last colon and returns what follows.
std::string_view take_last(std::string_view& text) {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return {};
    const std::string_view last = text.substr(colon + 1);
    text = text.substr(0, colon);
    return last;
}

}  // namespace

std::string mint_grant_key(const SigningKey& key, GrantKind kind, const ExecutionId& execution_id,
                           const GrantHolder& holder, std::int64_t expires_at_ms) {
    GrantKey grant{.kind = kind, .execution_id = execution_id, .expires_at_ms = expires_at_ms, .kid = key.kid};
    grant.signature = signature_of(grant, holder, key.secret);
    return text_of(grant);
}

Bytes grant_id_of(std::string_view grant_key) {
    return sha256(grant_key);
}

std::optional<GrantKey> parse_grant_key(std::string_view text) {
    std::string_view rest = text;
    auto signature = bytes_of_hex(take_last(rest));
    const std::string_view kid = take_last(rest);
    const std::string_view expiry = take_last(rest);
    GrantKey grant{.kind = rest.starts_with(reclaim_prefix) ? GrantKind::reclaim : GrantKind::claim,
                   .kid = std::string(kid)};
    const std::size_t prefix = grant.kind == GrantKind::reclaim ? reclaim_prefix.size() : claim_prefix.size();
    const auto execution_id = ExecutionId::parse(rest.substr(std::min(prefix, rest.size())));
    if (!signature || signature->size() != 32 || !check_kid("kid", kid) || !execution_id) return std::nullopt;
    grant.signature = std::move(*signature);
    grant.execution_id = *execution_id;
    std::from_chars(expiry.data(), expiry.data() + expiry.size(), grant.expires_at_ms);
    if (text_of(grant) != text) return std::nullopt;
    return grant;
}

Expected<GrantKey, GrantRefusal> verify_grant_key(std::string_view text, const GrantHolder* holder,
                                                  const KeyLookup& key_of, std::int64_t now_ms) {
    auto grant = parse_grant_key(text);
    if (!grant) return GrantRefusal::malformed;
    if (grant->expires_at_ms <= now_ms) return GrantRefusal::expired;
    const SigningKey* key = key_of(grant->kid);
    if (key == nullptr) return GrantRefusal::unknown_kid;
    if (holder == nullptr) return GrantRefusal::unknown_grant;
    if (!equal_in_constant_time(signature_of(*grant, *holder, key->secret), grant->signature)) {
        return GrantRefusal::signature_mismatch;
    }
    return std::move(*grant);
}

EngineError error_of(GrantRefusal refusal) {
    const bool late = refusal == GrantRefusal::expired;
    return {.kind = late ? ErrorKind::claim_grant_expired : ErrorKind::invalid_claim_grant,
            .detail = std::string("grant_key: ").append(to_string(refusal))};
}

}  // namespace flowfabric
