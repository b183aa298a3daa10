#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flowfabric {

// `500ms`, `30s`, `5m`, `1h`, `7d`, or a plain number of milliseconds.
std::optional<std::int64_t> parse_duration_ms(std::string_view text);

// The same, in the largest unit that divides it; `0` for none.
std::string duration_text(std::int64_t duration_ms);

}  // namespace flowfabric
