#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/budget/budget_rows.hpp"
#include "core/command/command.hpp"
#include "core/command/named_rows.hpp"
#include "core/rows/working_set.hpp"
#include "flowfabric/budget.hpp"

// What a budget's rows say together.
namespace flowfabric {

// By dimension, in byte order; 0 is no limit, like a dimension that is not there.
using BudgetAmounts = std::map<std::string, std::uint64_t>;

// What a budget's row keeps as JSON.
struct BudgetPolicy {
    BudgetAmounts hard_limits;
    BudgetAmounts soft_limits;
    std::uint64_t reset_interval_ms = 0;  // 0: it is not reset by itself
    HardLimitAction on_hard_limit = HardLimitAction::fail;
    SoftLimitAction on_soft_limit = SoftLimitAction::warn;

    bool operator==(const BudgetPolicy&) const = default;
};

Json json_of(const BudgetPolicy& policy);
BudgetPolicy policy_of(const BudgetRow& row);

// The budgets above it, the root first.
std::vector<BudgetKey> ancestors_of(const BudgetRow& row);

// ---- whether it is spent --------------------------------------------------------------------------------------------

// A hard limit at which nothing more fits.
struct SpentLimit {
    BudgetId budget_id;
    std::string dimension;
    std::uint64_t current_usage = 0;
    std::uint64_t hard_limit = 0;

    bool operator==(const SpentLimit&) const = default;
};

// Names the usage on which the budget's hard limits bear.
void name_limited_usage(const BudgetRow& budget, NamedRows& rows);

// The first such limit of the budget, or of one above it, by the rows at hand: their own, and their limited usage. None
// of a budget that is not there, nor of one that only warns.
std::optional<SpentLimit> spent_limit(const BudgetKey& budget, const SideTables& side);

// ---- for decisions --------------------------------------------------------------------------------------------------

// What a command that knows of `known` budgets above this one needs besides; none: it knows all of them.
std::optional<MoreRows> more_above(const BudgetRow& row, const std::vector<BudgetKey>& known);

// Whether the share, of the budget that was charged with it, can be released.
bool is_current(const BudgetShareRow& share, const BudgetRow& charged);

inline EngineError budget_not_found(const BudgetId& id) {
    return {.kind = ErrorKind::budget_not_found, .detail = id.to_string()};
}

std::uint64_t usage_of(const BudgetUsageKey& key, const SideTables& side);

// All usage of a budget, and all that is at hand of it.
void name_all_usage(const BudgetKey& budget, NamedRows& rows);
std::vector<BudgetUsageRow> usage_at_hand(const BudgetKey& budget, const SideTables& side);

// Nothing is used any more and no share can be released; operators are told. The next reset is due `next_at_ms`.
void reset(BudgetRow row, const std::optional<std::int64_t>& next_at_ms, WorkingSet& set);

void tell_operators(const BudgetRow& row, OperatorEventType type, Json details, WorkingSet& set);

BudgetStatus status_of(const BudgetRow& row, const std::vector<BudgetUsageRow>& usage);

// When an interval that began at `from_ms` is over; none: there is no interval.
std::optional<std::int64_t> end_of_interval(std::int64_t from_ms, std::uint64_t interval_ms);

// Resets it if that is due, on the grid of the times at which it was due before.
Command reset_due_budget(const BudgetKey& budget);

}  // namespace flowfabric
