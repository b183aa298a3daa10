#include "core/claim/order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "unit/core/fixtures.hpp"

namespace flowfabric::test {
namespace {

using testing::ElementsAre;

ExecutionRow row_at(std::uint64_t number, std::int32_t priority, std::int64_t created_at_ms) {
    ExecutionRow row = waiting_row(number);
    row.priority = priority;
    row.created_at_ms = created_at_ms;
    return row;
}

TEST(ClaimOrder, GoesByPriorityThenAgeThenUuid) {
    std::vector<ExecutionRow> rows{row_at(1, 0, 10), row_at(2, 5, 30), row_at(4, 5, 20), row_at(3, 5, 20),
                                   row_at(5, 9000, 40)};
    std::ranges::sort(rows, {}, claim_place);
    std::vector<ExecutionId> ids;
    for (const ExecutionRow& row : rows) ids.push_back(row.id);
    EXPECT_THAT(ids, ElementsAre(execution(5), execution(3), execution(4), execution(2), execution(1)));
}

TEST(ClaimOrder, TellsNoDifferenceBetweenARowAndItself) {
    EXPECT_EQ(claim_place(row_at(1, 5, 10)), claim_place(row_at(1, 5, 10)));
    EXPECT_FALSE(claim_place(row_at(1, 5, 10)) < claim_place(row_at(1, 5, 10)));
}

}  // namespace
}  // namespace flowfabric::test
