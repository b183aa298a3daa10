#include "conformance/signalling.hpp"
#include "conformance/waiting.hpp"

namespace flowfabric::test {
namespace {

using enum ErrorKind;
using enum SignalEffect;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

INSTANTIATE_TEST_SUITE_P(Stores, Signals, all_stores(), name_of_param);

// ---- conditions ---------------------------------------------------------------------------------------------------

TEST_P(Signals, OnlyTheNamedOneResumes) {
    const Parked parked = park_until_ready();
    advance(10);
    EXPECT_EQ(effect_of(signal(parked, "other")), no_op);
    EXPECT_EQ(effect_of(signal(parked, "Ready")), no_op);
    EXPECT_EQ(state(parked.id), PublicState::suspended);
    advance(10);
    const SignalAccepted last = accepted(signal(parked, "ready"));
    EXPECT_EQ(last.effect, resume_condition_satisfied);

    EXPECT_EQ(row(parked.id).vector, resumable_vector);
    expect_closed(parked, WaitpointCloseReason::resumed);
    EXPECT_EQ(suspension(parked.id).closer_signal_id, last.signal_id);
    EXPECT_EQ(suspension(parked.id).satisfied_at_ms, now());
    const WaitpointRow stored = waitpoint(parked.id, parked.at().waitpoint_id);
    EXPECT_EQ(stored.signal_count, 3);
    EXPECT_EQ(stored.matched_signal_count, 1);
    EXPECT_EQ(stored.last_signal_at_ms, now());
    EXPECT_EQ(row(parked.id).signal_count, 3);
}

TEST_P(Signals, AClaimThatWaitsIsHandedWhatTheSignalResumes) {
    for (const std::string input : {"letter", ""}) {
        CreateExecution command;
        command.input_payload = input;
        const Parked parked = park(named("k", "ready"), {"k"}, command);
        std::vector<ClaimedExecution> claimed;
        wait_for_work(engine(), claimed);
        EXPECT_EQ(effect_of(signal(parked, "other")), no_op);
        EXPECT_THAT(claimed, IsEmpty());
        EXPECT_EQ(effect_of(signal(parked, "ready")), resume_condition_satisfied);
        ASSERT_THAT(claimed, SizeIs(1)) << "in the transaction of the signal";
        EXPECT_EQ(claimed[0].execution_id, parked.id);
        EXPECT_EQ(claimed[0].handle.kind, HandleKind::resumed);
        EXPECT_EQ(claimed[0].attempt_index, 0U);
        EXPECT_EQ(claimed[0].input_payload, input);
        EXPECT_EQ(state(parked.id), PublicState::active);
        value_of(complete(claimed[0].handle));
    }
}

TEST_P(Signals, AWildcardIsMetByAnyName) {
    const Parked parked = park({Single{"k", Wildcard{}}});
    EXPECT_EQ(effect_of(signal(parked, "whatever")), resume_condition_satisfied);
}

TEST_P(Signals, CountsOfSourcesTakeEachSourceOnce) {
    const Parked parked = park(count(2, CountKind::distinct_sources, {"k"}));
    EXPECT_EQ(effect_of(from(signal(parked), "s1")), appended_to_waitpoint);
    EXPECT_EQ(effect_of(from(signal(parked), "s1")), appended_to_waitpoint_duplicate);
    EXPECT_EQ(state(parked.id), PublicState::suspended);
    EXPECT_EQ(effect_of(from(signal(parked), "s2")), resume_condition_satisfied);
    const auto stored = signals(parked.id);
    ASSERT_THAT(stored, SizeIs(3));
    EXPECT_TRUE(stored[0].matched);
    EXPECT_FALSE(stored[1].matched);
    EXPECT_TRUE(stored[2].matched);
}

TEST_P(Signals, ASourceIsItsTypeAndItsIdentity) {
    const Parked parked = park(count(2, CountKind::distinct_sources, {"k"}));
    EXPECT_EQ(effect_of(signal(parked)), appended_to_waitpoint);
    DeliverSignal same_name = signal(parked);
    same_name.source_type = "person";
    EXPECT_EQ(effect_of(same_name), resume_condition_satisfied);
}

TEST_P(Signals, CountsOfSignalsTakeEveryId) {
    const Parked parked = park(count(2, CountKind::distinct_signals, {"k"}));
    DeliverSignal first = signal(parked);
    first.signal_id = SignalId{Uuid{{7}}};
    EXPECT_EQ(accepted(first), (SignalAccepted{*first.signal_id, appended_to_waitpoint}));
    EXPECT_EQ(effect_of(first), appended_to_waitpoint_duplicate) << "one id, twice";
    EXPECT_EQ(effect_of(signal(parked)), resume_condition_satisfied) << "from the same source";
}

TEST_P(Signals, CountsOfWaitpointsTakeEachWaitpointOnce) {
    const Parked parked = park(count(2, CountKind::distinct_waitpoints, {"a", "b", "c"}), {"a", "b", "c"});
    EXPECT_EQ(effect_of(signal(parked, "x", 2)), appended_to_waitpoint);
    EXPECT_EQ(effect_of(signal(parked, "y", 2)), appended_to_waitpoint_duplicate);
    EXPECT_EQ(effect_of(signal(parked, "x", 0)), resume_condition_satisfied);
    expect_closed(parked, WaitpointCloseReason::resumed);
}

TEST_P(Signals, ACountIgnoresWhatItsMatcherRefuses) {
    const Parked parked = park(count(1, CountKind::distinct_signals, {"k"}, ByName{"ready"}));
    EXPECT_EQ(effect_of(signal(parked, "other")), signal_ignored_matcher_failed);
    EXPECT_THAT(signals(parked.id), SizeIs(1)) << "recorded and counted all the same";
    EXPECT_EQ(effect_of(signal(parked, "ready")), resume_condition_satisfied);
}

TEST_P(Signals, AllOfNeedsEveryMemberInEitherOrder) {
    for (const std::size_t first : {0U, 1U}) {
        const Parked parked = park(all_of(named("a", "x"), named("b", "y")), {"a", "b"});
        const std::vector<std::string> names{"x", "y"};
        EXPECT_EQ(effect_of(signal(parked, names[1 - first], first)), signal_ignored_matcher_failed);
        EXPECT_EQ(effect_of(signal(parked, names[first], first)), appended_to_waitpoint);
        EXPECT_EQ(effect_of(signal(parked, names[first], first)), appended_to_waitpoint_duplicate);
        EXPECT_EQ(state(parked.id), PublicState::suspended);
        EXPECT_EQ(effect_of(signal(parked, names[1 - first], 1 - first)), resume_condition_satisfied);
        expect_closed(parked, WaitpointCloseReason::resumed);
        const ClaimedExecution resumed = claim("w2");
        EXPECT_THAT(resumed.signals, SizeIs(4));
        EXPECT_THAT(satisfiers(resumed.signals), ElementsAre(names[first], names[1 - first]));
        value_of(complete(resumed.handle));
    }
}

TEST_P(Signals, NoneResumesWhatOnlyAnOperatorMay) {
    const Parked parked = park({OperatorOnly{}});
    EXPECT_EQ(effect_of(signal(parked)), no_op);
    EXPECT_EQ(effect_of(approval(parked)), no_op);
    EXPECT_EQ(state(parked.id), PublicState::suspended);
    EXPECT_EQ(value_of(resume(parked.id)), Resumed{PublicState::resumable});
}

TEST_P(Signals, NoneResumesWhatOnlyTimeMay) {
    create();
    const ClaimedExecution claimed = claim();
    Suspend command = until(claimed.handle, {TimeoutOnly{}});
    command.timeout_at_ms = now() + 1000;
    const Parked parked = park(claimed, command);
    EXPECT_EQ(effect_of(signal(parked)), no_op);
    EXPECT_EQ(state(parked.id), PublicState::suspended);
}

TEST_P(Signals, Ga20_ReservedNamesAreRefused) {
    const Parked parked = park({OperatorOnly{}});
    for (const char* name : {"__operator_only__", "__timeout_only__", "__timeout__", "__"}) {
        expect_nothing_new([&] { expect_error(run(signal(parked, name)), invalid_input, "signal_name"); });
        expect_nothing_new([&] { expect_error(run(approval(parked, name)), invalid_input, "signal_name"); });
    }
    expect_nothing_new([&] { expect_error(run(signal(parked, "")), invalid_input, "signal_name"); });
    EXPECT_EQ(effect_of(signal(parked, "_one")), no_op);
}

TEST_P(Signals, Ga21_CountsOfOneKindDoNotShareTheirSignals) {
    const Parked parked = park(
        all_of(count(2, CountKind::distinct_signals, {"a"}), count(2, CountKind::distinct_signals, {"b"})), {"a", "b"});
    for (int i = 0; i < 4; ++i) EXPECT_NE(effect_of(signal(parked, "x", 0)), resume_condition_satisfied);
    EXPECT_EQ(state(parked.id), PublicState::suspended);
    EXPECT_EQ(effect_of(signal(parked, "x", 1)), appended_to_waitpoint);
    EXPECT_EQ(effect_of(signal(parked, "x", 1)), resume_condition_satisfied);
}

// ---- what is kept of a signal -------------------------------------------------------------------------------------

TEST_P(Signals, EverythingThatWasSentIsOnRecord) {
    const Parked parked = park_until_ready();
    advance(5);
    DeliverSignal full = keyed(signal(parked, "other"), "key");
    full.signal_id = SignalId{Uuid{{9}}};
    full.payload = std::string("\0\xff{}", 4);
    full.payload_encoding = "raw";
    full.correlation_id = "c-1";
    full.target_scope = SignalScope::execution;
    full.created_at_ms = 12;
    EXPECT_EQ(accepted(full).signal_id, *full.signal_id);
    const auto stored = signals(parked.id);
    ASSERT_THAT(stored, SizeIs(1));
    EXPECT_EQ(stored[0], (SignalRow{.key = {parked.id, 0},
                                    .signal_id = *full.signal_id,
                                    .waitpoint_id = parked.at().waitpoint_id,
                                    .waitpoint_key = "k",
                                    .signal_name = "other",
                                    .signal_category = "test",
                                    .source_type = "service",
                                    .source_identity = "s1",
                                    .correlation_id = "c-1",
                                    .idempotency_key = "key",
                                    .payload_encoding = "raw",
                                    .target_scope = SignalScope::execution,
                                    .created_at_ms = 12,
                                    .accepted_at_ms = now(),
                                    .observed_effect = no_op,
                                    .matched = false,
                                    .live = true,
                                    .suspension_id = parked.details.suspension_id}));
    const auto payloads = snapshot().of<SignalPayloadRow>();
    ASSERT_THAT(payloads, SizeIs(1));
    EXPECT_EQ(payloads.begin()->second.payload.bytes, *full.payload);
}

TEST_P(Signals, APayloadHasUpTo64KiB) {
    const Parked parked = park_until_ready();
    DeliverSignal large = signal(parked, "other");
    large.payload = std::string(65'537, 'x');
    expect_nothing_new([&] { expect_error(run(large), payload_too_large); });
    large.payload->pop_back();
    EXPECT_EQ(effect_of(large), no_op);
}

TEST_P(Signals, WhatIsWrongWithOneIsToldOnlyToWhoHoldsTheToken) {
    const Parked parked = park_until_ready();
    DeliverSignal large = signal(parked, "__x");
    large.payload = std::string(65'537, 'x');
    large.waitpoint_token = "k1:" + std::string(64, '0');
    expect_nothing_new([&] { expect_error(run(large), invalid_token); });
}

TEST_P(Signals, AnEmptyPayloadIsNotNone) {
    const Parked parked = park_until_ready();
    DeliverSignal empty = signal(parked);
    empty.payload = "";
    EXPECT_EQ(effect_of(empty), resume_condition_satisfied);
    const auto seen = value_of(api().observe_signals(parked.claimed.handle));
    ASSERT_THAT(seen, SizeIs(1));
    EXPECT_EQ(seen[0].payload, "");
}

// ---- repeats ------------------------------------------------------------------------------------------------------

TEST_P(Signals, Ga03_ARepeatIsADuplicateUntilItsMemoryEnds) {
    const Parked parked = park_until_ready();
    const SignalId first = accepted(keyed(signal(parked, "other"), "once")).signal_id;
    advance(999);
    expect_nothing_new([&] { EXPECT_EQ(duplicate_of(keyed(signal(parked, "other"), "once")), first); });
    expect_nothing_new([&] { EXPECT_EQ(duplicate_of(keyed(signal(parked, "ready"), "once")), first); });
    EXPECT_THAT(signals(parked.id), SizeIs(1));
    advance(1);
    EXPECT_NE(accepted(keyed(signal(parked, "other"), "once")).signal_id, first);
    EXPECT_THAT(signals(parked.id), SizeIs(2));
    advance(999);
    EXPECT_NE(duplicate_of(keyed(signal(parked, "other"), "once")), first) << "the memory starts anew";
}

TEST_P(Signals, WithoutAKeyOrAMemoryNothingIsARepeat) {
    const Parked parked = park_until_ready();
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(effect_of(keyed(signal(parked, "other"), "")), no_op);
        EXPECT_EQ(effect_of(keyed(signal(parked, "other"), "key", 0)), no_op);
    }
    EXPECT_THAT(signals(parked.id), SizeIs(4));
    EXPECT_THAT(snapshot().of<SignalDedupRow>(), IsEmpty());
}

TEST_P(Signals, AKeyIsOfItsWaitpoint) {
    const Parked parked = park(all_of(named("a", "x"), named("b", "x")), {"a", "b"});
    EXPECT_EQ(effect_of(keyed(signal(parked, "x", 0), "key")), appended_to_waitpoint);
    EXPECT_EQ(effect_of(keyed(signal(parked, "x", 1), "key")), resume_condition_satisfied);
}

TEST_P(Signals, Ga31_TheOneThatResumedMayBeRepeated) {
    const Parked parked = park_until_ready();
    const SignalId first = accepted(keyed(signal(parked), "once")).signal_id;
    expect_nothing_new([&] { EXPECT_EQ(duplicate_of(keyed(signal(parked), "once")), first); });
    expect_nothing_new([&] { expect_error(run(keyed(signal(parked), "another")), waitpoint_closed); });
    value_of(complete(claim("w2").handle));
    expect_nothing_new([&] { EXPECT_EQ(duplicate_of(keyed(signal(parked), "once")), first); });
    expect_nothing_new([&] { expect_error(run(keyed(signal(parked), "another")), target_not_signalable); });
}

// ---- limits -------------------------------------------------------------------------------------------------------

TEST_P(Signals, Ga03_ThePolicyLimitsHowManyAnExecutionGets) {
    CreateExecution command;
    command.policy.emplace().max_signals_per_execution = 2;
    const Parked parked = park(named("k", "ready"), {"k"}, command);
    const SignalId first = accepted(keyed(signal(parked, "other"), "one")).signal_id;
    EXPECT_EQ(effect_of(signal(parked, "other")), no_op);
    expect_nothing_new([&] { expect_error(run(signal(parked)), signal_limit_exceeded); });
    expect_nothing_new([&] { expect_error(run(approval(parked)), signal_limit_exceeded); });
    expect_nothing_new([&] { EXPECT_EQ(duplicate_of(keyed(signal(parked, "other"), "one")), first); });
    DeliverSignal third = signal(parked);
    third.max_signals_per_execution = 3;
    EXPECT_EQ(effect_of(third), resume_condition_satisfied) << "the call's own limit counts";
}

TEST_P(Signals, ACallMayLimitThemAndZeroIsNoLimit) {
    const Parked parked = park_until_ready();
    DeliverSignal limited = signal(parked, "other");
    limited.max_signals_per_execution = 1;
    EXPECT_EQ(effect_of(limited), no_op);
    expect_nothing_new([&] { expect_error(run(limited), signal_limit_exceeded); });
    limited.max_signals_per_execution = 0;
    EXPECT_EQ(effect_of(limited), no_op);
    EXPECT_EQ(effect_of(signal(parked)), resume_condition_satisfied);
}

TEST_P(Signals, TheLimitCountsAllThatTheExecutionEverGot) {
    CreateExecution command;
    command.policy.emplace().max_signals_per_execution = 2;
    const ExecutionId id = park(named("k", "ready"), {"k"}, command).id;
    value_of(resume(id));
    const ClaimedExecution claimed = claim("w2");
    const PendingWaitpoint pending = open_waitpoint(claimed);
    EXPECT_EQ(effect_of(signal(id, pending, "other")), buffered_for_pending_waitpoint);
    const Parked again = park(claimed, until(claimed.handle, named("k2", "ready"), {"k2"}));
    EXPECT_EQ(effect_of(signal(again, "other")), no_op);
    expect_nothing_new([&] { expect_error(run(signal(again)), signal_limit_exceeded); });
}

// ---- before the suspension ----------------------------------------------------------------------------------------

TEST_P(Signals, ArriveAheadOfTheSuspensionAndAreKept) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    const PendingWaitpoint pending = open_waitpoint(claimed);
    EXPECT_EQ(effect_of(signal(id, pending)), buffered_for_pending_waitpoint);
    EXPECT_EQ(state(id), PublicState::active);
    EXPECT_TRUE(renew(claimed.handle)) << "the lease goes on";
    const auto outcome = value_of(run(until_pending(claimed.handle, pending, named("k", "ready"))));
    EXPECT_TRUE(std::holds_alternative<ConditionAlreadyMet>(outcome));
    EXPECT_EQ(state(id), PublicState::active);
    EXPECT_EQ(row(id).lease_epoch, 1U);
    EXPECT_THAT(lease_event_types(id), ElementsAre(LeaseEventType::acquired, LeaseEventType::renewed));
    EXPECT_THAT(observed(claimed.handle), ElementsAre("ready"));
    expect_nothing_new([&] { expect_error(run(signal(id, pending)), waitpoint_closed); });
    value_of(complete(claimed.handle));
}

TEST_P(Signals, KeptOnesCountTowardsEveryKindOfCondition) {
    const std::vector<ResumeCondition> conditions{count(2, CountKind::distinct_signals, {"k"}),
                                                  count(2, CountKind::distinct_sources, {"k"}),
                                                  all_of(named("k", "early"), named("k", "late"))};
    for (const ResumeCondition& condition : conditions) {
        create();
        const ClaimedExecution claimed = claim();
        const PendingWaitpoint pending = open_waitpoint(claimed);
        EXPECT_EQ(effect_of(from(signal(claimed.execution_id, pending, "early"), "s1")),
                  buffered_for_pending_waitpoint);
        const Parked parked = park(claimed, until_pending(claimed.handle, pending, condition));
        EXPECT_EQ(parked.at().token, pending.token);
        EXPECT_EQ(effect_of(from(signal(parked, "late"), "s2")), resume_condition_satisfied) << condition.to_json();
        const ClaimedExecution resumed = claim("w2");
        EXPECT_THAT(observed(resumed.handle), ElementsAre("early", "late")) << condition.to_json();
        value_of(complete(resumed.handle));
    }
}

TEST_P(Signals, AnotherPendingWaitpointOutlivesAResume) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    const PendingWaitpoint later = open_waitpoint(claimed);
    const Parked parked = park(claimed, until(claimed.handle, named("first", "go"), {"first"}));
    EXPECT_EQ(effect_of(signal(id, later, "ready")), buffered_for_pending_waitpoint);
    EXPECT_EQ(state(id), PublicState::suspended) << "it is not of this suspension";
    EXPECT_EQ(effect_of(signal(parked, "go")), resume_condition_satisfied);
    EXPECT_EQ(waitpoint(id, later.waitpoint_id).state, WaitpointState::pending);
    const ClaimedExecution resumed = claim("w2");
    EXPECT_THAT(observed(resumed.handle), ElementsAre("ready", "go")) << "in the order of their acceptance";
    EXPECT_TRUE(std::holds_alternative<ConditionAlreadyMet>(
        value_of(run(until_pending(resumed.handle, later, named("k", "ready"))))));
}

TEST_P(Signals, Ga12_ALapsedPendingWaitpointIsClosedAndKeepsWhatItGot) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    const PendingWaitpoint pending = open_waitpoint(claimed, 1000);
    EXPECT_EQ(effect_of(signal(id, pending)), buffered_for_pending_waitpoint);
    advance(999);
    expect_nothing_new([&] { EXPECT_FALSE(value_of(run(FireTimer{id, Timer::waitpoint_expiry})).changed); });
    advance(1);
    reconcile();
    EXPECT_EQ(waitpoint(id, pending.waitpoint_id).close_reason, WaitpointCloseReason::never_committed);
    const auto stored = signals(id);
    ASSERT_THAT(stored, SizeIs(1));
    EXPECT_EQ(stored[0].signal_name, "ready");
    EXPECT_FALSE(stored[0].live);
    expect_nothing_new([&] { expect_error(run(signal(id, pending)), waitpoint_closed); });
    EXPECT_EQ(state(id), PublicState::active);
}

TEST_P(Signals, Ga12_AnActiveWaitpointIsNotClosedAsPending) {
    create();
    const ClaimedExecution claimed = claim();
    Suspend command = until(claimed.handle, named("k", "ready"));
    command.timeout_at_ms = now() + 1000;
    const Parked parked = park(claimed, command);
    EXPECT_EQ(effect_of(signal(parked, "other")), no_op);
    advance(1000);
    expect_nothing_new([&] { EXPECT_FALSE(value_of(run(FireTimer{parked.id, Timer::waitpoint_expiry})).changed); });
    EXPECT_EQ(effect_of(signal(parked)), resume_condition_satisfied) << "nobody has noticed the time yet";
}

TEST_P(Signals, ALapsedPendingWaitpointTakesNoneBeforeItIsSwept) {
    const ExecutionId id = create();
    const PendingWaitpoint pending = open_waitpoint(claim(), 1000);
    advance(1000);
    expect_error(run(signal(id, pending)), waitpoint_closed);
    EXPECT_THAT(signals(id), IsEmpty());
    EXPECT_THAT(told_effects(), IsEmpty());
}

// ---- after it -----------------------------------------------------------------------------------------------------

TEST_P(Signals, ALateOneFindsTheWaitpointClosed) {
    const Parked parked = park_until_ready();
    EXPECT_EQ(effect_of(signal(parked)), resume_condition_satisfied);
    expect_nothing_new([&] { expect_error(run(signal(parked)), waitpoint_closed); });
    const ClaimedExecution resumed = claim("w2");
    expect_nothing_new([&] { expect_error(run(signal(parked)), waitpoint_closed); });
    expect_nothing_new([&] { expect_error(run(approval(parked)), waitpoint_closed); });
    value_of(complete(resumed.handle));
    expect_nothing_new([&] { expect_error(run(signal(parked)), target_not_signalable); });
}

TEST_P(Signals, ACloseKeepsThemOut) {
    const Parked parked = park_until_ready();
    EXPECT_TRUE(value_of(run(CloseWaitpoint{parked.id, parked.at().waitpoint_id})).was_open);
    expect_nothing_new([&] { expect_error(run(signal(parked)), waitpoint_closed); });
    EXPECT_EQ(state(parked.id), PublicState::suspended);
    EXPECT_EQ(value_of(resume(parked.id)), Resumed{PublicState::resumable});
}

TEST_P(Signals, WhatAMemberGotBeforeItsWaitpointWasClosedStillCounts) {
    const Parked parked = park(all_of(named("a", "x"), named("b", "x")), {"a", "b"});
    EXPECT_EQ(effect_of(signal(parked, "x", 0)), appended_to_waitpoint);
    value_of(run(CloseWaitpoint{parked.id, parked.at(0).waitpoint_id}));
    EXPECT_EQ(effect_of(signal(parked, "x", 1)), resume_condition_satisfied);
}

TEST_P(Signals, Ga02_ACancelledExecutionStaysCancelled) {
    const Parked parked = park_until_ready();
    value_of(cancel_by("operator_override", parked.id));
    expect_closed(parked, WaitpointCloseReason::cancelled);
    expect_nothing_new([&] { expect_error(run(signal(parked)), target_not_signalable); });
    expect_nothing_new([&] { expect_error(run(approval(parked)), target_not_signalable); });
    EXPECT_EQ(state(parked.id), PublicState::cancelled);
    EXPECT_THAT(outcomes(parked.id), ElementsAre(TerminalOutcome::cancelled));
    EXPECT_EQ(attempts(parked.id).at(0).outcome, AttemptOutcome::ended_cancelled);
    EXPECT_THAT(lease_event_types(parked.id), ElementsAre(LeaseEventType::acquired, LeaseEventType::released));
}

TEST_P(Signals, Ga02_ACompletedExecutionLeavesNoWaitpointOpen) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    const PendingWaitpoint pending = open_waitpoint(claimed);
    value_of(complete(claimed.handle));
    EXPECT_EQ(waitpoint(id, pending.waitpoint_id).state, WaitpointState::closed);
    expect_nothing_new([&] { expect_error(run(signal(id, pending)), target_not_signalable); });
}

TEST_P(Signals, Ga01_ATimeoutIsDisarmedByAResume) {
    const auto park_with_timeout = [&] {
        create();
        const ClaimedExecution claimed = claim();
        Suspend command = until(claimed.handle, named("k", "ready"));
        command.timeout_at_ms = now() + 1000;
        return park(claimed, command);
    };
    const Parked done = park_with_timeout();
    EXPECT_EQ(effect_of(signal(done)), resume_condition_satisfied);
    value_of(complete(claim("w2").handle));
    const Parked running = park_with_timeout();
    value_of(resume(running.id));
    const ClaimedExecution claimed = claim("w3");
    const Parked waiting = park_with_timeout();
    EXPECT_EQ(effect_of(signal(waiting)), resume_condition_satisfied);
    advance(5000);
    expect_nothing_new([&] {
        reconcile();
        for (const auto& id : {done.id, running.id, waiting.id}) {
            EXPECT_FALSE(value_of(run(FireTimer{id, Timer::suspension_timeout})).changed);
        }
    });
    EXPECT_THAT(outcomes(done.id), ElementsAre(TerminalOutcome::success));
    EXPECT_EQ(state(waiting.id), PublicState::resumable);
    value_of(complete(claimed.handle));
}

}  // namespace
}  // namespace flowfabric::test
