#include "support/fixture.hpp"

namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using enum LeaseEventType;

class DelayTest : public StoreTest {
  protected:
    // An execution whose attempt put itself off for a second.
    ClaimedExecution delayed_attempt(const ExecutionPolicy& policy = {}) {
        create_with(policy);
        ClaimedExecution claimed = claim("w1");
        value_of(delay(claimed.handle, now() + 1000));
        return claimed;
    }

    void let_delay_pass() {
        advance(1000);
        reconcile();
    }
};

TEST_P(DelayTest, GivesTheLeaseBackAndKeepsTheAttempt) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim("w1");
    const std::int64_t started = now();
    advance(10);
    const std::int64_t until = now() + 1000;
    EXPECT_EQ(value_of(delay(claimed.handle, until)), Delayed{PublicState::delayed});

    const ExecutionRow after = row(id);
    EXPECT_EQ(after.vector, (StateVector{.lifecycle_phase = LifecyclePhase::runnable,
                                         .ownership_state = OwnershipState::unowned,
                                         .eligibility_state = EligibilityState::not_eligible_until_time,
                                         .blocking_reason = BlockingReason::waiting_for_delay,
                                         .terminal_outcome = TerminalOutcome::none,
                                         .attempt_state = AttemptState::attempt_interrupted,
                                         .public_state = PublicState::delayed}));
    EXPECT_EQ(after.delay_until_ms, until);
    EXPECT_EQ(after.lease_epoch, 1U) << "given back by its owner";
    EXPECT_EQ(after.attempt_id, claimed.attempt_id);
    EXPECT_EQ(after.total_attempt_count, 1);
    EXPECT_EQ(after.retry_count, 0);
    EXPECT_EQ(after.interrupt_cause, "delay");
    EXPECT_EQ(after.last_transition_at_ms, now());
    EXPECT_FALSE(view(id).current_lease);

    const auto history = attempts(id);
    ASSERT_THAT(history, SizeIs(1));
    EXPECT_EQ(history[0].outcome, AttemptOutcome::suspended);
    EXPECT_EQ(history[0].started_at_ms, started);
    EXPECT_FALSE(history[0].ended_at_ms);
    EXPECT_EQ(history[0].worker_id, "w1");

    const auto events = lease_events(id);
    ASSERT_THAT(events, SizeIs(2));
    EXPECT_EQ(events[1].event_type, released);
    EXPECT_EQ(events[1].reason, "worker_delay");
    EXPECT_EQ(events[1].lease_id, claimed.lease_id);
    EXPECT_EQ(events[1].lease_epoch, 1U);
    EXPECT_EQ(events[1].attempt_id, claimed.attempt_id);
    EXPECT_EQ(events[1].attempt_index, 0);
    EXPECT_EQ(events[1].worker_id, "w1");
    EXPECT_EQ(events[1].worker_instance_id, "w1-1");
    EXPECT_FALSE(events[1].revoked_by);
    EXPECT_EQ(events[1].occurred_at_ms, now());
    EXPECT_THAT(outcomes(id), IsEmpty());
}

TEST_P(DelayTest, IsClaimedOnlyAfterItsTime) {
    const ExecutionId id = delayed_attempt().execution_id;
    advance(999);
    reconcile();
    EXPECT_THAT(claimed_ids(claim_by("w2")), IsEmpty());
    advance(1);
    reconcile();
    EXPECT_EQ(state(id), PublicState::resumable);
    EXPECT_FALSE(row(id).delay_until_ms);
    EXPECT_THAT(claimed_ids(claim_by("w2")), ElementsAre(id));
}

TEST_P(DelayTest, ATimeThatHasComeMakesItResumableAtOnce) {
    for (const std::int64_t ago : {0, 1, 1'000'000}) {
        const ExecutionId id = create();
        const ClaimedExecution claimed = claim("w1");
        EXPECT_EQ(value_of(delay(claimed.handle, now() - ago)), Delayed{PublicState::resumable});
        const ExecutionRow after = row(id);
        EXPECT_EQ(after.vector.eligibility_state, EligibilityState::eligible_now);
        EXPECT_EQ(after.vector.blocking_reason, BlockingReason::waiting_for_worker);
        EXPECT_FALSE(after.delay_until_ms);
        const ClaimedExecution resumed = claim("w2");
        EXPECT_EQ(resumed.attempt_id, claimed.attempt_id);
        value_of(complete(resumed.handle));
    }
}

TEST_P(DelayTest, TheResumedAttemptIsTheSameUnderANewLease) {
    const ClaimedExecution first = delayed_attempt();
    const ExecutionId id = first.execution_id;
    const std::int64_t started = *row(id).attempt_started_at_ms;
    let_delay_pass();
    const ClaimedExecution resumed = claim("w2");
    EXPECT_EQ(resumed.execution_id, id);
    EXPECT_EQ(resumed.attempt_index, 0U);
    EXPECT_EQ(resumed.attempt_id, first.attempt_id);
    EXPECT_EQ(resumed.attempt_type, AttemptType::initial);
    EXPECT_EQ(resumed.lease_epoch, LeaseEpoch{2});
    EXPECT_NE(resumed.lease_id, first.lease_id);
    EXPECT_EQ(resumed.handle.kind, HandleKind::resumed);

    const ExecutionRow after = row(id);
    EXPECT_EQ(after.total_attempt_count, 1);
    EXPECT_EQ(after.attempt_started_at_ms, started);
    EXPECT_EQ(after.started_at_ms, started);
    EXPECT_EQ(after.worker_id, "w2");
    EXPECT_EQ(after.lease_acquired_at_ms, now());
    EXPECT_EQ(after.vector.attempt_state, AttemptState::running_attempt);
    EXPECT_EQ(attempts(id).at(0).outcome, AttemptOutcome::started);

    const auto events = lease_events(id);
    ASSERT_THAT(events, SizeIs(3));
    EXPECT_EQ(events[2].event_type, acquired);
    EXPECT_EQ(events[2].reason, "claim_resumed");
    EXPECT_EQ(events[2].lease_epoch, 2U);
    EXPECT_EQ(events[2].attempt_id, first.attempt_id);
    EXPECT_EQ(events[2].worker_instance_id, "w2-1");
    EXPECT_FALSE(events[2].prev_worker_instance_id);

    value_of(complete(resumed.handle, "done"));
    const auto history = attempts(id);
    ASSERT_THAT(history, SizeIs(1));
    EXPECT_EQ(history[0].outcome, AttemptOutcome::ended_success);
    EXPECT_EQ(history[0].lease_epoch, LeaseEpoch{2});
    EXPECT_EQ(history[0].started_at_ms, started);
    EXPECT_EQ(history[0].worker_id, "w2");
    EXPECT_EQ(result(id), "done");
}

TEST_P(DelayTest, EveryOperationWorksOnAResumedHandle) {
    const ClaimedExecution first = delayed_attempt(retries(1, 0));
    let_delay_pass();
    const ClaimedExecution resumed = claim("w2");
    value_of(renew(resumed.handle));
    value_of(progress(resumed.handle));
    value_of(delay(resumed.handle, now()));
    const ClaimedExecution again = claim("w3");
    EXPECT_EQ(again.attempt_id, first.attempt_id);
    EXPECT_EQ(fail_with_retry(again.handle).next_attempt_index, 1U);
    EXPECT_EQ(claim("w4").attempt_type, AttemptType::retry);
}

TEST_P(DelayTest, TheFirstHandleCannotGoOn) {
    const ClaimedExecution first = delayed_attempt();
    const auto expect_refused = [&](ErrorKind kind) {
        expect_no_change([&] {
            expect_error(complete(first.handle), kind);
            expect_error(fail(first.handle), kind);
            expect_error(renew(first.handle), kind);
            expect_error(progress(first.handle), kind);
            expect_error(release(first.handle), kind);
        });
    };
    expect_refused(ErrorKind::execution_not_active);
    let_delay_pass();
    expect_refused(ErrorKind::execution_not_active);
    claim("w2");
    expect_refused(ErrorKind::stale_lease);
    expect_error(delay(first.handle, now()), ErrorKind::stale_lease);
}

TEST_P(DelayTest, ARepeatIsTheSameAnswerAndChangesNothing) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    const std::int64_t until = now() + 1000;
    value_of(delay(claimed.handle, until));
    expect_no_change([&] {
        EXPECT_EQ(value_of(delay(claimed.handle, until)), Delayed{PublicState::delayed});
        EXPECT_EQ(value_of(delay(fence_of(claimed), until)), Delayed{PublicState::delayed});
    });
    let_delay_pass();
    expect_no_change([&] { EXPECT_EQ(value_of(delay(claimed.handle, until)), Delayed{PublicState::resumable}); });
    EXPECT_EQ(state(id), PublicState::resumable);
}

TEST_P(DelayTest, ARepeatWithAnotherTimeIsRefused) {
    create();
    const ClaimedExecution claimed = claim();
    const std::int64_t until = now() + 1000;
    value_of(delay(claimed.handle, until));
    expect_no_change([&] {
        for (const std::int64_t other : {until - 1, until + 1, std::int64_t{0}}) {
            const auto refused = delay(claimed.handle, other);
            expect_error(refused, ErrorKind::execution_not_active);
            EXPECT_EQ(refused.error().not_active, (NotActiveFacts{.terminal_outcome = "none",
                                                                  .lease_epoch = 1,
                                                                  .lifecycle_phase = "runnable",
                                                                  .attempt_id = claimed.attempt_id.to_string()}));
        }
    });
}

TEST_P(DelayTest, ARepeatIsRecognisedAfterTheExecutionWasCancelled) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    const std::int64_t until = now() + 1000;
    value_of(delay(claimed.handle, until));
    value_of(cancel_by("operator_override", id));
    expect_no_change([&] {
        EXPECT_TRUE(delay(claimed.handle, until)) << "it was this attempt's last release";
        expect_error(delay(claimed.handle, until + 1), ErrorKind::execution_not_active);
    });
}

TEST_P(DelayTest, AnOperatorMayDelayALiveLease) {
    const ExecutionId id = create();
    const Delay by_operator{
        .lease = Fence{.execution_id = id}, .delay_until_ms = now() + 60'000, .source = Source::operator_override};
    expect_error(run(by_operator), ErrorKind::execution_not_active);
    const ClaimedExecution claimed = claim();
    EXPECT_EQ(value_of(run(by_operator)), Delayed{PublicState::delayed});
    expect_error(complete(claimed.handle), ErrorKind::execution_not_active);
    EXPECT_EQ(state(id), PublicState::delayed);
}

TEST_P(DelayTest, AnOperatorCannotDelayALapsedLease) {
    const ExecutionId id = create();
    claim();
    advance(30'000);
    expect_error(
        run(Delay{
            .lease = Fence{.execution_id = id}, .delay_until_ms = now() + 1000, .source = Source::operator_override}),
        ErrorKind::lease_expired);
    EXPECT_THAT(lease_event_types(id), ElementsAre(acquired, expired));
}

TEST_P(DelayTest, TheAttemptsTimeLimitStandsStillMeanwhile) {
    const ExecutionId id = create();
    Claim command = claim_by("w1");
    command.attempt_timeout_ms = 10'000;
    const ClaimedExecution claimed = claim(command);
    EXPECT_EQ(row(id).attempt_deadline_at_ms, now() + 10'000);
    advance(4000);
    value_of(delay(claimed.handle, now() + 1000));
    EXPECT_FALSE(row(id).attempt_deadline_at_ms);
    EXPECT_EQ(row(id).attempt_time_left_ms, 6000);

    advance(500'000);
    reconcile();
    // The limit is the attempt's: what the next claim would have given a new one does not count.
    command.attempt_timeout_ms = 99;
    claim(command);
    EXPECT_EQ(row(id).attempt_deadline_at_ms, now() + 6000);
    EXPECT_FALSE(row(id).attempt_time_left_ms);
}

TEST_P(DelayTest, AnAttemptWithoutATimeLimitGetsNone) {
    const ExecutionId id = delayed_attempt().execution_id;
    EXPECT_FALSE(row(id).attempt_time_left_ms);
    let_delay_pass();
    Claim command = claim_by("w2");
    command.attempt_timeout_ms = 99;
    claim(command);
    EXPECT_FALSE(row(id).attempt_deadline_at_ms);
}

TEST_P(DelayTest, ALostResumedLeaseIsReclaimedAsANewAttempt) {
    const ClaimedExecution first = delayed_attempt();
    const ExecutionId id = first.execution_id;
    let_delay_pass();
    claim("w2");
    let_lease_lapse();
    const ClaimedExecution reclaimed_by = claim("w3");
    EXPECT_EQ(reclaimed_by.attempt_index, 1U);
    EXPECT_EQ(reclaimed_by.attempt_type, AttemptType::reclaim);
    EXPECT_EQ(reclaimed_by.lease_epoch, LeaseEpoch{4});
    const auto history = attempts(id);
    ASSERT_THAT(history, SizeIs(2));
    EXPECT_EQ(history[0].outcome, AttemptOutcome::interrupted_reclaimed);
    EXPECT_EQ(history[0].attempt_id, first.attempt_id);
    EXPECT_EQ(history[0].lease_epoch, LeaseEpoch{2});
    EXPECT_THAT(lease_event_types(id), ElementsAre(acquired, released, acquired, expired, reclaimed));
}

TEST_P(DelayTest, AGivenBackLeaseDoesNotExpire) {
    const ExecutionId id = create();
    value_of(delay(claim().handle, now() + 100'000));
    let_lease_lapse();
    EXPECT_EQ(state(id), PublicState::delayed);
    EXPECT_THAT(lease_event_types(id), ElementsAre(acquired, released));
}

TEST_P(DelayTest, AResumedExecutionKeepsItsPlaceByPriorityAndAge) {
    const ExecutionId oldest = delayed_attempt().execution_id;
    advance(10);
    const ExecutionId younger = create();
    CreateExecution urgent;
    urgent.priority = 5;
    const ExecutionId first = create(urgent);
    let_delay_pass();
    Claim all = claim_by("w2");
    all.max_count = 3;
    EXPECT_THAT(claimed_ids(all), ElementsAre(first, oldest, younger));
}

TEST_P(DelayTest, EpochsRiseWithEveryResumption) {
    const ExecutionId id = create();
    for (std::uint64_t epoch = 1; epoch <= 5; ++epoch) {
        const ClaimedExecution claimed = claim();
        EXPECT_EQ(claimed.lease_epoch, LeaseEpoch{epoch});
        EXPECT_EQ(claimed.attempt_index, 0U);
        value_of(delay(claimed.handle, now()));
    }
    EXPECT_EQ(row(id).total_attempt_count, 1);
}

INSTANTIATE_TEST_SUITE_P(Stores, DelayTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
