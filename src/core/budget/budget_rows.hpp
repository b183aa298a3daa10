#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/partition.hpp"
#include "core/rows/execution_row.hpp"
#include "core/rows/side_row.hpp"
#include "flowfabric/budget.hpp"

// The rows of budgets: one for what a budget allows, one for each dimension that was used, one for each share that an
// execution has in a dimension, and the keys of reports that were applied. A budget's own row is locked; that covers
// its usage and its keys.
namespace flowfabric {

struct BudgetKey {
    std::uint16_t partition = 0;
    BudgetId budget_id;

    std::uint16_t series() const { return partition; }
    auto operator<=>(const BudgetKey&) const = default;
};

template <Is<BudgetKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("partition_key", key.partition);
    visit("budget_id", key.budget_id);
}

// A budget's partition follows from its id.
inline BudgetKey key_of(const BudgetId& budget_id) {
    return {budget_partition(budget_id), budget_id};
}

struct BudgetRow {
    static constexpr std::string_view table = "ff_budget_policy";
    static constexpr RowLock lock = RowLock::itself;
    static constexpr DueColumn due{.name = "budget_reset", .column = "next_reset_at_ms", .own_id = "budget_id"};
    using Key = BudgetKey;

    BudgetKey key;
    Uuid incarnation;        // another one when it is deleted and created anew
    Json policy_json{"{}"};  // see BudgetPolicy
    std::string scope_type;
    std::string scope_id;
    EnforcementMode enforcement_mode = EnforcementMode::strict;
    TextList ancestors;                // ids, the root's first, its parent's last; they never change
    std::int32_t child_count = 0;      // budgets whose parent it is
    std::int32_t dimension_count = 0;  // that were ever used
    std::int64_t created_at_ms = 0;
    std::int64_t updated_at_ms = 0;
    std::int64_t breach_count = 0;
    std::int64_t soft_breach_count = 0;
    std::optional<std::int64_t> last_breach_at_ms;
    std::optional<std::string> last_breach_dim;
    TextList hard_told;  // dimensions of which operators know that a hard limit was met, since the last reset
    TextList soft_told;  // likewise, of a soft limit that was passed
    std::int64_t reset_count = 0;
    std::optional<std::int64_t> last_reset_at_ms;
    std::optional<std::int64_t> next_reset_at_ms;

    std::optional<std::int64_t> due_at_ms() const { return next_reset_at_ms; }
    const Uuid& due_id() const { return key.budget_id.uuid; }

    bool operator==(const BudgetRow&) const = default;
};

template <Is<BudgetRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("incarnation", row.incarnation);
    visit("policy_json", row.policy_json);
    visit("scope_type", row.scope_type);
    visit("scope_id", row.scope_id);
    visit("enforcement_mode", row.enforcement_mode);
    visit("ancestors", row.ancestors);
    visit("child_count", row.child_count);
    visit("dimension_count", row.dimension_count);
    visit("created_at_ms", row.created_at_ms);
    visit("updated_at_ms", row.updated_at_ms);
    visit("breach_count", row.breach_count);
    visit("soft_breach_count", row.soft_breach_count);
    visit("last_breach_at_ms", row.last_breach_at_ms);
    visit("last_breach_dim", row.last_breach_dim);
    visit("hard_told", row.hard_told);
    visit("soft_told", row.soft_told);
    visit("reset_count", row.reset_count);
    visit("last_reset_at_ms", row.last_reset_at_ms);
    visit("next_reset_at_ms", row.next_reset_at_ms);
}

struct BudgetUsageKey {
    BudgetKey budget;
    std::string dimension;

    const BudgetKey& series() const { return budget; }
    auto operator<=>(const BudgetUsageKey&) const = default;
};

template <Is<BudgetUsageKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit_columns(key.budget, visit);
    visit("dimensions_key", key.dimension);
}

// How much of a dimension is used since the last reset.
struct BudgetUsageRow {
    static constexpr std::string_view table = "ff_budget_usage";
    static constexpr RowLock lock = RowLock::covered_by_parent;
    using Key = BudgetUsageKey;

    BudgetUsageKey key;
    std::int64_t current_value = 0;
    std::optional<std::int64_t> last_reset_at_ms;
    std::int64_t updated_at_ms = 0;

    bool operator==(const BudgetUsageRow&) const = default;
};

template <Is<BudgetUsageRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("current_value", row.current_value);
    visit("last_reset_at_ms", row.last_reset_at_ms);
    visit("updated_at_ms", row.updated_at_ms);
}

struct BudgetShareKey {
    ExecutionId execution_id;
    BudgetId spent_on;   // the budget that was named
    BudgetId budget_id;  // the one that was charged: the same, or one above it
    std::string dimension;

    auto operator<=>(const BudgetShareKey&) const = default;
};

template <Is<BudgetShareKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("partition_key", key.execution_id.partition);
    visit("execution_id", key.execution_id.uuid);
    visit("spent_on", key.spent_on);
    visit("budget_id", key.budget_id);
    visit("dimensions_key", key.dimension);
}

// What an execution has spent, so that it can be released. A share of before the budget's last reset is void.
struct BudgetShareRow {
    static constexpr std::string_view table = "ff_budget_usage_by_exec";
    static constexpr RowLock lock = RowLock::covered_by_parent;
    using Key = BudgetShareKey;

    BudgetShareKey key;
    std::int64_t delta_total = 0;
    Uuid incarnation;              // the charged budget's
    std::int64_t reset_count = 0;  // likewise
    std::int64_t updated_at_ms = 0;

    static bool has_some(const ExecutionRow&) { return false; }
    ExecutionId owner() const { return key.execution_id; }

    bool operator==(const BudgetShareRow&) const = default;
};

template <Is<BudgetShareRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("delta_total", row.delta_total);
    visit("incarnation", row.incarnation);
    visit("reset_count", row.reset_count);
    visit("updated_at_ms", row.updated_at_ms);
}

// Operations that know their repeats, each its own.
enum class ChargeFamily : std::uint8_t { report_usage, record_spend };

template <>
inline constexpr std::array enum_names<ChargeFamily> =
    std::to_array<std::string_view>({"report_usage", "record_spend"});

struct BudgetDedupKey {
    BudgetKey budget;
    ChargeFamily family = ChargeFamily::report_usage;
    std::string dedup_key;

    auto operator<=>(const BudgetDedupKey&) const = default;
};

template <Is<BudgetDedupKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit_columns(key.budget, visit);
    visit("operation_family", key.family);
    visit("dedup_key", key.dedup_key);
}

// The key of a report that was applied, for a day.
struct BudgetDedupRow {
    static constexpr std::string_view table = "ff_budget_usage_dedup";
    static constexpr RowLock lock = RowLock::covered_by_parent;
    using Key = BudgetDedupKey;

    BudgetDedupKey key;
    Uuid incarnation;  // the budget's
    std::int64_t applied_at_ms = 0;
    std::int64_t expires_at_ms = 0;

    bool operator==(const BudgetDedupRow&) const = default;
};

template <Is<BudgetDedupRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("incarnation", row.incarnation);
    visit("applied_at_ms", row.applied_at_ms);
    visit("expires_at_ms", row.expires_at_ms);
}

// What is wrong with a row that was read: nothing can be charged to such a budget.
std::optional<std::string> damage_in(const BudgetRow& row);
std::optional<std::string> damage_in(const BudgetUsageRow& row);
std::optional<std::string> damage_in(const BudgetShareRow& row);

}  // namespace flowfabric
