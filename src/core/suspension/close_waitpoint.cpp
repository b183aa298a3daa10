#include "core/command/admission.hpp"
#include "core/command/on_execution.hpp"
#include "core/execution/transition.hpp"
#include "core/suspension/suspension.hpp"
#include "flowfabric/suspension.hpp"

namespace flowfabric {
namespace {

class CloseWaitpointBody final : public OnExecution {
  public:
    CloseWaitpointBody(const ExecutionId& id, const WaitpointId& waitpoint_id, WaitpointCloseReason reason)
        : OnExecution(id), waitpoint_id_(waitpoint_id), reason_(reason) {}

    CommandTraits traits() const override { return {.name = "close_waitpoint"}; }
    std::size_t bytes() const override { return sizeof(*this); }
    void name_rows(NamedRows& rows) const override { rows.side.of<WaitpointRow>().keys.push_back(key()); }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        Transition transition(entry, context.set);
        const WaitpointRow* waitpoint = context.set.side.of<WaitpointRow>().find(key());
        if (waitpoint == nullptr || waitpoint->owner() != execution_id()) {
            return refusal(ErrorKind::waitpoint_not_found, waitpoint_id_.to_string());
        }
        if (waitpoint->state == WaitpointState::closed) return Answer::of<WaitpointClosed>({.was_open = false});
        close_waitpoint(context.set, *waitpoint, reason_, transition.now());
        transition.count_open_waitpoints();
        return Answer::of<WaitpointClosed>({.was_open = true});
    }

  private:
    WaitpointKey key() const { return {execution_id().partition, waitpoint_id_}; }

    WaitpointId waitpoint_id_;
    WaitpointCloseReason reason_;
};

}  // namespace

template <>
// NOLINTNEXTLINE(performance-unnecessary-value-param): every front door has this signature
Result<Command> admit(CloseWaitpoint command, const Settings&, const IdSource&) {
    if (auto checked = check_partition(command.execution_id); !checked) return checked.error();
    const auto reason = parse_enum<WaitpointCloseReason>(command.reason);
    if (!reason) return invalid_input("reason", "no such reason to close a waitpoint");
    return Command::make<CloseWaitpointBody>(command.execution_id, command.waitpoint_id, *reason);
}

}  // namespace flowfabric
