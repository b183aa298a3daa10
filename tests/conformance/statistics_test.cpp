#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/fixture.hpp"

namespace flowfabric::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class StatisticsTest : public StoreTest {
  protected:
    Statistics statistics(ReadStatistics query = {}) { return value_of(engine().read(std::move(query))); }
    LaneStatistics of_lane(const std::string& lane_id) {
        auto found = statistics({.lane_id = lane_id}).lanes;
        return found.empty() ? LaneStatistics{.lane_id = lane_id} : found.front();
    }
    std::vector<std::string> names(ReadStatistics query) {
        std::vector<std::string> names;
        for (const LaneStatistics& lane : statistics(std::move(query)).lanes) names.push_back(lane.lane_id);
        return names;
    }
    ExecutionId create_on(const std::string& lane_id, std::int32_t priority = 0) {
        return create({.lane_id = lane_id, .priority = priority});
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, StatisticsTest, all_stores(), name_of_param);

TEST_P(StatisticsTest, AStoreWithoutExecutionsCountsNothing) {
    const Statistics empty = statistics();
    EXPECT_THAT(empty.lanes, IsEmpty());
    EXPECT_EQ(empty.depth, StateCounts{});
    EXPECT_EQ(empty.totals, LaneTotals{});
    EXPECT_EQ(empty.as_of_ms, now());
}

TEST_P(StatisticsTest, AnExecutionIsCountedWhereItStands) {
    create();
    create();
    EXPECT_EQ(of_lane("default").depth, (StateCounts{.waiting = 2}));
    const auto claimed = claim();
    EXPECT_EQ(of_lane("default").depth, (StateCounts{.waiting = 1, .active = 1}));
    value_of(complete(claimed.handle));
    EXPECT_EQ(of_lane("default").depth, (StateCounts{.waiting = 1, .completed = 1}));
    EXPECT_EQ(of_lane("default").totals, (LaneTotals{.created = 2, .claimed = 1, .ended_success = 1}));
}

TEST_P(StatisticsTest, RetriesExpiriesAndReclaimsAreCountedAsTheyHappen) {
    create_with(retries(1, 1000));
    fail_with_retry(claim().handle);
    EXPECT_EQ(of_lane("default").depth, (StateCounts{.delayed = 1}));
    advance(1000);
    reconcile();
    claim();
    let_lease_lapse();
    value_of(fail(claim("w2").handle));
    EXPECT_EQ(
        of_lane("default").totals,
        (LaneTotals{.created = 1, .claimed = 3, .ended_failed = 1, .retries = 1, .lease_expiries = 1, .reclaims = 1}));
}

TEST_P(StatisticsTest, WhatRetentionRemovesIsNoLongerThereAndStaysInTheTotals) {
    auto keeper = another_engine({.overrides = {.execution_retention_ms = 24 * hour}});
    const auto trim = [&] {
        for (int i = 0; i < 4; ++i) keeper->reconcile();
    };
    trim();
    create();
    value_of(complete(claim().handle));
    trim();
    advance(25 * hour);
    trim();
    EXPECT_EQ(of_lane("default").depth, StateCounts{});
    EXPECT_EQ(of_lane("default").totals, (LaneTotals{.created = 1, .claimed = 1, .ended_success = 1}));
}

TEST_P(StatisticsTest, EveryLaneHasItsOwnCountersAndThePageTellsOfAll) {
    create_on("b");
    create_on("a");
    create_on("c");
    create_on("c");
    EXPECT_THAT(names({}), ElementsAre("a", "b", "c"));
    const Statistics first = statistics({.limit = 2});
    EXPECT_EQ(first.lanes.size(), 2U);
    EXPECT_EQ(first.next, "b");
    EXPECT_EQ(first.depth, (StateCounts{.waiting = 4}));
    EXPECT_THAT(names({.after = first.next, .limit = 2}), ElementsAre("c"));
    EXPECT_THAT(names({.lane_id = "c"}), ElementsAre("c"));
    EXPECT_THAT(names({.lane_id = "none"}), IsEmpty());
    EXPECT_THAT(names({.limit = 0}), IsEmpty());
}

TEST_P(StatisticsTest, TheOldestEligibleExecutionIsFoundBelowTheHighestPriority) {
    EXPECT_EQ(of_lane("default").oldest_eligible_at_ms, std::nullopt);
    const std::int64_t first = now();
    create_on("default", 1);
    advance(10);
    create_on("default", 1);
    create_on("default", 9);
    const std::int64_t other = now();
    create_on("other", 5);
    EXPECT_EQ(of_lane("default").oldest_eligible_at_ms, first);
    EXPECT_EQ(of_lane("other").oldest_eligible_at_ms, other);
    EXPECT_EQ(claimed_ids([] {
                  auto all = claim_by("w");
                  all.max_count = 10;
                  return all;
              }())
                  .size(),
              3U);
    EXPECT_EQ(of_lane("default").oldest_eligible_at_ms, std::nullopt);
}

TEST_P(StatisticsTest, WritersThatAreGoneLeaveTheirCountsBehind) {
    create();
    for (int i = 0; i < 2; ++i) {
        auto another = another_engine();
        value_of(another->run(CreateExecution{}));
    }
    auto writer = backend().open_writer();
    ASSERT_TRUE(writer);
    ASSERT_TRUE((*writer)->maintain());
    EXPECT_EQ(of_lane("default").depth, (StateCounts{.waiting = 3}));
    ASSERT_TRUE((*writer)->maintain());
    EXPECT_EQ(of_lane("default").totals.created, 3);
}

}  // namespace
}  // namespace flowfabric::test
