#include "flowfabric/duration.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace flowfabric {
namespace {

// The largest first.
constexpr auto units = std::to_array<std::pair<std::string_view, std::int64_t>>(
    {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}, {"", 1}});

}  // namespace

std::optional<std::int64_t> parse_duration_ms(std::string_view text) {
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc{} || count < 0) return std::nullopt;
    const auto suffix = text.substr(static_cast<std::size_t>(end - text.data()));
    for (const auto& [name, factor] : units) {
        if (suffix != name) continue;
        if (count > std::numeric_limits<std::int64_t>::max() / factor) return std::nullopt;
        return count * factor;
    }
    return std::nullopt;
}

std::string duration_text(std::int64_t duration_ms) {
    if (duration_ms == 0) return "0";
    for (const auto& [name, factor] : units) {
        if (duration_ms % factor == 0) return std::to_string(duration_ms / factor).append(name);
    }
    return {};
}

}  // namespace flowfabric
