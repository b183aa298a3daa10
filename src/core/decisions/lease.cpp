#include "core/decisions.hpp"
#include "core/fence.hpp"
#include "core/retry.hpp"
#include "core/transition.hpp"

namespace flowfabric {

Result<Answer> decide(const AdmittedRenew& command, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    if (auto refusal = refuse_by_fence(transition, command.lease, OverrideRule::never)) return *refusal;
    transition.renew_lease(command.lease_ttl_ms, context.settings.emit_renewed_events);
    return Answer{
        Renewed{.lease_expires_at_ms = *entry.row.lease_expires_at_ms, .lease_epoch = {entry.row.lease_epoch}}};
}

Result<Answer> decide(const AdmittedComplete& command, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    const ExecutionRow& row = entry.row;
    const Answer completed = Completed{.execution_id = row.id, .public_state = PublicState::completed};
    if (auto refusal = refuse_by_fence(transition, command.lease, OverrideRule::operator_may_override)) {
        const bool repeated = refusal->kind == ErrorKind::execution_not_active &&
                              row.vector.terminal_outcome == TerminalOutcome::success &&
                              names_last_attempt(row, command.lease);
        if (repeated) return completed;
        return *refusal;
    }
    transition.end_attempt(AttemptOutcome::ended_success);
    transition.release_lease("completed");
    transition.store_result(command.result, command.result_encoding);
    transition.finish(TerminalOutcome::success);
    return completed;
}

namespace {

// The answer that a repeated fail got the first time, if this is one.
std::optional<Failed> repeated_fail(const Transition& transition, const HeldLease& lease) {
    const ExecutionRow& row = transition.row();
    if (!names_last_attempt(row, lease)) return std::nullopt;
    if (row.vector.terminal_outcome == TerminalOutcome::failed) return TerminalFailed{};
    const bool retry_scheduled = row.vector.attempt_state == AttemptState::pending_retry_attempt && !row.last_release;
    if (retry_scheduled) {
        return RetryScheduled{.delay_until_ms = row.delay_until_ms.value_or(transition.now()),
                              .next_attempt_index = static_cast<std::uint32_t>(row.total_attempt_count)};
    }
    return std::nullopt;
}

Result<std::optional<RetryPolicy>> retry_policy_of(const ExecutionRow& row) {
    if (!row.policy) return std::optional<RetryPolicy>{};
    auto policy = ExecutionPolicy::parse(row.policy->text);
    if (!policy) return corruption(row.id.to_string() + ": stored policy: " + policy.error().detail);
    return policy->retry_policy;
}

}  // namespace

Result<Answer> decide(const AdmittedFail& command, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    const ExecutionRow& row = entry.row;
    if (auto refusal = refuse_by_fence(transition, command.lease, OverrideRule::operator_may_override)) {
        if (refusal->kind == ErrorKind::execution_not_active) {
            if (auto repeated = repeated_fail(transition, command.lease)) return Answer{*repeated};
        }
        return *refusal;
    }
    auto retry = retry_policy_of(row);
    if (!retry) return retry.error();

    transition.end_attempt(AttemptOutcome::ended_failure, command.reason, command.category);
    if (*retry && retry_allowed(**retry, row.retry_count, command.category)) {
        const std::int64_t backoff = backoff_ms(**retry, row.id, row.retry_count);
        const std::int64_t until = saturating_add(transition.now(), static_cast<std::uint64_t>(backoff));
        transition.release_lease("failed_retry_scheduled");
        transition.set_failure(command.reason, command.category);
        transition.schedule_retry(until, "retry " + std::to_string(row.retry_count + 1) + " of " +
                                             std::to_string((*retry)->max_retries) + " after " +
                                             std::to_string(backoff) + " ms");
        return Answer{Failed{RetryScheduled{
            .delay_until_ms = until, .next_attempt_index = static_cast<std::uint32_t>(row.total_attempt_count)}}};
    }
    transition.release_lease("failed_terminal");
    transition.set_failure(command.reason, command.category);
    transition.finish(TerminalOutcome::failed);
    return Answer{Failed{TerminalFailed{}}};
}

Result<Answer> decide_missing(const Command& command, const ExecutionId& id) {
    if (traits_of(command).by_timer) return Answer{TimerFired{.changed = false}};
    return execution_not_found(id);
}

}  // namespace flowfabric
