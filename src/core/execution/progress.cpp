#include "core/base/names.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/command/on_execution.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/transition.hpp"
#include "flowfabric/lease.hpp"

namespace flowfabric {
namespace {

class ProgressBody final : public OnLease {
  public:
    ProgressBody(const HeldLease& lease, Progress command) : OnLease(lease), command_(std::move(command)) {}

    CommandTraits traits() const override { return {.name = "progress"}; }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(command_.message); }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        Transition transition(entry, context.set);
        if (auto refusal = refuse_by_fence(transition, lease(), OverrideRule::never)) return *refusal;
        transition.set_progress(command_.percent, command_.message);
        return Answer::of<ProgressRecorded>({transition.now()});
    }

  private:
    Progress command_;
};

}  // namespace

template <>
Result<Command> admit(Progress command, const Settings& settings, const IdSource&) {
    Checks check;
    check(check_range("progress_pct", command.percent.value_or(0), 0, max_progress_percent));
    if (command.message) check(check_text("progress_message", *command.message, max_progress_bytes));
    if (check.fault()) return *check.fault();
    auto lease = held_lease(command.lease, Source::lease_holder, settings);
    if (!lease) return lease.error();
    return Command::make<ProgressBody>(*lease, std::move(command));
}

}  // namespace flowfabric
