#pragma once

#include <string>
#include <vector>

#include "flowfabric/state.hpp"
#include "store/port.hpp"
#include "store/postgres/sql/write_statement.hpp"
#include "store/postgres/wire/connection.hpp"

// Every SQL statement of the adapter. Columns come from core/rows/execution_row.hpp, in its order; multi-row statements
// take one array per column, or one value for what the rows share. Where a statement depends on the clock it takes an
// optional time, NULL standing for the server's.
namespace flowfabric::postgres {

// What a session is for decides its settings.
struct SessionStatements {
    Statement writer;
    Statement reader;
    Statement following;  // what becomes of a reader that follows events or flows
    Statement limit;      // how long a statement may take, in milliseconds
    Statement listener;
    Statement migrator;
};

// A statement that takes keys in either shape.
struct LookupStatement {
    Statement many, one;

    const Statement& for_rows(std::size_t count) const { return count == 1 ? one : many; }
};

// `text(shape)` is its SQL.
template <class Text>
LookupStatement lookup_statement(const std::string& name, Text&& text) {
    return {.many = {name, text(Shape::many_rows)}, .one = {name + "_single", text(Shape::one_row)}};
}

struct LoadStatements {
    Statement begin;
    Statement share_lanes, own_lanes;
    Statement lock_submissions, lock_submissions_patiently;
    Statement lock_outboxes;
    LookupStatement lock_keys, lock_keys_patiently;
    Statement find_keys;
    LookupStatement lock_executions, lock_executions_patiently;
    Statement find_executions;
    LookupStatement find_inputs;
    LookupStatement find_signals;  // of runs, each with its payload
    Statement lock_children, lock_children_patiently, find_children;
    Statement lock_live_members;  // of one flow
    Statement lock_ends;
    Statement lock_claimable;              // of levels and tails
    Statement lock_best_claimable, heads;  // of many classes
    Statement clock;
};

struct SaveStatements {
    WriteStatement put_keys;
    WriteStatement insert_executions;
    Statement delete_executions, delete_attempts;
    Statement clear_results;
    Statement keep_inputs, adopt_inputs, delete_inputs;
    WriteStatement insert_attempts;
    WriteStatement add_counts;
    Statement advance_marker;
    Statement mark_dispatched;
    std::vector<WriteStatement> insert_events;  // by Channel
    WriteStatement insert_ends_of_members;      // as completions, telling their event ids in the same order
    Statement advance_lane_revision, advance_setting_revision;
    Statement delete_submissions;
    Statement commit, rollback;
    Statement notify;
};

struct UpkeepStatements {
    Statement register_writer, retire_writer, forget_writer;
    Statement insert_lanes, insert_classes;
    Statement retire_lease_checks;
    Statement sweep_keys, sweep_signal_keys, sweep_claim_requests, sweep_usage_keys, sweep_worker_events;
    Statement extend_outboxes, sweep_writers, fold_counts;
    Statement lock_outbox, slowest_consumer, first_undispatched, oldest_events, trim_outbox, set_trim_point;
};

// Lists of a state whose rows an index of live work leads to. While there are few of them it is cheaper to sort them
// all than to look for them along the primary key, past everything that has ended.
struct LiveListing {
    Statement count;  // up to a limit
    Statement sorted;
};

// Of one outbox.
struct ChannelStatements {
    Statement sequence, tail, trimmed;
};

struct DueStatements {
    Statement due, next;
};

struct ReadStatements {
    Statement clock, transaction_clock;
    std::vector<DueStatements> due;  // by their place in all_due_rows()
    Statement execution, input, inputs, result, attempts;
    Statement list_all, list_by_state;
    Statement along_index;          // for the rest of the section
    std::vector<Statement> newest;  // by SearchWalk::By
    Statement expired_leases, suspended;
    LiveListing list_claimable, list_members, list_delayed, list_active;
    Statement routes, routes_of_lanes, idempotency_keys;
    Statement outcomes;
    Statement undispatched, undispatched_of, stalled, unresolved_edges, needed, flows, members, some_members,
        member_page, tallies, unsummarised, edges, edge_page, edges_in_to, edges_out_of;
    Statement submissions, submissions_of;
    Statement frames;  // of a stream
    Statement lane_counts, counts_of_lane, counts_of_all_lanes, oldest_eligible;
    Statement holders;                        // of the outboxes' sequences
    std::vector<ChannelStatements> outboxes;  // by Channel
    std::vector<Statement> execution_tails;   // by Channel, of those that tell of executions
};

struct SchemaStatements {
    Statement lock, create_annotations, has_annotations, annotations, annotate;
    Statement put_config, config;
    Statement create_roles, renew_roles;
    Statement listen_to_work;
    std::vector<Statement> listen_to_events;  // by Channel
    Statement listen_to_streams;
};

const SessionStatements& session_statements();
const LoadStatements& load_statements();
const SaveStatements& save_statements();
const UpkeepStatements& upkeep_statements();
const ReadStatements& read_statements();
const DueStatements& due_statements(const DueRows& rows);
const SchemaStatements& schema_statements();

}  // namespace flowfabric::postgres
