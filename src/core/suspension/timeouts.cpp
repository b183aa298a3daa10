#include <algorithm>
#include <boost/json.hpp>

#include "core/command/on_execution.hpp"
#include "core/execution/transition.hpp"
#include "core/signing/signing.hpp"
#include "core/suspension/suspension.hpp"
#include "core/suspension/waitpoint.hpp"

namespace flowfabric {
namespace {

void end_by_timeout(Transition& transition, WorkingSet& set, TerminalOutcome outcome, WaitpointCloseReason reason,
                    const std::string& told) {
    const bool cancels = outcome == TerminalOutcome::cancelled;
    close_suspension(transition, set, {.reason = reason, .closer = std::nullopt, .satisfiers = {}});
    transition.end_attempt(cancels ? attempt_ending::cancelling_timeout : attempt_ending::suspension_timeout, told,
                           cancels ? std::nullopt : std::optional<std::string>("timeout"));
    if (cancels) {
        transition.set_cancellation(told, "system_timeout", CancellationCause::timeout);
    } else {
        transition.set_failure(told, "timeout");
    }
    transition.finish(outcome);
}

// One per suspension, the same on every store.
SignalId timeout_signal_of(const SuspensionId& id) {
    const Bytes digest = sha256("timeout:" + id.to_string());
    SignalId signal;
    std::ranges::copy_n(digest.begin(), signal.uuid.bytes.size(), signal.uuid.bytes.begin());
    signal.uuid.bytes[6] = static_cast<std::uint8_t>((signal.uuid.bytes[6] & 0x0FU) | 0x80U);
    signal.uuid.bytes[8] = static_cast<std::uint8_t>((signal.uuid.bytes[8] & 0x3FU) | 0x80U);
    return signal;
}

// The timeout resumes as a signal of the engine to the primary waitpoint. It satisfies a TimeoutOnly condition alone.
void resume_by_timeout(Transition& transition, WorkingSet& set, const SuspensionRow& suspension) {
    const auto condition = condition_of(suspension);
    const bool awaited = condition && std::holds_alternative<TimeoutOnly>(condition->node);
    const ExecutionRow& row = transition.row();
    const SignalId signal_id = timeout_signal_of(suspension.suspension_id);
    const WaitpointId primary = row.current_waitpoint_id.value_or(WaitpointId{});
    const WaitpointRow* waitpoint = set.side.of<WaitpointRow>().find({row.id.partition, primary});
    const SignalRow signal{.key = {row.id, transition.next_signal()},
                           .signal_id = signal_id,
                           .waitpoint_id = primary,
                           .waitpoint_key = waitpoint == nullptr ? std::string{} : waitpoint->waitpoint_key,
                           .signal_name = "timeout",
                           .signal_category = "system",
                           .source_type = "engine",
                           .source_identity = "suspension_timeout",
                           .payload_encoding = "json",
                           .accepted_at_ms = transition.now(),
                           .observed_effect = SignalEffect::resume_condition_satisfied,
                           .matched = true,
                           .suspension_id = suspension.suspension_id,
                           .replay_count = row.replay_count};
    set.side.of<SignalRow>().put(signal);
    // A primary waitpoint that was closed by hand is not counted on.
    if (waitpoint != nullptr) count_signal(set, *waitpoint, signal.observed_effect, transition.now());
    transition.tell_signal(signal);
    resume(transition, set,
           {.reason = WaitpointCloseReason::timed_out_auto_resume,
            .closer = signal_id,
            .satisfiers = {signal.key.seq},
            .satisfied = awaited},
           0);
}

void escalate(Transition& transition, WorkingSet& set, SuspensionRow suspension) {
    suspension.reason_code = SuspensionReason::waiting_for_operator_review;
    suspension.timeout_at_ms.reset();
    suspension.timeout_behavior.reset();
    const boost::json::object details{{"suspension_id", suspension.suspension_id.to_string()}};
    for (WaitpointRow& waitpoint : waitpoints_in(WaitpointState::active, set, transition.row().id)) {
        waitpoint.expires_at_ms.reset();
        set.side.of<WaitpointRow>().put(std::move(waitpoint));
    }
    set.side.of<SuspensionRow>().put(std::move(suspension));
    transition.wait_for_operator();
    transition.tell_operators(OperatorEventType::suspension_escalated, {boost::json::serialize(details)});
}

class TimeOutSuspensionBody final : public OnExecution {
  public:
    using OnExecution::OnExecution;

    CommandTraits traits() const override {
        return {.name = "time_out_suspension", .urgency = Urgency::bulk, .by_timer = true, .releases_work = true};
    }
    std::size_t bytes() const override { return sizeof(*this); }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        Transition transition(entry, context.set);
        WorkingSet& set = context.set;
        const ExecutionRow& row = entry.row;
        const SuspensionRow* suspension = open_suspension(set, row);
        const bool due = row.vector.lifecycle_phase == LifecyclePhase::suspended && suspension != nullptr &&
                         suspension->timeout_at_ms.value_or(transition.now() + 1) <= transition.now();
        if (!due) return Answer::of<TimerFired>({.changed = false});
        switch (suspension->timeout_behavior.value_or(TimeoutBehavior::fail)) {
            case TimeoutBehavior::fail:
                end_by_timeout(transition, set, TerminalOutcome::failed, WaitpointCloseReason::timed_out_fail,
                               "suspension_timeout:fail");
                break;
            case TimeoutBehavior::cancel:
                end_by_timeout(transition, set, TerminalOutcome::cancelled, WaitpointCloseReason::timed_out_cancel,
                               "suspension_timeout:cancel");
                break;
            case TimeoutBehavior::expire:
                end_by_timeout(transition, set, TerminalOutcome::expired, WaitpointCloseReason::timed_out_expire,
                               "suspension_timeout:expire");
                break;
            case TimeoutBehavior::auto_resume_with_timeout_signal:
                resume_by_timeout(transition, set, *suspension);
                break;
            case TimeoutBehavior::escalate:
                escalate(transition, set, *suspension);
                break;
        }
        return Answer::of<TimerFired>({.changed = true});
    }
};

class ExpireWaitpointsBody final : public OnExecution {
  public:
    using OnExecution::OnExecution;

    CommandTraits traits() const override {
        return {.name = "expire_waitpoints", .urgency = Urgency::bulk, .by_timer = true};
    }
    std::size_t bytes() const override { return sizeof(*this); }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        Transition transition(entry, context.set);
        bool changed = false;
        for (WaitpointRow& waitpoint : waitpoints_in(WaitpointState::pending, context.set, entry.row.id)) {
            if (!has_lapsed(waitpoint, transition.now())) continue;
            close_waitpoint(context.set, std::move(waitpoint), WaitpointCloseReason::never_committed, transition.now());
            changed = true;
        }
        if (changed) transition.count_open_waitpoints();
        return Answer::of<TimerFired>({.changed = changed});
    }
};

}  // namespace

Command time_out_suspension(const ExecutionId& id) {
    return Command::make<TimeOutSuspensionBody>(id);
}

Command expire_waitpoints(const ExecutionId& id) {
    return Command::make<ExpireWaitpointsBody>(id);
}

}  // namespace flowfabric
