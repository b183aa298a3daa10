#include "core/events/execution_cursor.hpp"

namespace flowfabric {
namespace {

constexpr char execution_cursor_tag = 0x03;
constexpr std::size_t position_bytes = 8;

}  // namespace

Bytes cursor_at(const ChannelPositions& positions) {
    Bytes cursor(1, execution_cursor_tag);
    for (const std::int64_t position : positions) cursor += cursor_at(position).substr(1);
    return cursor;
}

Result<ChannelPositions> parse_execution_cursor(const Bytes& cursor) {
    ChannelPositions positions{};
    if (cursor.size() != 1 + positions.size() * position_bytes || cursor.front() != execution_cursor_tag) {
        return invalid_input("cursor", "is none of a subscription of one execution");
    }
    const char channel_cursor_tag = cursor_at(std::int64_t{0}).front();
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const auto position = parse_cursor(channel_cursor_tag + cursor.substr(1 + i * position_bytes, position_bytes));
        if (!position) return position.error();
        positions[i] = **position;
    }
    return positions;
}

}  // namespace flowfabric
