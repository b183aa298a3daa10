#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/rows/side_row.hpp"

namespace flowfabric {

struct LaneKey {
    std::string lane_id;

    auto operator<=>(const LaneKey&) const = default;
};

template <Is<LaneKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("lane_id", key.lane_id);
}

struct LaneRow {
    static constexpr std::string_view table = "ff_lane_registry";
    static constexpr RowLock lock = RowLock::itself;
    using Key = LaneKey;

    LaneKey key;
    std::int64_t registered_at_ms = 0;
    std::string registered_by;
    LaneState lane_state = LaneState::active;
    std::optional<std::int64_t> state_changed_at_ms;  // absent: active since it was registered

    bool operator==(const LaneRow&) const = default;
};

template <Is<LaneRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("registered_at_ms", row.registered_at_ms);
    visit("registered_by", row.registered_by);
    visit("lane_state", row.lane_state);
    visit("state_changed_at_ms", row.state_changed_at_ms);
}

}  // namespace flowfabric
