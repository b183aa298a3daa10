#include "core/command/decisions.hpp"
#include "core/execution/failure.hpp"
#include "core/execution/transition.hpp"

namespace flowfabric {
namespace {

Result<Answer> fired(const Result<bool>& changed) {
    if (!changed) return changed.error();
    return Answer{TimerFired{*changed}};
}

}  // namespace

Result<Answer> decide(const ExpireLease&, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    const ExecutionRow& row = entry.row;
    const bool leased = row.vector.ownership_state == OwnershipState::leased;
    if (!leased || row.lease_check_at_ms > transition.now()) return Answer{TimerFired{.changed = false}};
    if (row.lease_expires_at_ms > transition.now()) {
        transition.rearm_lease_check();
        return Answer{TimerFired{.changed = false}};
    }
    return fired(end_overdue_lease(transition));
}

Result<Answer> decide(const TimeOutAttempt&, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    const bool due = entry.row.attempt_deadline_at_ms && *entry.row.attempt_deadline_at_ms <= transition.now();
    return fired(due ? end_overdue_lease(transition) : Result<bool>(false));
}

Result<Answer> decide(const ExpireExecution&, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    const ExecutionRow& row = entry.row;
    const bool due = row.vector.lifecycle_phase != LifecyclePhase::terminal && row.deadline_check_at_ms &&
                     *row.deadline_check_at_ms <= transition.now();
    if (!due) return Answer{TimerFired{.changed = false}};
    const std::string reason = "execution_deadline";
    const std::string category = "timeout";
    const bool leased = row.vector.ownership_state == OwnershipState::leased;
    const bool live = leased && row.lease_expires_at_ms > transition.now();
    if (leased && !live) transition.expire_lease("lease_ttl");
    if (has_open_attempt(row)) transition.end_attempt(AttemptOutcome::ended_failure, reason, category);
    if (live) transition.end_lease_by_timeout(reason);
    transition.set_failure(reason, category);
    transition.finish(TerminalOutcome::expired);
    return Answer{TimerFired{.changed = true}};
}

Result<Answer> decide(const LapseGrant&, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    auto& grants = context.set.side.of<GrantRow>();
    const auto lapsed = grants.where([&](const GrantRow& grant) {
        return grant.owner() == entry.row.id && grant.expires_at_ms <= transition.now();
    });
    for (const GrantRow& grant : lapsed) grants.erase(grant.key);
    if (entry.row.grant_until_ms && *entry.row.grant_until_ms <= transition.now()) transition.withdraw_grants();
    return Answer{TimerFired{.changed = !lapsed.empty()}};
}

Result<Answer> decide(const PromoteDelayed&, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    const ExecutionRow& row = entry.row;
    const bool due = row.vector.eligibility_state == EligibilityState::not_eligible_until_time &&
                     row.delay_until_ms <= transition.now();
    if (!due) return Answer{TimerFired{.changed = false}};
    transition.make_runnable(row.vector.attempt_state, row.vector.blocking_reason);
    return Answer{TimerFired{.changed = true}};
}

}  // namespace flowfabric
