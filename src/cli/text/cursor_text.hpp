#pragma once

#include <string_view>

#include "flowfabric/events.hpp"

namespace flowfabric::cli {

// A cursor in hex, `start` or `now`.
Result<Bytes> parse_cursor_text(std::string_view text);

}  // namespace flowfabric::cli
