#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flowfabric {

// The value of one digit, of either case.
std::optional<std::uint8_t> hex_value(char digit);

std::string hex_of(std::string_view bytes);
// Nothing for an odd length or what is no digit.
std::optional<std::string> bytes_of_hex(std::string_view hex);

inline constexpr std::string_view hex_digits = "0123456789abcdef";

}  // namespace flowfabric
