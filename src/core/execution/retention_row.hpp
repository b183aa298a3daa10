#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/rows/side_row.hpp"

namespace flowfabric {

// An ended execution that goes at another time than most.
struct RetentionRow {
    static constexpr std::string_view table = "ff_retention_due";
    static constexpr RowLock lock = RowLock::covered_by_parent;
    static constexpr bool blind_upsert = true;
    static constexpr DueColumn due{.name = "retention", .column = "remove_at_ms"};
    using Key = ExecutionKey;

    ExecutionKey key;
    std::int64_t remove_at_ms = 0;

    static bool has_some(const ExecutionRow&) { return false; }
    ExecutionId owner() const { return key.id; }
    std::optional<std::int64_t> due_at_ms() const { return remove_at_ms; }

    bool operator==(const RetentionRow&) const = default;
};

template <Is<RetentionRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("remove_at_ms", row.remove_at_ms);
}

}  // namespace flowfabric
