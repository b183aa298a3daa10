#include <boost/json.hpp>

#include "core/command/decisions.hpp"
#include "core/execution/failure.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/transition.hpp"

// What operators do to one execution. Each action leaves exactly one operator event.
namespace flowfabric {
namespace {

Json details(const boost::json::object& object) {
    return {boost::json::serialize(object)};
}

}  // namespace

Result<Answer> decide(const AdmittedPriority& command, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    const ExecutionRow& row = entry.row;
    if (!is_waiting(row)) return refused_in_state(ErrorKind::execution_not_eligible, row);
    const PriorityChanged changed{row.id, row.priority, command.new_priority};
    transition.set_priority(command.new_priority);
    context.set.work_available = true;  // claims elsewhere know nothing of the new level
    transition.tell_operators(OperatorEventType::priority_changed, details({{"old_priority", changed.old_priority},
                                                                            {"new_priority", changed.new_priority}}));
    return Answer{changed};
}

Result<Answer> decide(const AdmittedRevoke& command, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    const ExecutionRow& row = entry.row;
    const auto satisfied = [](std::string reason) { return Answer{Revocation{AlreadySatisfied{std::move(reason)}}}; };
    if (row.vector.lifecycle_phase != LifecyclePhase::active) return satisfied("no_active_lease");
    if (row.vector.ownership_state == OwnershipState::lease_revoked) return satisfied("already_revoked");
    const bool leased = row.vector.ownership_state == OwnershipState::leased;
    if (!leased || row.lease_expires_at_ms <= transition.now()) {
        if (leased) {
            if (auto ended = end_overdue_lease(transition); !ended) return ended.error();
        }
        return satisfied("already_expired");
    }
    if (!command.worker_instance_id.empty() && row.worker_instance_id != command.worker_instance_id) {
        return satisfied("different_worker_instance_id");
    }
    if (command.expected_lease_id && row.lease_id != command.expected_lease_id) return satisfied("lease_id_mismatch");

    const boost::json::object told{{"lease_id", row.lease_id->to_string()},
                                   {"lease_epoch", row.lease_epoch},
                                   {"worker_instance_id", row.worker_instance_id.value_or("")},
                                   {"reason", command.reason}};
    transition.revoke_for_reclaim(command.reason, "operator");
    transition.tell_operators(OperatorEventType::lease_revoked, details(told));
    return Answer{Revocation{Revoked{.lease_id = *row.lease_id, .lease_epoch = {row.lease_epoch}}}};
}

}  // namespace flowfabric
