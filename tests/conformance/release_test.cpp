#include "support/fixture.hpp"

namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using enum LeaseEventType;

class ReleaseTest : public StoreTest {};

TEST_P(ReleaseTest, WorkThatWasNeverStartedIsAsBeforeItsClaim) {
    const ExecutionId id = create();
    const ExecutionRow before = row(id);
    advance(5);
    const ClaimedExecution claimed = claim("w1");
    advance(5);
    EXPECT_EQ(value_of(release(claimed.handle)), (Released{id, PublicState::waiting}));

    const ExecutionRow after = row(id);
    EXPECT_EQ(after.vector, before.vector);
    EXPECT_EQ(after.total_attempt_count, 0);
    EXPECT_EQ(after.attempt_index, 0);
    EXPECT_EQ(after.retry_count, 0);
    EXPECT_EQ(after.lease_epoch, 1U) << "given back by its owner";
    EXPECT_EQ(after.created_at_ms, before.created_at_ms);
    EXPECT_FALSE(after.started_at_ms || after.attempt_type || after.attempt_started_at_ms);
    EXPECT_FALSE(after.lease_id || after.worker_id || after.worker_instance_id || after.lease_expires_at_ms);
    EXPECT_THAT(attempts(id), IsEmpty());

    const auto events = lease_events(id);
    ASSERT_THAT(events, SizeIs(2));
    EXPECT_EQ(events[1].event_type, released);
    EXPECT_EQ(events[1].reason, "unstarted");
    EXPECT_EQ(events[1].lease_id, claimed.lease_id);
    EXPECT_EQ(events[1].lease_epoch, 1U);
    EXPECT_EQ(events[1].attempt_index, 0);
    EXPECT_EQ(events[1].attempt_id, claimed.attempt_id);
    EXPECT_EQ(events[1].worker_id, "w1");
    EXPECT_EQ(events[1].worker_instance_id, "w1-1");
    EXPECT_FALSE(events[1].revoked_by);
    EXPECT_EQ(events[1].occurred_at_ms, now());
    EXPECT_THAT(outcomes(id), IsEmpty());
}

TEST_P(ReleaseTest, TheNextClaimGetsTheSameIndexWithANewAttempt) {
    const ExecutionId id = create();
    const ClaimedExecution first = claim("w1");
    value_of(release(first.handle));
    advance(5);
    const ClaimedExecution second = claim("w2");
    EXPECT_EQ(second.execution_id, id);
    EXPECT_EQ(second.attempt_index, 0U);
    EXPECT_EQ(second.attempt_type, AttemptType::initial);
    EXPECT_NE(second.attempt_id, first.attempt_id);
    EXPECT_EQ(second.lease_epoch, LeaseEpoch{2});
    EXPECT_EQ(second.handle.kind, HandleKind::fresh);
    EXPECT_EQ(row(id).started_at_ms, now());
    EXPECT_EQ(row(id).total_attempt_count, 1);
    EXPECT_THAT(lease_event_types(id), ElementsAre(acquired, released, acquired));
    expect_no_change([&] {
        expect_error(release(first.handle), ErrorKind::stale_lease);
        expect_error(complete(first.handle), ErrorKind::stale_lease);
    });
    value_of(complete(second.handle));
    EXPECT_THAT(attempts(id), SizeIs(1));
}

TEST_P(ReleaseTest, AReleasedExecutionIsAtTheHeadOfTheQueueAgain) {
    const ExecutionId oldest = create();
    advance(10);
    const ExecutionId younger = create();
    value_of(release(claim("w1").handle));
    Claim both = claim_by("w2");
    both.max_count = 2;
    EXPECT_THAT(claimed_ids(both), ElementsAre(oldest, younger));
}

TEST_P(ReleaseTest, AReleasedRetryIsStillARetry) {
    const ExecutionId id = create_with(retries(3, 0));
    const std::int64_t started = now();
    fail_with_retry(claim("w1").handle);
    const StateVector before = row(id).vector;
    advance(5);
    const ClaimedExecution unstarted = claim("w2");
    EXPECT_EQ(unstarted.attempt_index, 1U);
    EXPECT_EQ(value_of(release(unstarted.handle)), (Released{id, PublicState::waiting}));

    const ExecutionRow after = row(id);
    EXPECT_EQ(after.vector, before);
    EXPECT_EQ(after.total_attempt_count, 1);
    EXPECT_EQ(after.attempt_index, 0);
    EXPECT_EQ(after.retry_count, 1);
    EXPECT_EQ(after.started_at_ms, started) << "the first attempt did begin";
    EXPECT_THAT(attempts(id), SizeIs(1));

    const ClaimedExecution next = claim("w3");
    EXPECT_EQ(next.attempt_index, 1U);
    EXPECT_EQ(next.attempt_type, AttemptType::retry);
    EXPECT_NE(next.attempt_id, unstarted.attempt_id);
    EXPECT_EQ(next.lease_epoch, LeaseEpoch{3});
    EXPECT_EQ(attempts(id).at(1).previous_attempt_index, 0U);
    value_of(complete(next.handle));
}

TEST_P(ReleaseTest, AReleasedReclaimIsClaimedAsAReclaimWithoutCountingTwice) {
    const ExecutionId id = create();
    const ClaimedExecution lost = claim("w1");
    let_lease_lapse();
    const ClaimedExecution unstarted = claim("w2");
    EXPECT_EQ(unstarted.attempt_type, AttemptType::reclaim);
    EXPECT_EQ(value_of(release(unstarted.handle)), (Released{id, PublicState::waiting}));

    const ExecutionRow after = row(id);
    EXPECT_EQ(after.vector.lifecycle_phase, LifecyclePhase::runnable);
    EXPECT_EQ(after.total_attempt_count, 1);
    EXPECT_EQ(after.attempt_index, 0);
    EXPECT_EQ(after.lease_reclaim_count, 1);
    EXPECT_EQ(after.retry_count, 0);
    const auto history = attempts(id);
    ASSERT_THAT(history, SizeIs(1));
    EXPECT_EQ(history[0].attempt_id, lost.attempt_id);
    EXPECT_EQ(history[0].outcome, AttemptOutcome::interrupted_reclaimed);

    const ClaimedExecution next = claim("w3");
    EXPECT_EQ(next.attempt_index, 1U);
    EXPECT_EQ(next.attempt_type, AttemptType::reclaim);
    EXPECT_NE(next.attempt_id, unstarted.attempt_id);
    EXPECT_GT(next.lease_epoch.value, unstarted.lease_epoch.value);
    EXPECT_EQ(row(id).lease_reclaim_count, 1);
    EXPECT_THAT(lease_event_types(id), ElementsAre(acquired, expired, reclaimed, released, acquired));
    value_of(complete(next.handle));
    EXPECT_EQ(attempts(id).at(1).previous_attempt_index, 0U);
}

TEST_P(ReleaseTest, AReleasedReclaimThatIsLostAgainIsReclaimedAgain) {
    const ExecutionId id = create_with(retries(1, 0));
    claim("w1");
    let_lease_lapse();
    value_of(release(claim("w2").handle));
    claim("w3");
    let_lease_lapse();
    const ClaimedExecution last = claim("w4");
    EXPECT_EQ(last.attempt_index, 2U);
    EXPECT_EQ(row(id).lease_reclaim_count, 2);
    fail_with_retry(last.handle);
    const ClaimedExecution retried = claim("w5");
    EXPECT_EQ(retried.attempt_type, AttemptType::retry);
    value_of(complete(retried.handle));
    EXPECT_THAT(attempts(id), SizeIs(4));
    EXPECT_THAT(lease_event_types(id), ElementsAre(acquired, expired, reclaimed, released, acquired, expired, reclaimed,
                                                   released, acquired, released));
}

TEST_P(ReleaseTest, ADelayedReclaimGoesOnAsTheSameAttempt) {
    const ExecutionId id = create();
    claim("w1");
    let_lease_lapse();
    const ClaimedExecution reclaim = claim("w2");
    value_of(delay(reclaim.handle, now()));
    const ClaimedExecution resumed = claim("w3");
    EXPECT_EQ(resumed.attempt_id, reclaim.attempt_id);
    EXPECT_EQ(resumed.attempt_type, AttemptType::reclaim);
    EXPECT_EQ(value_of(release(resumed.handle)), (Released{id, PublicState::resumable}));
    const ClaimedExecution again = claim("w4");
    EXPECT_EQ(again.attempt_index, 1U);
    value_of(complete(again.handle));
    EXPECT_EQ(row(id).lease_reclaim_count, 1);
}

TEST_P(ReleaseTest, AReleasedResumptionKeepsTheInterruptedAttempt) {
    const ExecutionId id = create();
    Claim command = claim_by("w1");
    command.attempt_timeout_ms = 10'000;
    const ClaimedExecution first = claim(command);
    const std::int64_t started = now();
    value_of(progress(first.handle));
    advance(1000);
    value_of(delay(first.handle, now()));
    const StateVector before = row(id).vector;
    const ClaimedExecution resumed = claim("w2");
    advance(2000);
    EXPECT_EQ(value_of(release(resumed.handle)), (Released{id, PublicState::resumable}));

    const ExecutionRow after = row(id);
    EXPECT_EQ(after.vector, before);
    EXPECT_EQ(after.total_attempt_count, 1);
    EXPECT_EQ(after.attempt_id, first.attempt_id);
    EXPECT_EQ(after.attempt_started_at_ms, started);
    EXPECT_EQ(after.started_at_ms, started);
    EXPECT_TRUE(after.attempt_time_left_ms);
    EXPECT_FALSE(after.attempt_deadline_at_ms);
    EXPECT_EQ(lease_events(id).back().reason, "unstarted");
    EXPECT_EQ(lease_events(id).back().attempt_id, first.attempt_id);

    const ClaimedExecution again = claim("w3");
    EXPECT_EQ(again.attempt_index, 0U);
    EXPECT_EQ(again.attempt_id, first.attempt_id) << "the attempt itself had started";
    EXPECT_EQ(again.lease_epoch, LeaseEpoch{3});
    EXPECT_EQ(again.handle.kind, HandleKind::resumed);
    EXPECT_TRUE(row(id).attempt_deadline_at_ms);
    value_of(complete(again.handle));
    EXPECT_THAT(attempts(id), SizeIs(1));
}

TEST_P(ReleaseTest, StartedWorkIsNotGivenBackUnstarted) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    value_of(renew(claimed.handle));
    value_of(progress(claimed.handle, std::nullopt));
    expect_no_change([&] { expect_error(release(claimed.handle), ErrorKind::attempt_already_started); });
    EXPECT_EQ(state(id), PublicState::active);
    value_of(complete(claimed.handle));
}

TEST_P(ReleaseTest, ARenewalAloneStartsNothing) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    value_of(renew(claimed.handle));
    value_of(release(claimed.handle));
    EXPECT_EQ(row(id).total_attempt_count, 0);
}

TEST_P(ReleaseTest, ProgressOfAnEarlierLeaseDoesNotCount) {
    const ExecutionId id = create_with(retries(1, 0));
    const ClaimedExecution first = claim("w1");
    value_of(progress(first.handle));
    fail_with_retry(first.handle);
    value_of(release(claim("w2").handle));
    EXPECT_EQ(row(id).total_attempt_count, 1);
}

TEST_P(ReleaseTest, ARepeatIsTheSameAnswerAndChangesNothing) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    value_of(release(claimed.handle));
    expect_no_change([&] {
        EXPECT_EQ(value_of(release(claimed.handle)), (Released{id, PublicState::waiting}));
        EXPECT_EQ(value_of(release(fence_of(claimed))), (Released{id, PublicState::waiting}));
    });
}

TEST_P(ReleaseTest, OnlyTheReleasedLeaseMayRepeat) {
    create();
    const ClaimedExecution claimed = claim();
    value_of(release(claimed.handle));
    Fence stranger = fence_of(claimed);
    stranger.lease_epoch = LeaseEpoch{9};
    Fence other_attempt = fence_of(claimed);
    other_attempt.attempt_id = AttemptId{};
    expect_no_change([&] {
        expect_error(release(stranger), ErrorKind::execution_not_active);
        expect_error(release(other_attempt), ErrorKind::execution_not_active);
    });
}

TEST_P(ReleaseTest, OtherOperationsDoNotPassForItsRepeat) {
    create_with(retries(3, 0));
    fail_with_retry(claim("w1").handle);
    const ClaimedExecution unstarted = claim("w2");
    value_of(release(unstarted.handle));
    expect_no_change([&] {
        expect_error(fail(unstarted.handle), ErrorKind::execution_not_active);
        expect_error(complete(unstarted.handle), ErrorKind::execution_not_active);
        expect_error(delay(unstarted.handle, now()), ErrorKind::execution_not_active);
        expect_error(renew(unstarted.handle), ErrorKind::execution_not_active);
    });
}

TEST_P(ReleaseTest, AFailIsNotRepeatedByARelease) {
    create_with(retries(3, 1000));
    const ClaimedExecution failed = claim();
    fail_with_retry(failed.handle);
    expect_no_change([&] { expect_error(release(failed.handle), ErrorKind::execution_not_active); });
}

TEST_P(ReleaseTest, WorkGivenBackAgainAndAgainUsesUpNothing) {
    const ExecutionId id = create_with(retries(1, 0));
    for (std::uint64_t epoch = 1; epoch <= 5; ++epoch) {
        const ClaimedExecution claimed = claim();
        EXPECT_EQ(claimed.lease_epoch, LeaseEpoch{epoch});
        EXPECT_EQ(claimed.attempt_index, 0U);
        value_of(release(claimed.handle));
    }
    EXPECT_EQ(fail_with_retry(claim().handle).next_attempt_index, 1U);
    EXPECT_EQ(row(id).retry_count, 1);
}

TEST_P(ReleaseTest, ReleasedWorkWakesAClaimThatWaits) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim("w1");
    Claim waiting = claim_by("w2");
    waiting.max_wait_ms = 60'000;
    std::vector<ExecutionId> found;
    engine().submit(waiting, collect_claimed(found));
    value_of(release(claimed.handle));
    engine().settle();
    EXPECT_THAT(found, ElementsAre(id));
}

TEST_P(ReleaseTest, WorkGivenBackElsewhereIsFoundHoweverOldItIs) {
    const auto other = another_engine();
    const ExecutionId oldest = create();
    const ClaimedExecution unstarted = claim("w1");
    for (int i = 0; i < 3; ++i) {
        advance(1000);
        create();
        ASSERT_THAT(value_of(other->run(claim_by("w2"))).executions, SizeIs(1)) << "so it looks for younger work";
    }
    value_of(release(unstarted.handle));
    const Claimed found = value_of(other->run(claim_by("w2")));
    ASSERT_THAT(found.executions, SizeIs(1));
    EXPECT_EQ(found.executions[0].execution_id, oldest);
}

TEST_P(ReleaseTest, AReleasedDeadlineIsNotLeftBehind) {
    const ExecutionId id = create();
    Claim command = claim_by("w1");
    command.attempt_timeout_ms = 10'000;
    value_of(release(claim(command).handle));
    EXPECT_FALSE(row(id).attempt_deadline_at_ms || row(id).attempt_time_left_ms);
    claim("w2");
    EXPECT_FALSE(row(id).attempt_deadline_at_ms);
    advance(30'000);
    reconcile();
    EXPECT_THAT(lease_event_types(id), ElementsAre(acquired, released, acquired, expired));
}

INSTANTIATE_TEST_SUITE_P(Stores, ReleaseTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
