#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/core/fixtures.hpp"

namespace flowfabric {
namespace {

using test::answer_of;
using test::changed_columns;
using test::Desk;

constexpr std::int64_t now = test::claimed_at + 1'000;

void expect_refused(Desk& desk, const Result<Answer>& answer, ErrorKind kind) {
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, kind) << to_string(answer.error());
    EXPECT_THAT(answer.error().detail, ::testing::HasSubstr(desk.row().id.to_string()));
    expect_untouched(desk);
    EXPECT_TRUE(desk.set.events.of<OperatorEvent>().empty());
}

void expect_told(const Desk& desk, OperatorEventType type, const std::string& details) {
    ASSERT_EQ(desk.set.events.of<OperatorEvent>().size(), 1U);
    const OperatorEvent& event = desk.set.events.of<OperatorEvent>()[0];
    EXPECT_EQ(event.event_type, type);
    EXPECT_EQ(event.subject_kind, SubjectKind::execution);
    EXPECT_EQ(event.subject_id, desk.row().id.uuid);
    EXPECT_EQ(event.partition_key, desk.row().id.partition);
    EXPECT_EQ(event.details.text, details);
    EXPECT_EQ(event.occurred_at_ms, desk.set.now_ms);
}

ExecutionRow revoked_row() {
    ExecutionRow row = test::reclaimable_row();
    row.vector = lease_revoked_vector();
    return row;
}

ExecutionRow ended_row(TerminalOutcome outcome) {
    ExecutionRow row = test::resumable_row();
    row.vector = terminal_vector(outcome, true);
    row.attempt_type.reset();
    row.attempt_started_at_ms.reset();
    row.interrupt_cause.reset();
    row.terminal_at_ms = test::claimed_at;
    return row;
}

// ---- change_priority --------------------------------------------------------------------------------------------

TEST(PriorityDecision, ChangesOnlyThePriorityOfWhatWaits) {
    for (const ExecutionRow& row : {test::waiting_row(), test::resumable_row()}) {
        Desk desk(row, now);
        EXPECT_EQ(answer_of<PriorityChanged>(desk.decide(ChangePriority{row.id, 7})), (PriorityChanged{row.id, 0, 7}));
        EXPECT_THAT(changed_columns(desk.before, desk.row()),
                    ::testing::UnorderedElementsAre("priority", "last_mutation_at_ms"));
        EXPECT_TRUE(desk.set.work_available) << "other engines have to look at the new level";
        expect_told(desk, OperatorEventType::priority_changed, R"({"old_priority":0,"new_priority":7})");
        expect_change_is_reported(desk);
    }
}

TEST(PriorityDecision, RefusesWhatDoesNotWait) {
    for (const ExecutionRow& row : {test::running_row(), test::delayed_row(now + 5), test::reclaimable_row(),
                                    revoked_row(), ended_row(TerminalOutcome::success)}) {
        Desk desk(row, now);
        expect_refused(desk, desk.decide(ChangePriority{row.id, 7}), ErrorKind::execution_not_eligible);
    }
}

// ---- purge_execution --------------------------------------------------------------------------------------------

TEST(PurgeDecision, RemovesWhatHasEnded) {
    Desk desk(ended_row(TerminalOutcome::failed), now);
    const ExecutionId id = desk.row().id;
    EXPECT_EQ(answer_of<Purged>(desk.decide(PurgeExecution{id})), (Purged{id, PublicState::failed}));
    EXPECT_EQ(desk.entry.change, RowChange::erase);
    expect_told(desk, OperatorEventType::execution_purged, R"({"public_state":"failed"})");
    EXPECT_TRUE(desk.set.events.of<CompletionEvent>().empty());
}

TEST(PurgeDecision, RefusesWhatHasNotEndedAndMembersOfFlows) {
    for (const ExecutionRow& row : {test::running_row(), test::delayed_row(now + 5), revoked_row()}) {
        Desk desk(row, now);
        expect_refused(desk, desk.decide(PurgeExecution{row.id}), ErrorKind::execution_not_terminal);
    }
    ExecutionRow member = ended_row(TerminalOutcome::success);
    member.flow_id = FlowId{};
    Desk desk(member, now);
    expect_refused(desk, desk.decide(PurgeExecution{member.id}), ErrorKind::execution_already_in_flow);
}

TEST(PurgeDecision, WaitsForTheBatchThatFollowsAChange) {
    Desk desk(ended_row(TerminalOutcome::success), now);
    desk.entry.change = RowChange::update;
    EXPECT_EQ(answer_of<MoreRows>(desk.decide(PurgeExecution{desk.row().id})), MoreRows{});
    EXPECT_EQ(desk.entry.change, RowChange::update);
}

// ---- replay_execution -------------------------------------------------------------------------------------------

Result<Answer> replay(Desk& desk) {
    return desk.decide(ReplayExecution{desk.row().id});
}

TEST(ReplayDecision, ForgetsHowItEnded) {
    for (const auto outcome :
         {TerminalOutcome::success, TerminalOutcome::failed, TerminalOutcome::cancelled, TerminalOutcome::expired}) {
        ExecutionRow row = ended_row(outcome);
        row.retry_count = 3;
        row.replay_count = 2;
        row.result_encoding = "text";
        row.failure_reason = "it broke";
        row.failure_category = "transient";
        row.cancellation_reason = "not needed";
        row.cancelled_by = "operator_override";
        Desk desk(row, now);
        EXPECT_EQ(answer_of<Replayed>(replay(desk)), (Replayed{row.id, PublicState::waiting}));
        const ExecutionRow& after = desk.row();
        EXPECT_EQ(after.vector, waiting_vector(AttemptState::pending_replay_attempt));
        EXPECT_EQ(after.retry_count, 0);
        EXPECT_EQ(after.replay_count, 3);
        EXPECT_EQ(after.lease_epoch, row.lease_epoch);
        EXPECT_EQ(after.total_attempt_count, row.total_attempt_count);
        EXPECT_FALSE(after.terminal_at_ms || after.result_encoding || after.failure_reason || after.failure_category);
        EXPECT_FALSE(after.cancellation_reason || after.cancelled_by);
        EXPECT_TRUE(desk.entry.clear_result);
        EXPECT_FALSE(desk.entry.result);
        EXPECT_TRUE(desk.set.work_available);
        EXPECT_TRUE(desk.set.attempts.empty());
        EXPECT_TRUE(desk.set.events.of<LeaseEvent>().empty());
        EXPECT_TRUE(desk.set.events.of<CompletionEvent>().empty());
        expect_told(desk, OperatorEventType::replayed, R"({"branch":"normal"})");
        expect_change_is_reported(desk);
    }
}

TEST(ReplayDecision, ADeadlineThatIsStillToComeHoldsAgain) {
    ExecutionRow row = ended_row(TerminalOutcome::success);
    row.deadline_at_ms = now + 1;
    Desk early(row, now);
    ASSERT_TRUE(replay(early));
    EXPECT_EQ(early.row().deadline_check_at_ms, now + 1);

    row.deadline_at_ms = now;
    Desk late(row, now);
    ASSERT_TRUE(replay(late));
    EXPECT_FALSE(late.row().deadline_check_at_ms);
}

TEST(ReplayDecision, RefusesWhatHasNotEnded) {
    for (const ExecutionRow& row : {test::waiting_row(), test::delayed_row(now + 5), test::running_row(),
                                    test::reclaimable_row(), revoked_row(), test::resumable_row()}) {
        Desk desk(row, now);
        expect_refused(desk, replay(desk), ErrorKind::execution_not_terminal);
    }
}

TEST(ReplayDecision, StopsAtTheCap) {
    ExecutionRow row = ended_row(TerminalOutcome::failed);
    row.replay_count = 9;
    Desk last(row, now);
    EXPECT_TRUE(replay(last));
    row.replay_count = 10;
    Desk over(row, now);
    expect_refused(over, replay(over), ErrorKind::max_replays_exhausted);

    row.policy = Json{R"({"max_replay_count":11})"};
    Desk allowed(row, now);
    EXPECT_TRUE(replay(allowed));
    row.policy = Json{R"({"max_retries":11})"};
    Desk without(row, now);
    expect_refused(without, replay(without), ErrorKind::max_replays_exhausted);
}

// ---- revoke_lease -----------------------------------------------------------------------------------------------

RevokeLease revocation_of(const ExecutionRow& row) {
    return {.execution_id = row.id, .expected_lease_id = {}, .worker_instance_id = "", .reason = "gone"};
}

void expect_satisfied(const ExecutionRow& row, const RevokeLease& command, const std::string& reason) {
    Desk desk(row, now);
    EXPECT_EQ(answer_of<Revocation>(desk.decide(command)), Revocation(NothingToRevoke{reason}));
    expect_untouched(desk);
    EXPECT_TRUE(desk.set.events.of<OperatorEvent>().empty());
}

TEST(RevokeDecision, LeavesTheExecutionToTheNextClaim) {
    Desk desk(test::running_row(), now);
    EXPECT_EQ(answer_of<Revocation>(desk.decide(revocation_of(desk.row()))),
              Revocation(Revoked{*desk.before.lease_id, LeaseEpoch{2}}));
    EXPECT_EQ(desk.row().vector, lease_revoked_vector());
    EXPECT_EQ(desk.row().lease_epoch, 2U);
    EXPECT_EQ(desk.row().reclaimable_since_ms, now);
    EXPECT_EQ(desk.row().worker_instance_id, "instance-a");
    EXPECT_FALSE(desk.row().lease_check_at_ms);
    EXPECT_TRUE(desk.set.work_available);
    EXPECT_TRUE(desk.set.attempts.empty()) << "the claim that takes over ends it";
    ASSERT_EQ(desk.set.events.of<LeaseEvent>().size(), 1U);
    const LeaseEvent& event = desk.set.events.of<LeaseEvent>()[0];
    EXPECT_EQ(event.event_type, LeaseEventType::revoked);
    EXPECT_EQ(event.reason, "gone");
    EXPECT_EQ(event.revoked_by, "operator");
    EXPECT_EQ(event.lease_epoch, 1U);
    EXPECT_EQ(event.worker_instance_id, "instance-a");
    expect_told(desk, OperatorEventType::lease_revoked,
                R"({"lease_id":")" + desk.before.lease_id->to_string() +
                    R"(","lease_epoch":1,"worker_instance_id":"instance-a","reason":"gone"})");
    expect_change_is_reported(desk);
}

TEST(RevokeDecision, SaysWhyThereIsNothingToDo) {
    const ExecutionRow running = test::running_row();
    for (const ExecutionRow& row : {test::waiting_row(), test::delayed_row(now + 5), test::resumable_row(),
                                    ended_row(TerminalOutcome::success)}) {
        expect_satisfied(row, revocation_of(row), "no_active_lease");
    }
    expect_satisfied(revoked_row(), revocation_of(running), "already_revoked");
    expect_satisfied(test::reclaimable_row(), revocation_of(running), "already_expired");
    RevokeLease other_worker = revocation_of(running);
    other_worker.worker_instance_id = "instance-b";
    expect_satisfied(running, other_worker, "different_worker_instance_id");
    RevokeLease other_lease = revocation_of(running);
    other_lease.worker_instance_id = "instance-a";
    other_lease.expected_lease_id = LeaseId{test::uuid_of(201)};
    expect_satisfied(running, other_lease, "lease_id_mismatch");
    other_lease.worker_instance_id = "instance-b";
    expect_satisfied(running, other_lease, "different_worker_instance_id");
}

TEST(RevokeDecision, ALeaseThatLapsedUnnoticedExpires) {
    const std::int64_t end = *test::running_row().lease_expires_at_ms;
    Desk desk(test::running_row(), end);
    EXPECT_EQ(answer_of<Revocation>(desk.decide(revocation_of(desk.row()))),
              Revocation(NothingToRevoke{"already_expired"}));
    EXPECT_EQ(desk.row().vector, lease_expired_vector());
    ASSERT_EQ(desk.set.events.of<LeaseEvent>().size(), 1U);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].event_type, LeaseEventType::expired);
    EXPECT_TRUE(desk.set.events.of<OperatorEvent>().empty());
    expect_change_is_reported(desk);

    Desk just_alive(test::running_row(), end - 1);
    EXPECT_TRUE(
        std::holds_alternative<Revoked>(answer_of<Revocation>(just_alive.decide(revocation_of(just_alive.row())))));
}

// ---- issue_grant_and_claim --------------------------------------------------------------------------------------

IssueGrantAndClaim claim_of(const ExecutionRow& row) {
    return {.execution_id = row.id, .lease_ttl_ms = test::lease_ttl};
}

TEST(OperatorClaimDecision, OpensAnAttempt) {
    Desk desk(test::waiting_row(), now);
    const auto claimed = answer_of<LeasedExecution>(desk.decide(claim_of(desk.row())));
    EXPECT_EQ(claimed.lease_epoch, LeaseEpoch{1});
    EXPECT_EQ(claimed.attempt_index, 0U);
    EXPECT_EQ(claimed.handle.kind, HandleKind::fresh);
    EXPECT_EQ(desk.row().vector, active_vector());
    EXPECT_EQ(desk.row().lease_id, claimed.lease_id);
    EXPECT_EQ(desk.row().attempt_id, claimed.attempt_id);
    EXPECT_EQ(desk.row().attempt_type, AttemptType::initial);
    EXPECT_EQ(desk.row().worker_id, "operator");
    EXPECT_EQ(desk.row().lease_expires_at_ms, now + static_cast<std::int64_t>(test::lease_ttl));
    ASSERT_EQ(desk.set.events.of<LeaseEvent>().size(), 1U);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].event_type, LeaseEventType::acquired);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].reason, "operator");
    expect_told(desk, OperatorEventType::execution_claimed,
                R"({"lease_id":")" + claimed.lease_id.to_string() + R"(","lease_epoch":1,"attempt_index":0})");
    expect_change_is_reported(desk);
}

TEST(OperatorClaimDecision, GoesOnWithAnInterruptedAttempt) {
    Desk desk(test::resumable_row(), now);
    const auto claimed = answer_of<LeasedExecution>(desk.decide(claim_of(desk.row())));
    EXPECT_EQ(claimed.attempt_id, desk.before.attempt_id);
    EXPECT_EQ(claimed.lease_epoch, LeaseEpoch{2});
    EXPECT_EQ(claimed.handle.kind, HandleKind::resumed);
    ASSERT_EQ(desk.set.events.of<LeaseEvent>().size(), 1U);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].event_type, LeaseEventType::acquired);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].reason, "operator");
    EXPECT_TRUE(desk.set.attempts.empty());
    expect_change_is_reported(desk);
}

TEST(OperatorClaimDecision, RefusesWhatIsNotThereToTake) {
    Desk running(test::running_row(), now);
    expect_refused(running, running.decide(claim_of(running.row())), ErrorKind::active_attempt_exists);
    for (const ExecutionRow& row :
         {test::delayed_row(now + 5), test::reclaimable_row(), revoked_row(), ended_row(TerminalOutcome::cancelled)}) {
        Desk desk(row, now);
        expect_refused(desk, desk.decide(claim_of(row)), ErrorKind::execution_not_eligible);
    }
}

}  // namespace
}  // namespace flowfabric
