#include "store/postgres/save.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/rows/event_rows.hpp"
#include "core/statistics/lane_counts.hpp"
#include "store/postgres/sql/row_mapping.hpp"
#include "store/postgres/sql/side_statements.hpp"
#include "store/postgres/wire/params.hpp"

namespace flowfabric::postgres {
namespace {

void send_insertions(WriteForms& forms, const WorkingSet& changes) {
    std::vector<const ExecutionEntry*> entries;
    for (const auto& entry : changes.executions) {
        if (entry.change == RowChange::insert) entries.push_back(&entry);
    }
    if (entries.empty()) return;
    std::ranges::sort(entries, {}, [](const ExecutionEntry* entry) { return entry->row.id; });

    RowParams rows(entries.size());
    for (const auto* entry : entries) {
        visit_stored_columns(entry->row, [&](const char*, const auto& field, ColumnUse) { rows.put(field); });
        rows.put(as_blob(entry->input));
        rows.put(as_blob(entry->result));
        rows.end_row();
    }
    forms.send(save_statements().insert_executions, std::move(rows));
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

void send_keys(WriteForms& forms, const WorkingSet& changes) {
    if (changes.idempotency.empty()) return;
    auto keys = changes.idempotency;
    std::ranges::sort(keys, {}, &IdempotencyRow::key);

    RowParams rows(keys.size());
    for (const auto& row : keys) {
        put_key(rows, row.key);
        rows.put(row.execution_id.partition);
        rows.put(row.execution_id.uuid);
        rows.put(row.expires_at_ms);
        rows.put(row.request_digest);
        rows.put(row.first_state);
        rows.end_row();
    }
    forms.send(save_statements().put_keys, std::move(rows),
               Params::of(static_cast<std::int64_t>(keys.size()), changes.now_ms));
}

// `visit` is one of core/rows/execution_row.hpp's visitors.
template <class Row, class Visit>
void send_rows(WriteForms& forms, const std::vector<Row>& inserted, const WriteStatement& statement, Visit&& visit) {
    if (inserted.empty()) return;
    RowParams rows(inserted.size());
    for (const auto& row : inserted) {
        visit(row, [&](const char*, const auto& field) { rows.put(field); });
        rows.end_row();
    }
    forms.send(statement, std::move(rows));
}

void send_side(Connection& connection, WriteForms& forms, const RowType& type, const SideTables& side) {
    if (!type.changed(side)) return;
    const auto& sql = side_statements(type);
    const RowChanges changes = type.changes(side);
    if (!changes.inserts.empty()) forms.send(sql.insert, params_of(changes.inserts));
    if (!changes.upserts.empty()) forms.send(sql.upsert, params_of(changes.upserts));
    if (!changes.erased.empty()) connection.send(sql.erase, params_of(changes.erased, Shape::many_rows).finish());
    if (!changes.cuts.empty()) connection.send(sql.cut, params_of(changes.cuts, Shape::many_rows).finish());
}

void send_side_rows(Connection& connection, WriteForms& forms, const SideTables& side) {
    for (const RowType& type : side_row_types()) send_side(connection, forms, type, side);
    if (side.of<LaneRow>().changed()) connection.send(save_statements().advance_lane_revision);
    if (side.of<SettingRow>().changed()) connection.send(save_statements().advance_setting_revision);
}

void send_counts(WriteForms& forms, const WorkingSet& changes, const Uuid& writer_id) {
    const auto counted = count_changes(changes);
    if (counted.empty()) return;
    RowParams rows(counted.size());
    for (const LaneCountsRow& lane : counted) {
        rows.put(lane.lane_id);
        rows.put(writer_id);
        visit_counts([&](std::string_view, const std::int64_t& count) { rows.put(count); }, lane.counts);
        rows.end_row();
    }
    forms.send(save_statements().add_counts, std::move(rows));
}

// Children first.
void send_erased(Connection& connection, const WorkingSet& changes) {
    std::vector<ExecutionId> ids;
    std::vector<ExecutionId> members;
    for (const auto& entry : changes.executions) {
        if (entry.change != RowChange::erase) continue;
        ids.push_back(entry.row.id);
        if (entry.row.flow_id) members.push_back(entry.row.id);
    }
    if (ids.empty()) return;
    std::ranges::sort(ids);
    if (!members.empty()) connection.send(save_statements().delete_inputs, key_params(members));
    const Params params = key_params(ids);
    for (const RowType& type : side_row_types()) {
        if (type.owned) connection.send(side_statements(type).erase_owned, params);
    }
    connection.send(save_statements().delete_attempts, params);
    connection.send(save_statements().delete_executions, params);
}

// The results that they copy may be of this very batch.
void send_input_copies(Connection& connection, const WorkingSet& changes) {
    if (changes.input_copies.empty()) return;
    std::map<std::pair<ExecutionId, EdgeId>, const InputCopy*> copies;
    for (const auto& copy : changes.input_copies) copies[{copy.to, copy.edge_id}] = &copy;
    const auto params_of = [&](bool whole) {
        Params params;
        params.add_array(copies, [](const auto& copy) { return copy.second->to.partition; });
        params.add_array(copies, [](const auto& copy) { return copy.second->to.uuid; });
        params.add_array(copies, [](const auto& copy) { return copy.second->edge_id; });
        if (!whole) return params;
        params.add_array(copies, [](const auto& copy) { return std::string_view(copy.second->ref); });
        params.add_array(copies, [](const auto& copy) { return copy.second->from.partition; });
        params.add_array(copies, [](const auto& copy) { return copy.second->from.uuid; });
        return params;
    };
    connection.send(save_statements().keep_inputs, params_of(true));
    connection.send(save_statements().adopt_inputs, params_of(false));
}

void send_dispatched(Connection& connection, const WorkingSet& changes) {
    if (changes.dispatched.empty()) return;
    auto ids = changes.dispatched;
    std::ranges::sort(ids);
    Params params;
    params.add_array(ids, [](std::int64_t id) { return id; });
    params.add(changes.now_ms);
    connection.send(save_statements().mark_dispatched, params);
}

}  // namespace

std::vector<Undispatched> read_ends_of_members(const Rows& ids, const WorkingSet& changes) {
    std::vector<Undispatched> ends;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const CompletionEvent& event = changes.events.of<CompletionEvent>()[i];
        if (!event.flow_id) continue;
        ends.push_back(undispatched_end(event));
        ends.back().event_id = ids.get<std::int64_t>(i, 0);
    }
    return ends;
}

std::optional<std::size_t> send_changes(Connection& connection, WriteForms& forms, const WorkingSet& changes,
                                        ExecutionUpdates& updates, const Marker& marker) {
    const auto& sql = save_statements();
    send_keys(forms, changes);
    send_insertions(forms, changes);
    send_erased(connection, changes);
    send_cleared_results(connection, changes);
    updates.send(forms, changes);
    send_input_copies(connection, changes);
    send_rows(forms, changes.attempts, sql.insert_attempts,
              [](const auto& row, auto&& put) { visit_attempt_columns(row, put); });
    send_side_rows(connection, forms, changes.side);
    if (!changes.submissions.empty()) {
        Params params;
        params.add_array(changes.submissions, [](std::int64_t id) { return id; });
        connection.send(sql.delete_submissions, params);
    }
    send_counts(forms, changes, marker.writer_id);
    connection.send(sql.advance_marker, Params::of(marker.writer_id, marker.batch_no));
    send_dispatched(connection, changes);
    std::optional<std::size_t> ends_at;
    changes.events.each([&]<class E>(const EventList<E>& events) {
        const WriteStatement* insert = &sql.insert_events[index_of(outbox_of<E>.channel)];
        if constexpr (std::same_as<E, CompletionEvent>) {
            if (std::ranges::any_of(events, &std::optional<FlowId>::has_value, &E::flow_id)) {
                insert = &sql.insert_ends_of_members;
                ends_at = connection.section_size();
            }
        }
        send_rows(forms, events, *insert, [](const auto& row, auto&& put) { visit_event_columns(row, put); });
    });
    connection.send(sql.commit);
    return ends_at;
}

}  // namespace flowfabric::postgres
