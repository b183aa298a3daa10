#include "core/decisions.hpp"
#include "core/transition.hpp"

namespace flowfabric {

Result<Answer> decide(const ExpireLease&, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    const ExecutionRow& row = entry.row;
    const bool leased = row.vector.ownership_state == OwnershipState::leased;
    if (!leased || row.lease_check_at_ms > transition.now()) return Answer{TimerFired{.changed = false}};
    if (row.lease_expires_at_ms > transition.now()) {
        transition.rearm_lease_check();
        return Answer{TimerFired{.changed = false}};
    }
    transition.expire_lease("lease_ttl");
    return Answer{TimerFired{.changed = true}};
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
