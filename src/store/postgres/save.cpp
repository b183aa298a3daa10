#include "store/postgres/save.hpp"

#include <algorithm>
#include <vector>

#include "core/partition.hpp"
#include "store/postgres/params.hpp"
#include "store/postgres/side_statements.hpp"

namespace flowfabric::postgres {
namespace {

// Puts the columns that a change writes; the first two are the key.
class ChangedColumns {
  public:
    ChangedColumns(RowParams& rows, RowChange change) : rows_(rows), change_(change) {}

    template <class T>
    void operator()(const char*, const T& field, ColumnUse use) {
        const bool key = column_++ < 2;
        if (key || change_ == RowChange::insert || use == ColumnUse::hot ||
            (use == ColumnUse::cold && change_ == RowChange::wide)) {
            rows_.put(field);
        }
    }

  private:
    RowParams& rows_;
    RowChange change_;
    int column_ = 0;
};

void send_executions(Connection& connection, const WorkingSet& changes, RowChange change,
                     const RowStatement& statement) {
    std::vector<const ExecutionEntry*> entries;
    for (const auto& entry : changes.executions) {
        if (entry.change == change) entries.push_back(&entry);
    }
    if (entries.empty()) return;
    std::ranges::sort(entries, {}, [](const ExecutionEntry* entry) { return entry->row.id; });

    RowParams rows(entries.size());
    for (const auto* entry : entries) {
        visit_execution_columns(entry->row, ChangedColumns(rows, change));
        if (change == RowChange::insert) rows.put(as_blob(entry->input));
        rows.put(as_blob(entry->result));
        rows.end_row();
    }
    Params params = std::move(rows).finish();
    if (change != RowChange::insert) params.add(static_cast<std::int64_t>(entries.size()));
    connection.send(statement.for_rows(entries.size()), params);
}

// Before the updates, which keep a stored result unless they bring another one.
void send_cleared_results(Connection& connection, const WorkingSet& changes) {
    std::vector<ExecutionId> ids;
    for (const auto& entry : changes.executions) {
        if (entry.clear_result) ids.push_back(entry.row.id);
    }
    if (ids.empty()) return;
    connection.send(save_statements().clear_results, key_params(ids));
}

void send_keys(Connection& connection, const WorkingSet& changes) {
    if (changes.idempotency.empty()) return;
    auto keys = changes.idempotency;
    std::ranges::sort(keys, {}, &IdempotencyRow::key);

    RowParams rows(keys.size());
    for (const auto& row : keys) {
        rows.put(idempotency_partition(row.key));
        rows.put(row.key.namespace_name);
        rows.put(row.key.key);
        rows.put(row.execution_id.partition);
        rows.put(row.execution_id.uuid);
        rows.put(row.expires_at_ms);
        rows.end_row();
    }
    Params params = std::move(rows).finish();
    params.add(static_cast<std::int64_t>(keys.size()));
    params.add(changes.now_ms);
    connection.send(save_statements().put_keys.for_rows(keys.size()), params);
}

// `visit` is one of core/rows.hpp's visitors.
template <class Row, class Visit>
void send_rows(Connection& connection, const std::vector<Row>& inserted, const RowStatement& statement, Visit&& visit,
               bool counted = false) {
    if (inserted.empty()) return;
    RowParams rows(inserted.size());
    for (const auto& row : inserted) {
        visit(row, [&](const char*, const auto& field) { rows.put(field); });
        rows.end_row();
    }
    Params params = std::move(rows).finish();
    if (counted) params.add(static_cast<std::int64_t>(inserted.size()));
    connection.send(statement.for_rows(inserted.size()), params);
}

template <class Row>
void send_side(Connection& connection, const RowTable<Row>& table) {
    if (!table.changed()) return;
    const auto& sql = side_statements<Row>();
    const auto visit = [](const auto& row, auto&& put) { visit_columns(row, put); };
    send_rows(connection, table.puts(), sql.put, visit, sql.counts_puts);
    if (const auto erased = table.erased(); !erased.empty()) connection.send(sql.erase, side_key_params(erased));
    if constexpr (std::same_as<Row, LaneRow>) connection.send(save_statements().advance_lane_revision);
}

// Children first.
void send_erased(Connection& connection, const WorkingSet& changes) {
    std::vector<ExecutionId> ids;
    for (const auto& entry : changes.executions) {
        if (entry.change == RowChange::erase) ids.push_back(entry.row.id);
    }
    if (ids.empty()) return;
    std::ranges::sort(ids);
    const Params params = key_params(ids);
    changes.side.each([&]<class Row>(const RowTable<Row>&) {
        if constexpr (OwnedRow<Row>) connection.send(side_statements<Row>().erase_owned, params);
    });
    connection.send(save_statements().delete_attempts, params);
    connection.send(save_statements().delete_executions, params);
}

}  // namespace

void send_changes(Connection& connection, const WorkingSet& changes, const Marker& marker) {
    const auto& sql = save_statements();
    send_keys(connection, changes);
    send_executions(connection, changes, RowChange::insert, sql.insert_executions);
    send_erased(connection, changes);
    send_cleared_results(connection, changes);
    send_executions(connection, changes, RowChange::hot, sql.update_hot);
    send_executions(connection, changes, RowChange::wide, sql.update_wide);
    send_rows(connection, changes.attempts, sql.insert_attempts,
              [](const auto& row, auto&& put) { visit_attempt_columns(row, put); });
    changes.side.each([&](const auto& table) { send_side(connection, table); });
    if (!changes.submissions.empty()) {
        Params params;
        params.add_array(changes.submissions, [](std::int64_t id) { return id; });
        connection.send(sql.delete_submissions, params);
    }
    connection.send(sql.advance_marker, Params::of(marker.writer_id, marker.batch_no));
    const auto visit_event = [](const auto& row, auto&& put) { visit_event_columns(row, put); };
    send_rows(connection, changes.lease_events, sql.insert_lease_events, visit_event);
    send_rows(connection, changes.completion_events, sql.insert_completion_events, visit_event);
    send_rows(connection, changes.signal_events, sql.insert_signal_events, visit_event);
    send_rows(connection, changes.operator_events, sql.insert_operator_events, visit_event);
    connection.send(sql.commit);
}

}  // namespace flowfabric::postgres
