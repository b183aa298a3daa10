#pragma once

#include <string>
#include <string_view>

#include "flowfabric/events.hpp"

// Cursors as people and scripts handle them: in hex.
namespace flowfabric::cli {

std::string cursor_text(const Bytes& cursor);
// A cursor in hex, `start` or `now`.
Result<Bytes> parse_cursor_text(std::string_view text);

}  // namespace flowfabric::cli
