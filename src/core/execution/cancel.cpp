#include <boost/json.hpp>

#include "core/command/decisions.hpp"
#include "core/execution/cancelling.hpp"
#include "core/execution/fence.hpp"

namespace flowfabric {
namespace {

constexpr std::string_view lease_holder = "lease_holder";

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
    cancel(transition, command.reason, command.source, CancellationCause::request,
           fenced ? CancelledBy::owner : CancelledBy::others);
    if (is_operators(command)) {
        const boost::json::object details{{"reason", command.reason}, {"source", command.source}};
        transition.tell_operators(OperatorEventType::execution_cancelled, {boost::json::serialize(details)});
    }
    return cancelled;
}

}  // namespace flowfabric
