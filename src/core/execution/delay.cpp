#include "core/command/admission.hpp"
#include "core/command/on_execution.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/transition.hpp"
#include "flowfabric/lease.hpp"

namespace flowfabric {
namespace {

class DelayBody final : public OnLease {
  public:
    DelayBody(const HeldLease& lease, std::int64_t delay_until_ms) : OnLease(lease), delay_until_ms_(delay_until_ms) {}

    CommandTraits traits() const override { return {.name = "delay"}; }
    std::size_t bytes() const override { return sizeof(*this); }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        Transition transition(entry, context.set);
        const ExecutionRow& row = entry.row;
        std::string call = "worker_delay:" + std::to_string(delay_until_ms_);
        if (auto refusal = refuse_by_fence(transition, lease(), OverrideRule::operator_may_override)) {
            if (is_repeated_release(*refusal, row, lease(), call))
                return Answer::of<Delayed>({row.vector.public_state});
            return *refusal;
        }
        transition.interrupt_attempt("delay", "worker_delay", std::move(call));
        transition.delay_until(delay_until_ms_);
        return Answer::of<Delayed>({row.vector.public_state});
    }

  private:
    std::int64_t delay_until_ms_;
};

}  // namespace

template <>
// NOLINTNEXTLINE(performance-unnecessary-value-param): every front door has this signature
Result<Command> admit(Delay command, const Settings& settings, const IdSource&) {
    if (command.delay_until_ms < 0) return invalid_input("delay_until_ms", "must not be negative");
    auto lease = held_lease(command.lease, command.source, settings);
    if (!lease) return lease.error();
    return Command::make<DelayBody>(*lease, command.delay_until_ms);
}

}  // namespace flowfabric
