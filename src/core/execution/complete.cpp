#include "core/base/names.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/command/on_execution.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/transition.hpp"
#include "flowfabric/lease.hpp"

namespace flowfabric {
namespace {

class CompleteBody final : public OnLease {
  public:
    CompleteBody(const HeldLease& lease, Complete command) : OnLease(lease), command_(std::move(command)) {}

    CommandTraits traits() const override { return {.name = "complete"}; }
    std::size_t bytes() const override {
        return sizeof(*this) + contents_of(command_.result, command_.result_encoding);
    }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        Transition transition(entry, context.set);
        const ExecutionRow& row = entry.row;
        const auto completed = Answer::of<Completed>({.execution_id = row.id, .public_state = PublicState::completed});
        if (auto refusal = refuse_by_fence(transition, lease(), OverrideRule::operator_may_override)) {
            const bool repeated = refusal->kind == ErrorKind::execution_not_active &&
                                  row.vector.terminal_outcome == TerminalOutcome::success &&
                                  names_last_attempt(row, lease());
            if (repeated) return completed;
            return *refusal;
        }
        transition.end_attempt(attempt_ending::success);
        transition.release_lease("completed");
        transition.store_result(command_.result, command_.result_encoding);
        transition.finish(TerminalOutcome::success);
        return completed;
    }

  private:
    Complete command_;
};

}  // namespace

template <>
Result<Command> admit(Complete command, const Settings& settings, const IdSource&) {
    Checks check;
    if (command.result) check(check_payload("result", *command.result, settings.max_payload_bytes));
    if (command.result_encoding) check(check_text("result_encoding", *command.result_encoding, max_label_bytes));
    if (check.fault()) return *check.fault();
    auto lease = held_lease(command.lease, command.source, settings);
    if (!lease) return lease.error();
    return Command::make<CompleteBody>(*lease, std::move(command));
}

}  // namespace flowfabric
