#include <boost/json.hpp>

#include "core/command/admission.hpp"
#include "core/command/on_execution.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/transition.hpp"
#include "core/suspension/suspension.hpp"
#include "flowfabric/suspension.hpp"

namespace flowfabric {
namespace {

class ResumeExecutionBody final : public OnExecution {
  public:
    explicit ResumeExecutionBody(const ResumeExecution& command)
        : OnExecution(command.execution_id), command_(command) {}

    CommandTraits traits() const override { return {.name = "resume_execution", .releases_work = true}; }
    std::size_t bytes() const override { return sizeof(*this); }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        Transition transition(entry, context.set);
        const ExecutionRow& row = entry.row;
        const SuspensionRow* suspension = open_suspension(context.set, row);
        if (row.vector.lifecycle_phase != LifecyclePhase::suspended || suspension == nullptr) {
            return refused_in_state(ErrorKind::execution_not_suspended, row);
        }
        // By the operator's word, not by the signals that have come so far; and it is not asked for again.
        resume(transition, context.set,
               {.reason = WaitpointCloseReason::resumed, .closer = std::nullopt, .satisfiers = {}, .satisfied = true},
               command_.resume_delay_ms);
        if (command_.trigger == ResumeTrigger::operator_request) {
            const boost::json::object details{{"resume_delay_ms", command_.resume_delay_ms}};
            transition.tell_operators(OperatorEventType::execution_resumed, {boost::json::serialize(details)});
        }
        return Answer::of<Resumed>({row.vector.public_state});
    }

  private:
    ResumeExecution command_;
};

}  // namespace

template <>
Result<Command> admit(ResumeExecution command, const Settings&, const IdSource&) {
    if (auto checked = check_partition(command.execution_id); !checked) return checked.error();
    if (!is_known(command.trigger)) return invalid_input("trigger_type", "no such trigger");
    return Command::make<ResumeExecutionBody>(command);
}

}  // namespace flowfabric
