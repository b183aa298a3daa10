#include <map>

#include "core/bulk/bulk.hpp"
#include "engine/queries/search.hpp"
#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {
namespace {

constexpr std::uint32_t operations_at_once = 20;

// The next executions that an operation is about.
StoreResult<Command> look_for_items(StoreReader& reader, const BulkOperationRow& operation, std::uint32_t limit) {
    const SearchPlace from = place_of(operation);
    auto found = search(reader, filter_of(operation), from, limit);
    if (!found) return found.error();
    std::vector<ExecutionId> ids;
    for (const ExecutionSummary& execution : found->executions) {
        // A flow's members come by id, and may have come later than the operation.
        if (execution.created_at_ms <= operation.created_at_ms) ids.push_back(execution.execution_id);
    }
    return list_bulk_items(operation.key.operation_id, from, found->next, ids);
}

// The operations of a look. One that is damaged holds up no other.
class Operations {
  public:
    Operations(StoreReader& reader, const std::vector<BulkOperationRow>& at_hand) : reader_(reader) {
        for (const BulkOperationRow& row : at_hand) known_.emplace(row.key, row);
    }

    StoreResult<std::optional<BulkOperationRow>> of(const BulkItemRow& item) {
        const BulkOperationKey key{item.key.operation_id};
        const auto known = known_.find(key);
        if (known != known_.end()) return known->second;
        return known_.emplace(key, reader_.row<BulkOperationRow>(key)).first->second;
    }

  private:
    StoreReader& reader_;
    std::map<BulkOperationKey, StoreResult<std::optional<BulkOperationRow>>> known_;
};

StoreResult<std::vector<Command>> work_off_items(StoreReader& reader, const std::vector<BulkOperationRow>& at_hand,
                                                 std::uint32_t limit) {
    const auto items = reader.first<BulkItemRow>(limit);
    if (!items) return items.error();
    Operations operations(reader, at_hand);
    std::vector<Command> commands;
    for (const BulkItemRow& item : *items) {
        const auto operation = operations.of(item);
        if (!operation && operation.error().fault == StoreFault::unreadable) continue;
        if (!operation) return operation.error();
        const bool running = *operation && (*operation)->state == BulkState::running;
        commands.push_back(running ? work_off_bulk_item(**operation, item.key.execution_id) : drop_bulk_item(item.key));
    }
    return commands;
}

// What was found is worked off while the search goes on.
StoreResult<Findings> look_for_bulk_operations(StoreReader& reader, const LookArguments& arguments) {
    const auto now = reader.now();
    if (!now) return now.error();
    const auto operations = reader.first<BulkOperationRow>(operations_at_once);
    if (!operations) return operations.error();
    auto commands = work_off_items(reader, *operations, arguments.batch);
    if (!commands) return commands.error();
    // Items that are left, because they cannot be worked off, are looked at again after the interval.
    const bool many = commands->size() >= arguments.batch;
    Findings found{.now_ms = *now, .commands = *std::move(commands), .more = many};
    for (const BulkOperationRow& operation : *operations) {
        if (operation.due_at_ms > *now) continue;
        if (operation.state != BulkState::running) {
            found.commands.push_back(forget_bulk_operation(operation.key.operation_id));
        } else if (!operation.searched && operation.open_count < arguments.batch) {
            auto listed = look_for_items(reader, operation, arguments.batch);
            if (!listed) return listed.error();
            found.commands.push_back(*std::move(listed));
            found.more = true;
        }
    }
    return found;
}

}  // namespace

// Bulk operations that are not done, and those that were done long ago.
ReconcilerSpec bulk_operations() {
    return {.name = "bulk_operations", .interval_ms = 1000, .batch = 500, .look = look_for_bulk_operations};
}

}  // namespace flowfabric
