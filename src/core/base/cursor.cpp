#include "flowfabric/events.hpp"

namespace flowfabric {
namespace {

constexpr char cursor_tag = 0x02;
constexpr std::size_t cursor_bytes = 9;

}  // namespace

std::int64_t id_of(const Event& event) {
    return std::visit([](const auto& e) { return e.event_id; }, event);
}

Bytes cursor_at(std::int64_t event_id) {
    Bytes cursor(cursor_bytes, cursor_tag);
    auto bits = static_cast<std::uint64_t>(event_id);
    for (std::size_t i = cursor_bytes - 1; i > 0; --i) {
        cursor[i] = static_cast<char>(bits & 0xFFU);
        bits >>= 8U;
    }
    return cursor;
}

Bytes cursor_of(const Event& event) {
    return cursor_at(id_of(event));
}

Result<std::optional<std::int64_t>> parse_cursor(const Bytes& cursor) {
    if (cursor.empty()) return std::optional<std::int64_t>{};
    if (cursor.size() != cursor_bytes || cursor.front() != cursor_tag) {
        return invalid_input("cursor", "not 0x02 and eight bytes");
    }
    std::uint64_t bits = 0;
    for (std::size_t i = 1; i < cursor_bytes; ++i) bits = bits << 8U | static_cast<unsigned char>(cursor[i]);
    const auto id = static_cast<std::int64_t>(bits);
    if (id < 0) return invalid_input("cursor", "is negative");
    return std::optional(id);
}

}  // namespace flowfabric
