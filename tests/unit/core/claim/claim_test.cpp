#include <gtest/gtest.h>

#include "core/base/handle_codec.hpp"
#include "unit/core/fixtures.hpp"

namespace flowfabric {
namespace {

using test::claim_by;
using test::Desk;
using test::rarest_written;

constexpr std::int64_t now = test::claimed_at + 100'000;

std::optional<ClaimedExecution> claim(Desk& desk, const AdmittedClaim& command = claim_by("worker-b"),
                                      std::uint32_t n = 0) {
    return decide_claim(command, n, desk.entry, desk.context);
}

HandleContent content_of(const ClaimedExecution& claimed) {
    const auto content = decode_handle(claimed.handle, BackendTag::memory);
    EXPECT_TRUE(content);
    return content ? *content : HandleContent{};
}

// The answer, its handle and the row tell one story.
void expect_consistent(const ClaimedExecution& claimed, const ExecutionRow& row) {
    EXPECT_EQ(claimed.execution_id, row.id);
    EXPECT_EQ(claimed.lease_id, row.lease_id);
    EXPECT_EQ(claimed.lease_epoch.value, row.lease_epoch);
    EXPECT_EQ(claimed.attempt_id, row.attempt_id);
    EXPECT_EQ(claimed.attempt_index, static_cast<std::uint32_t>(row.attempt_index));
    EXPECT_EQ(claimed.attempt_type, row.attempt_type);
    EXPECT_EQ(claimed.lease_expires_at_ms, row.lease_expires_at_ms);
    EXPECT_EQ(content_of(claimed), (HandleContent{.execution_id = row.id,
                                                  .attempt_index = claimed.attempt_index,
                                                  .attempt_id = claimed.attempt_id,
                                                  .lease_id = claimed.lease_id,
                                                  .lease_epoch = row.lease_epoch,
                                                  .lease_ttl_ms = test::lease_ttl,
                                                  .lane_id = row.lane_id,
                                                  .worker_instance_id = *row.worker_instance_id}));
}

TEST(ClaimDecision, AFreshClaimOpensTheFirstAttemptAndStaysHot) {
    Desk desk(test::waiting_row(), now);
    desk.entry.input = "payload";
    const auto claimed = claim(desk);
    ASSERT_TRUE(claimed);
    const ExecutionRow& row = desk.row();
    EXPECT_EQ(claimed->handle.kind, HandleKind::fresh);
    EXPECT_EQ(claimed->input_payload, "payload");
    expect_consistent(*claimed, row);

    EXPECT_EQ(row.vector, active_vector());
    EXPECT_EQ(row.attempt_index, 0);
    EXPECT_EQ(row.total_attempt_count, 1);
    EXPECT_EQ(row.lease_epoch, 1U);
    EXPECT_EQ(row.attempt_type, AttemptType::initial);
    EXPECT_FALSE(row.previous_attempt_index);
    EXPECT_EQ(row.started_at_ms, now);
    EXPECT_EQ(row.attempt_started_at_ms, now);
    EXPECT_EQ(row.lease_acquired_at_ms, now);
    EXPECT_EQ(row.lease_last_renewed_at_ms, now);
    EXPECT_EQ(row.lease_expires_at_ms, now + 30'000);
    EXPECT_EQ(row.lease_check_at_ms, now + 30'000);
    EXPECT_FALSE(row.attempt_deadline_at_ms);
    EXPECT_EQ(row.worker_id, "worker-b");
    EXPECT_EQ(row.worker_instance_id, "worker-b-1");

    EXPECT_EQ(rarest_written(desk.entry), ColumnUse::hot);
    expect_change_is_reported(desk);
    EXPECT_TRUE(desk.set.attempts.empty());
    EXPECT_TRUE(desk.set.events.of<CompletionEvent>().empty());
    ASSERT_EQ(desk.set.events.of<LeaseEvent>().size(), 1U);
    const LeaseEvent& event = desk.set.events.of<LeaseEvent>()[0];
    EXPECT_EQ(event.event_type, LeaseEventType::acquired);
    EXPECT_EQ(event.lease_epoch, 1U);
    EXPECT_EQ(event.worker_instance_id, "worker-b-1");
    EXPECT_EQ(event.attempt_id, row.attempt_id);
    EXPECT_EQ(event.reason, std::nullopt);
    EXPECT_EQ(event.prev_worker_instance_id, std::nullopt);
}

TEST(ClaimDecision, TheSameCommandDecidedAgainMintsTheSameIds) {
    Desk first(test::waiting_row(), now);
    Desk again(test::waiting_row(), now);
    EXPECT_EQ(claim(first), claim(again));

    Desk second(test::waiting_row(), now);
    const auto next = claim(second, claim_by("worker-b"), 1);
    EXPECT_NE(next->lease_id, *first.row().lease_id);
    EXPECT_NE(next->attempt_id, *first.row().attempt_id);
    EXPECT_NE(next->lease_id.uuid, next->attempt_id.uuid);
}

TEST(ClaimDecision, AClaimTakesWhatCandidatesThereAre) {
    Desk alone(test::waiting_row(), now);
    Desk desk(test::waiting_row(), now);
    const auto claimed = test::answer_of<Claimed>(desk.decide(claim_by("worker-b", 7, 3).claim));
    ASSERT_EQ(claimed.executions.size(), 1U);
    EXPECT_EQ(claimed.executions[0], claim(alone));

    Desk none(test::waiting_row(), now);
    EXPECT_TRUE(test::answer_of<Claimed>(none.decide(claim_by("worker-b", 7, 0).claim)).executions.empty());
    expect_untouched(none);
}

TEST(ClaimDecision, ARetryIsTheNextAttempt) {
    ExecutionRow row = test::waiting_row();
    row.vector = waiting_vector(AttemptState::pending_retry_attempt);
    row.attempt_index = 1;
    row.total_attempt_count = 2;
    row.lease_epoch = 2;
    row.started_at_ms = test::created_at + 5;
    Desk desk(row, now);
    const auto claimed = claim(desk);
    ASSERT_TRUE(claimed);
    EXPECT_EQ(claimed->attempt_type, AttemptType::retry);
    EXPECT_EQ(claimed->attempt_index, 2U);
    EXPECT_EQ(desk.row().previous_attempt_index, 1);
    EXPECT_EQ(desk.row().total_attempt_count, 3);
    EXPECT_EQ(desk.row().lease_epoch, 3U);
    EXPECT_EQ(desk.row().started_at_ms, test::created_at + 5) << "set once";
}

TEST(ClaimDecision, AReplayIsTheNextAttempt) {
    ExecutionRow row = test::waiting_row();
    row.vector = waiting_vector(AttemptState::pending_replay_attempt);
    row.total_attempt_count = 1;
    Desk desk(row, now);
    EXPECT_EQ(claim(desk)->attempt_type, AttemptType::replay);
    EXPECT_EQ(desk.row().attempt_index, 1);
}

TEST(ClaimDecision, AClaimClearsTheTextOfABlockAndSaysSo) {
    ExecutionRow row = test::waiting_row();
    row.blocking_detail = "retry 1 of 3";
    Desk desk(row, now);
    ASSERT_TRUE(claim(desk));
    EXPECT_FALSE(desk.row().blocking_detail);
    EXPECT_EQ(rarest_written(desk.entry), ColumnUse::cold);
}

TEST(ClaimDecision, AResumedAttemptGoesOnUnderItsOwnNumberAndId) {
    Desk desk(test::resumable_row(), now);
    const auto claimed = claim(desk);
    ASSERT_TRUE(claimed);
    const ExecutionRow& row = desk.row();
    EXPECT_EQ(claimed->handle.kind, HandleKind::resumed);
    expect_consistent(*claimed, row);
    EXPECT_EQ(claimed->attempt_id, desk.before.attempt_id);
    EXPECT_EQ(claimed->attempt_index, 0U);
    EXPECT_EQ(row.total_attempt_count, 1);
    EXPECT_EQ(row.lease_epoch, 2U);
    EXPECT_EQ(row.attempt_started_at_ms, desk.before.attempt_started_at_ms);
    EXPECT_EQ(row.interrupt_cause, desk.before.interrupt_cause);  // tells that this lease did not open the attempt
    EXPECT_EQ(row.vector, active_vector());
    ASSERT_EQ(desk.set.events.of<LeaseEvent>().size(), 1U);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].event_type, LeaseEventType::acquired);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].reason, "claim_resumed");
    EXPECT_TRUE(desk.set.attempts.empty());
    expect_change_is_reported(desk);
}

TEST(ClaimDecision, AReclaimEndsTheOldAttemptAndOpensANewOne) {
    Desk desk(test::reclaimable_row(), now);
    const auto claimed = claim(desk);
    ASSERT_TRUE(claimed);
    const ExecutionRow& row = desk.row();
    EXPECT_EQ(claimed->handle.kind, HandleKind::reclaimed);
    expect_consistent(*claimed, row);
    EXPECT_EQ(claimed->attempt_index, 1U);
    EXPECT_EQ(claimed->attempt_type, AttemptType::reclaim);
    EXPECT_EQ(row.previous_attempt_index, 0);
    EXPECT_EQ(row.lease_reclaim_count, 1);
    EXPECT_EQ(row.lease_epoch, 3U);
    EXPECT_FALSE(row.reclaimable_since_ms);
    EXPECT_FALSE(row.interrupt_cause);
    EXPECT_EQ(row.started_at_ms, desk.before.started_at_ms);
    EXPECT_EQ(rarest_written(desk.entry), ColumnUse::cold);
    expect_change_is_reported(desk);

    ASSERT_EQ(desk.set.attempts.size(), 1U);
    const AttemptRow& ended = desk.set.attempts[0];
    EXPECT_EQ(ended.outcome, AttemptOutcome::interrupted_reclaimed);
    EXPECT_EQ(ended.attempt_index, 0);
    EXPECT_EQ(ended.attempt_id, desk.before.attempt_id);
    EXPECT_EQ(ended.lease_id, desk.before.lease_id);
    EXPECT_EQ(ended.lease_epoch, 1U) << "the epoch under which it ran";
    EXPECT_EQ(ended.worker_instance_id, "instance-a");
    EXPECT_EQ(ended.started_at_ms, test::claimed_at);
    EXPECT_EQ(ended.terminal_at_ms, now);

    ASSERT_EQ(desk.set.events.of<LeaseEvent>().size(), 1U);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].event_type, LeaseEventType::reclaimed);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].prev_worker_instance_id, "instance-a");
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].worker_instance_id, "worker-b-1");
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].lease_epoch, 3U);
}

TEST(ClaimDecision, ARevokedLeaseIsReclaimedTheSameWay) {
    ExecutionRow row = test::reclaimable_row();
    row.vector.ownership_state = OwnershipState::lease_revoked;
    Desk desk(row, now);
    const auto claimed = claim(desk);
    ASSERT_TRUE(claimed);
    EXPECT_EQ(claimed->handle.kind, HandleKind::reclaimed);
}

TEST(ClaimDecision, OneReclaimTooManyFailsTheExecution) {
    ExecutionRow row = test::reclaimable_row();
    row.policy = Json{R"({"max_reclaim_count":2})"};
    row.lease_reclaim_count = 2;
    Desk desk(row, now);
    EXPECT_FALSE(claim(desk));
    EXPECT_EQ(desk.row().vector, terminal_vector(TerminalOutcome::failed, true));
    EXPECT_EQ(desk.row().failure_reason, "max_reclaims_exceeded");
    EXPECT_EQ(desk.row().terminal_at_ms, now);
    EXPECT_FALSE(desk.row().reclaimable_since_ms);
    EXPECT_EQ(desk.row().lease_reclaim_count, 2);
    EXPECT_FALSE(desk.row().lease_id) << "the lost lease is forgotten";
    EXPECT_FALSE(desk.row().worker_instance_id);
    EXPECT_TRUE(desk.set.events.of<LeaseEvent>().empty()) << "the lease has already closed";
    ASSERT_EQ(desk.set.events.of<CompletionEvent>().size(), 1U);
    EXPECT_EQ(desk.set.events.of<CompletionEvent>()[0].outcome, TerminalOutcome::failed);
    ASSERT_EQ(desk.set.attempts.size(), 1U);
    EXPECT_EQ(desk.set.attempts[0].outcome, AttemptOutcome::interrupted_reclaimed);
    expect_change_is_reported(desk);

    row.lease_reclaim_count = 1;
    Desk within(row, now);
    EXPECT_TRUE(claim(within));
}

TEST(ClaimDecision, WithoutAPolicyTheCapIsAThousand) {
    ExecutionRow row = test::reclaimable_row();
    row.lease_reclaim_count = 999;
    Desk within(row, now);
    EXPECT_TRUE(claim(within));
    row.lease_reclaim_count = 1000;
    Desk beyond(row, now);
    EXPECT_FALSE(claim(beyond));
    EXPECT_EQ(beyond.row().vector.terminal_outcome, TerminalOutcome::failed);
}

TEST(ClaimDecision, TheAttemptDeadlineIsTheClaimsOrThePolicys) {
    ExecutionRow row = test::waiting_row();
    row.policy = Json{R"({"timeout_policy":{"attempt_timeout_ms":500}})"};
    Desk by_policy(row, now);
    ASSERT_TRUE(claim(by_policy));
    EXPECT_EQ(by_policy.row().attempt_deadline_at_ms, now + 500);

    AdmittedClaim command = claim_by("worker-b");
    command.claim.attempt_timeout_ms = 70;
    Desk by_claim(row, now);
    ASSERT_TRUE(claim(by_claim, command));
    EXPECT_EQ(by_claim.row().attempt_deadline_at_ms, now + 70);
}

TEST(ClaimDecision, WhatIsNotClaimableIsLeftAlone) {
    ExecutionRow finished = test::running_row();
    finished.vector = terminal_vector(TerminalOutcome::success, true);
    ExecutionRow blocked = test::waiting_row();
    blocked.vector = dependency_vector(AttemptState::pending_first_attempt);
    for (const ExecutionRow& row : {test::running_row(), test::delayed_row(now + 1), finished, blocked}) {
        Desk desk(row, now);
        EXPECT_FALSE(claim(desk));
        expect_untouched(desk);
    }
}

}  // namespace
}  // namespace flowfabric
