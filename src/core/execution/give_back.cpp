#include "core/command/decisions.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/transition.hpp"

// The ways in which a worker hands its lease back without ending the attempt.
namespace flowfabric {
namespace {

// Whether the row stands as this very call of this lease's holder left it.
bool is_repeat(const EngineError& refusal, const ExecutionRow& row, const HeldLease& lease, std::string_view call) {
    return refusal.kind == ErrorKind::execution_not_active && names_last_attempt(row, lease) &&
           row.last_release == call;
}

}  // namespace

Result<Answer> decide(const AdmittedDelay& command, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    const ExecutionRow& row = entry.row;
    std::string call = "worker_delay:" + std::to_string(command.delay_until_ms);
    if (auto refusal = refuse_by_fence(transition, command.lease, OverrideRule::operator_may_override)) {
        if (is_repeat(*refusal, row, command.lease, call)) return Answer{Delayed{row.vector.public_state}};
        return *refusal;
    }
    transition.interrupt_attempt("delay", "worker_delay", std::move(call));
    transition.delay_until(command.delay_until_ms);
    return Answer{Delayed{row.vector.public_state}};
}

Result<Answer> decide(const AdmittedRelease& command, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    const ExecutionRow& row = entry.row;
    if (auto refusal = refuse_by_fence(transition, command.lease, OverrideRule::never)) {
        if (is_repeat(*refusal, row, command.lease, "unstarted")) {
            return Answer{Released{row.id, row.vector.public_state}};
        }
        return *refusal;
    }
    if (row.activity_epoch == row.lease_epoch) {
        return EngineError{.kind = ErrorKind::attempt_already_started, .detail = row.id.to_string()};
    }
    transition.return_unstarted();
    return Answer{Released{row.id, row.vector.public_state}};
}

}  // namespace flowfabric
