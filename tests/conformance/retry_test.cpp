#include "support/fixture.hpp"

namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RetryTest : public StoreTest {
  protected:
    // Waits out the backoff that was scheduled and claims the next attempt.
    ClaimedExecution claim_after(const RetryScheduled& scheduled) {
        advance(scheduled.delay_until_ms - now());
        reconcile();
        return claim();
    }

    void expect_terminal_failure(const ExecutionId& id, const Handle& handle, std::string category = "transient") {
        EXPECT_TRUE(std::holds_alternative<TerminalFailed>(value_of(fail(handle, std::move(category)))));
        EXPECT_EQ(state(id), PublicState::failed);
        EXPECT_THAT(outcomes(id), ElementsAre(TerminalOutcome::failed));
    }
};

TEST_P(RetryTest, FailsAreRetriedUntilTheyAreUsedUp) {
    const ExecutionId id = create_with(retries(2, 500));
    ClaimedExecution claimed = claim();
    for (std::uint32_t retry = 1; retry <= 2; ++retry) {
        const RetryScheduled scheduled = fail_with_retry(claimed.handle);
        EXPECT_EQ(scheduled, (RetryScheduled{.delay_until_ms = now() + 500, .next_attempt_index = retry}));
        claimed = claim_after(scheduled);
        EXPECT_EQ(claimed.attempt_index, retry);
        EXPECT_EQ(claimed.attempt_type, AttemptType::retry);
    }
    expect_terminal_failure(id, claimed.handle);

    const auto history = attempts(id);
    ASSERT_THAT(history, SizeIs(3));
    for (const AttemptView& attempt : history) {
        EXPECT_EQ(attempt.outcome, AttemptOutcome::ended_failure);
        EXPECT_EQ(attempt.failure_reason, "it broke");
        EXPECT_EQ(attempt.failure_category, "transient");
    }
    EXPECT_EQ(history[2].previous_attempt_index, 1U);
    EXPECT_EQ(row(id).retry_count, 2);
}

TEST_P(RetryTest, AFailWithRetryDelaysTheExecution) {
    const ExecutionId id = create_with(retries(2, 500));
    const ClaimedExecution claimed = claim();
    value_of(run(Fail{.lease = claimed.handle, .reason = "no disk", .category = "infra_crash"}));
    const ExecutionRow after = row(id);
    EXPECT_EQ(after.vector.public_state, PublicState::delayed);
    EXPECT_EQ(after.vector.blocking_reason, BlockingReason::waiting_for_retry_backoff);
    EXPECT_EQ(after.vector.attempt_state, AttemptState::pending_retry_attempt);
    EXPECT_EQ(after.failure_reason, "no disk");
    EXPECT_EQ(after.failure_category, "infra_crash");
    EXPECT_EQ(after.attempt_index, 0);
    EXPECT_EQ(after.lease_epoch, 1U);
    EXPECT_TRUE(after.blocking_detail);
    const auto events = lease_events(id);
    ASSERT_THAT(events, SizeIs(2));
    EXPECT_EQ(events[1].event_type, LeaseEventType::released);
    EXPECT_EQ(events[1].reason, "failed_retry_scheduled");
    EXPECT_THAT(outcomes(id), IsEmpty());
}

TEST_P(RetryTest, ATerminalFailTellsWhy) {
    const ExecutionId id = create();
    value_of(run(Fail{.lease = claim().handle, .reason = "bad input", .category = "permanent"}));
    const ExecutionRow after = row(id);
    EXPECT_EQ(after.failure_reason, "bad input");
    EXPECT_EQ(after.failure_category, "permanent");
    EXPECT_EQ(after.vector.attempt_state, AttemptState::attempt_terminal);
    EXPECT_EQ(lease_events(id).back().reason, "failed_terminal");
}

TEST_P(RetryTest, ExponentialBackoffDoublesUpToItsCap) {
    ExecutionPolicy policy;
    policy.retry_policy = RetryPolicy{.max_retries = 9, .backoff = ExponentialBackoff{1000, 60'000, 2.0, false}};
    create_with(policy);
    std::vector<std::int64_t> delays;
    ClaimedExecution claimed = claim();
    for (int i = 0; i < 9; ++i) {
        const RetryScheduled scheduled = fail_with_retry(claimed.handle);
        delays.push_back(scheduled.delay_until_ms - now());
        claimed = claim_after(scheduled);
    }
    EXPECT_THAT(delays, ElementsAre(1000, 2000, 4000, 8000, 16'000, 32'000, 60'000, 60'000, 60'000));
}

TEST_P(RetryTest, JitterStaysBetweenHalfAndWhole) {
    ExecutionPolicy policy;
    policy.retry_policy = RetryPolicy{.max_retries = 20, .backoff = ExponentialBackoff{1000, 1000, 1.0, true}};
    create_with(policy);
    ClaimedExecution claimed = claim();
    for (int i = 0; i < 20; ++i) {
        const RetryScheduled scheduled = fail_with_retry(claimed.handle);
        EXPECT_GE(scheduled.delay_until_ms - now(), 500);
        EXPECT_LE(scheduled.delay_until_ms - now(), 1000);
        claimed = claim_after(scheduled);
    }
}

TEST_P(RetryTest, ADefaultRetryPolicyRetriesThreeTimes) {
    ExecutionPolicy policy;
    policy.retry_policy.emplace();
    const ExecutionId id = create_with(policy);
    ClaimedExecution claimed = claim();
    for (int i = 0; i < 3; ++i) claimed = claim_after(fail_with_retry(claimed.handle));
    expect_terminal_failure(id, claimed.handle);
}

TEST_P(RetryTest, WithoutAPolicyTheFirstFailureIsFinal) {
    const ExecutionId bare = create();
    expect_terminal_failure(bare, claim().handle);
    const ExecutionId without_retry = create_with(requiring({}));
    expect_terminal_failure(without_retry, claim().handle);
}

TEST_P(RetryTest, PermanentAndCancelledFailuresAreFinal) {
    for (const std::string category : {"permanent", "cancelled"}) {
        const ExecutionId id = create_with(retries(5, 100));
        expect_terminal_failure(id, claim().handle, category);
    }
}

TEST_P(RetryTest, OnlyListedCategoriesAreRetried) {
    ExecutionPolicy policy = retries(5, 0);
    policy.retry_policy->retryable_categories = {"x", "permanent"};
    const ExecutionId other = create_with(policy);
    expect_terminal_failure(other, claim().handle, "y");
    const ExecutionId never = create_with(policy);
    expect_terminal_failure(never, claim().handle, "permanent");
    create_with(policy);
    EXPECT_TRUE(std::holds_alternative<RetryScheduled>(value_of(fail(claim().handle, "x"))));
}

TEST_P(RetryTest, ARetryIsNotClaimedBeforeItsTimeNorNeedsAnyCallAfterIt) {
    CreateExecution command;
    command.policy = retries(1, 500);
    command.execution_deadline_at_ms = now() + 3'600'000;
    const ExecutionId id = create(command);
    fail_with_retry(claim().handle);
    advance(499);
    reconcile();
    EXPECT_THAT(claimed_ids(claim_by("w1")), IsEmpty());
    advance(1);
    reconcile();
    EXPECT_THAT(claimed_ids(claim_by("w1")), ElementsAre(id));
    EXPECT_EQ(row(id).deadline_at_ms, command.execution_deadline_at_ms);
}

TEST_P(RetryTest, WithoutBackoffTheRetryIsClaimableAtOnce) {
    const ExecutionId id = create_with(retries(1, 0));
    const RetryScheduled scheduled = fail_with_retry(claim().handle);
    EXPECT_EQ(scheduled.delay_until_ms, now());
    EXPECT_EQ(state(id), PublicState::waiting);
    EXPECT_THAT(claimed_ids(claim_by("w2")), ElementsAre(id));
}

TEST_P(RetryTest, FailingTwiceSchedulesOneRetry) {
    const ExecutionId id = create_with(retries(3, 500));
    const ClaimedExecution claimed = claim();
    const RetryScheduled first = fail_with_retry(claimed.handle);
    advance(100);
    expect_no_change([&] { EXPECT_EQ(fail_with_retry(claimed.handle), first); });
    EXPECT_EQ(row(id).retry_count, 1);
}

TEST_P(RetryTest, AFailRepeatedAfterPromotionIsStillRecognised) {
    create_with(retries(3, 500));
    const ClaimedExecution claimed = claim();
    const RetryScheduled first = fail_with_retry(claimed.handle);
    advance(700);
    reconcile();
    expect_no_change([&] {
        const RetryScheduled again = fail_with_retry(claimed.handle);
        EXPECT_EQ(again.delay_until_ms, now());
        EXPECT_EQ(again.next_attempt_index, first.next_attempt_index);
    });
}

TEST_P(RetryTest, AFailRepeatedAfterTheNextClaimIsRefused) {
    create_with(retries(3, 0));
    const ClaimedExecution first = claim("w1");
    fail_with_retry(first.handle);
    claim("w2");
    expect_no_change([&] { expect_error(fail(first.handle), ErrorKind::stale_lease); });
}

TEST_P(RetryTest, ATerminalFailRepeatedIsTheSameAnswer) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    expect_terminal_failure(id, claimed.handle);
    advance(100);
    expect_no_change([&] { expect_terminal_failure(id, claimed.handle); });
    expect_no_change([&] { expect_error(complete(claimed.handle), ErrorKind::execution_not_active); });
}

TEST_P(RetryTest, ARetrySucceedsLikeAnyOther) {
    const ExecutionId id = create_with(retries(1, 0));
    fail_with_retry(claim().handle);
    value_of(complete(claim().handle, "second time lucky"));
    EXPECT_EQ(state(id), PublicState::completed);
    EXPECT_EQ(result(id), "second time lucky");
    EXPECT_EQ(row(id).blocking_detail, std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Stores, RetryTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
