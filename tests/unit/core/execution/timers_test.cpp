#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/core/fixtures.hpp"

namespace flowfabric {
namespace {

using test::answer_of;
using test::changed_columns;
using test::Desk;
using test::rarest_written;
using testing::ElementsAre;

const std::int64_t lapses_at = *test::running_row().lease_expires_at_ms;
const ExecutionId id = test::execution(1);

bool expire(Desk& desk) {
    return answer_of<TimerFired>(desk.decide(FireTimer{id, Timer::lease_expiry})).changed;
}

bool promote(Desk& desk) {
    return answer_of<TimerFired>(desk.decide(FireTimer{id, Timer::delayed_promotion})).changed;
}

TEST(ExpireLeaseDecision, ALapsedLeaseBecomesReclaimable) {
    Desk desk(test::running_row(), lapses_at);
    EXPECT_TRUE(expire(desk));
    const ExecutionRow& row = desk.row();
    EXPECT_EQ(row.vector, lease_expired_vector());
    EXPECT_EQ(row.lease_epoch, 2U) << "a forced removal raises the epoch";
    EXPECT_EQ(row.reclaimable_since_ms, lapses_at);
    EXPECT_EQ(row.interrupt_cause, "lease");
    EXPECT_FALSE(row.lease_check_at_ms);
    EXPECT_EQ(row.attempt_id, desk.before.attempt_id) << "the attempt stays open";
    EXPECT_TRUE(desk.set.work_available);
    EXPECT_TRUE(desk.set.attempts.empty());
    EXPECT_EQ(rarest_written(desk.entry), ColumnUse::hot);
    expect_change_is_reported(desk);
    ASSERT_EQ(desk.set.events.of<LeaseEvent>().size(), 1U);
    const LeaseEvent& event = desk.set.events.of<LeaseEvent>()[0];
    EXPECT_EQ(event.event_type, LeaseEventType::expired);
    EXPECT_EQ(event.reason, "lease_ttl");
    EXPECT_EQ(event.lease_epoch, 1U);
    EXPECT_EQ(event.lease_id, desk.before.lease_id);
    EXPECT_EQ(event.worker_instance_id, "instance-a") << "names the previous owner";
}

TEST(ExpireLeaseDecision, ARenewedLeaseIsLookedAtAgainWhenItEnds) {
    ExecutionRow row = test::running_row();
    row.lease_expires_at_ms = lapses_at + 5'000;
    Desk desk(row, lapses_at);
    EXPECT_FALSE(expire(desk));
    EXPECT_THAT(changed_columns(row, desk.row()), ElementsAre("lease_check_at_ms", "last_mutation_at_ms"));
    EXPECT_EQ(desk.row().lease_check_at_ms, lapses_at + 5'000);
    EXPECT_EQ(rarest_written(desk.entry), ColumnUse::hot);
    EXPECT_TRUE(desk.set.events.of<LeaseEvent>().empty());
}

TEST(ExpireLeaseDecision, WhatIsNotDueAnyMoreIsLeftAlone) {
    ExecutionRow finished = test::running_row();
    finished.vector = terminal_vector(TerminalOutcome::success, true);
    for (const ExecutionRow& row : {test::waiting_row(), test::reclaimable_row(), finished}) {
        Desk desk(row, lapses_at + 1'000);
        EXPECT_FALSE(expire(desk));
        expect_untouched(desk);
    }
    Desk early(test::running_row(), lapses_at - 1);
    EXPECT_FALSE(expire(early));
    expect_untouched(early);
}

TEST(PromoteDelayedDecision, ADelayThatIsOverPutsItInTheQueue) {
    Desk desk(test::delayed_row(test::created_at + 50), test::created_at + 50);
    EXPECT_TRUE(promote(desk));
    EXPECT_EQ(desk.row().vector, waiting_vector(AttemptState::pending_first_attempt));
    EXPECT_FALSE(desk.row().delay_until_ms);
    EXPECT_TRUE(desk.set.work_available);
    EXPECT_TRUE(desk.set.events.of<LeaseEvent>().empty());
    EXPECT_EQ(rarest_written(desk.entry), ColumnUse::hot);
    expect_change_is_reported(desk);
}

TEST(PromoteDelayedDecision, TheKindOfAttemptIsKept) {
    for (const auto attempt : {AttemptState::pending_retry_attempt, AttemptState::attempt_interrupted}) {
        ExecutionRow row = test::delayed_row(test::created_at);
        row.vector = delayed_vector(BlockingReason::waiting_for_retry_backoff, attempt);
        Desk desk(row, test::created_at);
        EXPECT_TRUE(promote(desk));
        EXPECT_EQ(desk.row().vector, waiting_vector(attempt));
    }
}

TEST(PromoteDelayedDecision, ADependencyStillHoldsIt) {
    ExecutionRow row = test::delayed_row(test::created_at);
    row.deps_blocked = true;
    Desk desk(row, test::created_at);
    EXPECT_TRUE(promote(desk));
    EXPECT_EQ(desk.row().vector, dependency_vector(AttemptState::pending_first_attempt));
    EXPECT_FALSE(desk.set.work_available);
}

TEST(PromoteDelayedDecision, WhatIsNotDueIsLeftAlone) {
    for (const ExecutionRow& row :
         {test::delayed_row(test::created_at + 51), test::waiting_row(), test::running_row()}) {
        Desk desk(row, test::created_at + 50);
        EXPECT_FALSE(promote(desk));
        expect_untouched(desk);
    }
}

}  // namespace
}  // namespace flowfabric
