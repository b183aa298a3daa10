#include "core/execution/cancelling.hpp"

namespace flowfabric {

std::string_view revoker_of(std::string_view source) {
    if (source == "flow_cascade") return "backend";
    if (source == "system_timeout") return "reconciler";
    return "operator";
}

void cancel(Transition& transition, const std::string& reason, const std::string& source, CancellationCause cause,
            CancelledBy by) {
    const ExecutionRow& row = transition.row();
    const bool leased = row.vector.ownership_state == OwnershipState::leased;
    const bool live = leased && row.lease_expires_at_ms > transition.now();
    if (leased && !live) transition.expire_lease("lease_ttl");
    if (has_open_attempt(row)) transition.end_attempt(attempt_ending::cancellation, reason);
    if (live && by == CancelledBy::owner) {
        transition.release_lease("cancelled");
    } else if (live) {
        transition.revoke_lease(source, revoker_of(source));
    }
    transition.set_cancellation(reason, source, cause);
    transition.finish(TerminalOutcome::cancelled);
}

void cancel_for_flow(ExecutionEntry* member, const std::string& reason, CancellationCause cause, WorkingSet& set) {
    if (member == nullptr || member->row.vector.lifecycle_phase == LifecyclePhase::terminal) return;
    Transition transition(*member, set);
    cancel(transition, reason, "flow_cascade", cause, CancelledBy::others);
}

}  // namespace flowfabric
