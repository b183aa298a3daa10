#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace flowfabric::cli {

// `500ms`, `30s`, `5m`, `1h`, `7d`, or a plain number of milliseconds.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

}  // namespace flowfabric::cli
