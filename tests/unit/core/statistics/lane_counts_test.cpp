#include "core/statistics/lane_counts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/batching/decide_batch.hpp"
#include "unit/engine/batching/batches.hpp"

namespace flowfabric::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<LaneCountsRow> changes_of(const std::vector<Given>& commands, std::vector<ExecutionRow> rows) {
    return count_changes(decide_batch(batch_of(commands), loaded_with(std::move(rows)), {}).set);
}

TEST(LaneCounts, WhatAnExecutionLeavesIsTakenOffAndWhatItEntersIsAdded) {
    const LaneCounts expected{.depth = {.active = -1, .completed = 1}, .totals = {.ended_success = 1}};
    EXPECT_THAT(changes_of({complete(running_row(1))}, {running_row(1)}),
                ElementsAre(LaneCountsRow{running_row(1).lane_id, expected}));
}

TEST(LaneCounts, ABatchThatMovesNothingHasNoChanges) {
    EXPECT_THAT(changes_of({renew(running_row(1))}, {running_row(1)}), IsEmpty());
}

TEST(LaneCounts, LanesAreCountedApartByName) {
    ExecutionRow other = running_row(2);
    other.lane_id = "a";
    const auto rows = changes_of({complete(running_row(1)), complete(other)}, {running_row(1), other});
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].lane_id, "a");
    for (const LaneCountsRow& row : rows) EXPECT_EQ(row.counts.totals.ended_success, 1);
}

TEST(LaneCounts, WhatIsRemovedIsNoLongerThere) {
    WorkingSet set;
    ExecutionEntry entry{.row = waiting_row(1)};
    entry.change = RowChange::erase;
    set.executions.push_back(std::move(entry));
    EXPECT_THAT(count_changes(set),
                ElementsAre(LaneCountsRow{waiting_row(1).lane_id, {.depth = {.waiting = -1}, .totals = {}}}));
}

}  // namespace
}  // namespace flowfabric::test
