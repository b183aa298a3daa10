#include "flowfabric/ids.hpp"

#include <charconv>

#include "core/base/hex.hpp"

namespace flowfabric {
namespace {

constexpr bool hyphen_at(std::size_t position) {
    return position == 8 || position == 13 || position == 18 || position == 23;
}

}  // namespace

Result<Uuid> Uuid::parse(std::string_view text) {
    const auto bad = [&] { return invalid_input("uuid", "InvalidUuid: expected 8-4-4-4-12 hexadecimal digits"); };
    if (text.size() != 36) return bad();
    Uuid id;
    std::size_t nibble = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (hyphen_at(i)) {
            if (text[i] != '-') return bad();
            continue;
        }
        const auto value = hex_value(text[i]);
        if (!value) return bad();
        std::uint8_t& byte = id.bytes[nibble / 2];
        byte = static_cast<std::uint8_t>(byte << 4U | *value);
        ++nibble;
    }
    return id;
}

std::string Uuid::to_string() const {
    std::string text(36, '-');
    std::size_t position = 0;
    for (const std::uint8_t byte : bytes) {
        if (hyphen_at(position)) ++position;
        text[position++] = hex_digits[byte >> 4U];
        text[position++] = hex_digits[byte & 0xFU];
    }
    return text;
}

Result<ExecutionId> ExecutionId::parse(std::string_view text) {
    constexpr std::string_view open = "{fp:";
    const auto close = text.find("}:");
    if (!text.starts_with(open) || close == std::string_view::npos) {
        return invalid_input("execution_id", "MissingTag: expected {fp:N}:<uuid>");
    }
    const std::string_view digits = text.substr(open.size(), close - open.size());
    ExecutionId id;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), id.partition);
    const bool leading_zero = digits.size() > 1 && digits.front() == '0';
    if (status != std::errc{} || end != digits.data() + digits.size() || leading_zero) {
        return invalid_input("execution_id", "InvalidPartitionIndex: N is a decimal number up to 65535");
    }
    auto uuid = Uuid::parse(text.substr(close + 2));
    if (!uuid) return invalid_input("execution_id", "InvalidUuid: expected 8-4-4-4-12 hexadecimal digits");
    id.uuid = *uuid;
    return id;
}

std::string ExecutionId::to_string() const {
    return std::string("{fp:").append(std::to_string(partition)).append("}:").append(uuid.to_string());
}

}  // namespace flowfabric
