#include "core/command/on_execution.hpp"

#include "core/execution/fence.hpp"
#include "flowfabric/commands.hpp"

namespace flowfabric {

Result<Answer> OnExecution::decide(BatchRows& rows, DecisionContext& context) const {
    ExecutionEntry* entry = rows.find(execution_id_);
    return entry == nullptr ? decide_missing() : decide_on(*entry, context);
}

Result<Answer> OnExecution::decide_missing() const {
    if (traits().by_timer) return Answer::of<TimerFired>({.changed = false});
    return execution_not_found(execution_id_);
}

}  // namespace flowfabric
