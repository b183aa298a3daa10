#include "core/base/hex.hpp"

namespace flowfabric {

std::optional<std::uint8_t> hex_value(char digit) {
    if (digit >= '0' && digit <= '9') return static_cast<std::uint8_t>(digit - '0');
    if (digit >= 'a' && digit <= 'f') return static_cast<std::uint8_t>(digit - 'a' + 10);
    if (digit >= 'A' && digit <= 'F') return static_cast<std::uint8_t>(digit - 'A' + 10);
    return std::nullopt;
}

std::string hex_of(std::string_view bytes) {
    std::string hex;
    hex.reserve(2 * bytes.size());
    for (const char c : bytes) {
        const auto byte = static_cast<std::uint8_t>(c);
        hex.push_back(hex_digits[byte >> 4U]);
        hex.push_back(hex_digits[byte & 0xFU]);
    }
    return hex;
}

std::optional<std::string> bytes_of_hex(std::string_view hex) {
    if (hex.size() % 2 != 0) return std::nullopt;
    std::string bytes;
    bytes.reserve(hex.size() / 2);
    for (std::size_t i = 0; i < hex.size(); i += 2) {
        const auto high = hex_value(hex[i]);
        const auto low = hex_value(hex[i + 1]);
        if (!high || !low) return std::nullopt;
        bytes.push_back(static_cast<char>(*high << 4U | *low));
    }
    return bytes;
}

}  // namespace flowfabric
