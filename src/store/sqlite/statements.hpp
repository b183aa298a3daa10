#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/rows/row_type.hpp"
#include "flowfabric/flow_reads.hpp"
#include "store/port.hpp"

// Every statement of the adapter but those of side tables (side_table.hpp) and of the schema;
// tests/golden/sqlite.sql shows them. Column lists come from core/rows/execution_row.hpp; parameters stand in the order
// of the text.
namespace flowfabric::sqlite::statements {

std::string select_rows(const RowType& type);  // of a side table, up to where a condition goes

// ---- executions -------------------------------------------------------------------------------------------------

std::string find_execution();                 // (partition, id) -> row
std::string insert_execution();               // row
std::string update_execution_hot();           // hot columns, partition, id
std::string update_execution_wide();          // cold and hot columns, partition, id
std::string insert_input();                   // partition, id, payload
std::string save_result();                    // partition, id, result
std::string clear_result();                   // partition, id
std::vector<std::string> delete_execution();  // partition, id; children first
std::string find_input();                     // (partition, id) -> payload, empty if there is none
std::string find_result();                    // (partition, id) -> result
std::string find_outcome();                   // (partition, id) -> outcome
std::string list_executions();                // (partition, id, last partition, limit) -> rows after it
// (key, time, partition, id, earliest time, limit), or (partition, flow, id, limit) -> summaries, the newest first
std::string newest(SearchWalk::By by);
std::string list_state_by_walk();                    // (partition, id, last partition, state, limit) -> likewise
std::string list_state_by_index(PublicState state);  // likewise; only where count_state_entries gives a text
std::optional<std::string> count_state_entries(PublicState state);  // (limit) -> entries that the former would read
std::string clear_lease_checks();                                   // now, limit
std::string expired_leases();        // (as of, expiry, partition, id, namespace, limit) -> rows after that place
std::string sweep_keys();            // until, limit
std::string sweep_signal_keys();     // until, limit
std::string sweep_claim_requests();  // until, limit
std::string sweep_usage_keys();      // until, limit
std::string sweep_worker_events();   // until, limit
std::string signals_of_run();        // (partition, id, replay count) -> signals in the order of is_given_before
std::string signal_payload();        // (partition, id, seq)
// (partition, id, attempt, first time and seq, last time and seq, hidden mode or null, limit) -> frames
std::string frames();
std::string suspended();  // (time, partition, id, partition or null, limit) -> open suspensions after that place

// ---- flows ------------------------------------------------------------------------------------------------------

std::string members();           // (partition, flow, limit or -1) -> id, phase
std::string member_page();       // (partition, flow, id or null, limit) -> summaries after it
std::string tally();             // (partition, flow) -> state, outcome, cause, members, last end, kept until, for ever
std::string edges_in();          // (partition, flow, limit) -> edge
std::string edge_page();         // (partition, flow, edge or null, limit) -> edges after it
std::string unsummarised();      // (partition, flow, limit) -> flows
std::string pending_children();  // (partition, flow) -> id
std::string keep_input();        // edge, ref, and of the upstream and the downstream execution: partition, id
std::string adopt_input();       // partition, id
std::string find_inputs();       // (partition, id) -> ref, payload
std::string delete_inputs();     // partition, id
std::string unresolved_edges();  // (partition, upstream, limit) -> edges
std::string is_needed();         // (partition, upstream): whether a pending group waits for it
std::string flows();             // (partition, flow, last partition, limit) -> flows after it
// (partition, member, flow, edge or null, limit) -> edges after it
std::string edges_of(ListEdges::Direction direction);

// ---- claims -----------------------------------------------------------------------------------------------------

// Each gives rows with their payload or null, in claim order.
std::string reclaimable_rows();        // (class, now)
std::string eligible_in_level();       // (class, priority, created_at_ms, execution id, now)
std::string eligible_in_tail();        // (class, below, lowest priority, now)
std::string claim_head();              // (class, below, lowest priority) -> priority, created_at_ms, execution id
std::string next_reclaimable_class();  // (class) -> the first from there on that has reclaimable rows

// ---- due rows ---------------------------------------------------------------------------------------------------

std::string due(const DueRows& rows);       // (now, limit, namespace, tag key, tag value) -> partition, id, time
std::string next_due(const DueRows& rows);  // (now) -> time or null

// ---- attempts, outboxes, keys -----------------------------------------------------------------------------------

std::string insert_attempt();                // row
std::string list_attempts();                 // (partition, id, index, limit) -> rows after it
std::string insert_event(Channel channel);   // row
std::string watermark();                     // (table) -> highest event id ever issued
std::string tail(Channel channel);           // (after, up to, limit) -> event id, row
std::string tail_of(Channel channel);        // (after, up to, partition, execution, limit)
std::string trim_points();                   // -> channel, trimmed
std::string set_trim_point();                // trimmed, channel
std::string oldest_events(Channel channel);  // (how many) -> id and time of the last of them
std::string first_undispatched();            // -> event id or null
std::string undispatched();                  // (until, limit) -> event id, partition, id, flow, outcome, cause
std::string stalled();                       // (partition, id, limit, until) -> partition, id, flow or null, outcome
std::string is_undispatched();               // (event id) -> a row if it is
std::string mark_dispatched();               // now, event id
std::string remove_events(Channel channel);  // up to
std::string slowest_consumer();              // (channel) -> event id or null
std::string find_idempotency_key();          // (partition, namespace, key) -> execution partition, id, expiry
std::string save_idempotency_key();          // partition, namespace, key, id, execution partition, expiry
std::string list_idempotency_keys();         // -> namespace, key, execution partition, id, expiry

// ---- lanes and classes ------------------------------------------------------------------------------------------

std::string insert_lane();   // lane, now
std::string insert_class();  // lane, capabilities
std::string list_routes();
std::string lane_classes();    // (lane) -> class, required capabilities
std::string closed_lanes();    // -> lane, state
std::string read_revisions();  // -> of lanes, of settings
std::string advance_lane_revision();
std::string advance_setting_revision();

// ---- statistics -------------------------------------------------------------------------------------------------

std::string add_counts();           // lane, counters
std::string lane_counts();          // (lane, limit) -> lane, counters of those after it
std::string counts_of_lane();       // (lane) -> counters
std::string counts_of_all_lanes();  // -> counters

// ---- clock and markers ------------------------------------------------------------------------------------------

std::string read_clock();     // -> now
std::string advance_clock();  // now
std::string poll_version();   // -> a number that changes with every foreign commit
std::string read_version();   // -> the same and the number of batches
std::string commit();
std::string save_marker();     // writer, batch, now
std::string find_marker();     // (writer) -> batch
std::string forget_markers();  // touched before

// Every row, for a look at all of them.
std::string all_executions();
std::string all_attempts();
std::string all_events(Channel channel);

}  // namespace flowfabric::sqlite::statements
