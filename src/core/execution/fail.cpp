#include "core/base/names.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/command/on_execution.hpp"
#include "core/execution/failure.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/transition.hpp"
#include "flowfabric/lease.hpp"

namespace flowfabric {
namespace {

// The answer that a repeated fail got the first time, if this is one.
std::optional<Failed> repeated_fail(const Transition& transition, const HeldLease& lease) {
    const ExecutionRow& row = transition.row();
    if (!names_last_attempt(row, lease)) return std::nullopt;
    if (row.vector.terminal_outcome == TerminalOutcome::failed) return TerminalFailed{};
    const bool retry_scheduled = row.vector.attempt_state == AttemptState::pending_retry_attempt && !row.last_release;
    if (retry_scheduled) {
        return RetryScheduled{.delay_until_ms = row.delay_until_ms.value_or(transition.now()),
                              .next_attempt_index = static_cast<std::uint32_t>(row.total_attempt_count)};
    }
    return std::nullopt;
}

class FailBody final : public OnLease {
  public:
    FailBody(const HeldLease& lease, Fail command) : OnLease(lease), command_(std::move(command)) {}

    CommandTraits traits() const override { return {.name = "fail"}; }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(command_.reason, command_.category); }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        Transition transition(entry, context.set);
        if (auto refusal = refuse_by_fence(transition, lease(), OverrideRule::operator_may_override)) {
            if (refusal->kind == ErrorKind::execution_not_active) {
                if (auto repeated = repeated_fail(transition, lease())) return Answer::of<Failed>(*repeated);
            }
            return *refusal;
        }
        auto failed = fail_attempt(transition, {.reason = command_.reason, .category = command_.category});
        if (!failed) return failed.error();
        return Answer::of<Failed>(*failed);
    }

  private:
    Fail command_;
};

}  // namespace

template <>
Result<Command> admit(Fail command, const Settings& settings, const IdSource&) {
    Checks check;
    check(check_text("reason", command.reason, max_reason_bytes));
    check(check_text("category", command.category, max_label_bytes));
    if (check.fault()) return *check.fault();
    auto lease = held_lease(command.lease, command.source, settings);
    if (!lease) return lease.error();
    return Command::make<FailBody>(*lease, std::move(command));
}

}  // namespace flowfabric
