#include "cli/text/cursor_text.hpp"

#include "core/base/hex.hpp"

namespace flowfabric::cli {

Result<Bytes> parse_cursor_text(std::string_view text) {
    if (text == "now") return Bytes{};
    if (text == "start") return cursor_at(0);
    auto cursor = bytes_of_hex(text);
    // An empty cursor means now, which has a word of its own.
    if (!cursor || cursor->empty()) return invalid_input("from", "not a cursor, start or now");
    return *std::move(cursor);
}

}  // namespace flowfabric::cli
