#include "core/budget/budget.hpp"
#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {
namespace {

// Budgets belong to no namespace: every engine serves all of them.
StoreResult<Findings> look_for_due_budgets(StoreReader& reader, const LookArguments& arguments) {
    const auto due = reader.select_due(due_rows<BudgetRow>, arguments.batch, {});
    if (!due) return due.error();
    Findings found{.now_ms = due->now_ms,
                   .commands = {},
                   .conclusion = std::nullopt,
                   .oldest_at_ms = due->oldest_at_ms,
                   .next_at_ms = due->next_at_ms,
                   .walked_to = std::nullopt,
                   .more = due->rows.size() >= arguments.batch};
    found.commands.reserve(due->rows.size());
    for (const DueKey& row : due->rows) found.commands.push_back(reset_due_budget({row.partition, {row.id}}));
    return found;
}

}  // namespace

// Budgets whose interval is over.
ReconcilerSpec budget_reset() {
    return {.name = "budget_reset", .due = &due_rows<BudgetRow>, .interval_ms = 15'000, .look = look_for_due_budgets};
}

}  // namespace flowfabric
