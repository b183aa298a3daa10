#include "core/signing/key_id.hpp"

#include <algorithm>
#include <string>

#include "core/signing/signing.hpp"

namespace flowfabric {

Uuid id_under_key(std::string_view kind, std::string_view namespace_name, std::string_view idempotency_key) {
    std::string named(kind);
    named.append(std::to_string(namespace_name.size())).append(":");
    named.append(namespace_name).append(idempotency_key);
    const Bytes digest = sha256(named);
    Uuid id;
    std::transform(digest.begin(), digest.begin() + static_cast<std::ptrdiff_t>(id.bytes.size()), id.bytes.begin(),
                   [](char c) { return static_cast<std::uint8_t>(c); });
    // Version 8 and the variant of RFC 9562: made from a hash.
    id.bytes[6] = static_cast<std::uint8_t>((id.bytes[6] & 0x0fU) | 0x80U);
    id.bytes[8] = static_cast<std::uint8_t>((id.bytes[8] & 0x3fU) | 0x80U);
    return id;
}

}  // namespace flowfabric
