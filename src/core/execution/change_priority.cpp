#include <algorithm>

#include <boost/json.hpp>

#include "core/command/admission.hpp"
#include "core/command/on_execution.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/transition.hpp"
#include "flowfabric/execution.hpp"

namespace flowfabric {
namespace {

class ChangePriorityBody final : public OnExecution {
  public:
    ChangePriorityBody(const ExecutionId& id, std::int32_t new_priority)
        : OnExecution(id), new_priority_(new_priority) {}

    CommandTraits traits() const override { return {.name = "change_priority"}; }
    std::size_t bytes() const override { return sizeof(*this); }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        Transition transition(entry, context.set);
        const ExecutionRow& row = entry.row;
        if (!is_waiting(row)) return refused_in_state(ErrorKind::execution_not_eligible, row);
        const PriorityChanged changed{row.id, row.priority, new_priority_};
        transition.set_priority(new_priority_);
        context.set.work_available = true;  // claims elsewhere know nothing of the new level
        const boost::json::object told{{"old_priority", changed.old_priority}, {"new_priority", changed.new_priority}};
        transition.tell_operators(OperatorEventType::priority_changed, {boost::json::serialize(told)});
        return Answer::of<PriorityChanged>(changed);
    }

  private:
    std::int32_t new_priority_;
};

}  // namespace

template <>
Result<Command> admit(ChangePriority command, const Settings&, const IdSource&) {
    if (auto checked = check_partition(command.execution_id); !checked) return checked.error();
    return Command::make<ChangePriorityBody>(command.execution_id, std::clamp(command.new_priority, 0, max_priority));
}

}  // namespace flowfabric
