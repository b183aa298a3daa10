#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flowfabric/commands.hpp"

// The rows that the engine keeps, as plain values. Every store holds the same rows; `visit_columns` names each
// column once, so that statements, row mapping and dumps of all stores come from this file.
namespace flowfabric {

struct Json {
    std::string text;
    bool operator==(const Json&) const = default;
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

// Calls visit(name, field, use) for every column of ff_exec_core in the table's order, payload and result excepted.
template <class Row, class Visitor>
void visit_execution_columns(Row& row, Visitor&& visit) {
    using enum ColumnUse;
    visit("partition_key", row.id.partition, fixed);
    visit("execution_id", row.id.uuid, fixed);
    visit("created_at_ms", row.created_at_ms, fixed);
    visit("class_id", row.class_id, fixed);
    visit("flow_id", row.flow_id, fixed);
    visit("lane_id", row.lane_id, fixed);
    visit("namespace", row.namespace_name, fixed);
    visit("execution_kind", row.execution_kind, fixed);
    visit("creator_identity", row.creator_identity, fixed);
    visit("idempotency_key", row.idempotency_key, fixed);
    visit("payload_encoding", row.payload_encoding, fixed);
    visit("required_capabilities", row.required_capabilities, fixed);
    visit("policy", row.policy, fixed);

    visit("priority", row.priority, cold);
    visit("tags", row.tags, cold);
    visit("instance_tag", row.instance_tag, cold);
    visit("deadline_at_ms", row.deadline_at_ms, cold);
    visit("deadline_check_at_ms", row.deadline_check_at_ms, cold);
    visit("retry_count", row.retry_count, cold);
    visit("replay_count", row.replay_count, cold);
    visit("lease_reclaim_count", row.lease_reclaim_count, cold);
    visit("deps_blocked", row.deps_blocked, cold);
    visit("blocking_detail", row.blocking_detail, cold);
    visit("failure_reason", row.failure_reason, cold);
    visit("failure_category", row.failure_category, cold);
    visit("result_encoding", row.result_encoding, cold);

    visit("lifecycle_phase", row.vector.lifecycle_phase, hot);
    visit("ownership_state", row.vector.ownership_state, hot);
    visit("eligibility_state", row.vector.eligibility_state, hot);
    visit("public_state", row.vector.public_state, hot);
    visit("attempt_state", row.vector.attempt_state, hot);
    visit("blocking_reason", row.vector.blocking_reason, hot);
    visit("terminal_outcome", row.vector.terminal_outcome, hot);
    visit("attempt_index", row.attempt_index, hot);
    visit("total_attempt_count", row.total_attempt_count, hot);
    visit("lease_epoch", row.lease_epoch, hot);
    visit("attempt_id", row.attempt_id, hot);
    visit("attempt_type", row.attempt_type, hot);
    visit("attempt_started_at_ms", row.attempt_started_at_ms, hot);
    visit("previous_attempt_index", row.previous_attempt_index, hot);
    visit("interrupt_cause", row.interrupt_cause, hot);
    visit("lease_id", row.lease_id, hot);
    visit("worker_id", row.worker_id, hot);
    visit("worker_instance_id", row.worker_instance_id, hot);
    visit("lease_acquired_at_ms", row.lease_acquired_at_ms, hot);
    visit("lease_expires_at_ms", row.lease_expires_at_ms, hot);
    visit("lease_last_renewed_at_ms", row.lease_last_renewed_at_ms, hot);
    visit("lease_check_at_ms", row.lease_check_at_ms, hot);
    visit("reclaimable_since_ms", row.reclaimable_since_ms, hot);
    visit("delay_until_ms", row.delay_until_ms, hot);
    visit("attempt_deadline_at_ms", row.attempt_deadline_at_ms, hot);
    visit("started_at_ms", row.started_at_ms, hot);
    visit("terminal_at_ms", row.terminal_at_ms, hot);
    visit("last_transition_at_ms", row.last_transition_at_ms, hot);
    visit("last_mutation_at_ms", row.last_mutation_at_ms, hot);
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

// `event_id` is drawn by the store when the row is saved; it is 0 until then.
struct LeaseEvent {
    std::int64_t event_id = 0;
    ExecutionId execution_id;
    std::string namespace_name;
    std::optional<std::string> instance_tag;
    LeaseEventType event_type = LeaseEventType::acquired;
    LeaseId lease_id;
    std::uint64_t lease_epoch = 0;
    std::int32_t attempt_index = 0;
    AttemptId attempt_id;
    std::string worker_id;
    std::string worker_instance_id;
    std::optional<std::string> prev_worker_instance_id;
    std::optional<std::string> reason;
    std::optional<std::string> revoked_by;
    std::int64_t occurred_at_ms = 0;

    bool operator==(const LeaseEvent&) const = default;
};

template <class Row, class Visitor>
void visit_lease_event_columns(Row& row, Visitor&& visit) {
    visit("partition_key", row.execution_id.partition);
    visit("execution_id", row.execution_id.uuid);
    visit("namespace", row.namespace_name);
    visit("instance_tag", row.instance_tag);
    visit("event_type", row.event_type);
    visit("lease_id", row.lease_id);
    visit("lease_epoch", row.lease_epoch);
    visit("attempt_index", row.attempt_index);
    visit("attempt_id", row.attempt_id);
    visit("worker_id", row.worker_id);
    visit("worker_instance_id", row.worker_instance_id);
    visit("prev_worker_instance_id", row.prev_worker_instance_id);
    visit("reason", row.reason);
    visit("revoked_by", row.revoked_by);
    visit("occurred_at_ms", row.occurred_at_ms);
}

struct CompletionEvent {
    std::int64_t event_id = 0;
    ExecutionId execution_id;
    std::string namespace_name;
    std::optional<std::string> instance_tag;
    std::optional<FlowId> flow_id;
    TerminalOutcome outcome = TerminalOutcome::success;
    std::int64_t occurred_at_ms = 0;
    std::optional<std::int64_t> dispatched_at_ms;

    bool operator==(const CompletionEvent&) const = default;
};

template <class Row, class Visitor>
void visit_completion_event_columns(Row& row, Visitor&& visit) {
    visit("partition_key", row.execution_id.partition);
    visit("execution_id", row.execution_id.uuid);
    visit("namespace", row.namespace_name);
    visit("instance_tag", row.instance_tag);
    visit("flow_id", row.flow_id);
    visit("outcome", row.outcome);
    visit("occurred_at_ms", row.occurred_at_ms);
    visit("dispatched_at_ms", row.dispatched_at_ms);
}

struct IdempotencyKey {
    std::string namespace_name;
    std::string key;

    auto operator<=>(const IdempotencyKey&) const = default;
};

struct IdempotencyRow {
    IdempotencyKey key;
    ExecutionId execution_id;
    std::int64_t expires_at_ms = 0;

    bool operator==(const IdempotencyRow&) const = default;
};

// What claims are routed by: a worker's claim reads the classes of its lanes whose capabilities it covers.
struct ClaimClass {
    std::int32_t class_id = 0;
    std::string lane_id;
    std::vector<std::string> required_capabilities;  // sorted

    bool operator==(const ClaimClass&) const = default;
};

}  // namespace flowfabric
