#include <gtest/gtest.h>

#include "unit/core/fixtures.hpp"

namespace flowfabric {
namespace {

using test::answer_of;
using test::Desk;
using test::rarest_written;

constexpr std::int64_t now = test::claimed_at + 1'000;

ExecutionRow row_with(std::string_view policy) {
    ExecutionRow row = test::running_row();
    row.policy = Json{std::string(policy)};
    return row;
}

ExecutionRow fixed_500() {
    return row_with(R"({"retry_policy":{"max_retries":2,"backoff":{"type":"fixed","delay_ms":500}}})");
}

Fail fail_of(const ExecutionRow& row, std::string category = "transient") {
    return {.lease = test::lease_on(row), .reason = "boom", .category = std::move(category)};
}

void expect_terminal_failure(const Desk& desk, const Result<Answer>& answer) {
    EXPECT_EQ(answer_of<Failed>(answer), Failed{TerminalFailed{}});
    EXPECT_EQ(desk.row().vector, terminal_vector(TerminalOutcome::failed, true));
    ASSERT_EQ(desk.set.events.of<CompletionEvent>().size(), 1U);
    EXPECT_EQ(desk.set.events.of<CompletionEvent>()[0].outcome, TerminalOutcome::failed);
    ASSERT_EQ(desk.set.events.of<LeaseEvent>().size(), 1U);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].event_type, LeaseEventType::released);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].reason, "failed_terminal");
    expect_change_is_reported(desk);
}

TEST(FailDecision, ARetryIsScheduledAfterTheBackoff) {
    Desk desk(fixed_500(), now);
    const auto answer = answer_of<Failed>(desk.decide(fail_of(desk.row())));
    EXPECT_EQ(answer, (Failed{RetryScheduled{.delay_until_ms = now + 500, .next_attempt_index = 1}}));
    const ExecutionRow& row = desk.row();
    EXPECT_EQ(row.vector,
              delayed_vector(BlockingReason::waiting_for_retry_backoff, AttemptState::pending_retry_attempt));
    EXPECT_EQ(row.delay_until_ms, now + 500);
    EXPECT_EQ(row.retry_count, 1);
    EXPECT_EQ(row.attempt_index, 0) << "stays current until the next claim";
    EXPECT_EQ(row.lease_epoch, 1U);
    EXPECT_EQ(row.failure_reason, "boom");
    EXPECT_EQ(row.failure_category, "transient");
    EXPECT_TRUE(row.blocking_detail);
    EXPECT_FALSE(row.lease_id);
    EXPECT_FALSE(row.terminal_at_ms);
    EXPECT_EQ(rarest_written(desk.entry), ColumnUse::cold);
    expect_change_is_reported(desk);

    ASSERT_EQ(desk.set.attempts.size(), 1U);
    EXPECT_EQ(desk.set.attempts[0].outcome, AttemptOutcome::ended_failure);
    EXPECT_EQ(desk.set.attempts[0].failure_reason, "boom");
    EXPECT_EQ(desk.set.attempts[0].failure_category, "transient");
    ASSERT_EQ(desk.set.events.of<LeaseEvent>().size(), 1U);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].reason, "failed_retry_scheduled");
    EXPECT_TRUE(desk.set.events.of<CompletionEvent>().empty());
    EXPECT_FALSE(desk.set.work_available);
}

TEST(FailDecision, WithoutBackoffTheRetryWaitsForAWorkerAtOnce) {
    Desk desk(row_with(R"({"retry_policy":{"backoff":{"type":"fixed","delay_ms":0}}})"), now);
    const auto answer = answer_of<Failed>(desk.decide(fail_of(desk.row())));
    EXPECT_EQ(answer, (Failed{RetryScheduled{.delay_until_ms = now, .next_attempt_index = 1}}));
    EXPECT_EQ(desk.row().vector, waiting_vector(AttemptState::pending_retry_attempt));
    EXPECT_FALSE(desk.row().delay_until_ms);
    EXPECT_TRUE(desk.set.work_available);
}

TEST(FailDecision, UsedUpRetriesEndIt) {
    ExecutionRow row = fixed_500();
    row.retry_count = 2;
    Desk desk(row, now);
    expect_terminal_failure(desk, desk.decide(fail_of(row)));
    EXPECT_EQ(desk.row().retry_count, 2);
    EXPECT_EQ(desk.row().failure_reason, "boom");
}

TEST(FailDecision, WithoutARetryPolicyTheStoresDefaultDecides) {
    for (const ExecutionRow& row : {test::running_row(), row_with("{}")}) {
        Desk tried_again(row, now);
        tried_again.set.settings = {};
        const auto answer = answer_of<Failed>(tried_again.decide(fail_of(row)));
        const auto& scheduled = std::get<RetryScheduled>(answer);
        EXPECT_GE(scheduled.delay_until_ms, now + 500) << "half of the first second at least";
        EXPECT_LE(scheduled.delay_until_ms, now + 1000);
        Desk repeated(row, now);
        repeated.set.settings = {};
        EXPECT_EQ(answer_of<Failed>(repeated.decide(fail_of(row))), answer) << "jitter is not drawn anew";

        Desk ended(row, now);
        ended.set.settings.default_retry_policy = {.max_retries = 0};
        expect_terminal_failure(ended, ended.decide(fail_of(row)));
    }
    ExecutionRow used_up = test::running_row();
    used_up.retry_count = 3;
    Desk last(used_up, now);
    last.set.settings = {};
    expect_terminal_failure(last, last.decide(fail_of(used_up)));
}

TEST(FailDecision, APolicysOwnRetriesWinOverTheStores) {
    Desk desk(row_with(R"({"retry_policy":{"max_retries":0}})"), now);
    desk.set.settings = {};
    expect_terminal_failure(desk, desk.decide(fail_of(desk.row())));
}

TEST(FailDecision, CategoriesDecide) {
    for (const std::string_view category : {"permanent", "cancelled"}) {
        Desk desk(fixed_500(), now);
        expect_terminal_failure(desk, desk.decide(fail_of(desk.row(), std::string(category))));
    }
    const auto policy = R"({"retry_policy":{"retryable_categories":["x"]}})";
    Desk other(row_with(policy), now);
    expect_terminal_failure(other, other.decide(fail_of(other.row(), "y")));
    EXPECT_EQ(other.row().failure_category, "y") << "stored verbatim";
    Desk named(row_with(policy), now);
    const auto answer = answer_of<Failed>(named.decide(fail_of(named.row(), "x")));
    EXPECT_TRUE(std::holds_alternative<RetryScheduled>(answer));
}

TEST(FailDecision, ARepeatedFailGetsItsFirstAnswer) {
    Desk first(fixed_500(), now);
    const Fail command = fail_of(first.row());
    const auto scheduled = answer_of<Failed>(first.decide(command));

    Desk again(first.row(), now + 100);
    EXPECT_EQ(answer_of<Failed>(again.decide(command)), scheduled);
    expect_untouched(again);

    Desk final(test::running_row(), now);
    const Fail last = fail_of(final.row());
    ASSERT_TRUE(final.decide(last));
    Desk final_again(final.row(), now + 100);
    EXPECT_EQ(answer_of<Failed>(final_again.decide(last)), Failed{TerminalFailed{}});
    expect_untouched(final_again);
}

TEST(FailDecision, ARepeatAfterThePromotionSaysNow) {
    Desk first(fixed_500(), now);
    const Fail command = fail_of(first.row());
    ASSERT_TRUE(first.decide(command));
    Desk promoted(first.row(), now + 500);
    ASSERT_TRUE(promoted.decide(FireTimer{first.row().id, Timer::delayed_promotion}));

    Desk again(promoted.row(), now + 700);
    EXPECT_EQ(answer_of<Failed>(again.decide(command)),
              (Failed{RetryScheduled{.delay_until_ms = now + 700, .next_attempt_index = 1}}));
}

TEST(FailDecision, ARepeatAfterTheNextClaimIsStale) {
    Desk first(fixed_500(), now);
    const Fail command = fail_of(first.row());
    ASSERT_TRUE(first.decide(command));
    ExecutionRow row = first.row();
    row.vector = waiting_vector(AttemptState::pending_retry_attempt);
    Desk next(row, now + 1'000);
    ASSERT_TRUE(decide_claim(test::claim_by("worker-b"), 0, next.entry, next.context));

    Desk again(next.row(), now + 2'000);
    const auto refused = again.decide(command);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::stale_lease);
    expect_untouched(again);
}

TEST(FailDecision, ACompletedExecutionIsNotFailedAfterwards) {
    Desk first(fixed_500(), now);
    const Fail late = fail_of(first.row());
    ASSERT_TRUE(first.decide(Complete{.lease = test::lease_on(first.row())}));
    Desk again(first.row(), now + 1);
    const auto refused = again.decide(late);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::execution_not_active);
    EXPECT_EQ(refused.error().not_active->terminal_outcome, "success");
    expect_untouched(again);
}

TEST(FailDecision, AStoredPolicyThatCannotBeReadEndsTheExecutionInsteadOfCyclingForEver) {
    Desk desk(row_with("nonsense"), now);
    expect_terminal_failure(desk, desk.decide(fail_of(desk.row())));
    EXPECT_EQ(desk.row().failure_category, "corruption");
    EXPECT_TRUE(desk.row().failure_reason->starts_with("boom; not retried: ")) << *desk.row().failure_reason;
}

}  // namespace
}  // namespace flowfabric
