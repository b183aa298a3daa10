#pragma once

#include <optional>
#include <vector>

#include "core/bulk/bulk_rows.hpp"
#include "core/command/command.hpp"

namespace flowfabric {

// A filter that names something; the states that the action is for are filled in where none are given.
Result<ExecutionCriteria> bulk_filter(BulkAction action, ExecutionCriteria filter);
ExecutionCriteria filter_of(const BulkOperationRow& row);
// Where the search for executions goes on.
SearchPlace place_of(const BulkOperationRow& row);
void search_from(BulkOperationRow& row, const SearchPlace& place);
BulkOperationView view_of(const BulkOperationRow& row);
void end_bulk_operation(BulkOperationRow& row, BulkState state, std::int64_t now_ms);

// What the engine does for a bulk operation, in this order and repeatedly. Any number of engines may: an execution is
// dealt with in the transaction that takes it off the list, and a search that another has carried on is dropped.

// Lists what a search from `from` has found; `to`: where the next one begins, nothing if there is no more.
Command list_bulk_items(const BulkOperationId& operation, const SearchPlace& from, const std::optional<SearchPlace>& to,
                        const std::vector<ExecutionId>& found);
// Gives the execution the command that the operation is about.
Command work_off_bulk_item(const BulkOperationRow& operation, const ExecutionId& execution);
// Drops an item whose operation has ended.
Command drop_bulk_item(const BulkItemKey& item);
// Removes an operation that ended long ago.
Command forget_bulk_operation(const BulkOperationId& operation);

}  // namespace flowfabric
