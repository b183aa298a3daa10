#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/core/fixtures.hpp"

namespace flowfabric {
namespace {

using test::answer_of;
using test::changed_columns;
using test::Desk;
using test::lease_on;
using test::rarest_written;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;

constexpr std::int64_t now = test::claimed_at + 1'000;

Renew renew_of(const ExecutionRow& row, std::uint64_t ttl = test::lease_ttl) {
    return {.lease = lease_on(row), .lease_ttl_ms = ttl};
}

Complete complete_of(const ExecutionRow& row, std::optional<Bytes> result = "done") {
    return {.lease = lease_on(row), .result = std::move(result), .result_encoding = {}};
}

Complete complete_by_operator(const ExecutionRow& row) {
    Complete command = complete_of(row, std::nullopt);
    command.lease = test::operator_on(row);
    command.source = Source::operator_override;
    return command;
}

TEST(RenewDecision, ExtendsTheLeaseAndTouchesNothingElse) {
    Desk desk(test::running_row(), now);
    const auto renewed = answer_of<Renewed>(desk.decide(renew_of(desk.row())));
    EXPECT_EQ(renewed, (Renewed{.lease_expires_at_ms = now + 30'000, .lease_epoch = {1}}));
    EXPECT_THAT(changed_columns(desk.before, desk.row()),
                ElementsAre("lease_expires_at_ms", "lease_last_renewed_at_ms", "last_mutation_at_ms"));
    EXPECT_EQ(rarest_written(desk.entry), ColumnUse::hot);
    ASSERT_EQ(desk.set.events.of<LeaseEvent>().size(), 1U);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].event_type, LeaseEventType::renewed);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].lease_epoch, 1U);
}

TEST(RenewDecision, TheEventCanBeSwitchedOff) {
    Desk desk(test::running_row(), now);
    desk.set.settings.emit_renewed_events = false;
    ASSERT_TRUE(desk.decide(renew_of(desk.row())));
    EXPECT_TRUE(desk.set.events.of<LeaseEvent>().empty());
    EXPECT_EQ(desk.row().lease_last_renewed_at_ms, now);
}

TEST(RenewDecision, AShorterLeaseIsLookedAtInTime) {
    Desk desk(test::running_row(), now);
    ASSERT_TRUE(desk.decide(renew_of(desk.row(), 1'000)));
    EXPECT_EQ(desk.row().lease_expires_at_ms, now + 1'000);
    EXPECT_EQ(desk.row().lease_check_at_ms, now + 1'000);
}

TEST(RenewDecision, AnOperatorCannotRenew) {
    Desk desk(test::running_row(), now);
    const auto refused = desk.decide(Renew{.lease = test::operator_on(desk.row()), .lease_ttl_ms = 1'000});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::invalid_input);
    expect_untouched(desk);
}

TEST(CompleteDecision, EndsTheAttemptReleasesTheLeaseAndStaysHot) {
    Desk desk(test::running_row(), now);
    const auto completed = answer_of<Completed>(desk.decide(complete_of(desk.row())));
    EXPECT_EQ(completed, (Completed{.execution_id = desk.row().id, .public_state = PublicState::completed}));
    const ExecutionRow& row = desk.row();
    EXPECT_EQ(row.vector, terminal_vector(TerminalOutcome::success, true));
    EXPECT_EQ(row.terminal_at_ms, now);
    EXPECT_EQ(row.lease_epoch, 1U) << "a voluntary release keeps the epoch";
    EXPECT_EQ(row.attempt_id, desk.before.attempt_id) << "by which a repeated call is recognised";
    EXPECT_FALSE(row.lease_id);
    EXPECT_FALSE(row.worker_id);
    EXPECT_FALSE(row.lease_expires_at_ms);
    EXPECT_EQ(desk.entry.result, "done");
    EXPECT_EQ(rarest_written(desk.entry), ColumnUse::hot);
    EXPECT_THAT(changed_columns(desk.before, row), Not(Contains("lease_check_at_ms")));
    expect_change_is_reported(desk);

    ASSERT_EQ(desk.set.attempts.size(), 1U);
    EXPECT_EQ(desk.set.attempts[0].outcome, AttemptOutcome::ended_success);
    EXPECT_EQ(desk.set.attempts[0].lease_epoch, 1U);
    EXPECT_EQ(desk.set.attempts[0].terminal_at_ms, now);
    ASSERT_EQ(desk.set.events.of<LeaseEvent>().size(), 1U);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].event_type, LeaseEventType::released);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].reason, "completed");
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].lease_id, desk.before.lease_id);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].worker_instance_id, "instance-a");
    ASSERT_EQ(desk.set.events.of<CompletionEvent>().size(), 1U);
    EXPECT_EQ(desk.set.events.of<CompletionEvent>()[0].outcome, TerminalOutcome::success);
    EXPECT_EQ(desk.set.events.of<CompletionEvent>()[0].dispatched_at_ms, now) << "no flow waits for it";
}

TEST(CompleteDecision, AFlowMembersCompletionIsYetToBeDispatched) {
    ExecutionRow row = test::running_row();
    row.flow_id = FlowId{test::uuid_of(50)};
    Desk desk(row, now);
    ASSERT_TRUE(desk.decide(complete_of(row)));
    EXPECT_EQ(desk.set.events.of<CompletionEvent>()[0].flow_id, row.flow_id);
    EXPECT_FALSE(desk.set.events.of<CompletionEvent>()[0].dispatched_at_ms);
}

TEST(CompleteDecision, ColdColumnsAreWrittenWhenTheyChange) {
    Desk encoded(test::running_row(), now);
    Complete command = complete_of(encoded.row());
    command.result_encoding = "json";
    ASSERT_TRUE(encoded.decide(command));
    EXPECT_EQ(encoded.row().result_encoding, "json");
    EXPECT_EQ(rarest_written(encoded.entry), ColumnUse::cold);

    ExecutionRow row = test::running_row();
    row.deadline_at_ms = row.deadline_check_at_ms = now + 99;
    Desk with_deadline(row, now);
    ASSERT_TRUE(with_deadline.decide(complete_of(row)));
    EXPECT_FALSE(with_deadline.row().deadline_check_at_ms) << "no scanner looks at a finished execution";
    EXPECT_EQ(with_deadline.row().deadline_at_ms, now + 99);
    EXPECT_EQ(rarest_written(with_deadline.entry), ColumnUse::cold);
}

TEST(CompleteDecision, ARepeatAfterALostReplySucceedsAndChangesNothing) {
    Desk first(test::running_row(), now);
    const Complete command = complete_of(first.row());
    ASSERT_TRUE(first.decide(command));

    Desk again(first.row(), now + 5);
    Complete other = command;
    other.result = "another result";
    EXPECT_TRUE(again.decide(other));
    EXPECT_FALSE(again.entry.result);
    expect_untouched(again);
}

TEST(CompleteDecision, OnlyTheOneWhoCompletedMayRepeat) {
    Desk first(test::running_row(), now);
    ASSERT_TRUE(first.decide(complete_of(first.row())));

    ExecutionRow other_epoch = test::running_row();
    other_epoch.lease_epoch = 9;
    ExecutionRow other_attempt = test::running_row();
    other_attempt.attempt_id = AttemptId{test::uuid_of(999)};
    Complete by_suspended = complete_of(test::running_row());
    by_suspended.lease = lease_on(test::running_row(), HandleKind::suspended);
    const std::vector<Complete> strangers{complete_of(other_epoch), complete_of(other_attempt), by_suspended,
                                          complete_by_operator(first.row())};
    for (const Complete& stranger : strangers) {
        Desk again(first.row(), now + 5);
        const auto refused = again.decide(stranger);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().kind, ErrorKind::execution_not_active);
        EXPECT_EQ(refused.error().not_active->terminal_outcome, "success");
        expect_untouched(again);
    }
}

TEST(CompleteDecision, AnOperatorMayCompleteALiveLease) {
    Desk desk(test::running_row(), now);
    ASSERT_TRUE(desk.decide(complete_by_operator(desk.row())));
    EXPECT_EQ(desk.row().vector.terminal_outcome, TerminalOutcome::success);
}

TEST(CompleteDecision, TheHolderOfALapsedLeaseIsTooLateAndExpiresIt) {
    Desk desk(test::running_row(), *test::running_row().lease_expires_at_ms);
    const auto refused = desk.decide(complete_of(desk.row()));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::lease_expired);
    EXPECT_EQ(desk.row().vector, lease_expired_vector());
    EXPECT_FALSE(desk.entry.result);
    EXPECT_TRUE(desk.set.events.of<CompletionEvent>().empty());
    EXPECT_TRUE(desk.set.attempts.empty()) << "the attempt stays open until it is reclaimed";
}

TEST(MissingRow, IsAnErrorForPeopleAndNothingToDoForScanners) {
    const ExecutionId id = test::execution(1);
    const ExecutionRow row = test::running_row(1);
    const std::vector<test::Given> by_people{renew_of(row), complete_of(row), Fail{.lease = lease_on(row)}};
    for (const auto& [command] : by_people) {
        Desk desk(test::running_row(2));
        const auto refused = desk.decide(command);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().kind, ErrorKind::execution_not_found);
        expect_untouched(desk);
    }
    const std::vector<test::Given> by_scanners{FireTimer{id, Timer::lease_expiry},
                                               FireTimer{id, Timer::delayed_promotion}};
    for (const auto& [command] : by_scanners) {
        Desk desk(test::running_row(2));
        EXPECT_EQ(answer_of<TimerFired>(desk.decide(command)), TimerFired{.changed = false});
        expect_untouched(desk);
    }
}

}  // namespace
}  // namespace flowfabric
