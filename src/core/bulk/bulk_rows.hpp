#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/rows/side_row.hpp"
#include "flowfabric/bulk.hpp"

namespace flowfabric {

struct BulkOperationKey {
    BulkOperationId operation_id;

    auto operator<=>(const BulkOperationKey&) const = default;
};

template <Is<BulkOperationKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("operation_id", key.operation_id);
}

// A bulk operation. Executions that it has come upon and not dealt with have a BulkItemRow each.
struct BulkOperationRow {
    static constexpr std::string_view table = "ff_bulk_operation";
    static constexpr std::string_view queue_column = "due_at_ms";
    static constexpr RowLock lock = RowLock::itself;
    using Key = BulkOperationKey;

    BulkOperationKey key;
    std::int64_t due_at_ms = 0;  // since when it waits to be worked off; once it has ended, when it is removed
    BulkAction action = BulkAction::cancel;
    std::string reason;
    std::string requester;
    BulkState state = BulkState::running;
    std::int64_t created_at_ms = 0;
    std::optional<std::int64_t> ended_at_ms;
    // The filter.
    std::optional<std::string> lane_id;
    TextList states;
    std::optional<std::string> execution_kind;
    std::optional<std::string> tag_key;
    std::optional<std::string> tag_value;
    std::optional<std::int64_t> created_after_ms;
    std::optional<std::int64_t> created_before_ms;
    std::optional<std::string> namespace_name;
    std::optional<FlowId> flow_id;
    // How far the search has come.
    std::int64_t searched_to_ms = 0;
    std::uint16_t searched_to_partition = 0;
    Uuid searched_to_id;
    bool searched = false;        // there are no more to find
    std::int64_t open_count = 0;  // found, and not dealt with
    std::int64_t done_count = 0;
    std::int64_t skipped_count = 0;
    std::int64_t failed_count = 0;

    std::int64_t queued_at_ms() const { return due_at_ms; }

    bool operator==(const BulkOperationRow&) const = default;
};

template <Is<BulkOperationRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("due_at_ms", row.due_at_ms);
    visit("action", row.action);
    visit("reason", row.reason);
    visit("requester", row.requester);
    visit("state", row.state);
    visit("created_at_ms", row.created_at_ms);
    visit("ended_at_ms", row.ended_at_ms);
    visit("lane_id", row.lane_id);
    visit("states", row.states);
    visit("execution_kind", row.execution_kind);
    visit("tag_key", row.tag_key);
    visit("tag_value", row.tag_value);
    visit("created_after_ms", row.created_after_ms);
    visit("created_before_ms", row.created_before_ms);
    visit("namespace", row.namespace_name);
    visit("flow_id", row.flow_id);
    visit("searched_to_ms", row.searched_to_ms);
    visit("searched_to_partition", row.searched_to_partition);
    visit("searched_to_id", row.searched_to_id);
    visit("searched", row.searched);
    visit("open_count", row.open_count);
    visit("done_count", row.done_count);
    visit("skipped_count", row.skipped_count);
    visit("failed_count", row.failed_count);
}

struct BulkItemKey {
    BulkOperationId operation_id;
    ExecutionId execution_id;

    auto operator<=>(const BulkItemKey&) const = default;
};

template <Is<BulkItemKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("operation_id", key.operation_id);
    visit("partition_key", key.execution_id.partition);
    visit("execution_id", key.execution_id.uuid);
}

// An execution that a bulk operation is still to deal with; it goes in the transaction that counts it.
struct BulkItemRow {
    static constexpr std::string_view table = "ff_bulk_item";
    static constexpr std::string_view queue_column = "found_at_ms";
    static constexpr RowLock lock = RowLock::itself;
    using Key = BulkItemKey;

    BulkItemKey key;
    std::int64_t found_at_ms = 0;

    std::int64_t queued_at_ms() const { return found_at_ms; }

    bool operator==(const BulkItemRow&) const = default;
};

template <Is<BulkItemRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("found_at_ms", row.found_at_ms);
}

}  // namespace flowfabric
