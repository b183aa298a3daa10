#include "core/execution/explain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/core/fixtures.hpp"

namespace flowfabric {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t now = test::claimed_at + 1'000;

LaneRow lane_in(LaneState state) {
    return {.key = {"default"},
            .registered_at_ms = test::created_at - 100,
            .registered_by = "create_execution",
            .lane_state = state,
            .state_changed_at_ms = now - 10};
}

std::vector<std::string> predicates(const ExecutionRow& row, LaneState lane = LaneState::active,
                                    std::int64_t at = now) {
    std::vector<std::string> names;
    for (const Obstacle& obstacle : explain(row, {.lane = lane_in(lane)}, at).obstacles)
        names.push_back(obstacle.predicate);
    return names;
}

Obstacle only_obstacle(const ExecutionRow& row, std::int64_t at = now) {
    const auto explanation = explain(row, {.lane = lane_in(LaneState::active)}, at);
    EXPECT_EQ(explanation.execution_id, row.id);
    EXPECT_EQ(explanation.public_state, row.vector.public_state);
    EXPECT_EQ(explanation.obstacles.size(), 1U);
    return explanation.obstacles.at(0);
}

TEST(Explain, WorkThatIsReadyNamesTheClaimItWaitsFor) {
    ExecutionRow row = test::waiting_row();
    Obstacle obstacle = only_obstacle(row);
    EXPECT_EQ(obstacle.predicate, "waiting_for_worker");
    EXPECT_EQ(obstacle.since_ms, row.last_transition_at_ms);
    EXPECT_FALSE(obstacle.until_ms);
    EXPECT_THAT(obstacle.remedy, HasSubstr("lane default"));
    row.required_capabilities = {"eu", "gpu"};
    obstacle = only_obstacle(row);
    EXPECT_EQ(obstacle.predicate, "waiting_for_capable_worker");
    EXPECT_THAT(obstacle.remedy, HasSubstr("eu,gpu"));
    EXPECT_THAT(predicates(test::resumable_row()), ElementsAre("waiting_for_worker"));
}

TEST(Explain, DelaysTellUntilWhen) {
    ExecutionRow row = test::delayed_row(now + 5);
    Obstacle obstacle = only_obstacle(row);
    EXPECT_EQ(obstacle.predicate, "delay");
    EXPECT_EQ(obstacle.since_ms, row.last_transition_at_ms);
    EXPECT_EQ(obstacle.until_ms, now + 5);
    row.vector = delayed_vector(BlockingReason::waiting_for_retry_backoff, AttemptState::pending_retry_attempt);
    row.blocking_detail = "retry 1 of 3";
    obstacle = only_obstacle(row);
    EXPECT_EQ(obstacle.predicate, "retry_backoff");
    EXPECT_EQ(obstacle.until_ms, now + 5);
    EXPECT_THAT(obstacle.detail, HasSubstr("retry 1 of 3"));
}

TEST(Explain, ABackoffThatIsOverHoldsNothingBack) {
    ExecutionRow row = test::delayed_row(now + 5);
    row.vector = waiting_vector(AttemptState::pending_retry_attempt);
    row.blocking_detail = "retry 1 of 3";
    EXPECT_EQ(only_obstacle(row).detail, "nothing holds it back");
}

TEST(Explain, ALeaseNamesItsHolder) {
    const ExecutionRow row = test::running_row();
    const Obstacle obstacle = only_obstacle(row);
    EXPECT_EQ(obstacle.predicate, "lease_held");
    EXPECT_THAT(obstacle.detail, HasSubstr("worker-a/instance-a"));
    EXPECT_EQ(obstacle.since_ms, test::claimed_at);
    EXPECT_EQ(obstacle.until_ms, row.lease_expires_at_ms);
}

TEST(Explain, ALapsedLeaseIsLapsedWhetherNoticedOrNot) {
    const std::int64_t lapsed_at = *test::running_row().lease_expires_at_ms;
    for (const ExecutionRow& row : {test::running_row(), test::reclaimable_row()}) {
        const Obstacle obstacle = only_obstacle(row, lapsed_at);
        EXPECT_EQ(obstacle.predicate, "lease_expired");
        EXPECT_THAT(obstacle.detail, HasSubstr("worker-a/instance-a"));
        EXPECT_EQ(obstacle.since_ms, lapsed_at);
        EXPECT_FALSE(obstacle.until_ms);
    }
    EXPECT_EQ(only_obstacle(test::running_row(), lapsed_at - 1).predicate, "lease_held");
    ExecutionRow revoked = test::reclaimable_row();
    revoked.vector.ownership_state = OwnershipState::lease_revoked;
    EXPECT_EQ(only_obstacle(revoked).predicate, "lease_revoked");
}

TEST(Explain, AnEndTellsHowAndWhen) {
    ExecutionRow row = test::waiting_row();
    row.vector = terminal_vector(TerminalOutcome::failed, true);
    row.terminal_at_ms = now - 7;
    row.failure_reason = "it broke";
    Obstacle obstacle = only_obstacle(row);
    EXPECT_EQ(obstacle.predicate, "terminal");
    EXPECT_EQ(obstacle.since_ms, now - 7);
    EXPECT_THAT(obstacle.detail, HasSubstr("failed, it broke"));
    row.vector = terminal_vector(TerminalOutcome::cancelled, true);
    row.failure_reason.reset();
    row.cancellation_reason = "too late";
    row.cancelled_by = "night shift";
    EXPECT_THAT(only_obstacle(row).detail, HasSubstr("cancelled, by night shift: too late"));
}

TEST(Explain, BlockedAndSuspendedWorkNamesItsBlock) {
    ExecutionRow row = test::waiting_row();
    const std::vector<std::pair<EligibilityState, std::string>> blocks{
        {EligibilityState::blocked_by_dependencies, "dependencies"},
        {EligibilityState::blocked_by_budget, "budget"},
        {EligibilityState::blocked_by_quota, "quota"},
        {EligibilityState::blocked_by_route, "route"},
        {EligibilityState::blocked_by_lane_state, "lane_blocked"},
        {EligibilityState::blocked_by_operator, "operator"}};
    for (const auto& [state, predicate] : blocks) {
        row.vector.eligibility_state = state;
        row.blocking_detail = "since Monday";
        EXPECT_EQ(only_obstacle(row).predicate, predicate);
        EXPECT_THAT(only_obstacle(row).detail, HasSubstr("since Monday"));
    }
    row.vector.lifecycle_phase = LifecyclePhase::suspended;
    row.vector.blocking_reason = BlockingReason::waiting_for_approval;
    EXPECT_EQ(only_obstacle(row).predicate, "suspended");
    EXPECT_THAT(only_obstacle(row).detail, HasSubstr("waiting_for_approval"));
}

TEST(Explain, ALaneThatHandsOutNothingComesFirst) {
    EXPECT_THAT(predicates(test::waiting_row(), LaneState::paused), ElementsAre("lane_paused", "waiting_for_worker"));
    EXPECT_THAT(predicates(test::delayed_row(now + 5), LaneState::disabled), ElementsAre("lane_disabled", "delay"));
    EXPECT_THAT(predicates(test::reclaimable_row(), LaneState::paused), ElementsAre("lane_paused", "lease_expired"));
    EXPECT_THAT(predicates(test::waiting_row(), LaneState::draining), ElementsAre("waiting_for_worker"));
    EXPECT_THAT(predicates(test::running_row(), LaneState::paused), ElementsAre("lease_held"));
    ExecutionRow ended = test::waiting_row();
    ended.vector = terminal_vector(TerminalOutcome::success, true);
    EXPECT_THAT(predicates(ended, LaneState::paused), ElementsAre("terminal"));
}

TEST(Explain, ALapsedLeaseIsHeldByItsLaneBeforeAnyoneNoticed) {
    EXPECT_THAT(predicates(test::running_row(), LaneState::paused, *test::running_row().lease_expires_at_ms),
                ElementsAre("lane_paused", "lease_expired"));
}

TEST(Explain, ALaneHoldsAnExecutionSinceBothAre) {
    ExecutionRow row = test::waiting_row();
    const LaneRow lane = lane_in(LaneState::paused);
    EXPECT_EQ(explain(row, {.lane = lane}, now).obstacles.at(0).since_ms, now - 10);
    row.created_at_ms = now - 3;
    EXPECT_EQ(explain(row, {.lane = lane}, now).obstacles.at(0).since_ms, now - 3);
}

}  // namespace
}  // namespace flowfabric
