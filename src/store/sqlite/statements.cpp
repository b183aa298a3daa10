#include "store/sqlite/statements.hpp"
#include "core/rows/event_rows.hpp"

#include <array>
#include <string_view>

namespace flowfabric::sqlite::statements {
namespace {

template <class Row>
const Row empty{};

// "a, b, c" and "?, ?, ?", collected while visiting the columns of a row.
struct ColumnList {
    std::string names;
    std::string parameters;
    std::string assignments;

    void add(std::string_view name) {
        const std::string_view comma = names.empty() ? "" : ", ";
        names.append(comma).append(name);
        parameters.append(comma).append("?");
        assignments.append(comma).append(name).append(" = ?");
    }

    std::string insert_into(std::string_view table) const {
        return std::string("INSERT INTO ").append(table) + " (" + names + ") VALUES (" + parameters + ")";
    }
};

std::string sweep_until(const std::string& table, const std::string& key, const std::string& time) {
    return "DELETE FROM " + table + " WHERE (" + key + ") IN (SELECT " + key + " FROM " + table + " WHERE " + time +
           " <= ? LIMIT ?)";
}

// The columns of ff_exec_core that change at least as rarely as `rarest` and at most as often as the hot ones.
ColumnList execution_columns(ColumnUse rarest = ColumnUse::fixed) {
    ColumnList list;
    const ExecutionRow row;
    visit_execution_columns(row, [&](std::string_view name, const auto&, ColumnUse use) {
        if (use >= rarest) list.add(name);
    });
    return list;
}

ColumnList summary_columns() {
    ColumnList list;
    visit_summary_columns(empty<ExecutionSummary>, [&](std::string_view name, const auto&) { list.add(name); });
    return list;
}

ColumnList attempt_columns() {
    ColumnList list;
    const AttemptRow row;
    visit_attempt_columns(row, [&](std::string_view name, const auto&) { list.add(name); });
    return list;
}

ColumnList event_columns(Channel channel) {
    ColumnList list;
    with_event_type(channel, [&]<class E>() {
        visit_event_columns(empty<E>, [&](std::string_view name, const auto&) { list.add(name); });
    });
    return list;
}

ColumnList count_columns() {
    ColumnList list;
    visit_counts([&](std::string_view name, const std::int64_t&) { list.add(name); }, empty<LaneCounts>);
    return list;
}

std::string table_of(Channel channel) {
    return std::string(outbox_of_channel(channel).table);
}

// Without a limit: the reader merges several ranges and stops stepping when it has enough. The time comes last.
std::string claimable_rows(std::string_view predicate) {
    return "SELECT " + execution_columns().names +
           ", ff_exec_input.payload FROM ff_exec_core LEFT JOIN ff_exec_input USING (partition_key, execution_id) "
           "WHERE class_id = ? AND " +
           std::string(predicate) +
           " AND (grant_until_ms IS NULL OR grant_until_ms <= ?) ORDER BY priority DESC, created_at_ms, execution_id";
}

std::string update_execution(ColumnUse rarest) {
    return "UPDATE ff_exec_core SET " + execution_columns(rarest).assignments +
           " WHERE partition_key = ? AND execution_id = ?";
}

// What due rows lead to, in the words of the statement that finds them: the subject itself is joined for the filter.
struct DueSource {
    std::string joined;  // with the rows t
    std::string name_space;
    std::string tags;
};

DueSource source_of(const DueRows& rows) {
    switch (rows.subject) {
        case DueSubject::itself:
            return {.joined = "", .name_space = "NULL", .tags = "NULL"};
        case DueSubject::flow:
            return {.joined = " LEFT JOIN ff_flow_core AS f USING (partition_key, flow_id)",
                    .name_space = "json_extract(f.raw_fields, '$.namespace')",
                    .tags = "f.tags"};
        case DueSubject::execution:
            break;
    }
    const bool itself = rows.table == execution_table;
    const std::string execution = itself ? "t." : "e.";
    return {.joined = itself ? "" : " JOIN ff_exec_core AS e USING (partition_key, execution_id)",
            .name_space = execution + "namespace",
            .tags = execution + "tags"};
}

std::string counts_where(const DueRows& rows) {
    return rows.where.empty() ? "" : " AND t." + std::string(rows.where);
}

std::string rowids_where(std::string_view predicate) {
    return std::string("SELECT rowid FROM ff_exec_core WHERE ").append(predicate);
}

// Selects rowids from partial indexes, among them every row of the state; empty if no index is that small.
std::string state_entries(PublicState state) {
    auto eligible = rowids_where("eligibility_state = 'eligible_now'");
    auto blocked = rowids_where("eligibility_state > 'blocked_by_' AND eligibility_state < 'blocked_by`'");
    switch (state) {
        case PublicState::waiting:
            return eligible + " UNION ALL " + blocked;
        case PublicState::resumable:
            return eligible;
        case PublicState::waiting_children:
        case PublicState::rate_limited:
            return blocked;
        case PublicState::delayed:
            return rowids_where("delay_until_ms IS NOT NULL");
        case PublicState::active:
            return rowids_where("lease_check_at_ms IS NOT NULL") + " UNION ALL " +
                   rowids_where("reclaimable_since_ms IS NOT NULL");
        default:
            return "";
    }
}

}  // namespace

std::string select_rows(const RowType& type) {
    ColumnList list;
    for (const ColumnDescription& column : type.columns) list.add(column.name);
    return "SELECT " + list.names + " FROM " + std::string(type.table);
}

// ---- executions -------------------------------------------------------------------------------------------------

std::string find_execution() {
    return "SELECT " + execution_columns().names + " FROM ff_exec_core WHERE partition_key = ? AND execution_id = ?";
}

std::string insert_execution() {
    return execution_columns().insert_into("ff_exec_core");
}

std::string update_execution_hot() {
    return update_execution(ColumnUse::hot);
}

std::string update_execution_wide() {
    return update_execution(ColumnUse::cold);
}

std::string insert_input() {
    return "INSERT INTO ff_exec_input (partition_key, execution_id, payload) VALUES (?, ?, ?)";
}

std::string save_result() {
    return "INSERT INTO ff_exec_result (partition_key, execution_id, result) VALUES (?, ?, ?)";
}

std::vector<std::string> delete_execution() {
    std::vector<std::string> statements;
    for (const char* table : {"ff_exec_input", "ff_exec_result", "ff_attempt", "ff_exec_core"}) {
        statements.push_back("DELETE FROM " + std::string(table) + " WHERE partition_key = ? AND execution_id = ?");
    }
    return statements;
}

std::string clear_result() {
    return "DELETE FROM ff_exec_result WHERE partition_key = ? AND execution_id = ?";
}

// Left join: an execution whose input is empty has no row there.
std::string find_input() {
    return "SELECT ff_exec_input.payload FROM ff_exec_core LEFT JOIN ff_exec_input "
           "USING (partition_key, execution_id) WHERE partition_key = ? AND execution_id = ?";
}

std::string find_result() {
    return "SELECT result FROM ff_exec_result WHERE partition_key = ? AND execution_id = ?";
}

std::string find_outcome() {
    return "SELECT terminal_outcome FROM ff_exec_core WHERE partition_key = ? AND execution_id = ?";
}

std::string list_executions() {
    return "SELECT " + execution_columns().names +
           " FROM ff_exec_core WHERE (partition_key, execution_id) > (?, ?) AND partition_key <= ? "
           "ORDER BY partition_key, execution_id LIMIT ?";
}

std::string newest(SearchWalk::By by) {
    const auto walk = [](const std::string& table, const std::string& key) {
        return " FROM " + table + " WHERE " + key +
               "(created_at_ms, partition_key, execution_id) < (?, ?, ?) AND created_at_ms >= ? ORDER BY created_at_ms "
               "DESC, partition_key DESC, execution_id DESC LIMIT ?";
    };
    const std::string summaries = "SELECT " + summary_columns().names;
    switch (by) {
        case SearchWalk::By::time:
            break;
        case SearchWalk::By::lane:
            return summaries + walk("ff_exec_core", "lane_id = ? AND ");
        case SearchWalk::By::namespace_name:
            return summaries + walk("ff_exec_core", "namespace = ? AND ");
        case SearchWalk::By::kind:
            return summaries + walk("ff_exec_core", "execution_kind = ? AND ");
        case SearchWalk::By::term:
            return summaries + " FROM (SELECT partition_key AS p, execution_id AS x, created_at_ms AS t" +
                   walk("ff_search_term", "term = ? AND ") +
                   ") CROSS JOIN ff_exec_core ON partition_key = p AND execution_id = x ORDER BY t DESC, p DESC, x "
                   "DESC";
        case SearchWalk::By::flow:
            return summaries +
                   " FROM ff_exec_core WHERE +partition_key = ? AND flow_id = ? AND execution_id < ? ORDER BY "
                   "execution_id DESC LIMIT ?";
    }
    return summaries + walk("ff_exec_core", "");
}

// Good when the state is frequent: the walk along the primary key soon has its page.
std::string list_state_by_walk() {
    return "SELECT " + execution_columns().names +
           " FROM ff_exec_core WHERE (partition_key, execution_id) > (?, ?) AND partition_key <= ? AND public_state = "
           "? "
           "ORDER BY partition_key, execution_id LIMIT ?";
}

// Good when the state is rare: reads and sorts all of it. The plus signs keep the planner off the primary key.
std::string list_state_by_index(PublicState state) {
    return "SELECT " + execution_columns().names +
           " FROM ff_exec_core WHERE (+partition_key, execution_id) > (?, ?) AND +partition_key <= ? AND public_state "
           "= ? AND rowid IN (" +
           state_entries(state) + ") ORDER BY +partition_key, execution_id LIMIT ?";
}

std::optional<std::string> count_state_entries(PublicState state) {
    const auto entries = state_entries(state);
    if (entries.empty()) return std::nullopt;
    return "SELECT count(*) FROM (" + entries + " LIMIT ?)";
}

std::string expired_leases() {
    const auto lapsed = [](std::string_view found_by) {
        return "SELECT rowid FROM ff_exec_core WHERE " + std::string(found_by) + " AND lease_expires_at_ms <= ?1";
    };
    return "SELECT " + execution_columns().names + " FROM ff_exec_core WHERE rowid IN (" +
           lapsed("lease_check_at_ms <= ?1 AND ownership_state = 'leased'") + " UNION ALL " +
           lapsed("reclaimable_since_ms IS NOT NULL AND ownership_state = 'lease_expired_reclaimable'") +
           ") AND (lease_expires_at_ms, partition_key, execution_id) > (?2, ?3, ?4) AND (?5 IS NULL OR namespace = ?5) "
           "ORDER BY lease_expires_at_ms, partition_key, execution_id LIMIT ?6";
}

std::string sweep_keys() {
    return sweep_until("ff_idempotency_key", "partition_key, namespace, idempotency_key", "expires_at_ms");
}

std::string sweep_claim_requests() {
    return sweep_until("ff_claim_request", "partition_key, worker_instance_id, request_id", "expires_at_ms");
}

std::string sweep_usage_keys() {
    return sweep_until("ff_budget_usage_dedup", "partition_key, budget_id, operation_family, dedup_key",
                       "expires_at_ms");
}

std::string sweep_signal_keys() {
    return sweep_until("ff_signal_dedup", "partition_key, waitpoint_id, idempotency_key", "expires_at_ms");
}

std::string sweep_worker_events() {
    return sweep_until("ff_worker_registry_event",
                       "partition_key, namespace, worker_instance_id, event_at_ms, event_kind", "event_at_ms");
}

std::string signals_of_run() {
    return select_rows(row_type<SignalRow>()) +
           " WHERE partition_key = ? AND execution_id = ? AND replay_count = ? ORDER BY satisfied DESC, "
           "seq LIMIT " +
           std::to_string(max_given_signals + 1);
}

std::string signal_payload() {
    return "SELECT payload FROM ff_signal_payload WHERE partition_key = ? AND execution_id = ? AND seq = ?";
}

std::string suspended() {
    return select_rows(row_type<SuspensionRow>()) +
           " WHERE closed_at_ms IS NULL AND (suspended_at_ms, partition_key, execution_id) > (?1, ?2, ?3) AND (?4 IS "
           "NULL OR partition_key = ?4) ORDER BY suspended_at_ms, partition_key, execution_id LIMIT ?5";
}

std::string clear_lease_checks() {
    return "UPDATE ff_exec_core SET lease_check_at_ms = NULL WHERE rowid IN (SELECT rowid FROM ff_exec_core "
           "WHERE lease_check_at_ms <= ? AND ownership_state <> 'leased' ORDER BY lease_check_at_ms LIMIT ?)";
}

// ---- flows ------------------------------------------------------------------------------------------------------

// The plus sign keeps the planner off the primary key, which has the order but everybody else's executions as well.
std::string members() {
    return "SELECT execution_id, lifecycle_phase FROM ff_exec_core WHERE +partition_key = ? AND flow_id = ? "
           "ORDER BY execution_id LIMIT ?";
}

std::string member_page() {
    return "SELECT " + summary_columns().names +
           " FROM ff_exec_core WHERE +partition_key = ? AND flow_id = ? AND execution_id > coalesce(?, x'') ORDER BY "
           "execution_id LIMIT ?";
}

// Retention times are added as saturating_add() does it.
std::string tally() {
    return "SELECT public_state, terminal_outcome, cancellation_cause, count(*), "
           "max(terminal_at_ms) FILTER (WHERE own_retention_ms IS NULL), "
           "max(terminal_at_ms + min(own_retention_ms, 9223372036854775807 - max(terminal_at_ms, 0))) "
           "FILTER (WHERE own_retention_ms > 0), "
           "max(coalesce(own_retention_ms = 0 AND terminal_at_ms IS NOT NULL, 0)) FROM ff_exec_core "
           "WHERE +partition_key = ? AND flow_id = ? GROUP BY public_state, terminal_outcome, cancellation_cause";
}

std::string unsummarised() {
    return select_rows(row_type<FlowRow>()) +
           " INDEXED BY ff_flow_core_unsummarised WHERE summarised = 0 AND (partition_key, flow_id) > (?, ?) ORDER BY "
           "partition_key, flow_id LIMIT ?";
}

std::string edges_in() {
    return "SELECT edge_id FROM ff_edge WHERE partition_key = ? AND flow_id = ? ORDER BY edge_id LIMIT ?";
}

std::string edge_page() {
    return select_rows(row_type<EdgeRow>()) +
           " WHERE partition_key = ? AND flow_id = ? AND edge_id > coalesce(?, x'') ORDER BY edge_id LIMIT ?";
}

// The index by upstream or downstream goes on with the primary key, and so has the order.
std::string edges_of(ListEdges::Direction direction) {
    const bool incoming = direction == ListEdges::Direction::incoming;
    return select_rows(row_type<EdgeRow>()) + " INDEXED BY " + (incoming ? "ff_edge_downstream" : "ff_edge_upstream") +
           " WHERE partition_key = ? AND " + (incoming ? "downstream_eid" : "upstream_eid") +
           " = ? AND flow_id = ? AND edge_id > coalesce(?, x'') ORDER BY edge_id LIMIT ?";
}

std::string pending_children() {
    return "SELECT downstream_eid FROM ff_edge_group WHERE partition_key = ? AND flow_id = ? AND group_state = "
           "'pending'";
}

std::string keep_input() {
    return "INSERT INTO ff_flow_input (edge_id, ref, partition_key, execution_id, payload) SELECT ?, ?, "
           "d.partition_key, d.execution_id, r.result FROM ff_exec_result AS r CROSS JOIN ff_exec_core AS d WHERE "
           "r.partition_key = ? AND r.execution_id = ? AND d.partition_key = ? AND d.execution_id = ? ON CONFLICT "
           "(partition_key, execution_id, edge_id) DO UPDATE SET ref = excluded.ref, payload = excluded.payload";
}

// That of the highest edge. An execution whose input is empty has no row to update.
std::string adopt_input() {
    return "INSERT INTO ff_exec_input (partition_key, execution_id, payload) SELECT partition_key, execution_id, "
           "payload FROM ff_flow_input WHERE partition_key = ? AND execution_id = ? ORDER BY edge_id DESC LIMIT 1 ON "
           "CONFLICT (partition_key, execution_id) DO UPDATE SET payload = excluded.payload";
}

std::string find_inputs() {
    return "SELECT ref, payload FROM ff_flow_input WHERE partition_key = ? AND execution_id = ? ORDER BY edge_id";
}

std::string delete_inputs() {
    return "DELETE FROM ff_flow_input WHERE partition_key = ? AND execution_id = ?";
}

// Without statistics the planner would walk the partition along the primary key.
std::string unresolved_edges() {
    return select_rows(row_type<EdgeRow>()) +
           " INDEXED BY ff_edge_unresolved WHERE partition_key = ? AND upstream_eid = ? AND dependency_state = "
           "'unsatisfied' ORDER BY flow_id, edge_id LIMIT ?";
}

std::string flows() {
    return select_rows(row_type<FlowRow>()) +
           " WHERE (partition_key, flow_id) > (?, ?) AND partition_key <= ? ORDER BY partition_key, flow_id LIMIT ?";
}

// ---- claims -----------------------------------------------------------------------------------------------------

std::string eligible_in_level() {
    return claimable_rows(
        "eligibility_state = 'eligible_now' AND priority = ? AND (created_at_ms, execution_id) >= (?, ?)");
}

std::string eligible_in_tail() {
    return claimable_rows("eligibility_state = 'eligible_now' AND priority < ? AND priority >= ?");
}

std::string claim_head() {
    return "SELECT priority, created_at_ms, execution_id FROM ff_exec_core WHERE class_id = ? AND eligibility_state = "
           "'eligible_now' AND priority < ? AND priority >= ? ORDER BY priority DESC, created_at_ms, execution_id "
           "LIMIT 1";
}

std::string next_reclaimable_class() {
    return "SELECT class_id FROM ff_exec_core WHERE class_id >= ? AND reclaimable_since_ms IS NOT NULL ORDER BY "
           "class_id "
           "LIMIT 1";
}

std::string reclaimable_rows() {
    return claimable_rows("reclaimable_since_ms IS NOT NULL");
}

// ---- due rows ---------------------------------------------------------------------------------------------------

// An absent namespace or tag stands for any.
std::string due(const DueRows& rows) {
    const DueSource source = source_of(rows);
    const std::string time = "t." + std::string(rows.column);
    return "SELECT t.partition_key, t." + std::string(rows.id) + ", " + time + " FROM " + std::string(rows.table) +
           " AS t" + source.joined + " WHERE " + time + " <= ?1" + counts_where(rows) + " AND (?3 IS NULL OR " +
           source.name_space + " = ?3) AND (?4 IS NULL OR EXISTS (SELECT 1 FROM json_each(" + source.tags +
           ") AS g WHERE g.key = ?4 AND g.value = ?5)) ORDER BY " + time + " LIMIT ?2";
}

// An execution's own times are found without a look at its state (ExecutionTimer).
std::string next_due(const DueRows& rows) {
    const std::string time = "t." + std::string(rows.column);
    return "SELECT min(" + time + ") FROM " + std::string(rows.table) + " AS t WHERE " + time + " > ?" +
           (rows.table == execution_table ? "" : counts_where(rows));
}

// ---- attempts, outboxes, keys -----------------------------------------------------------------------------------

std::string insert_attempt() {
    return attempt_columns().insert_into("ff_attempt");
}

std::string list_attempts() {
    return "SELECT " + attempt_columns().names +
           " FROM ff_attempt WHERE partition_key = ? AND execution_id = ? AND attempt_index > ? ORDER BY attempt_index "
           "LIMIT "
           "?";
}

std::string insert_event(Channel channel) {
    return event_columns(channel).insert_into(table_of(channel));
}

// One writer: what is committed is complete. Unlike max(event_id) this never falls when old events are removed.
std::string watermark() {
    return "SELECT seq FROM sqlite_sequence WHERE name = ?";
}

std::string tail(Channel channel) {
    return "SELECT event_id, " + event_columns(channel).names + " FROM " + table_of(channel) +
           " WHERE event_id > ? AND event_id <= ? ORDER BY event_id LIMIT ?";
}

std::string tail_of(Channel channel) {
    return "SELECT event_id, " + event_columns(channel).names + " FROM " + table_of(channel) +
           " WHERE event_id > ? AND event_id <= ? AND partition_key = ? AND execution_id = ? ORDER BY event_id LIMIT ?";
}

std::string trim_points() {
    return "SELECT channel, trimmed FROM ff_outbox";
}

std::string set_trim_point() {
    return "UPDATE ff_outbox SET trimmed = ? WHERE channel = ?";
}

std::string oldest_events(Channel channel) {
    return "SELECT event_id, at FROM (SELECT event_id, " + std::string(outbox_of_channel(channel).time_column) +
           " AS at FROM " + table_of(channel) + " ORDER BY event_id LIMIT ?) ORDER BY event_id DESC LIMIT 1";
}

std::string is_needed() {
    return "SELECT 1 FROM ff_edge AS e INDEXED BY ff_edge_unresolved JOIN ff_edge_group AS g USING (partition_key, "
           "flow_id, downstream_eid) WHERE e.partition_key = ? AND e.upstream_eid = ? AND e.dependency_state = "
           "'unsatisfied' AND g.group_state = 'pending' AND g.generation = e.generation LIMIT 1";
}

std::string first_undispatched() {
    return "SELECT min(event_id) FROM ff_completion_event WHERE dispatched_at_ms IS NULL";
}

std::string undispatched() {
    return "SELECT event_id, partition_key, execution_id, flow_id, outcome, cancellation_cause FROM "
           "ff_completion_event WHERE dispatched_at_ms IS NULL AND flow_id IS NOT NULL AND occurred_at_ms <= ? ORDER "
           "BY event_id LIMIT ?";
}

std::string stalled() {
    return "SELECT e.partition_key, e.upstream_eid, x.flow_id, x.terminal_outcome FROM (SELECT DISTINCT partition_key, "
           "upstream_eid FROM (SELECT partition_key, upstream_eid FROM ff_edge INDEXED BY ff_edge_unresolved WHERE "
           "dependency_state = 'unsatisfied' AND (partition_key, upstream_eid) > (?, ?) ORDER BY partition_key, "
           "upstream_eid LIMIT ?)) AS e LEFT JOIN ff_exec_core AS x ON x.partition_key = e.partition_key AND "
           "x.execution_id = e.upstream_eid AND x.lifecycle_phase = 'terminal' AND x.terminal_at_ms <= ? ORDER BY "
           "e.partition_key, e.upstream_eid";
}

std::string is_undispatched() {
    return "SELECT 1 FROM ff_completion_event WHERE event_id = ? AND dispatched_at_ms IS NULL";
}

std::string mark_dispatched() {
    return "UPDATE ff_completion_event SET dispatched_at_ms = ? WHERE event_id = ? AND dispatched_at_ms IS NULL";
}

std::string remove_events(Channel channel) {
    return "DELETE FROM " + table_of(channel) + " WHERE event_id <= ?";
}

std::string slowest_consumer() {
    return "SELECT min(event_id) FROM ff_event_consumer WHERE channel = ?";
}

std::string find_idempotency_key() {
    return "SELECT execution_partition, execution_id, expires_at_ms, request_digest, first_state FROM "
           "ff_idempotency_key "
           "WHERE partition_key = ? AND namespace = ? AND idempotency_key = ?";
}

// Takes over from a lapsed owner.
std::string save_idempotency_key() {
    return "INSERT INTO ff_idempotency_key "
           "(partition_key, namespace, idempotency_key, execution_partition, execution_id, expires_at_ms, "
           "request_digest, "
           "first_state) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (partition_key, namespace, idempotency_key) DO "
           "UPDATE SET execution_partition = excluded.execution_partition, execution_id = excluded.execution_id, "
           "expires_at_ms = excluded.expires_at_ms, request_digest = excluded.request_digest, first_state = "
           "excluded.first_state";
}

std::string list_idempotency_keys() {
    return "SELECT namespace, idempotency_key, execution_partition, execution_id, expires_at_ms, request_digest, "
           "first_state "
           "FROM ff_idempotency_key ORDER BY namespace, idempotency_key";
}

// ---- lanes and classes ------------------------------------------------------------------------------------------

std::string insert_lane() {
    return "INSERT INTO ff_lane_registry (lane_id, registered_at_ms, registered_by) "
           "VALUES (?, ?, 'create_execution') ON CONFLICT (lane_id) DO NOTHING";
}

std::string insert_class() {
    return "INSERT INTO ff_claim_class (lane_id, required_capabilities) VALUES (?, ?) "
           "ON CONFLICT (lane_id, required_capabilities) DO NOTHING";
}

// One statement, so that classes, states and revision are of one moment; one row even without a class.
std::string list_routes() {
    return "SELECT lane_revision, setting_revision, class_id, lane_id, required_capabilities, lane_state FROM "
           "ff_partition_config LEFT "
           "JOIN ff_claim_class ON true LEFT JOIN ff_lane_registry USING (lane_id) ORDER BY class_id";
}

std::string lane_classes() {
    return "SELECT class_id, required_capabilities FROM ff_claim_class WHERE lane_id = ?";
}

std::string closed_lanes() {
    return "SELECT lane_id, lane_state FROM ff_lane_registry WHERE lane_state <> 'active'";
}

std::string read_revisions() {
    return "SELECT lane_revision, setting_revision FROM ff_partition_config WHERE singleton = 1";
}

std::string advance_lane_revision() {
    return "UPDATE ff_partition_config SET lane_revision = lane_revision + 1 WHERE singleton = 1";
}

std::string advance_setting_revision() {
    return "UPDATE ff_partition_config SET setting_revision = setting_revision + 1 WHERE singleton = 1";
}

// ---- statistics -------------------------------------------------------------------------------------------------

std::string add_counts() {
    std::string additions;
    visit_counts(
        [&](std::string_view name, const std::int64_t&) {
            const std::string counter(name);
            additions += (additions.empty() ? "" : ", ") + counter + " = " + counter + " + excluded." + counter;
        },
        empty<LaneCounts>);
    const ColumnList columns = count_columns();
    return "INSERT INTO ff_lane_count (lane_id, " + columns.names + ") VALUES (?, " + columns.parameters +
           ") ON CONFLICT (lane_id) DO UPDATE SET " + additions;
}

std::string lane_counts() {
    return "SELECT lane_id, " + count_columns().names +
           " FROM ff_lane_count WHERE lane_id > ? ORDER BY lane_id LIMIT ?";
}

std::string counts_of_lane() {
    return "SELECT " + count_columns().names + " FROM ff_lane_count WHERE lane_id = ?";
}

std::string counts_of_all_lanes() {
    std::string sums;
    visit_counts(
        [&](std::string_view name, const std::int64_t&) {
            sums += std::string(sums.empty() ? "" : ", ") + "coalesce(sum(" + std::string(name) + "), 0)";
        },
        empty<LaneCounts>);
    return "SELECT " + sums + " FROM ff_lane_count";
}

// ---- clock and markers ------------------------------------------------------------------------------------------

std::string read_clock() {
    return "SELECT now_ms FROM ff_clock WHERE singleton = 1";
}

std::string advance_clock() {
    return "UPDATE ff_clock SET now_ms = max(now_ms, ?), commit_no = commit_no + 1 WHERE singleton = 1";
}

// Reads no page, only the WAL's header in shared memory.
std::string poll_version() {
    return "PRAGMA data_version";
}

// One statement, so that both come from one snapshot.
std::string read_version() {
    return "SELECT data_version, commit_no FROM ff_clock, pragma_data_version WHERE singleton = 1";
}

std::string commit() {
    return "COMMIT";
}

std::string save_marker() {
    return "INSERT INTO ff_writer (writer_id, batch_no, touched_at_ms) VALUES (?, ?, ?) "
           "ON CONFLICT (writer_id) DO UPDATE SET batch_no = excluded.batch_no, touched_at_ms = excluded.touched_at_ms";
}

std::string find_marker() {
    return "SELECT batch_no FROM ff_writer WHERE writer_id = ?";
}

// A scan, once per writer: there is one row per engine that ran lately.
std::string forget_markers() {
    return "DELETE FROM ff_writer WHERE touched_at_ms < ?";
}

std::string all_executions() {
    return "SELECT " + execution_columns().names + " FROM ff_exec_core";
}

std::string all_attempts() {
    return "SELECT " + attempt_columns().names + " FROM ff_attempt";
}

std::string all_events(Channel channel) {
    return "SELECT event_id, " + event_columns(channel).names + " FROM " + table_of(channel);
}

}  // namespace flowfabric::sqlite::statements
