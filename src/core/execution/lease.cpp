#include "core/command/decisions.hpp"
#include "core/execution/failure.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/transition.hpp"

namespace flowfabric {

Result<Answer> decide(const AdmittedRenew& command, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    if (auto refusal = refuse_by_fence(transition, command.lease, OverrideRule::never)) return *refusal;
    transition.renew_lease(command.lease_ttl_ms, context.set.settings.emit_renewed_events);
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

}  // namespace

Result<Answer> decide(const AdmittedFail& command, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    if (auto refusal = refuse_by_fence(transition, command.lease, OverrideRule::operator_may_override)) {
        if (refusal->kind == ErrorKind::execution_not_active) {
            if (auto repeated = repeated_fail(transition, command.lease)) return Answer{*repeated};
        }
        return *refusal;
    }
    auto failed = fail_attempt(transition, {.reason = command.reason, .category = command.category});
    if (!failed) return failed.error();
    return Answer{*failed};
}

Result<Answer> decide_missing(const Command& command, const ExecutionId& id) {
    if (traits_of(command).by_timer) return Answer{TimerFired{.changed = false}};
    if (const auto* signal = std::get_if<AdmittedSignal>(&command)) return decide_missing_target(*signal);
    return execution_not_found(id);
}

}  // namespace flowfabric
