#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/core/fixtures.hpp"

namespace flowfabric {
namespace {

using test::answer_of;
using test::Desk;
using test::lease_on;

constexpr std::int64_t now = test::claimed_at + 1'000;

CancelExecution cancel_by(const std::string& source, const ExecutionRow& row) {
    return {.execution = {.execution_id = row.id}, .reason = "not needed", .source = source};
}

Cancel cancel_by_holder(const ExecutionRow& row) {
    return {.lease = lease_on(row), .reason = "not needed"};
}

void expect_cancelled(Desk& desk, const std::string& by) {
    const ExecutionRow& row = desk.row();
    EXPECT_EQ(row.vector, terminal_vector(TerminalOutcome::cancelled, desk.before.total_attempt_count > 0));
    EXPECT_EQ(row.cancellation_reason, "not needed");
    EXPECT_EQ(row.cancelled_by, by);
    EXPECT_EQ(row.terminal_at_ms, desk.set.now_ms);
    EXPECT_FALSE(row.lease_id || row.worker_id || row.worker_instance_id || row.lease_expires_at_ms);
    EXPECT_FALSE(row.delay_until_ms || row.reclaimable_since_ms || row.attempt_deadline_at_ms || row.interrupt_cause);
    ASSERT_EQ(desk.set.events.of<CompletionEvent>().size(), 1U);
    EXPECT_EQ(desk.set.events.of<CompletionEvent>()[0].outcome, TerminalOutcome::cancelled);
    expect_change_is_reported(desk);
}

TEST(CancelDecision, OfWhatWasNeverClaimed) {
    for (const ExecutionRow& row : {test::waiting_row(), test::delayed_row(now + 5)}) {
        Desk desk(row, now);
        EXPECT_EQ(answer_of<Cancelled>(desk.decide(cancel_by("operator_override", row))),
                  (Cancelled{row.id, PublicState::cancelled}));
        expect_cancelled(desk, "operator_override");
        EXPECT_TRUE(desk.set.attempts.empty());
        EXPECT_TRUE(desk.set.events.of<LeaseEvent>().empty());
        EXPECT_EQ(desk.row().lease_epoch, 0U);
    }
}

TEST(CancelDecision, OfALiveLeaseRevokesIt) {
    struct Case {
        std::string source;
        std::string revoked_by;
        std::size_t operator_events;
    };
    for (const auto& [source, revoked_by, operator_events] :
         {Case{"operator_override", "operator", 1}, Case{"night shift", "operator", 1},
          Case{"flow_cascade", "backend", 0}, Case{"system_timeout", "reconciler", 0}}) {
        Desk desk(test::running_row(), now);
        ASSERT_TRUE(desk.decide(cancel_by(source, desk.row())));
        expect_cancelled(desk, source);
        EXPECT_EQ(desk.row().lease_epoch, 2U);
        ASSERT_EQ(desk.set.events.of<LeaseEvent>().size(), 1U);
        const LeaseEvent& event = desk.set.events.of<LeaseEvent>()[0];
        EXPECT_EQ(event.event_type, LeaseEventType::revoked);
        EXPECT_EQ(event.reason, source);
        EXPECT_EQ(event.revoked_by, revoked_by);
        EXPECT_EQ(event.lease_epoch, 1U);
        EXPECT_EQ(event.lease_id, desk.before.lease_id);
        EXPECT_EQ(event.worker_id, "worker-a");
        ASSERT_EQ(desk.set.attempts.size(), 1U);
        EXPECT_EQ(desk.set.attempts[0].outcome, AttemptOutcome::ended_cancelled);
        EXPECT_EQ(desk.set.attempts[0].failure_reason, "not needed");
        EXPECT_EQ(desk.set.attempts[0].lease_epoch, 1U);
        EXPECT_EQ(desk.set.attempts[0].worker_id, "worker-a");
        EXPECT_EQ(desk.set.events.of<OperatorEvent>().size(), operator_events) << source;
    }
}

TEST(CancelDecision, ByTheHolderReleasesTheLease) {
    Desk desk(test::running_row(), now);
    ASSERT_TRUE(desk.decide(cancel_by_holder(desk.row())));
    expect_cancelled(desk, "worker");
    EXPECT_EQ(desk.row().lease_epoch, 1U);
    ASSERT_EQ(desk.set.events.of<LeaseEvent>().size(), 1U);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].event_type, LeaseEventType::released);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].reason, "cancelled");
    EXPECT_FALSE(desk.set.events.of<LeaseEvent>()[0].revoked_by);
    EXPECT_TRUE(desk.set.events.of<OperatorEvent>().empty());
}

TEST(CancelDecision, OfALostLeaseRemovesNone) {
    ExecutionRow revoked = test::reclaimable_row();
    revoked.vector.ownership_state = OwnershipState::lease_revoked;
    for (const ExecutionRow& row : {test::reclaimable_row(), revoked}) {
        Desk desk(row, now + 60'000);
        ASSERT_TRUE(desk.decide(cancel_by("operator_override", row)));
        expect_cancelled(desk, "operator_override");
        EXPECT_EQ(desk.row().lease_epoch, 2U);
        EXPECT_TRUE(desk.set.events.of<LeaseEvent>().empty());
        ASSERT_EQ(desk.set.attempts.size(), 1U);
        EXPECT_EQ(desk.set.attempts[0].lease_epoch, 1U);
        EXPECT_EQ(desk.set.attempts[0].lease_id, row.lease_id);
    }
}

TEST(CancelDecision, ALeaseThatLapsedUnnoticedIsExpiredFirst) {
    Desk desk(test::running_row(), *test::running_row().lease_expires_at_ms);
    ASSERT_TRUE(desk.decide(cancel_by("operator_override", desk.row())));
    expect_cancelled(desk, "operator_override");
    EXPECT_EQ(desk.row().lease_epoch, 2U);
    ASSERT_EQ(desk.set.events.of<LeaseEvent>().size(), 1U);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].event_type, LeaseEventType::expired);
    EXPECT_EQ(desk.set.attempts.at(0).lease_epoch, 1U);
}

TEST(CancelDecision, TheHolderOfALapsedOrRevokedLeaseIsRefused) {
    Desk lapsed(test::running_row(), *test::running_row().lease_expires_at_ms);
    const auto expired = lapsed.decide(cancel_by_holder(lapsed.row()));
    ASSERT_FALSE(expired);
    EXPECT_EQ(expired.error().kind, ErrorKind::lease_expired);
    EXPECT_EQ(lapsed.row().vector, lease_expired_vector());

    ExecutionRow row = test::reclaimable_row();
    row.vector.ownership_state = OwnershipState::lease_revoked;
    Desk desk(row, now);
    const auto revoked = desk.decide(cancel_by_holder(test::running_row()));
    ASSERT_FALSE(revoked);
    EXPECT_EQ(revoked.error().kind, ErrorKind::lease_revoked);
    expect_untouched(desk);
}

TEST(CancelDecision, OnlyARunningExecutionAsksItsHolderForAFence) {
    Desk running(test::running_row(), now);
    const auto refused = running.decide(cancel_by("lease_holder", running.row()));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::invalid_input);
    expect_untouched(running);
    Desk waiting(test::waiting_row(), now);
    EXPECT_TRUE(waiting.decide(cancel_by("lease_holder", waiting.row())));
    EXPECT_TRUE(waiting.set.events.of<OperatorEvent>().empty());
}

TEST(CancelDecision, OfADelayedAttemptEndsItUnderItsLastWorker) {
    ExecutionRow row = test::running_row();
    row.attempt_deadline_at_ms = now + 500;
    Desk delaying(row, now);
    ASSERT_TRUE(delaying.decide(Delay{.lease = lease_on(row), .delay_until_ms = now + 5'000}));
    Desk desk(delaying.row(), now + 5);
    ASSERT_TRUE(desk.decide(cancel_by("flow_cascade", row)));
    expect_cancelled(desk, "flow_cascade");
    EXPECT_FALSE(desk.row().attempt_time_left_ms);
    EXPECT_EQ(desk.row().lease_epoch, 1U);
    EXPECT_TRUE(desk.set.events.of<LeaseEvent>().empty());
    ASSERT_EQ(desk.set.attempts.size(), 1U);
    EXPECT_EQ(desk.set.attempts[0].worker_id, "worker-a");
    EXPECT_EQ(desk.set.attempts[0].lease_id, row.lease_id);
}

TEST(CancelDecision, ARepeatSucceedsAndTheFirstReasonStands) {
    Desk first(test::running_row(), now);
    const Cancel by_holder = cancel_by_holder(first.row());
    ASSERT_TRUE(first.decide(by_holder));
    const auto expect_repeated = [&](auto again) {
        again.reason = "me too";
        Desk desk(first.row(), now + 5);
        EXPECT_TRUE(desk.decide(again));
        expect_untouched(desk);
        EXPECT_TRUE(desk.set.events.of<OperatorEvent>().empty());
    };
    expect_repeated(by_holder);
    expect_repeated(cancel_by("operator_override", first.row()));
}

TEST(CancelDecision, OfAnyOtherEndIsRefusedWithItsFacts) {
    for (const TerminalOutcome outcome :
         {TerminalOutcome::success, TerminalOutcome::failed, TerminalOutcome::expired, TerminalOutcome::skipped}) {
        ExecutionRow row = test::waiting_row();
        row.vector = terminal_vector(outcome, true);
        row.total_attempt_count = 1;
        row.lease_epoch = 3;
        row.attempt_id = AttemptId{test::uuid_of(100)};
        row.terminal_at_ms = now;
        Desk desk(row, now);
        const auto refused = desk.decide(cancel_by("operator_override", row));
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().kind, ErrorKind::execution_not_active);
        EXPECT_EQ(refused.error().not_active, (NotActiveFacts{.terminal_outcome = std::string(to_string(outcome)),
                                                              .lease_epoch = 3,
                                                              .lifecycle_phase = "terminal",
                                                              .attempt_id = row.attempt_id->to_string()}));
        expect_untouched(desk);
    }
}

TEST(CancelDecision, TheOperatorEventNamesReasonAndSource) {
    ExecutionRow row = test::waiting_row();
    row.instance_tag = "i-1";
    row.namespace_name = "shop";
    Desk desk(row, now);
    ASSERT_TRUE(desk.decide(cancel_by("night \"shift\"", row)));
    ASSERT_EQ(desk.set.events.of<OperatorEvent>().size(), 1U);
    EXPECT_EQ(desk.set.events.of<OperatorEvent>()[0],
              (OperatorEvent{.event_id = 0,
                             .partition_key = row.id.partition,
                             .subject_id = row.id.uuid,
                             .namespace_name = "shop",
                             .instance_tag = "i-1",
                             .subject_kind = SubjectKind::execution,
                             .event_type = OperatorEventType::execution_cancelled,
                             .details = {R"({"reason":"not needed","source":"night \"shift\""})"},
                             .occurred_at_ms = now}));
}

}  // namespace
}  // namespace flowfabric
