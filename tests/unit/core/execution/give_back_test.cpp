#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/core/fixtures.hpp"

namespace flowfabric {
namespace {

using test::answer_of;
using test::Desk;
using test::lease_on;

constexpr std::int64_t now = test::claimed_at + 1'000;
constexpr std::int64_t later = now + 5'000;

Delay delay_of(const ExecutionRow& row, std::int64_t until = later) {
    return {.lease = lease_on(row), .delay_until_ms = until};
}

Delay delay_by_operator(const ExecutionRow& row) {
    return {.lease = test::operator_on(row), .delay_until_ms = later, .source = Source::operator_override};
}

ReleaseUnstarted release_of(const ExecutionRow& row) {
    return {.lease = lease_on(row)};
}

// The row after worker-a delayed its attempt to a time that has come, and worker-b took it up.
ExecutionRow resumed_row(std::optional<std::int64_t> attempt_deadline = {}) {
    ExecutionRow row = test::running_row();
    row.attempt_deadline_at_ms = attempt_deadline;
    Desk desk(row, now);
    EXPECT_TRUE(desk.decide(delay_of(row, now)));
    EXPECT_TRUE(decide_claim(test::claim_by("worker-b"), 0, desk.entry, desk.context));
    return desk.row();
}

// Claims a row that waits, or one that was lost.
ExecutionRow claimed(const ExecutionRow& row, std::uint64_t seed = 7) {
    Desk desk(row, now);
    EXPECT_TRUE(decide_claim(test::claim_by("worker-b", seed), 0, desk.entry, desk.context));
    return desk.row();
}

void expect_refused(Desk& desk, const Result<Answer>& answer, ErrorKind kind) {
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, kind);
    expect_untouched(desk);
}

TEST(DelayDecision, InterruptsTheAttemptUntilThen) {
    Desk desk(test::running_row(), now);
    EXPECT_EQ(answer_of<Delayed>(desk.decide(delay_of(desk.row()))), Delayed{PublicState::delayed});
    const ExecutionRow& row = desk.row();
    EXPECT_EQ(row.vector, delayed_vector(BlockingReason::waiting_for_delay, AttemptState::attempt_interrupted));
    EXPECT_EQ(row.delay_until_ms, later);
    EXPECT_EQ(row.interrupt_cause, "delay");
    EXPECT_EQ(row.lease_epoch, 1U);
    EXPECT_EQ(row.worker_id, "worker-a") << "for the attempt's history";
    EXPECT_EQ(row.lease_id, desk.before.lease_id);
    EXPECT_FALSE(row.lease_expires_at_ms || row.lease_acquired_at_ms || row.lease_last_renewed_at_ms);
    EXPECT_TRUE(desk.set.attempts.empty());
    EXPECT_FALSE(desk.set.work_available);
    expect_change_is_reported(desk);
    ASSERT_EQ(desk.set.events.of<LeaseEvent>().size(), 1U);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].event_type, LeaseEventType::released);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].reason, "worker_delay");
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].lease_id, desk.before.lease_id);
}

TEST(DelayDecision, ATimeThatHasComeMakesItResumable) {
    for (const std::int64_t until : {std::int64_t{0}, now - 1, now}) {
        Desk desk(test::running_row(), now);
        EXPECT_EQ(answer_of<Delayed>(desk.decide(delay_of(desk.row(), until))), Delayed{PublicState::resumable});
        EXPECT_EQ(desk.row().vector, waiting_vector(AttemptState::attempt_interrupted));
        EXPECT_FALSE(desk.row().delay_until_ms);
        EXPECT_TRUE(desk.set.work_available);
    }
}

TEST(DelayDecision, TheTimeLimitIsStoppedAndGoesOn) {
    ExecutionRow row = test::running_row();
    row.attempt_deadline_at_ms = now + 700;
    Desk desk(row, now);
    ASSERT_TRUE(desk.decide(delay_of(row, now)));
    EXPECT_EQ(desk.row().attempt_time_left_ms, 700);
    EXPECT_FALSE(desk.row().attempt_deadline_at_ms);
    desk.set.now_ms = now + 60'000;
    ASSERT_TRUE(decide_claim(test::claim_by("worker-b"), 0, desk.entry, desk.context));
    EXPECT_EQ(desk.row().attempt_deadline_at_ms, now + 60'700);
    EXPECT_FALSE(desk.row().attempt_time_left_ms);
}

TEST(DelayDecision, ATimeLimitThatIsOverStillHasItsLastMoment) {
    ExecutionRow row = test::running_row();
    row.attempt_deadline_at_ms = now - 5;
    Desk desk(row, now);
    ASSERT_TRUE(desk.decide(delay_of(row)));
    EXPECT_EQ(desk.row().attempt_time_left_ms, 1);
}

TEST(DelayDecision, ARepeatOfTheSameCallIsRecognised) {
    Desk first(test::running_row(), now);
    const Delay command = delay_of(first.row());
    ASSERT_TRUE(first.decide(command));
    Desk again(first.row(), now + 5);
    EXPECT_EQ(answer_of<Delayed>(again.decide(command)), Delayed{PublicState::delayed});
    expect_untouched(again);
    Desk promoted(first.row(), later);
    ASSERT_TRUE(promoted.decide(FireTimer{first.row().id, Timer::delayed_promotion}));
    EXPECT_EQ(answer_of<Delayed>(promoted.decide(command)), Delayed{PublicState::resumable});
}

TEST(DelayDecision, OtherArgumentsOrAnotherLeaseAreNoRepeat) {
    Desk first(test::running_row(), now);
    const Delay command = delay_of(first.row());
    ASSERT_TRUE(first.decide(command));
    ExecutionRow other_epoch = test::running_row();
    other_epoch.lease_epoch = 9;
    ExecutionRow other_attempt = test::running_row();
    other_attempt.attempt_id = AttemptId{test::uuid_of(999)};
    const std::vector<Delay> strangers{
        delay_of(test::running_row(), later + 1),
        delay_of(other_epoch),
        delay_of(other_attempt),
        {.lease = lease_on(test::running_row(), HandleKind::suspended), .delay_until_ms = later},
        delay_by_operator(first.row()),
    };
    for (const Delay& stranger : strangers) {
        Desk again(first.row(), now + 5);
        expect_refused(again, again.decide(stranger), ErrorKind::execution_not_active);
    }
    Desk again(first.row(), now + 5);
    expect_refused(again, again.decide(release_of(test::running_row())), ErrorKind::execution_not_active);
}

TEST(DelayDecision, AnOperatorMayOverrideTheFenceOfALiveLeaseOnly) {
    Desk live(test::running_row(), now);
    EXPECT_TRUE(live.decide(delay_by_operator(live.row())));
    Desk waiting(test::waiting_row(), now);
    expect_refused(waiting, waiting.decide(delay_by_operator(waiting.row())), ErrorKind::execution_not_active);
}

TEST(DelayDecision, ALapsedLeaseIsExpiredInstead) {
    Desk desk(test::running_row(), *test::running_row().lease_expires_at_ms);
    const auto refused = desk.decide(delay_of(desk.row()));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::lease_expired);
    EXPECT_EQ(desk.row().vector, lease_expired_vector());
    EXPECT_FALSE(desk.row().delay_until_ms || desk.row().last_release);
}

TEST(ReleaseDecision, AFirstAttemptIsAsIfItHadNotBeenClaimed) {
    const ExecutionRow before = test::waiting_row();
    const ExecutionRow running = claimed(before);
    Desk desk(running, now + 5);
    EXPECT_EQ(answer_of<Released>(desk.decide(release_of(running))), (Released{running.id, PublicState::waiting}));
    ExecutionRow expected = before;
    expected.lease_epoch = 1;
    expected.attempt_id = running.attempt_id;  // by which a repeated call is recognised
    expected.last_release = "unstarted";
    expected.lease_check_at_ms = running.lease_check_at_ms;
    expected.last_transition_at_ms = expected.last_mutation_at_ms = now + 5;
    EXPECT_EQ(desk.row(), expected);
    expect_change_is_reported(desk);
    EXPECT_TRUE(desk.set.attempts.empty());
    EXPECT_TRUE(desk.set.events.of<CompletionEvent>().empty());
    EXPECT_TRUE(desk.set.work_available);
    ASSERT_EQ(desk.set.events.of<LeaseEvent>().size(), 1U);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].event_type, LeaseEventType::released);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].reason, "unstarted");
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].worker_id, "worker-b");
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].attempt_id, running.attempt_id);
}

TEST(ReleaseDecision, ARetryStaysARetry) {
    ExecutionRow before = test::waiting_row();
    before.vector = waiting_vector(AttemptState::pending_retry_attempt);
    before.total_attempt_count = 1;
    before.lease_epoch = 1;
    before.attempt_id = AttemptId{test::uuid_of(100)};
    before.started_at_ms = test::claimed_at;
    before.retry_count = 1;
    Desk desk(claimed(before), now + 5);
    ASSERT_TRUE(desk.decide(release_of(desk.row())));
    EXPECT_EQ(desk.row().vector, before.vector);
    EXPECT_EQ(desk.row().attempt_index, 0);
    EXPECT_EQ(desk.row().total_attempt_count, 1);
    EXPECT_EQ(desk.row().retry_count, 1);
    EXPECT_EQ(desk.row().started_at_ms, test::claimed_at);
    const ExecutionRow next = claimed(desk.row(), 8);
    EXPECT_EQ(next.attempt_type, AttemptType::retry);
    EXPECT_EQ(next.attempt_index, 1);
    EXPECT_EQ(next.previous_attempt_index, 0);
    EXPECT_FALSE(next.last_release);
}

TEST(ReleaseDecision, AReplayStaysAReplay) {
    ExecutionRow before = test::waiting_row();
    before.vector = waiting_vector(AttemptState::pending_replay_attempt);
    before.total_attempt_count = 3;
    before.attempt_index = 2;
    before.started_at_ms = test::claimed_at;
    Desk desk(claimed(before), now + 5);
    ASSERT_EQ(desk.row().attempt_type, AttemptType::replay);
    ASSERT_TRUE(desk.decide(release_of(desk.row())));
    EXPECT_EQ(desk.row().vector, before.vector);
    EXPECT_EQ(desk.row().attempt_index, 2);
    EXPECT_EQ(desk.row().total_attempt_count, 3);
}

TEST(ReleaseDecision, AReclaimIsStillToBeDoneAndCountsOnce) {
    Desk desk(claimed(test::reclaimable_row()), now + 5);
    ASSERT_EQ(desk.row().attempt_type, AttemptType::reclaim);
    ASSERT_TRUE(desk.decide(release_of(desk.row())));
    EXPECT_EQ(desk.row().vector, waiting_vector(AttemptState::pending_retry_attempt));
    EXPECT_EQ(desk.row().attempt_index, 0);
    EXPECT_EQ(desk.row().total_attempt_count, 1);
    EXPECT_EQ(desk.row().lease_reclaim_count, 1);
    EXPECT_FALSE(desk.row().reclaimable_since_ms);
    const ExecutionRow next = claimed(desk.row(), 8);
    EXPECT_EQ(next.attempt_type, AttemptType::reclaim);
    EXPECT_EQ(next.lease_reclaim_count, 1);
    EXPECT_FALSE(next.interrupt_cause);
}

TEST(ReleaseDecision, AResumedAttemptStaysInterrupted) {
    const ExecutionRow resumed = resumed_row(now + 10'000);
    Desk desk(resumed, now + 400);
    EXPECT_EQ(answer_of<Released>(desk.decide(release_of(resumed))), (Released{resumed.id, PublicState::resumable}));
    const ExecutionRow& row = desk.row();
    EXPECT_EQ(row.vector, waiting_vector(AttemptState::attempt_interrupted));
    EXPECT_EQ(row.interrupt_cause, "delay");
    EXPECT_EQ(row.total_attempt_count, 1);
    EXPECT_EQ(row.attempt_id, test::running_row().attempt_id);
    EXPECT_EQ(row.attempt_type, AttemptType::initial);
    EXPECT_EQ(row.started_at_ms, test::claimed_at);
    EXPECT_TRUE(row.attempt_time_left_ms);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>().at(0).reason, "unstarted");
    expect_change_is_reported(desk);
}

TEST(ReleaseDecision, WorkThatHasBegunIsNotGivenBack) {
    ExecutionRow row = test::running_row();
    row.activity_epoch = 1;
    Desk desk(row, now);
    expect_refused(desk, desk.decide(release_of(row)), ErrorKind::attempt_already_started);
    row.activity_epoch = 0;  // of an earlier lease
    Desk unstarted(row, now);
    EXPECT_TRUE(unstarted.decide(release_of(row)));
}

TEST(ReleaseDecision, ARepeatIsRecognisedAndOnlyOfThisCall) {
    Desk first(test::running_row(), now);
    const ReleaseUnstarted command = release_of(first.row());
    ASSERT_TRUE(first.decide(command));
    Desk again(first.row(), now + 5);
    EXPECT_EQ(answer_of<Released>(again.decide(command)), (Released{first.row().id, PublicState::waiting}));
    expect_untouched(again);
    expect_refused(again, again.decide(Delay{.lease = command.lease, .delay_until_ms = later}),
                   ErrorKind::execution_not_active);
    expect_refused(again, again.decide(Fail{.lease = command.lease, .reason = "r", .category = "transient"}),
                   ErrorKind::execution_not_active);
    ExecutionRow stranger = test::running_row();
    stranger.lease_epoch = 7;
    expect_refused(again, again.decide(release_of(stranger)), ErrorKind::execution_not_active);
}

TEST(ReleaseDecision, AnOperatorCannotGiveBackForAWorker) {
    Desk desk(test::running_row(), now);
    expect_refused(desk, desk.decide(ReleaseUnstarted{.lease = test::operator_on(desk.row())}),
                   ErrorKind::invalid_input);
}

TEST(FailDecision, IsNotRecognisedInAReleasedRetry) {
    ExecutionRow before = test::waiting_row();
    before.vector = waiting_vector(AttemptState::pending_retry_attempt);
    before.total_attempt_count = 1;
    before.started_at_ms = test::claimed_at;
    before.retry_count = 1;
    Desk desk(claimed(before), now + 5);
    const LeaseRef lease = lease_on(desk.row());
    ASSERT_TRUE(desk.decide(ReleaseUnstarted{.lease = lease}));
    Desk after(desk.row(), now + 6);
    expect_refused(after, after.decide(Fail{.lease = lease, .reason = "r", .category = "transient"}),
                   ErrorKind::execution_not_active);
}

TEST(DelayDecision, IsWrittenWhollyByEveryCallThatGivesBack) {
    Desk desk(resumed_row(), now + 5);
    ASSERT_TRUE(desk.decide(delay_of(desk.row())));
    expect_change_is_reported(desk);
}

}  // namespace
}  // namespace flowfabric
