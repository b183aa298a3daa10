#include "cli/text/cursor_text.hpp"

#include <fmt/format.h>

namespace flowfabric::cli {
namespace {

std::optional<unsigned> hex_digit(char digit) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto at = digits.find(static_cast<char>(digit >= 'A' && digit <= 'F' ? digit - 'A' + 'a' : digit));
    return at == std::string_view::npos ? std::nullopt : std::optional(static_cast<unsigned>(at));
}

}  // namespace

std::string cursor_text(const Bytes& cursor) {
    std::string text;
    for (const char byte : cursor) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    return text;
}

Result<Bytes> parse_cursor_text(std::string_view text) {
    if (text == "now") return Bytes{};
    if (text == "start") return cursor_at(0);
    Bytes cursor;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
        const auto high = hex_digit(text[i]);
        const auto low = hex_digit(text[i + 1]);
        if (!high || !low) return invalid_input("from", "not a cursor, start or now");
        cursor += static_cast<char>(*high << 4U | *low);
    }
    // An empty cursor would mean now, which nobody asked for.
    if (cursor.empty() || text.size() % 2 != 0) return invalid_input("from", "not a cursor, start or now");
    return cursor;
}

}  // namespace flowfabric::cli
