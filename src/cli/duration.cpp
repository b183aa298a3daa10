#include "cli/duration.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <utility>

namespace flowfabric::cli {

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
    static constexpr auto units = std::to_array<std::pair<std::string_view, std::int64_t>>(
        {{"", 1}, {"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}});

    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc{} || count < 0) return std::nullopt;
    const auto suffix = text.substr(static_cast<std::size_t>(end - text.data()));
    for (const auto& [name, factor] : units) {
        if (suffix != name) continue;
        if (count > std::numeric_limits<std::int64_t>::max() / factor) return std::nullopt;
        return std::chrono::milliseconds(count * factor);
    }
    return std::nullopt;
}

}  // namespace flowfabric::cli
