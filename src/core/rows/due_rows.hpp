#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/rows/side_row.hpp"
#include "core/rows/working_set.hpp"

// What comes due: rows with a time at which something is to be done about an execution, about a flow or about the row
// itself. Stores find them by what is said here and in the row types, reconcilers name what they serve.
namespace flowfabric {

enum class DueSubject : std::uint8_t { execution, flow, itself };

struct DueRows {
    std::string_view name;  // of what happens then, for statements and operators
    std::string_view table;
    std::string_view column;                     // the time, or NULL
    std::string_view where = {};                 // SQL, from a column's name on: of which rows the time counts
    DueSubject subject = DueSubject::execution;  // that the rows name by (partition_key, id)
    std::string_view id = "execution_id";
};

// Of a side table. Its rows belong to an execution that owns them, have the key of a flow, or are their own subject.
template <DueRow Row>
inline constexpr DueRows due_rows = [] {
    DueRows rows{.name = Row::due.name, .table = Row::table, .column = Row::due.column, .where = Row::due.where};
    if constexpr (!Row::due.own_id.empty()) {
        rows.subject = DueSubject::itself;
        rows.id = Row::due.own_id;
    } else if constexpr (!OwnedRow<Row>) {
        rows.subject = DueSubject::flow;
        rows.id = "flow_id";
    }
    return rows;
}();

// Of the executions themselves. A time may outlast what it was set for: it is asked only of rows that are due whether
// it still holds, since no index over all times tells.
struct ExecutionTimer : DueRows {
    std::optional<std::int64_t> ExecutionRow::* at = nullptr;
    bool (*holds)(const ExecutionRow& row) = nullptr;
};

inline constexpr std::string_view execution_table = "ff_exec_core";

inline constexpr ExecutionTimer lease_expiry_timer{
    {.name = "lease_expiry",
     .table = execution_table,
     .column = "lease_check_at_ms",
     .where = "ownership_state = 'leased'"},
    &ExecutionRow::lease_check_at_ms,
    [](const ExecutionRow& row) { return row.vector.ownership_state == OwnershipState::leased; }};

inline constexpr ExecutionTimer delayed_promotion_timer{
    {.name = "delayed_promotion",
     .table = execution_table,
     .column = "delay_until_ms",
     .where = "eligibility_state = 'not_eligible_until_time'"},
    &ExecutionRow::delay_until_ms,
    [](const ExecutionRow& row) { return row.vector.eligibility_state == EligibilityState::not_eligible_until_time; }};

inline constexpr ExecutionTimer attempt_timeout_timer{
    {.name = "attempt_timeout",
     .table = execution_table,
     .column = "attempt_deadline_at_ms",
     .where = "ownership_state = 'leased'"},
    &ExecutionRow::attempt_deadline_at_ms,
    [](const ExecutionRow& row) { return row.vector.ownership_state == OwnershipState::leased; }};

inline constexpr ExecutionTimer execution_deadline_timer{
    {.name = "execution_deadline",
     .table = execution_table,
     .column = "deadline_check_at_ms",
     .where = "lifecycle_phase <> 'terminal'"},
    &ExecutionRow::deadline_check_at_ms,
    [](const ExecutionRow& row) { return row.vector.lifecycle_phase != LifecyclePhase::terminal; }};

inline constexpr std::array execution_timers{&lease_expiry_timer, &delayed_promotion_timer, &attempt_timeout_timer,
                                             &execution_deadline_timer};

// The executions' own and those of all side tables, each once and for good: they are told apart by their addresses.
std::span<const DueRows* const> all_due_rows();

// How long after the batch's own time the earliest of these times that it set is due.
std::optional<std::int64_t> earliest_due(const WorkingSet& set, const DueRows& rows);

}  // namespace flowfabric
