#include <boost/json.hpp>

#include "core/decisions.hpp"
#include "core/fence.hpp"
#include "core/transition.hpp"

namespace flowfabric {
namespace {

constexpr std::string_view lease_holder = "lease_holder";

// Who takes a lease away for a source; the source itself is the event's reason.
std::string_view revoker_of(std::string_view source) {
    if (source == "flow_cascade") return "backend";
    if (source == "system_timeout") return "reconciler";
    return "operator";
}

bool is_operators(const AdmittedCancel& command) {
    return !command.by_worker && command.source != lease_holder && revoker_of(command.source) == "operator";
}

// Only the lease's holder has something to prove: that the lease runs, and, if it shows one, that it is this one.
bool needs_fence(const AdmittedCancel& command, const ExecutionRow& row) {
    if (command.by_worker) return true;
    const bool shows_lease = command.lease.triple || command.lease.partial_triple;
    return command.source == lease_holder && (shows_lease || row.vector.lifecycle_phase == LifecyclePhase::active);
}

}  // namespace

Result<Answer> decide(const AdmittedCancel& command, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    const ExecutionRow& row = entry.row;
    const Answer cancelled = Cancelled{.execution_id = row.id, .public_state = PublicState::cancelled};
    if (row.vector.terminal_outcome == TerminalOutcome::cancelled) return cancelled;
    if (row.vector.lifecycle_phase == LifecyclePhase::terminal) return execution_not_active(row);

    const bool fenced = needs_fence(command, row);
    if (fenced) {
        if (auto refusal = refuse_by_fence(transition, command.lease, OverrideRule::never)) return *refusal;
    }
    // A lease that has lapsed unnoticed is closed as what it is.
    const bool leased = row.vector.ownership_state == OwnershipState::leased;
    const bool live = leased && row.lease_expires_at_ms > transition.now();
    if (leased && !live) transition.expire_lease("lease_ttl");

    if (has_open_attempt(row)) transition.end_attempt(AttemptOutcome::ended_cancelled, command.reason);
    if (live && fenced) {
        transition.release_lease("cancelled");
    } else if (live) {
        transition.revoke_lease(command.source, revoker_of(command.source));
    }
    transition.set_cancellation(command.reason, command.source);
    transition.finish(TerminalOutcome::cancelled);
    if (is_operators(command)) {
        const boost::json::object details{{"reason", command.reason}, {"source", command.source}};
        transition.tell_operators(OperatorEventType::execution_cancelled, {boost::json::serialize(details)});
    }
    return cancelled;
}

}  // namespace flowfabric
