#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "core/settings/store_settings.hpp"
#include "flowfabric/commands.hpp"
#include "flowfabric/events.hpp"

// The rows that the engine keeps, as plain values. Every store holds the same rows; the `visit_…_columns` name each
// column once, so that statements, row mapping and dumps of all stores come from this file.
namespace flowfabric {

// A value that a store keeps as bytes, where a string would be text.
struct Binary {
    Bytes bytes;

    auto operator<=>(const Binary&) const = default;
};

// When a column of ff_exec_core is written: at insert only, by rare updates, or by claim, renew and complete.
enum class ColumnUse : std::uint8_t { fixed, cold, hot };

struct ExecutionRow {
    ExecutionId id;
    std::int64_t created_at_ms = 0;
    std::int32_t class_id = 0;  // (lane, required capabilities), see ClaimClass
    std::optional<FlowId> flow_id;
    std::string lane_id;
    std::string namespace_name;
    std::string execution_kind;
    std::string creator_identity;
    std::optional<std::string> idempotency_key;
    std::optional<std::string> payload_encoding;
    std::vector<std::string> required_capabilities;
    std::optional<Json> policy;
    std::optional<std::uint64_t> own_retention_ms;  // that its policy asks for; 0: for ever, absent: the store's
    std::optional<std::string> node_name;           // of a member that came with its flow
    std::optional<std::string> traceparent;
    std::optional<std::string> tracestate;

    std::int32_t priority = 0;
    Json tags{"{}"};
    std::optional<std::string> instance_tag;
    std::optional<std::int64_t> deadline_at_ms;
    std::optional<std::int64_t> deadline_check_at_ms;
    std::int32_t retry_count = 0;
    std::int32_t replay_count = 0;
    std::int32_t lease_reclaim_count = 0;
    bool deps_blocked = false;
    std::optional<std::string> blocking_detail;
    std::optional<std::string> failure_reason;
    std::optional<std::string> failure_category;
    std::optional<std::string> result_encoding;
    std::optional<std::string> cancellation_reason;
    std::optional<std::string> cancelled_by;              // whatever the caller named
    std::optional<CancellationCause> cancellation_cause;  // what decisions go by
    std::optional<std::int32_t> progress_pct;
    std::optional<std::string> progress_message;
    std::optional<std::int64_t> progress_updated_at_ms;
    std::optional<std::uint64_t> activity_epoch;       // the last lease under which work was seen to have begun
    std::optional<std::int64_t> attempt_time_left_ms;  // of an interrupted attempt with a time limit
    // How the owner gave its last lease back without ending the attempt, with the call's arguments: what tells a
    // repeat of that call. Cleared by the next claim.
    std::optional<std::string> last_release;
    std::optional<std::int64_t> grant_until_ms;  // of its grant, if there is one: no other worker claims it before
    bool has_waitpoints = false;                 // open ones
    std::int32_t signal_count = 0;               // all that it ever received
    bool has_stream = false;                     // of its attempt, that is open
    std::optional<SuspensionId> current_suspension_id;
    std::optional<WaitpointId> current_waitpoint_id;

    StateVector vector;
    std::int32_t attempt_index = 0;
    std::int32_t total_attempt_count = 0;
    std::uint64_t lease_epoch = 0;
    std::optional<AttemptId> attempt_id;
    std::optional<AttemptType> attempt_type;
    std::optional<std::int64_t> attempt_started_at_ms;
    std::optional<std::int32_t> previous_attempt_index;
    std::optional<std::string> interrupt_cause;
    std::optional<LeaseId> lease_id;
    std::optional<std::string> worker_id;
    std::optional<std::string> worker_instance_id;
    std::optional<std::int64_t> lease_acquired_at_ms;
    std::optional<std::int64_t> lease_expires_at_ms;
    std::optional<std::int64_t> lease_last_renewed_at_ms;
    // When the expiry scanner looks next. Renew and complete leave it alone, so that they stay HOT.
    std::optional<std::int64_t> lease_check_at_ms;
    std::optional<std::int64_t> reclaimable_since_ms;
    std::optional<std::int64_t> delay_until_ms;
    std::optional<std::int64_t> attempt_deadline_at_ms;
    std::optional<std::int64_t> started_at_ms;
    std::optional<std::int64_t> terminal_at_ms;
    std::int64_t last_transition_at_ms = 0;
    std::int64_t last_mutation_at_ms = 0;

    bool operator==(const ExecutionRow&) const = default;
};

// Calls visit(name, fields…, use) for every column of ff_exec_core, payload and result excepted, with the field of each
// row; the key comes first.
template <class Visitor, class... Row>
void visit_columns_across(Visitor&& visit, Row&... rows) {
    using enum ColumnUse;
    visit("partition_key", rows.id.partition..., fixed);
    visit("execution_id", rows.id.uuid..., fixed);
    visit("created_at_ms", rows.created_at_ms..., fixed);
    visit("class_id", rows.class_id..., fixed);
    visit("lane_id", rows.lane_id..., fixed);
    visit("namespace", rows.namespace_name..., fixed);
    visit("execution_kind", rows.execution_kind..., fixed);
    visit("creator_identity", rows.creator_identity..., fixed);
    visit("idempotency_key", rows.idempotency_key..., fixed);
    visit("payload_encoding", rows.payload_encoding..., fixed);
    visit("required_capabilities", rows.required_capabilities..., fixed);
    visit("policy", rows.policy..., fixed);
    visit("own_retention_ms", rows.own_retention_ms..., fixed);
    visit("node_name", rows.node_name..., fixed);
    visit("traceparent", rows.traceparent..., fixed);
    visit("tracestate", rows.tracestate..., fixed);

    visit("flow_id", rows.flow_id..., cold);
    visit("priority", rows.priority..., cold);
    visit("tags", rows.tags..., cold);
    visit("instance_tag", rows.instance_tag..., cold);
    visit("deadline_at_ms", rows.deadline_at_ms..., cold);
    visit("deadline_check_at_ms", rows.deadline_check_at_ms..., cold);
    visit("retry_count", rows.retry_count..., cold);
    visit("replay_count", rows.replay_count..., cold);
    visit("lease_reclaim_count", rows.lease_reclaim_count..., cold);
    visit("deps_blocked", rows.deps_blocked..., cold);
    visit("blocking_detail", rows.blocking_detail..., cold);
    visit("failure_reason", rows.failure_reason..., cold);
    visit("failure_category", rows.failure_category..., cold);
    visit("result_encoding", rows.result_encoding..., cold);
    visit("cancellation_reason", rows.cancellation_reason..., cold);
    visit("cancelled_by", rows.cancelled_by..., cold);
    visit("cancellation_cause", rows.cancellation_cause..., cold);
    visit("progress_pct", rows.progress_pct..., cold);
    visit("progress_message", rows.progress_message..., cold);
    visit("progress_updated_at_ms", rows.progress_updated_at_ms..., cold);
    visit("activity_epoch", rows.activity_epoch..., cold);
    visit("attempt_time_left_ms", rows.attempt_time_left_ms..., cold);
    visit("last_release", rows.last_release..., cold);
    visit("grant_until_ms", rows.grant_until_ms..., cold);
    visit("has_waitpoints", rows.has_waitpoints..., cold);
    visit("signal_count", rows.signal_count..., cold);
    visit("has_stream", rows.has_stream..., cold);
    visit("current_suspension_id", rows.current_suspension_id..., cold);
    visit("current_waitpoint_id", rows.current_waitpoint_id..., cold);

    visit("lifecycle_phase", rows.vector.lifecycle_phase..., hot);
    visit("ownership_state", rows.vector.ownership_state..., hot);
    visit("eligibility_state", rows.vector.eligibility_state..., hot);
    visit("public_state", rows.vector.public_state..., hot);
    visit("attempt_state", rows.vector.attempt_state..., hot);
    visit("blocking_reason", rows.vector.blocking_reason..., hot);
    visit("terminal_outcome", rows.vector.terminal_outcome..., hot);
    visit("attempt_index", rows.attempt_index..., hot);
    visit("total_attempt_count", rows.total_attempt_count..., hot);
    visit("lease_epoch", rows.lease_epoch..., hot);
    visit("attempt_id", rows.attempt_id..., hot);
    visit("attempt_type", rows.attempt_type..., hot);
    visit("attempt_started_at_ms", rows.attempt_started_at_ms..., hot);
    visit("previous_attempt_index", rows.previous_attempt_index..., hot);
    visit("interrupt_cause", rows.interrupt_cause..., hot);
    visit("lease_id", rows.lease_id..., hot);
    visit("worker_id", rows.worker_id..., hot);
    visit("worker_instance_id", rows.worker_instance_id..., hot);
    visit("lease_acquired_at_ms", rows.lease_acquired_at_ms..., hot);
    visit("lease_expires_at_ms", rows.lease_expires_at_ms..., hot);
    visit("lease_last_renewed_at_ms", rows.lease_last_renewed_at_ms..., hot);
    visit("lease_check_at_ms", rows.lease_check_at_ms..., hot);
    visit("reclaimable_since_ms", rows.reclaimable_since_ms..., hot);
    visit("delay_until_ms", rows.delay_until_ms..., hot);
    visit("attempt_deadline_at_ms", rows.attempt_deadline_at_ms..., hot);
    visit("started_at_ms", rows.started_at_ms..., hot);
    visit("terminal_at_ms", rows.terminal_at_ms..., hot);
    visit("last_transition_at_ms", rows.last_transition_at_ms..., hot);
    visit("last_mutation_at_ms", rows.last_mutation_at_ms..., hot);
}

template <class Row, class Visitor>
void visit_execution_columns(Row& row, Visitor&& visit) {
    visit_columns_across(visit, row);
}

// The columns of ff_exec_core that a line of a list takes; its place in the order of creation comes first.
template <class Summary, class Visitor>
void visit_summary_columns(Summary& summary, Visitor&& visit) {
    visit("partition_key", summary.execution_id.partition);
    visit("execution_id", summary.execution_id.uuid);
    visit("created_at_ms", summary.created_at_ms);
    visit("namespace", summary.namespace_name);
    visit("lane_id", summary.lane_id);
    visit("execution_kind", summary.execution_kind);
    visit("public_state", summary.public_state);
    visit("priority", summary.priority);
    visit("started_at_ms", summary.started_at_ms);
    visit("terminal_at_ms", summary.terminal_at_ms);
    visit("failure_category", summary.failure_category);
    visit("flow_id", summary.flow_id);
    visit("node_name", summary.node_name);
}

// An ended attempt; written once, never changed. The open attempt lives on the execution row.
struct AttemptRow {
    ExecutionId execution_id;
    std::int32_t attempt_index = 0;
    AttemptId attempt_id;
    AttemptType attempt_type = AttemptType::initial;
    std::string worker_id;
    std::string worker_instance_id;
    LeaseId lease_id;
    std::uint64_t lease_epoch = 0;
    std::int64_t started_at_ms = 0;
    std::int64_t terminal_at_ms = 0;
    AttemptOutcome outcome = AttemptOutcome::ended_success;
    std::optional<std::string> failure_reason;
    std::optional<std::string> failure_category;
    std::optional<std::int32_t> previous_attempt_index;

    bool operator==(const AttemptRow&) const = default;
};

template <class Row, class Visitor>
void visit_attempt_columns(Row& row, Visitor&& visit) {
    visit("partition_key", row.execution_id.partition);
    visit("execution_id", row.execution_id.uuid);
    visit("attempt_index", row.attempt_index);
    visit("attempt_id", row.attempt_id);
    visit("attempt_type", row.attempt_type);
    visit("worker_id", row.worker_id);
    visit("worker_instance_id", row.worker_instance_id);
    visit("lease_id", row.lease_id);
    visit("lease_epoch", row.lease_epoch);
    visit("started_at_ms", row.started_at_ms);
    visit("terminal_at_ms", row.terminal_at_ms);
    visit("outcome", row.outcome);
    visit("failure_reason", row.failure_reason);
    visit("failure_category", row.failure_category);
    visit("previous_attempt_index", row.previous_attempt_index);
}

}  // namespace flowfabric
