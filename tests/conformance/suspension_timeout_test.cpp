#include "conformance/with_key.hpp"
#include "support/outbox.hpp"
#include "support/parked.hpp"

namespace flowfabric::test {
namespace {

using enum ErrorKind;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class SuspensionTimeouts : public WithKey<ApiTest> {
  protected:
    // Of the namespace `shop` and the instance `blue`.
    static CreateExecution an_execution() {
        CreateExecution command;
        command.namespace_name = "shop";
        command.tags["cairn.instance_id"] = "blue";
        return command;
    }
    static CreateExecution with_policy(std::optional<std::uint64_t> timeout_ms, std::string behavior) {
        CreateExecution command = an_execution();
        command.policy.emplace().suspension_policy =
            SuspensionPolicy{.default_timeout_ms = timeout_ms, .timeout_behavior = std::move(behavior)};
        return command;
    }
    static ResumeCondition both() {
        AllOf all;
        all.members.push_back({Single{"a", ByName{"x"}}});
        all.members.push_back({Single{"b", ByName{"x"}}});
        return {std::move(all)};
    }
    Parked park(CreateExecution command, std::optional<std::int64_t> timeout_at_ms,
                std::optional<TimeoutBehavior> behavior) {
        create(std::move(command));
        return park(claim(), timeout_at_ms, behavior);
    }
    Parked park(const ClaimedExecution& claimed, std::optional<std::int64_t> timeout_at_ms,
                std::optional<TimeoutBehavior> behavior) {
        Suspend command{.lease = claimed.handle};
        command.waitpoints.emplace_back(FreshWaitpoint{std::nullopt, "a"});
        command.waitpoints.emplace_back(FreshWaitpoint{std::nullopt, "b"});
        command.resume_condition = both();
        command.timeout_at_ms = timeout_at_ms;
        command.timeout_behavior = behavior;
        const auto outcome = std::get<Suspended>(value_of(run(std::move(command))));
        return {claimed.execution_id, claimed, outcome.details};
    }
    // Suspended for a second.
    Parked park(TimeoutBehavior behavior) { return park(an_execution(), now() + 1000, behavior); }
    void let_time_pass() {
        advance(1000);
        reconcile();
    }

    Result<SignalOutcome> deliver(const ExecutionId& id, const SuspendedWaitpoint& to) {
        DeliverSignal command;
        command.execution_id = id;
        command.waitpoint_id = to.waitpoint_id;
        command.waitpoint_token = to.token;
        command.signal_name = "x";
        return run(std::move(command));
    }
    SignalEffect effect_of(const ExecutionId& id, const SuspendedWaitpoint& to) {
        return std::get<SignalAccepted>(value_of(deliver(id, to))).effect;
    }
    bool fire(const ExecutionId& id, Timer timer = Timer::suspension_timeout) {
        return value_of(run(FireTimer{id, timer})).changed;
    }

    SuspensionRow suspension(const ExecutionId& id) { return snapshot().of<SuspensionRow>().at({id}); }
    std::vector<SignalEvent> signal_events(const ExecutionId& id) {
        std::vector<SignalEvent> found;
        for (const Event& event : read_outbox(backend(), Channel::signal)) {
            const auto& told = std::get<SignalEvent>(event);
            if (told.execution_id == id) found.push_back(told);
        }
        return found;
    }
    std::vector<SignalRow> signals(const ExecutionId& id) {
        std::vector<SignalRow> found;
        for (const auto& [key, stored] : snapshot().of<SignalRow>()) {
            if (key.execution_id == id) found.push_back(stored);
        }
        return found;
    }

    void expect_closed(const Parked& parked, WaitpointCloseReason reason) {
        const SuspensionRow stored = suspension(parked.id);
        EXPECT_EQ(stored.suspension_id, parked.details.suspension_id);
        EXPECT_EQ(stored.closed_at_ms, now());
        EXPECT_EQ(stored.close_reason, reason);
        EXPECT_EQ(stored.timeout_at_ms, std::nullopt);
        EXPECT_EQ(row(parked.id).current_suspension_id, std::nullopt);
        EXPECT_EQ(row(parked.id).current_waitpoint_id, std::nullopt);
        EXPECT_FALSE(row(parked.id).has_waitpoints);
        const auto waitpoints = snapshot().of<WaitpointRow>();
        EXPECT_THAT(waitpoints, SizeIs(2));
        for (const auto& [key, waitpoint] : waitpoints) {
            EXPECT_EQ(waitpoint.state, WaitpointState::closed);
            EXPECT_EQ(waitpoint.close_reason, reason);
            EXPECT_EQ(waitpoint.closed_at_ms, now());
        }
    }
    // All that the three terminal behaviours have in common.
    void expect_ended(const Parked& parked, TerminalOutcome outcome, PublicState shown, AttemptOutcome attempt,
                      const std::string& reason) {
        const ExecutionRow after = row(parked.id);
        EXPECT_EQ(after.vector, (StateVector{.lifecycle_phase = LifecyclePhase::terminal,
                                             .ownership_state = OwnershipState::unowned,
                                             .eligibility_state = EligibilityState::not_applicable,
                                             .blocking_reason = BlockingReason::none,
                                             .terminal_outcome = outcome,
                                             .attempt_state = AttemptState::attempt_terminal,
                                             .public_state = shown}));
        EXPECT_EQ(after.terminal_at_ms, now());
        EXPECT_EQ(after.lease_epoch, 1U) << "there was no lease to take away";
        const auto history = attempts(parked.id);
        ASSERT_THAT(history, SizeIs(1));
        EXPECT_EQ(history[0].outcome, attempt);
        EXPECT_EQ(history[0].attempt_id, parked.claimed.attempt_id);
        EXPECT_EQ(history[0].worker_id, "w1");
        EXPECT_EQ(history[0].ended_at_ms, now());
        EXPECT_EQ(history[0].failure_reason, reason);
        const auto events = completion_events(parked.id);
        ASSERT_THAT(events, SizeIs(1));
        EXPECT_EQ(events[0].outcome, outcome);
        EXPECT_EQ(events[0].namespace_name, "shop");
        EXPECT_EQ(events[0].instance_tag, "blue");
        EXPECT_EQ(events[0].occurred_at_ms, now());
        EXPECT_THAT(lease_event_types(parked.id), ElementsAre(LeaseEventType::acquired, LeaseEventType::released));
        EXPECT_THAT(operator_events(parked.id), IsEmpty());
        EXPECT_THAT(signal_events(parked.id), IsEmpty());
        expect_no_change([&] { expect_error(deliver(parked.id, parked.details.primary), target_not_signalable); });
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, SuspensionTimeouts, all_stores(), name_of_param);

// ---- the five behaviours ------------------------------------------------------------------------------------------

TEST_P(SuspensionTimeouts, Ga06_FailFailsTheExecution) {
    const Parked parked = park(TimeoutBehavior::fail);
    let_time_pass();
    expect_ended(parked, TerminalOutcome::failed, PublicState::failed, AttemptOutcome::ended_failure,
                 "suspension_timeout:fail");
    EXPECT_EQ(row(parked.id).failure_reason, "suspension_timeout:fail");
    expect_closed(parked, WaitpointCloseReason::timed_out_fail);
}

TEST_P(SuspensionTimeouts, Ga06_CancelCancelsIt) {
    const Parked parked = park(TimeoutBehavior::cancel);
    let_time_pass();
    expect_ended(parked, TerminalOutcome::cancelled, PublicState::cancelled, AttemptOutcome::ended_cancelled,
                 "suspension_timeout:cancel");
    EXPECT_EQ(row(parked.id).cancellation_reason, "suspension_timeout:cancel");
    EXPECT_EQ(row(parked.id).cancellation_cause, CancellationCause::timeout);
    EXPECT_EQ(row(parked.id).failure_reason, std::nullopt);
    expect_closed(parked, WaitpointCloseReason::timed_out_cancel);
}

TEST_P(SuspensionTimeouts, Ga06_ExpireExpiresIt) {
    const Parked parked = park(TimeoutBehavior::expire);
    let_time_pass();
    expect_ended(parked, TerminalOutcome::expired, PublicState::expired, AttemptOutcome::ended_failure,
                 "suspension_timeout:expire");
    EXPECT_EQ(row(parked.id).failure_reason, "suspension_timeout:expire");
    expect_closed(parked, WaitpointCloseReason::timed_out_expire);
}

TEST_P(SuspensionTimeouts, Ga04_AutoResumeResumesWhateverTheConditionSays) {
    const Parked parked = park(TimeoutBehavior::auto_resume_with_timeout_signal);
    let_time_pass();
    EXPECT_EQ(row(parked.id).vector, resumable_vector);
    expect_closed(parked, WaitpointCloseReason::timed_out_auto_resume);
    EXPECT_THAT(outcomes(parked.id), IsEmpty());
    EXPECT_THAT(operator_events(parked.id), IsEmpty());
    ASSERT_THAT(attempts(parked.id), SizeIs(1));
    EXPECT_FALSE(attempts(parked.id)[0].ended_at_ms);

    const auto stored = signals(parked.id);
    ASSERT_THAT(stored, SizeIs(1));
    EXPECT_EQ(suspension(parked.id).closer_signal_id, stored[0].signal_id);
    const auto told = signal_events(parked.id);
    ASSERT_THAT(told, SizeIs(1));
    EXPECT_EQ(told[0].effect, "resume_condition_satisfied");
    EXPECT_EQ(told[0].signal_id, stored[0].signal_id.uuid);
    EXPECT_EQ(told[0].waitpoint_id, parked.details.primary.waitpoint_id.uuid);
    EXPECT_EQ(told[0].source_identity, "suspension_timeout");
    EXPECT_EQ(told[0].namespace_name, "shop");
    EXPECT_EQ(told[0].instance_tag, "blue");
    EXPECT_EQ(told[0].delivered_at_ms, now());
    expect_no_change([&] { expect_error(deliver(parked.id, parked.details.primary), waitpoint_closed); });
}

TEST_P(SuspensionTimeouts, Ga04_TheResumedAttemptSeesTheTimeoutSignal) {
    const Parked parked = park(TimeoutBehavior::auto_resume_with_timeout_signal);
    EXPECT_EQ(effect_of(parked.id, parked.details.primary), SignalEffect::appended_to_waitpoint);
    let_time_pass();
    const ClaimedExecution resumed = claim("w2");
    EXPECT_EQ(resumed.handle.kind, HandleKind::resumed);
    EXPECT_EQ(resumed.attempt_id, parked.claimed.attempt_id);
    EXPECT_EQ(resumed.attempt_index, 0U);
    EXPECT_EQ(resumed.lease_epoch, LeaseEpoch{2});
    const auto seen = value_of(api().observe_signals(resumed.handle));
    ASSERT_THAT(seen, SizeIs(2));
    EXPECT_EQ(seen[1].signal_name, "timeout");
    EXPECT_EQ(seen[1].signal_category, "system");
    EXPECT_EQ(seen[1].source_type, "engine");
    EXPECT_EQ(seen[1].source_identity, "suspension_timeout");
    EXPECT_EQ(seen[1].correlation_id, std::nullopt);
    EXPECT_EQ(seen[1].payload, std::nullopt);
    EXPECT_EQ(seen[1].accepted_at_ms, now());
    EXPECT_EQ(seen[1].signal_id, signals(parked.id).at(1).signal_id);
    EXPECT_EQ(seen[1].suspension_id, parked.details.suspension_id);
    for (const ResumeSignal& signal : seen) EXPECT_FALSE(signal.satisfied) << "the condition was not met";
    value_of(complete(resumed.handle));
    EXPECT_THAT(outcomes(parked.id), ElementsAre(TerminalOutcome::success));
}

TEST_P(SuspensionTimeouts, AutoResumeDoesNotNeedAnOpenWaitpoint) {
    const Parked parked = park(TimeoutBehavior::auto_resume_with_timeout_signal);
    value_of(run(CloseWaitpoint{parked.id, parked.details.primary.waitpoint_id}));
    value_of(run(CloseWaitpoint{parked.id, parked.details.additional.at(0).waitpoint_id}));
    let_time_pass();
    EXPECT_EQ(state(parked.id), PublicState::resumable);
    EXPECT_THAT(signals(parked.id), SizeIs(1));
    EXPECT_THAT(signal_events(parked.id), SizeIs(1));
    const auto seen = value_of(api().observe_signals(claim("w2").handle));
    ASSERT_THAT(seen, SizeIs(1));
    EXPECT_EQ(seen[0].signal_name, "timeout");
}

TEST_P(SuspensionTimeouts, EachTimeoutSignalHasItsOwnId) {
    const Parked first = park(TimeoutBehavior::auto_resume_with_timeout_signal);
    let_time_pass();
    const ClaimedExecution resumed = claim("w2");
    park(resumed, now() + 1000, TimeoutBehavior::auto_resume_with_timeout_signal);
    let_time_pass();
    const auto stored = signals(first.id);
    ASSERT_THAT(stored, SizeIs(2));
    EXPECT_NE(stored[0].signal_id, stored[1].signal_id);
    const auto seen = value_of(api().observe_signals(claim("w3").handle));
    ASSERT_THAT(seen, SizeIs(2));
    EXPECT_EQ(seen[1].signal_id, stored[1].signal_id);
}

TEST_P(SuspensionTimeouts, Ga06_EscalateLeavesItToAnOperator) {
    const Parked parked = park(TimeoutBehavior::escalate);
    const std::int64_t since = now();
    let_time_pass();
    EXPECT_EQ(row(parked.id).vector, (StateVector{.lifecycle_phase = LifecyclePhase::suspended,
                                                  .ownership_state = OwnershipState::unowned,
                                                  .eligibility_state = EligibilityState::not_applicable,
                                                  .blocking_reason = BlockingReason::paused_by_operator,
                                                  .terminal_outcome = TerminalOutcome::none,
                                                  .attempt_state = AttemptState::attempt_interrupted,
                                                  .public_state = PublicState::suspended}));
    EXPECT_EQ(row(parked.id).current_suspension_id, parked.details.suspension_id);
    EXPECT_EQ(row(parked.id).current_waitpoint_id, parked.details.primary.waitpoint_id);
    const SuspensionRow stored = suspension(parked.id);
    EXPECT_EQ(stored.suspended_at_ms, since);
    EXPECT_EQ(stored.reason_code, SuspensionReason::waiting_for_operator_review);
    EXPECT_EQ(stored.timeout_at_ms, std::nullopt);
    EXPECT_EQ(stored.timeout_behavior, std::nullopt);
    EXPECT_EQ(stored.closed_at_ms, std::nullopt);
    EXPECT_EQ(stored.close_reason, std::nullopt);
    for (const auto& [key, waitpoint] : snapshot().of<WaitpointRow>()) {
        EXPECT_EQ(waitpoint.state, WaitpointState::active);
    }
    EXPECT_THAT(outcomes(parked.id), IsEmpty());
    EXPECT_THAT(signal_events(parked.id), IsEmpty());
    ASSERT_THAT(attempts(parked.id), SizeIs(1));
    EXPECT_FALSE(attempts(parked.id)[0].ended_at_ms);
    const auto events = operator_events(parked.id);
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_EQ(events[0].event_type, OperatorEventType::suspension_escalated);
    EXPECT_EQ(events[0].details.text, R"({"suspension_id":")" + parked.details.suspension_id.to_string() + R"("})");
    EXPECT_EQ(events[0].namespace_name, "shop");
    EXPECT_EQ(events[0].instance_tag, "blue");
    EXPECT_EQ(events[0].occurred_at_ms, now());
    const auto listed = value_of(api().list_suspended()).executions;
    ASSERT_THAT(listed, SizeIs(1));
    EXPECT_EQ(listed[0].reason, SuspensionReason::waiting_for_operator_review);
    EXPECT_EQ(listed[0].timeout_at_ms, std::nullopt);
}

TEST_P(SuspensionTimeouts, TokensAreStillGoodAfterAnEscalation) {
    const Parked parked = park(TimeoutBehavior::escalate);
    EXPECT_EQ(effect_of(parked.id, parked.details.primary), SignalEffect::appended_to_waitpoint);
    let_time_pass();
    advance(100'000);
    reconcile();
    EXPECT_EQ(effect_of(parked.id, parked.details.additional.at(0)), SignalEffect::resume_condition_satisfied);
    expect_closed(parked, WaitpointCloseReason::resumed);
    EXPECT_EQ(claim("w2").attempt_id, parked.claimed.attempt_id);
}

TEST_P(SuspensionTimeouts, AnOperatorResumesWhatWasEscalated) {
    const Parked parked = park(TimeoutBehavior::escalate);
    let_time_pass();
    value_of(run(ResumeExecution{.execution_id = parked.id}));
    expect_closed(parked, WaitpointCloseReason::resumed);
    EXPECT_THAT(operator_events(parked.id), SizeIs(2));
}

// ---- when ---------------------------------------------------------------------------------------------------------

TEST_P(SuspensionTimeouts, Ga31_AreDueAtTheirTimeAndNotBefore) {
    for (const TimeoutBehavior behavior :
         {TimeoutBehavior::fail, TimeoutBehavior::cancel, TimeoutBehavior::expire,
          TimeoutBehavior::auto_resume_with_timeout_signal, TimeoutBehavior::escalate}) {
        const Parked parked = park(behavior);
        advance(999);
        reconcile();
        expect_no_change([&] {
            reconcile();
            EXPECT_FALSE(fire(parked.id));
        });
        EXPECT_EQ(state(parked.id), PublicState::suspended);
        advance(1);
        EXPECT_TRUE(fire(parked.id)) << to_string(behavior);
        expect_no_change([&] {
            EXPECT_FALSE(fire(parked.id)) << to_string(behavior);
            reconcile();
        });
        if (state(parked.id) == PublicState::resumable) value_of(complete(claim("w2").handle));
        const std::size_t told = signal_events(parked.id).size();
        advance(5000);
        reconcile();
        EXPECT_THAT(signal_events(parked.id), SizeIs(told));
        const bool escalated = behavior == TimeoutBehavior::escalate;
        EXPECT_THAT(outcomes(parked.id), SizeIs(escalated ? 0 : 1)) << to_string(behavior);
        EXPECT_THAT(operator_events(parked.id), SizeIs(escalated ? 1 : 0)) << to_string(behavior);
    }
}

TEST_P(SuspensionTimeouts, ATimeThatHasJustPassedIsDueAtOnce) {
    const Parked parked = park(an_execution(), now() - 1000, TimeoutBehavior::expire);
    EXPECT_EQ(state(parked.id), PublicState::suspended);
    reconcile();
    EXPECT_EQ(state(parked.id), PublicState::expired);
}

TEST_P(SuspensionTimeouts, WithoutATimeThereIsNone) {
    const Parked parked = park(an_execution(), std::nullopt, TimeoutBehavior::fail);
    advance(1'000'000'000);
    expect_no_change([&] { EXPECT_FALSE(fire(parked.id)); });
    reconcile();
    EXPECT_EQ(state(parked.id), PublicState::suspended);
}

TEST_P(SuspensionTimeouts, Ga01_OnlyAnOpenSuspensionTimesOut) {
    const Parked cancelled = park(TimeoutBehavior::fail);
    value_of(cancel_by("operator_override", cancelled.id));
    const Parked resumed = park(TimeoutBehavior::fail);
    value_of(run(ResumeExecution{.execution_id = resumed.id}));
    const ClaimedExecution claimed = claim("w2");
    advance(1000);
    expect_no_change([&] {
        reconcile();
        EXPECT_FALSE(fire(cancelled.id));
        EXPECT_FALSE(fire(resumed.id));
        EXPECT_FALSE(fire(ExecutionId{3, {}}));
    });
    const Parked again = park(claimed, now() + 1000, TimeoutBehavior::cancel);
    expect_no_change([&] { EXPECT_FALSE(fire(again.id)) << "the first one's time is not the second one's"; });
    let_time_pass();
    EXPECT_EQ(state(again.id), PublicState::cancelled);
}

TEST_P(SuspensionTimeouts, AnUnsatisfyingSignalDoesNotPutItOff) {
    const Parked parked = park(TimeoutBehavior::fail);
    advance(500);
    EXPECT_EQ(effect_of(parked.id, parked.details.primary), SignalEffect::appended_to_waitpoint);
    advance(500);
    reconcile();
    EXPECT_EQ(state(parked.id), PublicState::failed);
    EXPECT_THAT(signals(parked.id), SizeIs(1)) << "what arrived stays on record";
}

TEST_P(SuspensionTimeouts, DoNotRetryTheAttempt) {
    CreateExecution command = an_execution();
    command.policy = retries(5, 0);
    const Parked parked = park(std::move(command), now() + 1000, TimeoutBehavior::fail);
    let_time_pass();
    EXPECT_EQ(state(parked.id), PublicState::failed);
    EXPECT_EQ(row(parked.id).retry_count, 0);
}

// ---- by policy ----------------------------------------------------------------------------------------------------

TEST_P(SuspensionTimeouts, ThePolicyFillsInWhatTheWorkerLeftOpen) {
    const Parked parked = park(with_policy(1000, "expire"), std::nullopt, std::nullopt);
    EXPECT_EQ(suspension(parked.id).timeout_at_ms, now() + 1000);
    EXPECT_EQ(suspension(parked.id).timeout_behavior, TimeoutBehavior::expire);
    let_time_pass();
    EXPECT_EQ(state(parked.id), PublicState::expired);
}

TEST_P(SuspensionTimeouts, TheWorkersWordCountsBeforeThePolicys) {
    const Parked parked = park(with_policy(1000, "expire"), now() + 5000, TimeoutBehavior::cancel);
    let_time_pass();
    EXPECT_EQ(state(parked.id), PublicState::suspended);
    advance(4000);
    reconcile();
    EXPECT_EQ(state(parked.id), PublicState::cancelled);
}

TEST_P(SuspensionTimeouts, Ga06_TheOldNameOfAutoResumeIsKnown) {
    const Parked parked = park(with_policy(1000, "auto_resume"), std::nullopt, std::nullopt);
    let_time_pass();
    EXPECT_EQ(state(parked.id), PublicState::resumable);
}

TEST_P(SuspensionTimeouts, AnUnknownOrNoBehaviourFails) {
    const Parked unknown = park(with_policy(1000, "explode"), std::nullopt, std::nullopt);
    const Parked unnamed = park(an_execution(), now() + 1000, std::nullopt);
    let_time_pass();
    EXPECT_EQ(row(unknown.id).failure_reason, "suspension_timeout:fail");
    EXPECT_EQ(row(unnamed.id).failure_reason, "suspension_timeout:fail");
}

// ---- other times --------------------------------------------------------------------------------------------------

TEST_P(SuspensionTimeouts, ADeadlineEndsASuspendedExecution) {
    CreateExecution command = an_execution();
    command.execution_deadline_at_ms = now() + 1000;
    const Parked parked = park(std::move(command), now() + 5000, TimeoutBehavior::auto_resume_with_timeout_signal);
    advance(999);
    expect_no_change([&] { reconcile(); });
    advance(1);
    reconcile();
    EXPECT_EQ(state(parked.id), PublicState::expired);
    EXPECT_EQ(row(parked.id).failure_reason, "execution_deadline");
    EXPECT_THAT(outcomes(parked.id), ElementsAre(TerminalOutcome::expired));
    EXPECT_EQ(attempts(parked.id).at(0).outcome, AttemptOutcome::ended_failure);
    EXPECT_THAT(lease_event_types(parked.id), ElementsAre(LeaseEventType::acquired, LeaseEventType::released));
    EXPECT_EQ(suspension(parked.id).closed_at_ms, now());
    for (const auto& [key, waitpoint] : snapshot().of<WaitpointRow>()) {
        EXPECT_EQ(waitpoint.state, WaitpointState::closed);
    }
    advance(4000);
    expect_no_change([&] {
        reconcile();
        EXPECT_FALSE(fire(parked.id));
        expect_error(deliver(parked.id, parked.details.primary), target_not_signalable);
    });
}

TEST_P(SuspensionTimeouts, NeitherTheLeaseNorTheAttemptEndsMeanwhile) {
    create();
    Claim command = claim_by("w1");
    command.attempt_timeout_ms = 2000;
    const Parked parked = park(claim(command), now() + 100'000, TimeoutBehavior::fail);
    advance(60'000);
    reconcile();
    expect_no_change([&] {
        reconcile();
        EXPECT_FALSE(fire(parked.id, Timer::lease_expiry));
        EXPECT_FALSE(fire(parked.id, Timer::attempt_timeout));
        EXPECT_FALSE(fire(parked.id, Timer::delayed_promotion));
    });
}

TEST_P(SuspensionTimeouts, EndAWaitpointThatWasPreparedForLater) {
    create(an_execution());
    const ClaimedExecution claimed = claim();
    const PendingWaitpoint later = value_of(run(CreateWaitpoint{.lease = claimed.handle, .waitpoint_key = "later"}));
    const Parked parked = park(claimed, now() + 1000, TimeoutBehavior::expire);
    let_time_pass();
    const auto waitpoints = snapshot().of<WaitpointRow>();
    EXPECT_EQ(waitpoints.at({parked.id.partition, later.waitpoint_id}).state, WaitpointState::closed);
    EXPECT_FALSE(row(parked.id).has_waitpoints);
}

}  // namespace
}  // namespace flowfabric::test
