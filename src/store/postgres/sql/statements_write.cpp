#include "store/postgres/sql/side_statements.hpp"

#include <algorithm>
#include <iterator>

namespace flowfabric::postgres {
namespace {

using sql::Columns;

const std::string clock_ms{sql::server_clock};

// ---- load -----------------------------------------------------------------------------------------------------------

using sql::execution_key;
using sql::expecting;
using sql::insert;
using sql::select_by_key;

const Columns idempotency_key{{"partition_key", "smallint"}, {"namespace", "text"}, {"idempotency_key", "text"}};

std::string last_drawn_of_each() {
    std::string cases;
    for (const Channel channel : channels) {
        cases += " WHEN '" + std::string(to_string(channel)) + "' THEN (" +
                 sql::last_drawn(outbox_of_channel(channel)) + ")";
    }
    return cases;
}

// What orders claims, then the row itself with its input and the input's size. A large input is read only when the row
// has been chosen: no more of them than an answer may hold.
std::string claim_columns() {
    return "e.priority, e.created_at_ms, e.execution_id, " +
           sql::record(sql::stored_columns(), "e.",
                       ", CASE WHEN octet_length(e.payload) <= 16384 THEN e.payload END, octet_length(e.payload)") +
           " AS record";
}

// What was granted to a worker is passed over; hardly any row is, so that the clock is hardly ever read.
std::string not_granted(const std::string& now) {
    return " AND (e.grant_until_ms IS NULL OR e.grant_until_ms <= coalesce(" + now + "::bigint, " + clock_ms + "))";
}

// The parameters that every claim has: how many rows, how many of each range, the time, and the classes that may have
// reclaimable rows.
struct ClaimParameters {
    std::string count, each, now, reclaimable_in;
};

// Each class's index range is read in claim order and cut off before classes are merged.
std::string lock_by_class(const ClaimParameters& claim, const std::string& classes, const std::string& predicate,
                          const std::string& each) {
    return "SELECT c.record FROM " + classes + " CROSS JOIN LATERAL (SELECT " + claim_columns() +
           " FROM ff_exec_core AS e WHERE " + predicate + not_granted(claim.now) +
           " ORDER BY e.priority DESC, e.created_at_ms, e.execution_id LIMIT " + each +
           "::bigint FOR UPDATE SKIP LOCKED) AS c ORDER BY c.priority DESC, c.created_at_ms, c.execution_id LIMIT " +
           claim.count + "::bigint";
}

// Reclaimable rows, then eligible ones. One statement: what a statement costs is mostly to begin and to end it.
std::string lock_claimable(const ClaimParameters& claim, const std::string& lock_eligible) {
    return "(" +
           lock_by_class(claim, "unnest(" + claim.reclaimable_in + "::integer[]) AS k(class_id)",
                         "e.class_id = k.class_id AND e.reclaimable_since_ms IS NOT NULL", claim.count) +
           ") UNION ALL (" + lock_eligible + ")";
}

// $5 to $10: levels are classes, priorities and floors, in order of priority, and where each priority's levels begin
// and end. The row comparison is an index condition, so that the scan begins at the floor and never sees the dead
// entries before it. The outer limit stops before lower priorities are locked.
std::string lock_levels(const ClaimParameters& claim) {
    return "SELECT c.record FROM unnest($9::integer[], $10::integer[]) AS p(first, last) CROSS JOIN LATERAL (SELECT "
           "r.* FROM generate_series(p.first, p.last) AS l(n) CROSS JOIN LATERAL (SELECT " +
           claim_columns() +
           " FROM ff_exec_core AS e WHERE e.claim_class = ($5::integer[])[l.n] AND e.priority = "
           "($6::integer[])[l.n]" +
           not_granted(claim.now) +
           " AND (e.created_at_ms, e.execution_id) >= (($7::bigint[])[l.n], ($8::uuid[])[l.n]) ORDER BY "
           "e.created_at_ms, e.execution_id LIMIT " +
           claim.each + "::bigint FOR UPDATE SKIP LOCKED) AS r ORDER BY r.created_at_ms, r.execution_id LIMIT " +
           claim.count + "::bigint) AS c";
}

// $11 to $13: classes, the priorities that the tails are below, and the lowest priority to look at.
std::string lock_tails(const ClaimParameters& claim) {
    return lock_by_class(claim, "unnest($11::integer[], $12::integer[]) AS t(class_id, below)",
                         "e.claim_class = t.class_id AND e.priority < t.below AND e.priority >= $13::integer",
                         claim.each);
}

// The first rows of these classes that are not granted, locked or not.
std::string heads_of(const std::string& classes, const std::string& now) {
    return "SELECT k.class_id, h.priority, h.created_at_ms, h.execution_id FROM unnest(" + classes +
           "::integer[]) AS k(class_id) CROSS JOIN LATERAL (SELECT e.priority, e.created_at_ms, e.execution_id FROM "
           "ff_exec_core AS e WHERE e.claim_class = k.class_id" +
           not_granted(now) + " ORDER BY e.priority DESC, e.created_at_ms, e.execution_id LIMIT 1) AS h";
}

// $5 classes, $6 how many of them: those whose first rows come first.
std::string lock_best(const ClaimParameters& claim) {
    return lock_by_class(claim,
                         "(SELECT h.class_id FROM (" + heads_of("$5", claim.now) +
                             ") AS h ORDER BY h.priority DESC, h.created_at_ms, h.execution_id LIMIT $6::bigint) AS t",
                         "e.claim_class = t.class_id", claim.each);
}

// The executions that groups of these flows wait to decide about. Each is looked up by itself: joined, a plan made
// while the table is empty would walk its whole partition.
std::string children(const std::string& columns, const std::string& each) {
    return "SELECT c.* FROM (SELECT e.partition_key, e.downstream_eid FROM " +
           sql::found(sql::columns_of<FlowKey>(), "ff_edge_group", " AND e.group_state = 'pending'") +
           ") AS g CROSS JOIN LATERAL (SELECT " + columns +
           " FROM ff_exec_core AS e WHERE e.partition_key = g.partition_key AND e.execution_id = g.downstream_eid " +
           each + ") AS c";
}

// $1 partition, $2 flow.
std::string live_members(const std::string& columns, const std::string& further = "") {
    return select_by_key(columns, "ff_exec_core", sql::columns_of<FlowKey>(), Shape::one_row,
                         " AND e.lifecycle_phase <> 'terminal'" + further);
}

// Those that can be locked, up to $3 of them, with their records; then all of them without. To leave out the locked
// ones takes longer than to read them twice. The limit stops before more are locked.
std::string lock_live_members(const std::string& record) {
    const std::string member = "e.partition_key, e.execution_id, e.lifecycle_phase, ";
    return "SELECT l.* FROM (" +
           live_members(member + record + " AS record", " LIMIT $3::bigint FOR UPDATE OF e SKIP LOCKED") +
           ") AS l UNION ALL " + live_members(member + "NULL");
}

// In the order of is_given_before, up to the first that an answer leaves out: payloads behind what an answer carries
// are not read.
std::string signals_of_runs(Shape shape) {
    const Columns key = sql::columns_of<RunKey>();
    const Columns columns = sql::columns_of<SignalRow>();
    const std::string first = "SELECT e.* FROM ff_signal AS e WHERE " + sql::matching(key) +
                              " ORDER BY e.satisfied DESC, e.seq LIMIT " + std::to_string(max_given_signals + 1);
    const std::string measured =
        "SELECT e.*, p.payload, sum(octet_length(p.payload)) OVER (ORDER BY e.satisfied DESC, e.seq ROWS BETWEEN "
        "UNBOUNDED PRECEDING AND "
        "1 PRECEDING) AS before FROM (" +
        first +
        ") AS e LEFT JOIN LATERAL (SELECT p.payload FROM ff_signal_payload AS p WHERE p.partition_key = "
        "e.partition_key AND p.execution_id = e.execution_id AND p.seq = e.seq OFFSET 0) AS p ON true";
    return "SELECT s.* FROM " + (shape == Shape::one_row ? sql::row(key) : sql::rows(key)) +
           " CROSS JOIN LATERAL (SELECT " + sql::names(columns, "m.") + ", m.payload FROM (" + measured +
           ") AS m WHERE coalesce(m.before, 0) <= " + std::to_string(max_given_signal_bytes) + ") AS s";
}

constexpr auto named_events = "e.event_id = ANY($1::bigint[]) AND e.dispatched_at_ms IS NULL";

LoadStatements make_load_statements() {
    const std::string keys =
        "e.namespace, e.idempotency_key, e.execution_partition, e.execution_id, e.expires_at_ms, e.request_digest, "
        "e.first_state";
    const std::string executions = sql::record(sql::stored_columns(), "e.");
    const ClaimParameters claim{.count = "$1", .each = "$2", .now = "$3", .reclaimable_in = "$4"};
    const auto lock_keys = [&](const std::string& waiting) {
        return [&, waiting](Shape shape) {
            return select_by_key(keys, "ff_idempotency_key", idempotency_key, shape, " FOR UPDATE OF e" + waiting);
        };
    };
    const std::string lock_submissions =
        "SELECT submission_id FROM ff_submission WHERE submission_id = ANY($1::bigint[]) ORDER BY submission_id FOR "
        "UPDATE";
    const auto lock_executions = [&](const std::string& waiting) {
        return [&, waiting](Shape shape) {
            return select_by_key(executions, "ff_exec_core", execution_key, shape, " FOR UPDATE OF e" + waiting);
        };
    };
    return {
        .begin = {"begin", "BEGIN ISOLATION LEVEL READ COMMITTED"},
        // Held to the end of the transaction: a lane changes its state when no creation is under way, and a creation
        // that begins after the change reads it.
        .share_lanes = {"share_lanes", "SELECT pg_advisory_xact_lock_shared(5063511405218292)"},
        .own_lanes = {"own_lanes", "SELECT pg_advisory_xact_lock(5063511405218292)"},
        .lock_submissions = {"lock_submissions", lock_submissions + " SKIP LOCKED"},
        .lock_submissions_patiently = {"lock_submissions_patiently", lock_submissions},
        // One row per channel: what is trimmed, locked against trimming and against others who change its consumers.
        .lock_outboxes = {"lock_outboxes",
                          "SELECT o.channel, o.trimmed, CASE o.channel" + last_drawn_of_each() +
                              " END FROM ff_outbox AS o WHERE o.channel = ANY($1::text[]) ORDER BY o.channel FOR "
                              "UPDATE OF o"},
        .lock_keys = lookup_statement("lock_keys", lock_keys(" SKIP LOCKED")),
        .lock_keys_patiently = lookup_statement("lock_keys_patiently", lock_keys("")),
        .find_keys = {"find_keys",
                      select_by_key("e.namespace, e.idempotency_key", "ff_idempotency_key", idempotency_key)},
        .lock_executions = lookup_statement("lock_executions", lock_executions(" SKIP LOCKED")),
        .lock_executions_patiently = lookup_statement("lock_executions_patiently", lock_executions("")),
        .find_executions = {"find_executions",
                            select_by_key(sql::names(execution_key, "e."), "ff_exec_core", execution_key)},
        .find_inputs = lookup_statement("find_inputs",
                                        [](Shape shape) {
                                            return select_by_key("e.partition_key, e.execution_id, e.payload",
                                                                 "ff_exec_core", execution_key, shape);
                                        }),
        .find_signals = lookup_statement("find_signals", signals_of_runs),
        .lock_children = {"lock_children", children(executions, "FOR UPDATE SKIP LOCKED")},
        .lock_children_patiently = {"lock_children_patiently", children(executions, "FOR UPDATE")},
        .find_children = {"find_children", children(sql::names(execution_key, "e."), "LIMIT 1")},
        .lock_live_members = {"lock_live_members", lock_live_members(executions)},
        .lock_ends = {"lock_ends", "SELECT e.event_id FROM ff_completion_event AS e WHERE " +
                                       std::string(named_events) + " ORDER BY e.event_id FOR UPDATE"},
        .lock_claimable = {"lock_claimable",
                           lock_claimable(claim, "SELECT c.record FROM ((" + lock_levels(claim) + ") UNION ALL (" +
                                                     lock_tails(claim) + ")) AS c LIMIT " + claim.count + "::bigint")},
        .lock_best_claimable = {"lock_best_claimable", lock_claimable(claim, lock_best(claim))},
        // Read after the locks: a row that was committed in between is told of.
        .heads = {"heads", heads_of("$1", "$2")},
        // A statement of its own behind the last lock: a time read by a locking SELECT is as old as its wait.
        .clock = {"clock", "SELECT " + clock_ms +
                               ", c.lane_revision, c.setting_revision FROM ff_partition_config AS c WHERE c.singleton"},
    };
}

// ---- save -----------------------------------------------------------------------------------------------------------

WriteStatement insert_rows(const std::string& name, const std::string& table, const Columns& columns) {
    return {name, columns.size(), [=](const ColumnSet& shared) { return insert(table, columns, shared); }};
}

// Event ids are drawn above the sort, in the order of the rows.
WriteStatement insert_in_order(const std::string& name, const std::string& table, const Columns& columns,
                               const std::string& returning = "") {
    const auto text = [=](const ColumnSet& shared) {
        if (shared.count() == columns.size()) return insert(table, columns, shared) + returning;
        return "INSERT INTO " + table + " (" + sql::names(columns) + ") SELECT " + sql::values(columns, shared) +
               " FROM " + sql::unnest(columns, shared) + " WITH ORDINALITY AS u(" +
               sql::names(sql::not_shared(columns, shared)) + ", ordinal) ORDER BY u.ordinal" + returning;
    };
    return {name, columns.size(), text};
}

std::vector<WriteStatement> insert_events() {
    std::vector<WriteStatement> all;
    EventLists{}.each([&]<class E>(const EventList<E>&) {
        const std::string table(outbox_of<E>.table);
        all.push_back(insert_in_order("insert_" + table, table, sql::event_columns<E>()));
    });
    return all;
}

// Takes a key that no execution holds, or a lapsed one; a live one is another execution's. Behind the columns come the
// number of keys and the time.
WriteStatement put_keys() {
    const Columns columns{{"partition_key", "smallint"},       {"namespace", "text"},    {"idempotency_key", "text"},
                          {"execution_partition", "smallint"}, {"execution_id", "uuid"}, {"expires_at_ms", "bigint"},
                          {"request_digest", "text"},          {"first_state", "text"}};
    const auto text = [=](const ColumnSet& shared) {
        return expecting("INSERT INTO ff_idempotency_key AS k (" + sql::names(columns) + ") SELECT " +
                             sql::values(columns, shared) + sql::from_rows(columns, shared) +
                             " ON CONFLICT (partition_key, namespace, idempotency_key) DO UPDATE SET "
                             "execution_partition = excluded.execution_partition, execution_id = "
                             "excluded.execution_id, expires_at_ms = excluded.expires_at_ms, request_digest = "
                             "excluded.request_digest, first_state = excluded.first_state WHERE k.expires_at_ms <= " +
                             sql::parameter_after(columns, 1) + "::bigint",
                         sql::parameter_after(columns));
    };
    return {"put_keys", columns.size(), text, StoreFault::contention};
}

// c.waiting + excluded.waiting, …
std::string added_counts() {
    return sql::join(sql::count_columns(), [](const auto& counter) {
        return counter.name + " = c." + counter.name + " + excluded." + counter.name;
    });
}

const std::string own_counts_conflict = " ON CONFLICT (lane_id, writer_id) DO UPDATE SET ";

// Of this writer alone, in the order of lanes.
WriteStatement add_counts() {
    Columns columns{{"lane_id", "text"}, {"writer_id", "uuid"}};
    std::ranges::copy(sql::count_columns(), std::back_inserter(columns));
    return {"add_counts", columns.size(), [=](const ColumnSet& shared) {
                return insert("ff_lane_count AS c", columns, shared) + own_counts_conflict + added_counts();
            }};
}

// What writers have counted that take no further batch. One session at a time, and none waits for another.
std::string fold_counts() {
    const Columns counters = sql::count_columns();
    const std::string nobody = "'00000000-0000-0000-0000-000000000000'::uuid";
    const std::string sums = sql::join(counters, [](const auto& counter) { return "sum(" + counter.name + ")"; });
    return "WITH turn AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(5063511405218293) AS ours), gone AS (DELETE "
           "FROM ff_lane_count AS c WHERE (SELECT ours FROM turn) AND c.writer_id <> " +
           nobody +
           " AND NOT EXISTS (SELECT FROM ff_writer AS w WHERE w.writer_id = c.writer_id AND NOT w.retired) RETURNING "
           "c.*) INSERT INTO ff_lane_count AS c (lane_id, writer_id, " +
           sql::names(counters) + ") SELECT lane_id, " + nobody + ", " + sums + " FROM gone GROUP BY lane_id" +
           own_counts_conflict + added_counts();
}

const Columns input_key{{"partition_key", "smallint"}, {"execution_id", "uuid"}, {"edge_id", "uuid"}};

// A result goes from row to row inside the server.
std::string keep_inputs() {
    Columns copied = input_key;
    copied.push_back({"ref", "text"});
    const std::string kept = sql::names(copied);
    const std::string values = sql::values(copied);
    copied.push_back({"upstream_partition", "smallint"});
    copied.push_back({"upstream_eid", "uuid"});
    return "INSERT INTO ff_flow_input (" + kept + ", payload) SELECT " + values + ", f.result FROM " +
           sql::rows(copied) +
           " JOIN ff_exec_core AS f ON f.partition_key = u.upstream_partition AND f.execution_id = u.upstream_eid "
           "WHERE "
           "f.result IS NOT NULL ON CONFLICT (" +
           sql::names(input_key) + ") DO UPDATE SET ref = excluded.ref, payload = excluded.payload";
}

// Those that no higher edge has overruled, now or earlier.
std::string adopt_inputs() {
    return "UPDATE ff_exec_core AS e SET payload = i.payload FROM " + sql::rows(input_key) +
           " JOIN ff_flow_input AS i USING (" + sql::names(input_key) +
           ") WHERE e.partition_key = i.partition_key AND e.execution_id = i.execution_id AND NOT EXISTS (SELECT FROM "
           "ff_flow_input AS h WHERE h.partition_key = i.partition_key AND h.execution_id = i.execution_id AND "
           "h.edge_id > i.edge_id)";
}

SaveStatements make_save_statements() {
    Columns inserted = sql::stored_columns();
    inserted.push_back({"payload", "bytea"});
    inserted.push_back({"result", "bytea"});
    return {
        .put_keys = put_keys(),
        .insert_executions = insert_rows("insert_executions", "ff_exec_core", inserted),
        .delete_executions = {"delete_executions", sql::delete_by_key("ff_exec_core", execution_key)},
        .delete_attempts = {"delete_attempts", sql::delete_by_key("ff_attempt", execution_key)},
        .clear_results = {"clear_results",
                          "UPDATE ff_exec_core AS e SET result = NULL FROM " + sql::rows(execution_key) +
                              " WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id"},
        .keep_inputs = {"keep_inputs", keep_inputs()},
        .adopt_inputs = {"adopt_inputs", adopt_inputs()},
        .delete_inputs = {"delete_inputs", sql::delete_by_key("ff_flow_input", execution_key)},
        .insert_attempts = insert_rows("insert_attempts", "ff_attempt", sql::attempt_columns()),
        .add_counts = add_counts(),
        // Fails for a writer that was retired by outcome() or swept, so that a batch given up for lost cannot commit.
        .advance_marker = {"advance_marker",
                           expecting("UPDATE ff_writer SET batch_no = $2::bigint, touched_at_ms = " + clock_ms +
                                         " WHERE writer_id = $1::uuid AND NOT retired",
                                     "1"),
                           StoreFault::connection},
        .mark_dispatched = {"mark_dispatched",
                            "UPDATE ff_completion_event AS e SET dispatched_at_ms = $2::bigint WHERE " +
                                std::string(named_events)},
        .insert_events = insert_events(),
        .insert_ends_of_members = insert_in_order("insert_ends_of_members", "ff_completion_event",
                                                  sql::event_columns<CompletionEvent>(), " RETURNING event_id"),
        .advance_lane_revision = {"advance_lane_revision",
                                  "UPDATE ff_partition_config SET lane_revision = lane_revision + 1"},
        .advance_setting_revision = {"advance_setting_revision",
                                     "UPDATE ff_partition_config SET setting_revision = setting_revision + 1"},
        .delete_submissions = {"delete_submissions",
                               "DELETE FROM ff_submission WHERE submission_id = ANY($1::bigint[])"},
        .commit = {"commit", "COMMIT"},
        .rollback = {"rollback", "ROLLBACK"},
        // Runs behind COMMIT, in a transaction of its own that nobody waits for.
        .notify =
            {"notify",
             "SELECT set_config('synchronous_commit', 'off', true), (SELECT count(pg_notify(c.channel, c.payload)) "
             "FROM unnest($1::text[], $2::text[]) AS c(channel, payload))"},
    };
}

// ---- upkeep ---------------------------------------------------------------------------------------------------------

// What came to its time `ago`; $1 the present, $2 how many.
std::string sweep(const std::string& table, const Columns& key, const std::string& time, const std::string& ago = "") {
    return "DELETE FROM " + table + " WHERE (" + sql::names(key) + ") IN (SELECT " + sql::names(key) + " FROM " +
           table + " WHERE " + time + " <= (SELECT coalesce($1::bigint, " + clock_ms + "))" + ago + " ORDER BY " +
           time + " LIMIT $2::bigint FOR UPDATE SKIP LOCKED)";
}

std::string sweep_lapsed(const std::string& table, const Columns& key) {
    return sweep(table, key, "expires_at_ms");
}

UpkeepStatements make_upkeep_statements() {
    return {
        .register_writer = {"register_writer",
                            "INSERT INTO ff_writer (touched_at_ms) VALUES (" + clock_ms + ") RETURNING writer_id"},
        // Waits for a lost transaction that already holds the row; the row stays, so that the answer can be repeated.
        .retire_writer = {"retire_writer",
                          "UPDATE ff_writer SET retired = true WHERE writer_id = $1::uuid RETURNING batch_no"},
        .forget_writer = {"forget_writer", "DELETE FROM ff_writer WHERE writer_id = $1::uuid AND NOT retired"},
        .insert_lanes =
            {"insert_lanes",
             "INSERT INTO ff_lane_registry (lane_id, registered_at_ms, registered_by) SELECT DISTINCT "
             "u.lane_id, coalesce($2::bigint, " +
                 clock_ms +
                 "), 'create_execution' FROM unnest($1::text[]) AS u(lane_id) ORDER BY 1 ON CONFLICT DO NOTHING"},
        .insert_classes = {"insert_classes",
                           "INSERT INTO ff_claim_class (lane_id, required_capabilities) SELECT DISTINCT u.lane_id, "
                           "string_to_array(u.required_capabilities, '\n') FROM unnest($1::text[], $2::text[]) AS "
                           "u(lane_id, required_capabilities) ORDER BY 1, 2 ON CONFLICT DO NOTHING"},
        // A completed row keeps its entry in the lease check index until then, because clearing it is not HOT.
        .retire_lease_checks =
            {"retire_lease_checks",
             "WITH due AS (SELECT e.partition_key, e.execution_id FROM ff_exec_core AS e WHERE e.lease_check_at_ms <= "
             "(SELECT coalesce($1::bigint, " +
                 clock_ms +
                 ")) AND e.ownership_state <> 'leased' ORDER BY e.lease_check_at_ms LIMIT $2::bigint FOR UPDATE SKIP "
                 "LOCKED) UPDATE ff_exec_core AS e SET lease_check_at_ms = NULL FROM due WHERE e.partition_key = "
                 "due.partition_key AND e.execution_id = due.execution_id"},
        .sweep_keys = {"sweep_keys", sweep_lapsed("ff_idempotency_key", idempotency_key)},
        .sweep_signal_keys = {"sweep_signal_keys", sweep_lapsed("ff_signal_dedup", sql::columns_of<SignalDedupKey>())},
        .sweep_claim_requests = {"sweep_claim_requests",
                                 sweep_lapsed("ff_claim_request", sql::columns_of<ClaimRequestKey>())},
        .sweep_usage_keys = {"sweep_usage_keys",
                             sweep_lapsed("ff_budget_usage_dedup", sql::columns_of<BudgetDedupKey>())},
        .sweep_worker_events = {"sweep_worker_events",
                                sweep("ff_worker_registry_event", sql::columns_of<WorkerEventKey>(), "event_at_ms",
                                      " - $3::bigint")},
        .extend_outboxes = {"extend_outboxes", "SELECT ff_extend_outboxes()"},
        .sweep_writers = {"sweep_writers",
                          "DELETE FROM ff_writer WHERE touched_at_ms < " + clock_ms + " - 7 * 86400000::bigint"},
        .fold_counts = {"fold_counts", fold_counts()},
        .lock_outbox = {"lock_outbox", "SELECT trimmed FROM ff_outbox WHERE channel = $1::text FOR UPDATE"},
        .slowest_consumer = {"slowest_consumer",
                             "SELECT min(event_id) FROM ff_event_consumer WHERE channel = $1::text"},
        .first_undispatched = {"first_undispatched",
                               "SELECT min(event_id) FROM ff_completion_event WHERE dispatched_at_ms IS NULL"},
        .oldest_events = {"oldest_events",
                          "SELECT last_id, newest_at_ms, whole FROM ff_oldest_events($1::text, $2::bigint)"},
        .trim_outbox = {"trim_outbox", "SELECT ff_trim_outbox($1::text, $2::bigint, $3::bigint)"},
        .set_trim_point = {"set_trim_point", "UPDATE ff_outbox SET trimmed = $2::bigint WHERE channel = $1::text"},
    };
}

}  // namespace

const LoadStatements& load_statements() {
    static const LoadStatements statements = make_load_statements();
    return statements;
}

const SaveStatements& save_statements() {
    static const SaveStatements statements = make_save_statements();
    return statements;
}

const UpkeepStatements& upkeep_statements() {
    static const UpkeepStatements statements = make_upkeep_statements();
    return statements;
}

}  // namespace flowfabric::postgres
