#include "cli/text/duration.hpp"

#include "flowfabric/duration.hpp"

namespace flowfabric::cli {

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
    const auto parsed = parse_duration_ms(text);
    return parsed ? std::optional(std::chrono::milliseconds(*parsed)) : std::nullopt;
}

}  // namespace flowfabric::cli
