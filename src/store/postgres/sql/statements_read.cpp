#include <algorithm>

#include "core/events/subject.hpp"
#include "store/postgres/sql/side_statements.hpp"

namespace flowfabric::postgres {
namespace {

// ---- sessions -------------------------------------------------------------------------------------------------------

using SessionSettings = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// The search_path is pinned to the schema that the connection starts in; temporary objects come last.
Statement session(std::string name, std::string_view role, SessionSettings values) {
    std::string sql =
        "SELECT pg_backend_pid(), current_schema(), set_config('search_path', quote_ident(current_schema()) || ', "
        "pg_temp', false), set_config('default_transaction_isolation', 'read committed', false), set_config('jit', "
        "'off', false), set_config('application_name', 'flowfabric " +
        std::string(role) + "', false)";
    for (const auto& [setting, value] : values) {
        sql += ", set_config('" + std::string(setting) + "', '" + std::string(value) + "', false)";
    }
    return {std::move(name), std::move(sql)};
}

SessionStatements make_session_statements() {
    return {
        // A statement prepared on an empty table must not stay a sequential scan: every writer's statement goes by an
        // index in a nested loop, whatever the statistics say. Pages are as good as free, so that looking up each key
        // is cheaper to the planner than walking any table of more than a few rows.
        .writer = session("writer_session", "writer",
                          {{"plan_cache_mode", "force_generic_plan"},
                           {"enable_hashjoin", "off"},
                           {"enable_mergejoin", "off"},
                           {"enable_seqscan", "off"},
                           {"enable_bitmapscan", "off"},
                           {"random_page_cost", "0.01"},
                           {"seq_page_cost", "0.01"},
                           {"synchronous_commit", "on"},
                           {"lock_timeout", "2s"},
                           {"statement_timeout", "30s"},
                           {"idle_in_transaction_session_timeout", "10s"}}),
        // Filters are free here, so each read is planned for what it asks and for the table as it is now.
        .reader = session("reader_session", "reader",
                          {{"plan_cache_mode", "force_custom_plan"},
                           {"max_parallel_workers_per_gather", "0"},
                           {"default_transaction_read_only", "on"},
                           {"statement_timeout", "30s"},
                           {"idle_in_transaction_session_timeout", "10s"}}),
        // The same few statements hundreds of times a second: planned once, by the index.
        .following = {"following",
                      "SELECT set_config('plan_cache_mode', 'force_generic_plan', false), set_config('enable_seqscan', "
                      "'off', false), set_config('enable_bitmapscan', 'off', false), set_config('enable_hashjoin', "
                      "'off', false), set_config('enable_mergejoin', 'off', false)"},
        .limit = {"limit", "SELECT set_config('statement_timeout', $1::text, false)"},
        .listener = session("listener_session", "listener", {{"statement_timeout", "30s"}}),
        .migrator = session("migrator_session", "migrator", {}),
    };
}

// ---- reads ----------------------------------------------------------------------------------------------------------

// now() is the same for all statements of a section, which is one transaction.
const std::string now_ms = "coalesce($1::bigint, floor(extract(epoch FROM now()) * 1000)::bigint)";

// What due rows lead to, in the words of the statement that finds them: the subject itself is joined for the filter.
struct DueSource {
    std::string row;  // the rows' alias
    std::string joined;
    std::string name_space;
    std::string tags = "e.tags";
};

DueSource source_of(const DueRows& rows) {
    switch (rows.subject) {
        case DueSubject::itself:
            return {.row = "t", .joined = "", .name_space = "NULL::text", .tags = "NULL::jsonb"};
        case DueSubject::flow:
            return {.row = "t",
                    .joined = " LEFT JOIN ff_flow_core AS e USING (partition_key, flow_id)",
                    .name_space = "e.raw_fields ->> 'namespace'"};
        case DueSubject::execution:
            break;
    }
    if (rows.table == execution_table) return {.row = "e", .joined = "", .name_space = "e.namespace"};
    return {.row = "t",
            .joined = " JOIN ff_exec_core AS e USING (partition_key, execution_id)",
            .name_space = "e.namespace"};
}

// $2 limit, $3 namespace, $4 and $5 a tag; an absent one stands for any. The next time of an execution's own is found
// without a look at its state (ExecutionTimer).
DueStatements statements_of(const DueRows& rows) {
    const DueSource source = source_of(rows);
    const std::string table = std::string(rows.table) + " AS " + source.row;
    const std::string time = source.row + "." + std::string(rows.column);
    const std::string id = source.row + ".partition_key, " + source.row + "." + std::string(rows.id);
    const std::string where = rows.where.empty() ? "" : " AND " + source.row + "." + std::string(rows.where);
    return {
        .due = {"due_" + std::string(rows.name),
                "SELECT " + id + ", " + time + " FROM " + table + source.joined + " WHERE " + time + " <= " + now_ms +
                    where + " AND ($3::text IS NULL OR " + source.name_space +
                    " = $3::text) AND ($4::text IS NULL OR " + source.tags + " ->> $4::text = $5::text) ORDER BY " +
                    time + ", " + id + " LIMIT $2::bigint"},
        .next = {"next_" + std::string(rows.name), "SELECT min(" + time + ") FROM " + table + " WHERE " + time + " > " +
                                                       now_ms + (rows.table == execution_table ? "" : where)}};
}

std::vector<DueStatements> due() {
    std::vector<DueStatements> all;
    for (const DueRows* rows : all_due_rows()) all.push_back(statements_of(*rows));
    return all;
}

// $1 to $3 the place after which the page starts, $4 a partition, $5 its size.
std::string suspended() {
    return "SELECT " + sql::names(sql::columns_of<SuspensionRow>(), "e.") +
           " FROM ff_suspension_current AS e WHERE e.closed_at_ms IS NULL AND (e.suspended_at_ms, e.partition_key, "
           "e.execution_id) > ($1::bigint, $2::smallint, $3::uuid) AND ($4::smallint IS NULL OR e.partition_key = "
           "$4::smallint) ORDER BY e.suspended_at_ms, e.partition_key, e.execution_id LIMIT $5::bigint";
}

// $1 to $3 the stream, $4 and $5 the first frame, $6 and $7 the last, $8 a mode to leave out, $9 how many.
std::string frames() {
    return "SELECT " + sql::names(sql::columns_of<StreamFrameRow>(), "e.") +
           " FROM ff_stream_frame AS e WHERE e.partition_key = $1::smallint AND e.execution_id = $2::uuid AND "
           "e.attempt_index = $3::integer AND (e.ts_ms, e.seq) >= ($4::bigint, $5::bigint) AND (e.ts_ms, e.seq) <= "
           "($6::bigint, $7::bigint) AND e.frame_no > (SELECT m.cut_through FROM ff_stream_meta AS m WHERE "
           "m.partition_key = $1::smallint AND m.execution_id = $2::uuid AND m.attempt_index = $3::integer) AND "
           "($8::text IS NULL OR e.mode <> $8::text) ORDER BY e.ts_ms, e.seq LIMIT $9::bigint";
}

// $1 as of, $2 to $4 the place after which the page starts, $5 namespace, $6 its size. lease_check_at_ms is never later
// than the expiry of a lease that is held.
std::string expired_leases() {
    const auto lapsed = [](const std::string& found_by) {
        return "SELECT * FROM ff_exec_core AS c WHERE " + found_by + " AND c.lease_expires_at_ms <= $1::bigint";
    };
    return "SELECT " + sql::names(sql::execution_columns(), "e.") + " FROM (" +
           lapsed("c.lease_check_at_ms <= $1::bigint AND c.ownership_state = 'leased'") + " UNION ALL " +
           lapsed("c.reclaimable_since_ms IS NOT NULL AND c.ownership_state = 'lease_expired_reclaimable'") +
           ") AS e WHERE (e.lease_expires_at_ms, e.partition_key, e.execution_id) > ($2::bigint, $3::smallint, "
           "$4::uuid) AND ($5::text IS NULL OR e.namespace = $5::text) ORDER BY e.lease_expires_at_ms, "
           "e.partition_key, e.execution_id LIMIT $6::bigint";
}

// $1, $2 the place after which the page starts, $3 its size, $4 its last partition, $5 the state.
std::string list(const std::string& predicate, const std::string& order = "e.partition_key") {
    return "SELECT " + sql::names(sql::execution_columns(), "e.") +
           " FROM ff_exec_core AS e WHERE (e.partition_key, e.execution_id) > ($1::smallint, $2::uuid)"
           " AND e.partition_key <= $4::smallint" +
           predicate + " ORDER BY " + order + ", e.execution_id LIMIT $3::bigint";
}

// $1 to $3 the place before which the walk begins, $4 the earliest time, $5 its size, $6 the value of its key.
std::string walk_along(const std::string& columns, const std::string& table, const std::string& key) {
    return "SELECT " + columns + " FROM " + table + " AS e WHERE " + key +
           "(e.created_at_ms, e.partition_key, e.execution_id) < ($1::bigint, $2::smallint, $3::uuid) AND "
           "e.created_at_ms >= $4::bigint ORDER BY e.created_at_ms DESC, e.partition_key DESC, e.execution_id DESC "
           "LIMIT $5::bigint";
}

// $1, $2 the flow, $3 the member before which the walk begins, $4 its size.
std::string newest_in_flow(const std::string& columns) {
    return "SELECT " + columns +
           " FROM ff_exec_core AS e WHERE e.partition_key = $1::smallint AND e.flow_id = $2::uuid AND e.execution_id < "
           "$3::uuid ORDER BY e.execution_id DESC LIMIT $4::bigint";
}

// The executions are looked up one by one, behind the walk.
std::string newest_of_term(const std::string& columns) {
    return "SELECT " + columns + " FROM (" +
           walk_along("e.created_at_ms, e.partition_key, e.execution_id", "ff_search_term", "e.term = $6::uuid AND ") +
           ") AS t CROSS JOIN LATERAL (SELECT * FROM ff_exec_core AS c WHERE c.partition_key = t.partition_key AND "
           "c.execution_id = t.execution_id OFFSET 0) AS e ORDER BY t.created_at_ms DESC, t.partition_key DESC, "
           "t.execution_id DESC";
}

// By SearchWalk::By.
std::vector<Statement> newest() {
    const std::string columns = sql::names(sql::summary_columns(), "e.");
    const auto by = [&](const std::string& column) {
        return walk_along(columns, "ff_exec_core", "e." + column + " = $6::text AND ");
    };
    return {{"newest", walk_along(columns, "ff_exec_core", "")},
            {"newest_in_lane", by("lane_id")},
            {"newest_in_namespace", by("namespace")},
            {"newest_of_kind", by("execution_kind")},
            {"newest_of_term", newest_of_term(columns)},
            {"newest_in_flow", newest_in_flow(columns)}};
}

// `predicate` follows from the state and leads to its rows by an index. An order that no index has keeps the planner
// off the primary key.
LiveListing live_listing(const std::string& name, const std::string& predicate) {
    const std::string in_state = " AND e.public_state = $5::text AND (" + predicate + ")";
    return {.count = {"count_" + name, "SELECT count(*) FROM (SELECT FROM ff_exec_core AS e WHERE " + predicate +
                                           " LIMIT $1::bigint) AS few"},
            .sorted = {"sort_" + name, list(in_state, "e.partition_key + 0")}};
}

std::string by_id(const std::string& columns, const std::string& table) {
    return "SELECT " + columns + " FROM " + table +
           " AS e WHERE e.partition_key = $1::smallint AND e.execution_id = $2::uuid";
}

std::string tail(const std::string& table, const sql::Columns& columns) {
    return "SELECT e.event_id, " + sql::names(columns, "e.") + " FROM " + table +
           " AS e WHERE e.event_id > $1::bigint AND e.event_id <= $2::bigint ORDER BY e.event_id LIMIT $3::bigint";
}

std::string tail_of(const std::string& table, const sql::Columns& columns) {
    return "SELECT e.event_id, " + sql::names(columns, "e.") + " FROM " + table +
           " AS e WHERE e.event_id > $1::bigint AND e.event_id <= $2::bigint AND e.partition_key = $4::smallint AND "
           "e.execution_id = $5::uuid ORDER BY e.event_id LIMIT $3::bigint";
}

// nextval() holds this lock until its transaction ends. One look at all locks of the server serves every channel.
std::string holders() {
    std::string sequences;
    for (const Channel channel : channels) {
        sequences += (sequences.empty() ? "('" : ", ('") + std::string(to_string(channel)) + "', '" +
                     sql::sequence_of(outbox_of_channel(channel)) + "'::regclass)";
    }
    return "SELECT o.channel, l.virtualtransaction FROM pg_locks AS l JOIN (VALUES " + sequences +
           ") AS o(channel, sequence) ON l.relation = o.sequence WHERE "
           "l.locktype = 'relation' AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = "
           "current_database()) AND l.mode = 'RowExclusiveLock' AND l.granted";
}

std::vector<ChannelStatements> outboxes() {
    std::vector<ChannelStatements> all;
    EventLists{}.each([&]<class E>(const EventList<E>&) {
        const Outbox& outbox = outbox_of<E>;
        const std::string table(outbox.table);
        const std::string channel(to_string(outbox.channel));
        all.push_back(
            {.sequence = {table + "_sequence", sql::last_drawn(outbox)},
             .tail = {table + "_tail", tail(table, sql::event_columns<E>())},
             .trimmed = {table + "_trimmed", "SELECT trimmed FROM ff_outbox WHERE channel = '" + channel + "'"}});
    });
    return all;
}

std::vector<Statement> execution_tails() {
    std::vector<Statement> all;
    EventLists{}.each([&]<class E>(const EventList<E>&) {
        if constexpr (TellsOfExecutions<E>) {
            const std::string table(outbox_of<E>.table);
            all.push_back({table + "_tail_of", tail_of(table, sql::event_columns<E>())});
        }
    });
    return all;
}

std::vector<Statement> listen_to_events() {
    std::vector<Statement> all;
    for (const Channel channel : channels) {
        const std::string notification(outbox_of_channel(channel).notification);
        all.push_back({"listen_to_" + notification, "LISTEN " + notification});
    }
    return all;
}

// Of the index of what is not dispatched yet, which is short.
std::string undispatched_where(const std::string& further) {
    return "SELECT e.event_id, e.partition_key, e.execution_id, e.flow_id, e.outcome, e.cancellation_cause FROM "
           "ff_completion_event AS e WHERE e.dispatched_at_ms IS NULL AND e.flow_id IS NOT NULL AND " +
           further + " ORDER BY e.event_id";
}

// $2 age, $3 how many.
std::string undispatched() {
    return undispatched_where("e.occurred_at_ms <= " + now_ms + " - $2::bigint") + " LIMIT $3::bigint";
}

// $1, $2 executions.
std::string undispatched_of() {
    return undispatched_where("(e.partition_key, e.execution_id) IN (SELECT u.partition_key, u.execution_id FROM " +
                              sql::rows(sql::execution_key) + ")");
}

// $1, $2 executions.
std::string outcomes() {
    return sql::select_by_key("e.partition_key, e.execution_id, e.terminal_outcome", "ff_exec_core",
                              sql::execution_key);
}

// $2 age, $3 the upstream behind which to begin, $4 how many edges.
std::string stalled() {
    return "SELECT u.partition_key, u.upstream_eid, x.flow_id, x.terminal_outcome FROM (SELECT DISTINCT "
           "o.partition_key, "
           "o.upstream_eid FROM (SELECT e.partition_key, e.upstream_eid FROM ff_edge AS e WHERE e.dependency_state = "
           "'unsatisfied' AND e.upstream_eid > $3::uuid ORDER BY e.upstream_eid LIMIT $4::bigint) AS o) AS u LEFT JOIN "
           "LATERAL (SELECT x.flow_id, x.terminal_outcome, x.terminal_at_ms FROM ff_exec_core AS x WHERE "
           "x.partition_key = u.partition_key AND x.execution_id = u.upstream_eid AND x.lifecycle_phase = 'terminal' "
           "OFFSET 0) AS x ON x.terminal_at_ms <= " +
           now_ms + " - $2::bigint ORDER BY u.upstream_eid";
}

// $1, $2 upstream executions, $3 how many.
std::string unresolved_edges() {
    return "SELECT " + sql::names(sql::columns_of<EdgeRow>(), "e.") + " FROM " +
           sql::found(sql::columns_of<SourceKey>(), "ff_edge", " AND e.dependency_state = 'unsatisfied'") +
           sql::in_order_of(sql::columns_of<EdgeKey>()) + " LIMIT $3::bigint";
}

// $1, $2 upstream executions.
std::string needed() {
    return "SELECT u.partition_key, u.execution_id FROM " + sql::rows(sql::execution_key) +
           " WHERE EXISTS (SELECT 1 FROM ff_edge AS e JOIN ff_edge_group AS g USING (partition_key, flow_id, "
           "downstream_eid) WHERE e.partition_key = u.partition_key AND e.upstream_eid = u.execution_id AND "
           "e.dependency_state = 'unsatisfied' AND g.group_state = 'pending' AND g.generation = e.generation)";
}

// $1, $2 the place after which the page starts, $3 its size, $4 the last partition.
std::string flows() {
    return "SELECT " + sql::names(sql::columns_of<FlowRow>(), "e.") +
           " FROM ff_flow_core AS e WHERE (e.partition_key, e.flow_id) > ($1::smallint, $2::uuid) AND e.partition_key "
           "<= $4::smallint ORDER BY e.partition_key, e.flow_id LIMIT $3::bigint";
}

std::string members() {
    return "SELECT e.partition_key, e.execution_id, e.lifecycle_phase, e.flow_id FROM " +
           sql::found(sql::columns_of<FlowKey>(), "ff_exec_core") + sql::in_order_of(sql::execution_key);
}

// $1, $2 the flow, $3 the member after which the page starts, $4 its size.
std::string member_page() {
    return "SELECT " + sql::names(sql::summary_columns(), "e.") +
           " FROM ff_exec_core AS e WHERE e.partition_key = $1::smallint AND e.flow_id = $2::uuid AND ($3::uuid IS "
           "NULL "
           "OR e.execution_id > $3::uuid) ORDER BY e.execution_id LIMIT $4::bigint";
}

// $1, $2 the flow, $3 the edge after which the page starts, $4 its size.
std::string edge_page() {
    return "SELECT " + sql::names(sql::columns_of<EdgeRow>(), "e.") +
           " FROM ff_edge AS e WHERE e.partition_key = $1::smallint AND e.flow_id = $2::uuid AND ($3::uuid IS NULL OR "
           "e.edge_id > $3::uuid) ORDER BY e.edge_id LIMIT $4::bigint";
}

// $1, $2 the flow, $3 the member, $4 the edge after which the page starts, $5 its size. All edges of the member are
// looked at and the page's kept: the primary key, which has the order, would lead through those of the whole flow.
std::string edges_of(const std::string& end) {
    const std::string columns = sql::names(sql::columns_of<EdgeRow>(), "e.");
    return "SELECT " + columns + " FROM (SELECT " + columns + " FROM ff_edge AS e WHERE e." + end +
           " = $3::uuid OFFSET 0) AS e WHERE e.partition_key = $1::smallint AND e.flow_id = $2::uuid AND ($4::uuid IS "
           "NULL OR e.edge_id > $4::uuid) ORDER BY e.edge_id LIMIT $5::bigint";
}

// A flow with its members counted end by end, in one statement and so at one moment. Retention times are added as
// saturating_add() does it.
std::string tallies() {
    const std::string kept_until =
        "m.terminal_at_ms + least(m.own_retention_ms, 9223372036854775807 - greatest(m.terminal_at_ms, 0))";
    return "SELECT " + sql::names(sql::columns_of<FlowRow>(), "e.") +
           ", s.public_state, s.terminal_outcome, s.cancellation_cause, s.members, s.last_end_ms, s.kept_until_ms, "
           "s.kept_for_ever FROM " +
           sql::found(sql::columns_of<FlowKey>(), "ff_flow_core") +
           " LEFT JOIN LATERAL (SELECT m.public_state, m.terminal_outcome, m.cancellation_cause, count(*) AS members, "
           "max(m.terminal_at_ms) FILTER (WHERE m.own_retention_ms IS NULL) AS last_end_ms, max(" +
           kept_until +
           ") FILTER (WHERE m.own_retention_ms > 0) AS kept_until_ms, coalesce(bool_or(m.own_retention_ms = 0 AND "
           "m.terminal_at_ms IS NOT NULL), false) AS kept_for_ever FROM ff_exec_core AS m WHERE m.partition_key = "
           "e.partition_key AND m.flow_id = e.flow_id GROUP BY m.public_state, m.terminal_outcome, "
           "m.cancellation_cause) AS s ON true" +
           sql::in_order_of(sql::columns_of<FlowKey>());
}

// $1, $2 the place after which the page starts, $3 its size.
std::string unsummarised() {
    return "SELECT " + sql::names(sql::columns_of<FlowRow>(), "e.") +
           " FROM ff_flow_core AS e WHERE NOT e.summarised AND (e.partition_key, e.flow_id) > ($1::smallint, $2::uuid) "
           "ORDER BY e.partition_key, e.flow_id LIMIT $3::bigint";
}

// $1 how many, $2 how many bytes of payload; at least one. $3 the id after which they start. The length of a payload is
// known without reading it.
std::string oldest_submissions() {
    const std::string columns = sql::names(sql::submission_columns(), "e.") + ", e.payload";
    return "SELECT " + columns +
           " FROM (SELECT o.submission_id, sum(o.bytes) OVER (ORDER BY o.submission_id) - o.bytes AS before FROM "
           "(SELECT s.submission_id, coalesce(octet_length(s.payload), 0) AS bytes FROM ff_submission AS s WHERE "
           "s.submission_id > $3::bigint ORDER BY s.submission_id LIMIT $1::bigint) AS o) AS p JOIN ff_submission AS e "
           "USING (submission_id) WHERE p.before <= $2::bigint ORDER BY e.submission_id";
}

// ---- statistics -----------------------------------------------------------------------------------------------------

std::string summed_counts() {
    return sql::join(sql::count_columns(),
                     [](const auto& counter) { return "coalesce(sum(" + counter.name + "), 0)::bigint"; });
}

// The first row of a class's claim index, or of what is below a priority.
std::string first_eligible(const std::string& below = "") {
    return "SELECT e.priority, e.created_at_ms FROM ff_exec_core AS e WHERE e.claim_class = k.class_id" + below +
           " ORDER BY e.priority DESC, e.created_at_ms, e.execution_id LIMIT 1";
}

// From priority to priority: each is one descent into the index, however many rows it has.
std::string oldest_eligible() {
    return "SELECT k.lane_id, min(f.created_at_ms) FROM ff_claim_class AS k CROSS JOIN LATERAL (WITH RECURSIVE "
           "level(priority, created_at_ms) AS ((" +
           first_eligible() + ") UNION ALL SELECT n.priority, n.created_at_ms FROM level AS l CROSS JOIN LATERAL (" +
           first_eligible(" AND e.priority < l.priority") +
           ") AS n) SELECT created_at_ms FROM level) AS f WHERE k.lane_id = ANY($1::text[]) GROUP BY k.lane_id";
}

ReadStatements make_read_statements() {
    const std::string execution = sql::names(sql::execution_columns(), "e.");
    const std::string claimable = "e.claim_class IS NOT NULL";
    // Every flow with a member that waits for others is one of these.
    const std::string in_live_flow =
        "(e.partition_key, e.flow_id) IN (SELECT f.partition_key, f.flow_id FROM ff_flow_core AS f WHERE NOT "
        "f.summarised)";
    return {
        .clock = {"clock", "SELECT " + std::string(sql::server_clock)},
        .transaction_clock = {"transaction_clock", "SELECT " + now_ms},
        .due = due(),
        .execution = {"execution", by_id(execution, "ff_exec_core")},
        .input = {"input", by_id("e.payload", "ff_exec_core")},
        .inputs = {"inputs", by_id("e.ref, e.payload", "ff_flow_input") + " ORDER BY e.edge_id"},
        .result = {"result", by_id("e.result", "ff_exec_core")},
        .attempts = {"attempts", by_id(sql::names(sql::attempt_columns(), "e."), "ff_attempt") +
                                     " AND e.attempt_index > $3::bigint ORDER BY e.attempt_index LIMIT $4::bigint"},
        .list_all = {"list_all", list("")},
        .list_by_state = {"list_by_state", list(" AND e.public_state = $5::text")},
        .along_index = {"along_index",
                        "SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', "
                        "true), set_config('enable_sort', 'off', true)"},
        .newest = newest(),
        .expired_leases = {"expired_leases", expired_leases()},
        .suspended = {"suspended", suspended()},
        .list_claimable = live_listing("claimable", claimable),
        .list_members = live_listing("members", in_live_flow),
        .list_delayed = live_listing("delayed", "e.delay_until_ms IS NOT NULL"),
        .list_active = live_listing("active", "e.lease_check_at_ms IS NOT NULL OR e.reclaimable_since_ms IS NOT NULL"),
        // One statement, so that classes, states and revision are of one moment; one row even without a class.
        .routes = {"routes",
                   "SELECT g.lane_revision, g.setting_revision, c.class_id, c.lane_id, c.required_capabilities, "
                   "l.lane_state FROM ff_partition_config AS g LEFT JOIN ff_claim_class AS c ON true LEFT JOIN "
                   "ff_lane_registry AS l ON l.lane_id = c.lane_id ORDER BY c.class_id"},
        // $1 lanes; the states of lanes only if their revision is not $2.
        .routes_of_lanes = {"routes_of_lanes",
                            "WITH g AS (SELECT lane_revision, setting_revision FROM ff_partition_config WHERE "
                            "singleton) SELECT g.lane_revision, g.setting_revision, c.class_id, c.lane_id, "
                            "c.required_capabilities, NULL AS lane_state FROM g LEFT JOIN (unnest($1::text[]) AS "
                            "u(lane_id) JOIN ff_claim_class AS c USING (lane_id)) ON true UNION ALL SELECT "
                            "g.lane_revision, g.setting_revision, NULL, l.lane_id, NULL, l.lane_state FROM g JOIN "
                            "ff_lane_registry AS l ON l.lane_state <> 'active' WHERE g.lane_revision <> $2::bigint"},
        .idempotency_keys = {"idempotency_keys",
                             "SELECT namespace, idempotency_key, execution_partition, execution_id, expires_at_ms, "
                             "request_digest, first_state "
                             "FROM ff_idempotency_key ORDER BY namespace, idempotency_key"},
        .outcomes = {"outcomes", outcomes()},
        .undispatched = {"undispatched", undispatched()},
        .undispatched_of = {"undispatched_of", undispatched_of()},
        .stalled = {"stalled", stalled()},
        .unresolved_edges = {"unresolved_edges", unresolved_edges()},
        .needed = {"needed", needed()},
        .flows = {"flows", flows()},
        .members = {"members", members()},
        .some_members = {"some_members", members() + " LIMIT $3::bigint"},
        .member_page = {"member_page", member_page()},
        .tallies = {"tallies", tallies()},
        .unsummarised = {"unsummarised", unsummarised()},
        .edges = {"edges",
                  "SELECT e.edge_id FROM ff_edge AS e WHERE e.partition_key = $1::smallint AND e.flow_id = $2::uuid "
                  "ORDER BY e.edge_id LIMIT $3::bigint"},
        .edge_page = {"edge_page", edge_page()},
        .edges_in_to = {"edges_in_to", edges_of("downstream_eid")},
        .edges_out_of = {"edges_out_of", edges_of("upstream_eid")},
        .submissions = {"submissions", oldest_submissions()},
        .submissions_of = {"submissions_of",
                           sql::select_by_key(sql::names(sql::submission_columns(), "e.") + ", e.payload",
                                              "ff_submission", sql::execution_key)},
        .frames = {"frames", frames()},
        .lane_counts = {"lane_counts", "SELECT lane_id, " + summed_counts() +
                                           " FROM ff_lane_count WHERE lane_id > $1::text GROUP BY lane_id ORDER BY "
                                           "lane_id LIMIT $2::bigint"},
        .counts_of_lane = {"counts_of_lane",
                           "SELECT " + summed_counts() + " FROM ff_lane_count WHERE lane_id = $1::text"},
        .counts_of_all_lanes = {"counts_of_all_lanes", "SELECT " + summed_counts() + " FROM ff_lane_count"},
        .oldest_eligible = {"oldest_eligible", oldest_eligible()},
        .holders = {"holders", holders()},
        .outboxes = outboxes(),
        .execution_tails = execution_tails(),
    };
}

// ---- schema ---------------------------------------------------------------------------------------------------------

SchemaStatements make_schema_statements() {
    return {
        .lock = {"lock_schema", "SELECT pg_advisory_lock(5063511405218290)"},
        .create_annotations = {"create_annotations",
                               "CREATE TABLE IF NOT EXISTS ff_migration_annotation (version integer PRIMARY KEY, name "
                               "text NOT NULL, applied_at_ms bigint NOT NULL, backward_compatible boolean NOT NULL)"},
        .has_annotations = {"has_annotations", "SELECT to_regclass('ff_migration_annotation') IS NOT NULL"},
        .annotations = {"annotations",
                        "SELECT version, name, backward_compatible FROM ff_migration_annotation ORDER BY version"},
        .annotate = {"annotate",
                     "INSERT INTO ff_migration_annotation (version, name, applied_at_ms, backward_compatible) VALUES "
                     "($1::integer, $2::text, " +
                         std::string(sql::server_clock) + ", $3::boolean)"},
        .put_config = {"put_config",
                       "INSERT INTO ff_partition_config (num_flow_partitions, num_budget_partitions, "
                       "num_quota_partitions, ff_version) VALUES ($1::integer, $2::integer, $3::integer, $4::text) ON "
                       "CONFLICT (singleton) DO UPDATE SET ff_version = excluded.ff_version"},
        .config = {"config",
                   "SELECT num_flow_partitions, num_budget_partitions, num_quota_partitions FROM ff_partition_config"},
        .create_roles = {"create_roles", "SELECT ff_create_roles()"},
        .renew_roles = {"renew_roles", "SELECT ff_grant_roles(true)"},
        .listen_to_work = {"listen_to_work", "LISTEN ff_work"},
        .listen_to_events = listen_to_events(),
        .listen_to_streams = {"listen_to_streams", "LISTEN ff_stream"},
    };
}

}  // namespace

const SessionStatements& session_statements() {
    static const SessionStatements statements = make_session_statements();
    return statements;
}

const ReadStatements& read_statements() {
    static const ReadStatements statements = make_read_statements();
    return statements;
}

const DueStatements& due_statements(const DueRows& rows) {
    const auto at = std::ranges::find(all_due_rows(), &rows) - all_due_rows().begin();
    return read_statements().due.at(static_cast<std::size_t>(at));
}

const SchemaStatements& schema_statements() {
    static const SchemaStatements statements = make_schema_statements();
    return statements;
}

}  // namespace flowfabric::postgres
