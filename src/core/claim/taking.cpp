#include "core/claim/taking.hpp"

#include "core/base/handle_codec.hpp"
#include "core/execution/stored_policy.hpp"
#include "core/suspension/accepted_signals.hpp"

namespace flowfabric {
namespace {

constexpr std::uint32_t default_reclaim_cap = 1000;

AttemptType type_of_next_attempt(const ExecutionRow& row) {
    switch (row.vector.attempt_state) {
        case AttemptState::pending_retry_attempt:
            // A reclaim that was given back unstarted is still to be done.
            return row.interrupt_cause == "lease" ? AttemptType::reclaim : AttemptType::retry;
        case AttemptState::pending_replay_attempt:
            return AttemptType::replay;
        default:
            return AttemptType::initial;
    }
}

// A damaged policy does not keep the work from being done.
std::optional<std::uint64_t> attempt_timeout(const ExecutionRow& row, const TakeRequest& request) {
    if (request.attempt_timeout_ms || !row.policy) return request.attempt_timeout_ms;
    const auto policy = sound_policy(row);
    return policy && policy->timeout_policy ? policy->timeout_policy->attempt_timeout_ms : std::nullopt;
}

}  // namespace

HandleKind take_waiting(Transition& transition, const TakeRequest& request) {
    const ExecutionRow& row = transition.row();
    if (row.vector.attempt_state == AttemptState::attempt_interrupted) {
        transition.acquire_lease(request.lease, LeaseEventType::acquired, request.reason.value_or("claim_resumed"));
        transition.resume_attempt_deadline();
        return HandleKind::resumed;
    }
    transition.open_attempt(request.fresh_attempt_id, type_of_next_attempt(row));
    transition.acquire_lease(request.lease, LeaseEventType::acquired, request.reason);
    transition.set_attempt_deadline(attempt_timeout(row, request));
    return HandleKind::fresh;
}

HandleKind take_over(Transition& transition, const TakeRequest& request) {
    const ExecutionRow& row = transition.row();
    const std::string old_epoch = "previous_epoch:" + std::to_string(epoch_of_last_lease(row));
    transition.end_attempt(attempt_ending::silence);
    transition.open_attempt(request.fresh_attempt_id, AttemptType::reclaim);
    transition.count_reclaim();
    transition.acquire_lease(request.lease, LeaseEventType::reclaimed, old_epoch);
    transition.set_attempt_deadline(attempt_timeout(row, request));
    return HandleKind::reclaimed;
}

bool exceeds_reclaim_cap(const ExecutionRow& row, std::optional<std::uint32_t> fallback) {
    const auto policy = sound_policy(row);
    const auto own = policy ? policy->max_reclaim_count : std::nullopt;
    return static_cast<std::uint32_t>(row.lease_reclaim_count) >= own.value_or(fallback.value_or(default_reclaim_cap));
}

void fail_over_reclaim_cap(Transition& transition) {
    const std::string reason = "max_reclaims_exceeded";
    transition.end_attempt(attempt_ending::silence, reason);
    transition.set_failure(reason, "infra_crash");
    transition.finish(TerminalOutcome::failed);
}

Handle handle_of(const ExecutionRow& row, HandleKind kind, std::uint64_t ttl_ms, BackendTag backend) {
    return encode_handle(backend, kind,
                         {.execution_id = row.id,
                          .attempt_index = static_cast<std::uint32_t>(row.attempt_index),
                          .attempt_id = *row.attempt_id,
                          .lease_id = *row.lease_id,
                          .lease_epoch = row.lease_epoch,
                          .lease_ttl_ms = ttl_ms,
                          .lane_id = row.lane_id,
                          .worker_instance_id = *row.worker_instance_id});
}

LeasedExecution leased_execution(const ExecutionRow& row, HandleKind kind, std::uint64_t ttl_ms,
                                 const DecisionContext& context) {
    GivenSignals given = signals_of_run(context.set, row);
    return {.execution_id = row.id,
            .handle = handle_of(row, kind, ttl_ms, context.settings.backend),
            .lease_id = *row.lease_id,
            .lease_epoch = {row.lease_epoch},
            .attempt_id = *row.attempt_id,
            .attempt_index = static_cast<std::uint32_t>(row.attempt_index),
            .attempt_type = *row.attempt_type,
            .lease_expires_at_ms = *row.lease_expires_at_ms,
            .signals = std::move(given.signals),
            .more_signals = given.more,
            .traceparent = row.traceparent,
            .tracestate = row.tracestate};
}

}  // namespace flowfabric
