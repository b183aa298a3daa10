#include "core/execution/view.hpp"

#include "core/base/names.hpp"
#include "core/base/tags.hpp"
#include "core/execution/state_vector.hpp"
#include "core/execution/stored_policy.hpp"
#include "core/execution/transition.hpp"

namespace flowfabric {
namespace {

std::optional<std::uint32_t> index_of(const std::optional<std::int32_t>& stored) {
    return stored ? std::optional(static_cast<std::uint32_t>(*stored)) : std::nullopt;
}

AttemptView view_of(const AttemptRow& row) {
    return {.attempt_index = static_cast<std::uint32_t>(row.attempt_index),
            .attempt_id = row.attempt_id,
            .attempt_type = row.attempt_type,
            .outcome = row.outcome,
            .worker_id = row.worker_id,
            .worker_instance_id = row.worker_instance_id,
            .lease_id = row.lease_id,
            .lease_epoch = {row.lease_epoch},
            .started_at_ms = row.started_at_ms,
            .ended_at_ms = row.terminal_at_ms,
            .failure_reason = row.failure_reason,
            .failure_category = row.failure_category,
            .previous_attempt_index = index_of(row.previous_attempt_index)};
}

std::optional<AttemptView> open_attempt(const ExecutionRow& row) {
    if (!has_open_attempt(row) || !row.attempt_id) return std::nullopt;
    const bool running = row.vector.ownership_state == OwnershipState::leased;
    return AttemptView{.attempt_index = static_cast<std::uint32_t>(row.attempt_index),
                       .attempt_id = *row.attempt_id,
                       .attempt_type = row.attempt_type.value_or(AttemptType::initial),
                       .outcome = running ? AttemptOutcome::started : AttemptOutcome::suspended,
                       .worker_id = row.worker_id.value_or(std::string{}),
                       .worker_instance_id = row.worker_instance_id.value_or(std::string{}),
                       .lease_id = row.lease_id.value_or(LeaseId{}),
                       .lease_epoch = {epoch_of_last_lease(row)},
                       .started_at_ms = row.attempt_started_at_ms.value_or(0),
                       .ended_at_ms = std::nullopt,
                       .failure_reason = std::nullopt,
                       .failure_category = std::nullopt,
                       .previous_attempt_index = index_of(row.previous_attempt_index)};
}

std::optional<LeaseView> lease_of(const ExecutionRow& row) {
    if (row.vector.ownership_state != OwnershipState::leased || !row.lease_id) return std::nullopt;
    return LeaseView{.lease_id = *row.lease_id,
                     .lease_epoch = {row.lease_epoch},
                     .attempt_index = static_cast<std::uint32_t>(row.attempt_index),
                     .worker_id = row.worker_id.value_or(std::string{}),
                     .worker_instance_id = row.worker_instance_id.value_or(std::string{}),
                     .acquired_at_ms = row.lease_acquired_at_ms.value_or(0),
                     .expires_at_ms = row.lease_expires_at_ms.value_or(0),
                     .last_renewed_at_ms = row.lease_last_renewed_at_ms.value_or(0)};
}
// A suspended execution names its waitpoint: programs that bring signals read it here.
std::string blocking_detail_of(const ExecutionRow& row) {
    if (!row.current_waitpoint_id) return row.blocking_detail.value_or(std::string{});
    std::string detail = "suspended: waitpoint " + row.current_waitpoint_id->to_string();
    return detail.append(" awaiting ").append(to_string(row.vector.blocking_reason));
}

}  // namespace

ExecutionView view_of(const ExecutionRow& row) {
    return {.execution_id = row.id,
            .flow_id = row.flow_id,
            .namespace_name = row.namespace_name,
            .lane_id = row.lane_id,
            .execution_kind = row.execution_kind,
            .priority = row.priority,
            .vector = row.vector,
            .blocking_detail = blocking_detail_of(row),
            .required_capabilities = row.required_capabilities,
            .tags = tags_of(row.tags),
            .policy = sound_policy(row),
            .created_at_ms = row.created_at_ms,
            .started_at_ms = row.started_at_ms,
            .terminal_at_ms = row.terminal_at_ms,
            .delay_until_ms = row.delay_until_ms,
            .deadline_at_ms = row.deadline_at_ms,
            .last_mutation_at_ms = row.last_mutation_at_ms,
            .current_attempt_index = static_cast<std::uint32_t>(row.attempt_index),
            .total_attempt_count = static_cast<std::uint32_t>(row.total_attempt_count),
            .retry_count = static_cast<std::uint32_t>(row.retry_count),
            .lease_reclaim_count = static_cast<std::uint32_t>(row.lease_reclaim_count),
            .failure_reason = row.failure_reason,
            .failure_category = row.failure_category,
            .cancellation_reason = row.cancellation_reason,
            .cancelled_by = row.cancelled_by,
            .cancellation_cause = row.cancellation_cause,
            .progress_pct = index_of(row.progress_pct),
            .progress_message = row.progress_message,
            .progress_updated_at_ms = row.progress_updated_at_ms,
            .current_lease = lease_of(row),
            .current_attempt = open_attempt(row),
            .traceparent = row.traceparent,
            .tracestate = row.tracestate};
}

ExecutionInfo info_of(const ExecutionRow& row) {
    return {.execution_id = row.id,
            .namespace_name = row.namespace_name,
            .lane_id = row.lane_id,
            .priority = row.priority,
            .execution_kind = row.execution_kind,
            .vector = row.vector,
            .created_at_ms = row.created_at_ms,
            .started_at_ms = row.started_at_ms,
            .completed_at_ms = row.terminal_at_ms,
            .current_attempt_index = static_cast<std::uint32_t>(row.attempt_index),
            .flow_id = row.flow_id,
            .blocking_detail = blocking_detail_of(row)};
}

ExecutionSummary summary_of(const ExecutionRow& row) {
    return {.execution_id = row.id,
            .namespace_name = row.namespace_name,
            .lane_id = row.lane_id,
            .execution_kind = row.execution_kind,
            .public_state = row.vector.public_state,
            .priority = row.priority,
            .created_at_ms = row.created_at_ms,
            .started_at_ms = row.started_at_ms,
            .terminal_at_ms = row.terminal_at_ms,
            .failure_category = row.failure_category,
            .flow_id = row.flow_id,
            .node_name = row.node_name};
}

LaneView view_of(const LaneRow& row) {
    return {.lane_id = row.key.lane_id,
            .state = row.lane_state,
            .state_changed_at_ms = row.state_changed_at_ms.value_or(row.registered_at_ms),
            .registered_at_ms = row.registered_at_ms,
            .registered_by = row.registered_by};
}

WorkerView view_of(const WorkerRow& row) {
    return {.namespace_name = row.key.namespace_name,
            .worker_instance_id = row.key.worker_instance_id,
            .worker_id = row.worker_id,
            .lanes = row.lanes.values,
            .capabilities = split(row.capabilities_csv, ','),
            .last_heartbeat_ms = row.last_heartbeat_ms,
            .liveness_ttl_ms = row.liveness_ttl_ms,
            .registered_at_ms = row.registered_at_ms,
            .mode = WorkerMode::run};
}

SuspendedExecution view_of(const SuspensionRow& row) {
    return {.execution_id = row.owner(),
            .suspension_id = row.suspension_id,
            .suspended_at_ms = row.suspended_at_ms,
            .reason = row.reason_code,
            .timeout_at_ms = row.timeout_at_ms};
}

WaitpointView view_of(const WaitpointRow& row) {
    return {.waitpoint_id = row.key.waitpoint_id,
            .execution_id = row.owner(),
            .waitpoint_key = row.waitpoint_key,
            .state = row.state,
            .required_signal_names = row.required_signal_names.values,
            .created_at_ms = row.created_at_ms,
            .activated_at_ms = row.activated_at_ms,
            .expires_at_ms = row.expires_at_ms,
            .token_kid = row.token_kid,
            .token_fingerprint = row.token_fingerprint};
}

ResumeSignal view_of(const SignalRow& row, const SignalPayloadRow* payload) {
    return {.signal_id = row.signal_id,
            .waitpoint_id = row.waitpoint_id,
            .signal_name = row.signal_name,
            .signal_category = row.signal_category,
            .source_type = row.source_type,
            .source_identity = row.source_identity,
            .correlation_id = row.correlation_id,
            .accepted_at_ms = row.accepted_at_ms,
            .payload = payload == nullptr ? std::nullopt : std::optional(payload->payload.bytes),
            .payload_encoding = row.payload_encoding,
            .suspension_id = row.suspension_id,
            .waitpoint_key = row.waitpoint_key,
            .satisfied = row.satisfied};
}

ExpiredLease expired_lease_of(const ExecutionRow& row) {
    return {.execution_id = row.id,
            .lease_id = row.lease_id.value_or(LeaseId{}),
            .lease_epoch = {epoch_of_last_lease(row)},
            .attempt_index = static_cast<std::uint32_t>(row.attempt_index),
            .worker_id = row.worker_id.value_or(std::string{}),
            .worker_instance_id = row.worker_instance_id.value_or(std::string{}),
            .expires_at_ms = row.lease_expires_at_ms.value_or(0)};
}

ExecutionRow row_of(const Submission& submission) {
    ExecutionRow row;
    row.id = submission.execution_id;
    row.created_at_ms = submission.submitted_at_ms;
    row.lane_id = submission.lane_id;
    row.namespace_name = submission.namespace_name;
    row.execution_kind = submission.execution_kind;
    row.creator_identity = submission.creator_identity;
    row.idempotency_key = submission.idempotency_key;
    row.payload_encoding = submission.payload_encoding;
    row.policy = submission.policy;
    row.priority = submission.priority;
    row.tags = submission.tags;
    row.blocking_detail = "submitted from SQL; no engine has taken it in yet";
    row.vector = waiting_vector(AttemptState::pending_first_attempt);
    row.last_transition_at_ms = submission.submitted_at_ms;
    row.last_mutation_at_ms = submission.submitted_at_ms;
    return row;
}

std::vector<AttemptView> attempts_of(const std::vector<AttemptRow>& ended, const ExecutionRow& row) {
    std::vector<AttemptView> views;
    views.reserve(ended.size() + 1);
    for (const AttemptRow& attempt : ended) views.push_back(view_of(attempt));
    // The row was read before the history; an attempt that ended in between stands in both.
    auto open = open_attempt(row);
    if (open && (views.empty() || views.back().attempt_index < open->attempt_index)) views.push_back(std::move(*open));
    return views;
}

}  // namespace flowfabric
