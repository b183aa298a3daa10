#include "conformance/suspending.hpp"

namespace flowfabric::test {
namespace {

using enum ErrorKind;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class SuspendingAhead : public Suspending {};
INSTANTIATE_TEST_SUITE_P(Stores, SuspendingAhead, all_stores(), name_of_param);

// ---- repeats ------------------------------------------------------------------------------------------------------

TEST_P(SuspendingAhead, ARepeatWithItsKeyGetsTheFirstAnswer) {
    const auto id = create();
    const auto claimed = claim();
    const auto both = all_of({single("a"), single("b")});
    const Suspend command = keyed(until(claimed.handle, both, {fresh("a"), fresh("b")}), "once");
    const Suspended first = suspend(command);
    expect_no_change([&] {
        EXPECT_EQ(suspend(command), first);
        EXPECT_EQ(std::get<Suspended>(value_of(another_engine()->run(command))), first);
    });
    EXPECT_THAT(snapshot().of<SuspensionRow>(), SizeIs(1));
    EXPECT_THAT(snapshot().of<WaitpointRow>(), SizeIs(2));
    EXPECT_THAT(lease_event_types(id), ElementsAre(LeaseEventType::acquired, LeaseEventType::released));

    resume(id);
    const auto resumed = claim("w2");
    expect_suspend_refused(command, stale_lease);
    value_of(complete(resumed.handle));
    expect_suspend_refused(command, execution_not_active);
}

TEST_P(SuspendingAhead, ARepeatShowsTheSameTokensAfterARotation) {
    const auto id = create();
    const Suspend command = keyed(until_signal(claim().handle), "once");
    const Suspended first = suspend(command);
    rotate_to("k2", 'b', 10'000);
    expect_no_change([&] { EXPECT_EQ(suspend(command), first); });
    EXPECT_TRUE(signal(id, first.details.primary));
}

TEST_P(SuspendingAhead, Ga07_ASuspendKeyBelongsToItsExecution) {
    const auto mine = create();
    const auto my_lease = claim();
    const auto other = create();
    const auto other_lease = claim("w2");
    ASSERT_EQ(mine.partition, other.partition);
    const Suspended first = suspend(keyed(until_signal(my_lease.handle), "same"));
    const Suspended second = suspend(keyed(until_signal(other_lease.handle), "same"));
    EXPECT_NE(first.details.suspension_id, second.details.suspension_id);
    EXPECT_NE(first.details.primary.token, second.details.primary.token);
    EXPECT_EQ(suspension_row(other).suspension_id, second.details.suspension_id);
    EXPECT_EQ(suspend(keyed(until_signal(my_lease.handle), "same")), first);
    EXPECT_EQ(suspend(keyed(until_signal(other_lease.handle), "same")), second);
}

TEST_P(SuspendingAhead, Ga07_AnEmptyKeyIsNone) {
    create();
    const auto claimed = claim();
    suspend(keyed(until_signal(claimed.handle), ""));
    EXPECT_THAT(snapshot().of<SuspendDedupRow>(), IsEmpty());
    expect_suspend_refused(keyed(until_signal(claimed.handle), ""), already_suspended);
}

TEST_P(SuspendingAhead, AKeyIsKnownForAsLongAsItsSuspensionIsOpen) {
    create();
    const auto claimed = claim();
    const Suspend command = keyed(until_signal(claimed.handle), "once");
    const Suspended first = suspend(command);
    advance(100 * week);
    reconcile();
    expect_no_change([&] { EXPECT_EQ(suspend(command), first); });
}

TEST_P(SuspendingAhead, ADifferentKeyIsADifferentCall) {
    const auto id = create();
    suspend(keyed(until_signal(claim().handle), "first"));
    resume(id);
    const auto resumed = claim("w2");
    const Suspended second = suspend(keyed(until_signal(resumed.handle), "second"));
    expect_suspend_refused(keyed(until_signal(resumed.handle), "first"), already_suspended);
    EXPECT_EQ(suspend(keyed(until_signal(resumed.handle), "second")), second);
}

// ---- waitpoints created ahead -------------------------------------------------------------------------------------

TEST_P(SuspendingAhead, AWaitpointIsCreatedAheadUnderTheLease) {
    const auto id = create();
    const auto claimed = claim();
    const PendingWaitpoint first = create_waitpoint(claimed.handle, "a", 5000);
    const PendingWaitpoint second = create_waitpoint(fence_of(claimed), "a", UINT64_MAX);
    EXPECT_NE(first.waitpoint_id, second.waitpoint_id) << "every call makes another";
    const WaitpointRow stored = waitpoint_row(id, first.waitpoint_id);
    EXPECT_EQ(stored.state, WaitpointState::pending);
    EXPECT_EQ(stored.expires_at_ms, now() + 5000);
    EXPECT_EQ(stored.suspension_id, std::nullopt);
    EXPECT_EQ(stored.token_fingerprint, fingerprint_of(first.token));
    EXPECT_THAT(stored.required_signal_names.values, IsEmpty());
    EXPECT_GT(waitpoint_row(id, second.waitpoint_id).expires_at_ms, now()) << "no overflow";
    EXPECT_EQ(state(id), PublicState::active);
    EXPECT_THAT(lease_event_types(id), ElementsAre(LeaseEventType::acquired));
    EXPECT_TRUE(renew(claimed.handle));
}

TEST_P(SuspendingAhead, Ga10_WhatWasSignalledAheadSatisfiesEveryKindOfCondition) {
    const auto x = single("a", ByName{"x"});
    const auto y = single("a", ByName{"y"});
    const std::vector<std::pair<ResumeCondition, std::vector<std::string>>> table{
        {x, {"x"}},
        {single("a"), {"x"}},
        {all_of({x, y}), {"x", "y"}},
        {count_of(2, CountKind::distinct_sources, {"a"}), {"x", "y"}},
        {count_of(2, CountKind::distinct_signals, {"a"}), {"x", "y"}},
        {count_of(1, CountKind::distinct_waitpoints, {"a"}, ByName{"y"}), {"y"}},
    };
    for (const auto& [condition, names] : table) {
        SCOPED_TRACE(condition.to_json());
        const auto id = create();
        const auto claimed = claim();
        const PendingWaitpoint ahead = create_waitpoint(claimed.handle);
        value_of(signal(id, ahead.waitpoint_id, ahead.token, "x", "first"));
        value_of(signal(id, ahead.waitpoint_id, ahead.token, "y", "second"));
        const ExecutionRow before = row(id);
        const Suspend command = keyed(until(claimed.handle, condition, {pending(ahead.waitpoint_id)}), "once");
        const ConditionAlreadyMet met = already_met(command);
        EXPECT_EQ(met.details.primary, (SuspendedWaitpoint{ahead.waitpoint_id, "a", ahead.token}));

        const ExecutionRow after = row(id);
        EXPECT_EQ(after.vector, before.vector);
        EXPECT_EQ(after.lease_id, before.lease_id);
        EXPECT_EQ(after.lease_epoch, before.lease_epoch);
        EXPECT_EQ(after.lease_expires_at_ms, before.lease_expires_at_ms);
        EXPECT_EQ(after.current_suspension_id, std::nullopt);
        EXPECT_THAT(lease_event_types(id), ElementsAre(LeaseEventType::acquired));
        EXPECT_EQ(waitpoint_row(id, ahead.waitpoint_id).state, WaitpointState::closed);
        EXPECT_EQ(waitpoint_row(id, ahead.waitpoint_id).close_reason, WaitpointCloseReason::resumed);
        EXPECT_EQ(satisfiers(claimed.handle), names);
        expect_no_change([&] {
            EXPECT_EQ(already_met(command), met) << "a repeat is told the same";
            expect_error(signal(id, ahead.waitpoint_id, ahead.token), waitpoint_closed);
            expect_error(release(claimed.handle), attempt_already_started);
        });
        EXPECT_TRUE(renew(claimed.handle));
        EXPECT_TRUE(complete(claimed.handle));
    }
}

TEST_P(SuspendingAhead, Ga10_ASignalAheadIsKeptAndMovesNothing) {
    const auto id = create();
    const Suspended earlier = suspend(until_signal(claim().handle));
    value_of(signal(id, earlier.details.primary));
    const auto resumed = claim("w2");
    const PendingWaitpoint ahead = create_waitpoint(resumed.handle);
    const StateVector before = row(id).vector;
    EXPECT_EQ(effect_of(signal(id, ahead.waitpoint_id, ahead.token)), SignalEffect::buffered_for_pending_waitpoint);
    EXPECT_EQ(row(id).vector, before) << "the condition of the suspension before is not asked";
    EXPECT_EQ(row(id).lease_id, resumed.lease_id);
    EXPECT_THAT(claimed_ids(claim_by("w3")), IsEmpty());
    EXPECT_TRUE(renew(resumed.handle));
}

TEST_P(SuspendingAhead, Ga10_WhatCameAheadCountsForLater) {
    const auto id = create();
    const auto claimed = claim();
    const PendingWaitpoint ahead = create_waitpoint(claimed.handle);
    value_of(signal(id, ahead.waitpoint_id, ahead.token, "x", "first"));
    value_of(signal(id, ahead.waitpoint_id, ahead.token, "again", "first"));
    suspend(until(claimed.handle, count_of(2, CountKind::distinct_sources, {"a"}), {pending(ahead.waitpoint_id)}));
    EXPECT_EQ(state(id), PublicState::suspended);
    EXPECT_EQ(effect_of(signal(id, ahead.waitpoint_id, ahead.token, "y", "second")),
              SignalEffect::resume_condition_satisfied);
    EXPECT_THAT(satisfiers(claimed.handle), ElementsAre("x", "y"));
}

TEST_P(SuspendingAhead, Ga10_AnotherWaitpointsSignalsDoNotCount) {
    const auto id = create();
    const auto claimed = claim();
    const PendingWaitpoint used = create_waitpoint(claimed.handle);
    const PendingWaitpoint unused = create_waitpoint(claimed.handle);
    value_of(signal(id, unused.waitpoint_id, unused.token));
    suspend(until(claimed.handle, single("a"), {pending(used.waitpoint_id)}));
    EXPECT_EQ(state(id), PublicState::suspended);
}

TEST_P(SuspendingAhead, Ga16_APendingWaitpointKeepsTheTokenItWasIssued) {
    const auto id = create();
    const auto claimed = claim();
    const PendingWaitpoint ahead = create_waitpoint(claimed.handle);
    rotate_to("k2", 'b', 10'000);
    const auto both = all_of({single("a"), single("b")});
    const Suspended done = suspend(until(claimed.handle, both, {pending(ahead.waitpoint_id), fresh("b")}));
    EXPECT_EQ(done.details.primary.token, ahead.token);
    EXPECT_THAT(done.details.additional[0].token, testing::StartsWith("k2:"));
    EXPECT_EQ(effect_of(signal(id, ahead.waitpoint_id, ahead.token)), SignalEffect::appended_to_waitpoint);
    EXPECT_EQ(effect_of(signal(id, done.details.additional[0])), SignalEffect::resume_condition_satisfied);
}

TEST_P(SuspendingAhead, Ga16_APendingWaitpointTakesOverTheSuspensionsDeadline) {
    for (const bool has_deadline : {true, false}) {
        const auto id = create();
        const auto claimed = claim();
        const PendingWaitpoint ahead = create_waitpoint(claimed.handle, "a", 5000);
        Suspend command = until(claimed.handle, single("a"), {pending(ahead.waitpoint_id)});
        if (has_deadline) command.timeout_at_ms = now() + 90'000;
        suspend(command);
        const WaitpointRow stored = waitpoint_row(id, ahead.waitpoint_id);
        EXPECT_EQ(stored.state, WaitpointState::active);
        EXPECT_EQ(stored.expires_at_ms, command.timeout_at_ms);
        EXPECT_EQ(stored.activated_at_ms, now());
        advance(5000);
        reconcile();
        EXPECT_TRUE(signal(id, ahead.waitpoint_id, ahead.token)) << "its first expiry is void";
        value_of(complete(claim("w2").handle));
    }
}

TEST_P(SuspendingAhead, Ga16_APendingWaitpointMustBeUsable) {
    const auto id = create();
    const auto claimed = claim();
    const auto other = create();
    const auto others_lease = claim("w2");
    ASSERT_EQ(id.partition, other.partition);
    const auto using_it = [&](const WaitpointId& which) {
        return until(claimed.handle, single("a"), {pending(which)});
    };
    expect_suspend_refused(using_it(waitpoint(9)), waitpoint_not_found);
    const PendingWaitpoint foreign = create_waitpoint(others_lease.handle);
    expect_suspend_refused(using_it(foreign.waitpoint_id), invalid_waitpoint_for_execution);
    const PendingWaitpoint closed = create_waitpoint(claimed.handle);
    value_of(run(CloseWaitpoint{.execution_id = id, .waitpoint_id = closed.waitpoint_id}));
    expect_suspend_refused(using_it(closed.waitpoint_id), waitpoint_not_pending);
    const PendingWaitpoint brief = create_waitpoint(claimed.handle, "a", 1000);
    advance(999);
    const PendingWaitpoint lasting = create_waitpoint(claimed.handle);
    advance(1);
    expect_suspend_refused(using_it(brief.waitpoint_id), pending_waitpoint_expired);
    suspend(using_it(lasting.waitpoint_id));
}

TEST_P(SuspendingAhead, Ga16_AWaitpointOfAnEarlierAttemptIsNotUsable) {
    create();
    const PendingWaitpoint ahead = create_waitpoint(claim().handle);
    let_lease_lapse();
    const auto reclaimed = claim("w2");
    ASSERT_EQ(reclaimed.attempt_index, 1U);
    expect_suspend_refused(until(reclaimed.handle, single("a"), {pending(ahead.waitpoint_id)}),
                           invalid_waitpoint_for_execution);
}

TEST_P(SuspendingAhead, Ga16_AWaitpointOfAGivenBackAttemptIsNotUsable) {
    create();
    const auto claimed = claim();
    const PendingWaitpoint ahead = create_waitpoint(claimed.handle);
    if (const auto released = release(claimed.handle); !released) {
        expect_error(released, attempt_already_started);
        return;
    }
    const auto again = claim("w2");
    ASSERT_NE(again.attempt_id, claimed.attempt_id);
    expect_suspend_refused(until(again.handle, single("a"), {pending(ahead.waitpoint_id)}),
                           invalid_waitpoint_for_execution);
}

TEST_P(SuspendingAhead, Ga16_AFreshWaitpointTakesNobodysId) {
    const auto other = create();
    suspend(until(claim().handle, single("a"), {fresh("a", waitpoint(1))}));
    const auto id = create();
    const auto claimed = claim();
    ASSERT_EQ(id.partition, other.partition);
    const auto both = all_of({single("a"), single("b")});
    expect_suspend_refused(until(claimed.handle, single("a"), {fresh("a", waitpoint(1))}), waitpoint_already_exists);
    expect_suspend_refused(until(claimed.handle, both, {fresh("a"), fresh("b", waitpoint(1))}),
                           waitpoint_already_exists);
    const PendingWaitpoint ahead = create_waitpoint(claimed.handle);
    expect_suspend_refused(until(claimed.handle, single("a"), {fresh("a", ahead.waitpoint_id)}),
                           waitpoint_already_exists);
    expect_suspend_refused(until(claimed.handle, both, {pending(ahead.waitpoint_id), fresh("b", ahead.waitpoint_id)}),
                           waitpoint_already_exists);
    expect_suspend_refused(until(claimed.handle, both, {fresh("a", waitpoint(2)), fresh("b", waitpoint(2))}),
                           waitpoint_already_exists);
    EXPECT_EQ(waitpoint_row(other, waitpoint(1)).owner(), other);
}

TEST_P(SuspendingAhead, Ga17_AWaitpointIdIsUsedOnceSoThatOldTokensStayDead) {
    const auto id = create();
    const Suspended first = suspend(until(claim().handle, single("a"), {fresh("a", waitpoint(1))}));
    value_of(signal(id, first.details.primary));
    const auto resumed = claim("w2");
    expect_suspend_refused(until(resumed.handle, single("a"), {fresh("a", waitpoint(1))}), waitpoint_already_exists);
    expect_suspend_refused(until(resumed.handle, single("a"), {pending(waitpoint(1))}), waitpoint_not_pending);
    suspend(until_signal(resumed.handle));
    expect_no_change([&] { expect_error(signal(id, first.details.primary), waitpoint_closed); });
}

TEST_P(SuspendingAhead, Ga19_AResumeLeavesWaitpointsForLaterAlone) {
    const auto id = create();
    const auto claimed = claim();
    const PendingWaitpoint later = create_waitpoint(claimed.handle, "later");
    const Suspended done = suspend(until_signal(claimed.handle));
    value_of(signal(id, done.details.primary));
    EXPECT_EQ(waitpoint_row(id, later.waitpoint_id).state, WaitpointState::pending);
    const WaitpointRow closed = waitpoint_row(id, done.details.primary.waitpoint_id);
    EXPECT_EQ(closed.state, WaitpointState::closed);
    EXPECT_EQ(closed.close_reason, WaitpointCloseReason::resumed);
    EXPECT_EQ(closed.closed_at_ms, now());
    expect_no_change([&] { expect_error(signal(id, done.details.primary), waitpoint_closed); });
    EXPECT_EQ(effect_of(signal(id, later.waitpoint_id, later.token)), SignalEffect::buffered_for_pending_waitpoint);
    const auto resumed = claim("w2");
    already_met(until(resumed.handle, single("later"), {pending(later.waitpoint_id)}));
}

// ---- policy -------------------------------------------------------------------------------------------------------

TEST_P(SuspendingAhead, ThePolicyFillsInWhatTheCallLeavesOpen) {
    ExecutionPolicy policy;
    policy.suspension_policy = SuspensionPolicy{.default_timeout_ms = 5000, .timeout_behavior = "cancel"};
    const auto id = create_with(policy);
    suspend(until(claim().handle, {TimeoutOnly{}}, {fresh("a")}));
    EXPECT_EQ(suspension_row(id).timeout_at_ms, now() + 5000);
    EXPECT_EQ(suspension_row(id).timeout_behavior, TimeoutBehavior::cancel);
    advance(4999);
    expect_no_change([&] { reconcile(); });
    advance(1);
    reconcile();
    EXPECT_EQ(state(id), PublicState::cancelled);
    EXPECT_EQ(row(id).cancellation_reason, "suspension_timeout:cancel");
}

TEST_P(SuspendingAhead, TheCallsOwnTimeoutGoesBeforeThePolicys) {
    ExecutionPolicy policy;
    policy.suspension_policy = SuspensionPolicy{.default_timeout_ms = 5000, .timeout_behavior = "auto_resume"};
    const auto id = create_with(policy);
    suspend(with_timeout(until_signal(claim().handle), now() + 9000));
    EXPECT_EQ(suspension_row(id).timeout_at_ms, now() + 9000);
    EXPECT_EQ(suspension_row(id).timeout_behavior, TimeoutBehavior::auto_resume_with_timeout_signal);
    resume(id);
    Suspend command = until_signal(claim("w2").handle);
    command.timeout_behavior = TimeoutBehavior::expire;
    suspend(command);
    EXPECT_EQ(suspension_row(id).timeout_at_ms, now() + 5000);
    EXPECT_EQ(suspension_row(id).timeout_behavior, TimeoutBehavior::expire);
}

TEST_P(SuspendingAhead, WithoutAPolicyNothingTimesOut) {
    const auto id = create();
    suspend(until_signal(claim().handle));
    EXPECT_EQ(suspension_row(id).timeout_at_ms, std::nullopt);
    EXPECT_EQ(suspension_row(id).timeout_behavior, TimeoutBehavior::fail);
}

// ---- the end ------------------------------------------------------------------------------------------------------

TEST_P(SuspendingAhead, EveryEndClosesEveryWaitpoint) {
    const auto expect_all_closed = [&](const ExecutionId& id, std::size_t how_many) {
        std::size_t closed = 0;
        for (const auto& [key, stored] : snapshot().of<WaitpointRow>()) {
            if (stored.owner() != id) continue;
            EXPECT_EQ(stored.state, WaitpointState::closed);
            EXPECT_EQ(stored.closed_at_ms, now());
            closed += 1;
        }
        EXPECT_EQ(closed, how_many);
        EXPECT_FALSE(row(id).has_waitpoints);
        EXPECT_EQ(row(id).current_suspension_id, std::nullopt);
        EXPECT_EQ(row(id).current_waitpoint_id, std::nullopt);
        EXPECT_THAT(value_of(api().list_pending_waitpoints({.execution_id = id})).waitpoints, IsEmpty());
    };
    const auto suspended_with_one_ahead = [&](CreateExecution command) {
        const auto id = create(std::move(command));
        const auto claimed = claim();
        create_waitpoint(claimed.handle, "later");
        suspend(with_timeout(until_signal(claimed.handle), now() + 100'000));
        return id;
    };
    const auto cancelled = suspended_with_one_ahead({});
    value_of(cancel_by("operator_override", cancelled));
    expect_all_closed(cancelled, 2);
    EXPECT_EQ(suspension_row(cancelled).closed_at_ms, now());
    EXPECT_EQ(suspension_row(cancelled).close_reason, WaitpointCloseReason::cancelled);
    EXPECT_EQ(suspension_row(cancelled).timeout_at_ms, std::nullopt);
    EXPECT_THAT(outcomes(cancelled), ElementsAre(TerminalOutcome::cancelled));
    ASSERT_THAT(attempts(cancelled), SizeIs(1));
    EXPECT_EQ(attempts(cancelled)[0].outcome, AttemptOutcome::ended_cancelled);
    EXPECT_THAT(lease_event_types(cancelled), ElementsAre(LeaseEventType::acquired, LeaseEventType::released))
        << "no lease was live";

    CreateExecution due;
    due.execution_deadline_at_ms = now() + 1000;
    const auto expired = suspended_with_one_ahead(due);
    advance(1000);
    reconcile();
    EXPECT_EQ(state(expired), PublicState::expired);
    expect_all_closed(expired, 2);

    const auto completed = create();
    const auto claimed = claim();
    const PendingWaitpoint ahead = create_waitpoint(claimed.handle);
    value_of(complete(claimed.handle));
    expect_all_closed(completed, 1);
    expect_error(signal(completed, ahead.waitpoint_id, ahead.token), target_not_signalable);

    advance(200'000);
    reconcile();
    expect_no_change([&] { reconcile(); });
}

TEST_P(SuspendingAhead, RetentionTakesEveryRowOfIt) {
    auto keeper = another_engine({.overrides = {.execution_retention_ms = 1000}});
    const auto trim = [&] {
        for (int i = 0; i < 4; ++i) keeper->reconcile();
    };
    trim();
    const auto id = create();
    const auto claimed = claim();
    const PendingWaitpoint later = create_waitpoint(claimed.handle, "later");
    const Suspended done = suspend(keyed(until_signal(claimed.handle), "once"));
    DeliverSignal command;
    command.execution_id = id;
    command.waitpoint_id = done.details.primary.waitpoint_id;
    command.waitpoint_token = done.details.primary.token;
    command.signal_name = "go";
    command.payload = "something";
    command.idempotency_key = "signal-once";
    value_of(run(command));
    value_of(signal(id, later.waitpoint_id, later.token));
    value_of(complete(claim("w2").handle));
    EXPECT_THAT(snapshot().of<SuspensionRow>(), SizeIs(1));
    EXPECT_THAT(snapshot().of<WaitpointRow>(), SizeIs(2));
    EXPECT_THAT(snapshot().of<SignalRow>(), SizeIs(2));
    EXPECT_THAT(snapshot().of<SignalPayloadRow>(), SizeIs(1));
    EXPECT_THAT(snapshot().of<SignalDedupRow>(), SizeIs(1));
    EXPECT_THAT(snapshot().of<SuspendDedupRow>(), SizeIs(1));
    advance(1000);
    trim();
    const Dump left = snapshot();
    EXPECT_FALSE(left.executions.contains(id));
    EXPECT_THAT(left.of<SuspensionRow>(), IsEmpty());
    EXPECT_THAT(left.of<WaitpointRow>(), IsEmpty());
    EXPECT_THAT(left.of<SignalRow>(), IsEmpty());
    EXPECT_THAT(left.of<SignalPayloadRow>(), IsEmpty());
    EXPECT_THAT(left.of<SignalDedupRow>(), IsEmpty());
    EXPECT_THAT(left.of<SuspendDedupRow>(), IsEmpty());
}

}  // namespace
}  // namespace flowfabric::test
