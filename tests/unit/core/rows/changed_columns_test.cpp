#include "core/rows/changed_columns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/execution/transition.hpp"
#include "unit/core/fixtures.hpp"

namespace flowfabric::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ExecutionEntry update_of_running_row() {
    return {.row = running_row(),
            .change = RowChange::update,
            .loaded = std::make_shared<const ExecutionRow>(running_row())};
}

TEST(ColumnsToWrite, AreThoseThatDifferFromWhatWasLoaded) {
    ExecutionEntry entry = update_of_running_row();
    EXPECT_THAT(written_columns(entry), IsEmpty());
    entry.row.lease_epoch += 1;
    entry.row.worker_id.reset();
    EXPECT_THAT(written_columns(entry), ElementsAre("lease_epoch", "worker_id"));
    EXPECT_EQ(rarest_written(entry), ColumnUse::hot);
    entry.row.failure_reason = "boom";
    EXPECT_THAT(written_columns(entry), ElementsAre("failure_reason", "lease_epoch", "worker_id"));
    EXPECT_EQ(rarest_written(entry), ColumnUse::cold);
    entry.row = *entry.loaded;
    EXPECT_THAT(written_columns(entry), IsEmpty()) << "what has changed back is as it was";
}

TEST(ColumnsToWrite, NoneIsOneThatIsWrittenAtInsertOnly) {
    ExecutionEntry entry = update_of_running_row();
    entry.row.lane_id = "another";
    EXPECT_THAT(written_columns(entry), IsEmpty());
}

TEST(ColumnsToWrite, AreAllThatMayChangeOfARowThatIsNotKnownAsLoaded) {
    const ExecutionEntry entry{.row = running_row(), .change = RowChange::update};
    EXPECT_EQ(columns_to_write(entry), columns_with_use(ColumnUse::cold) | columns_with_use(ColumnUse::hot));
}

TEST(LoadedRow, IsThatBeforeTheFirstOfSeveralTransitions) {
    Desk desk(running_row());
    Transition(desk.entry, desk.set).set_priority(3);
    Transition(desk.entry, desk.set).set_failure("boom", "transient");
    ASSERT_TRUE(desk.entry.loaded);
    EXPECT_EQ(*desk.entry.loaded, desk.before);
    EXPECT_THAT(written_columns(desk.entry),
                ElementsAre("priority", "failure_reason", "failure_category", "last_mutation_at_ms"));
}

TEST(LoadedRow, AnInsertedExecutionHasNone) {
    WorkingSet set;
    ExecutionEntry entry{.row = waiting_row(), .change = RowChange::insert};
    Transition(entry, set).set_priority(3);
    EXPECT_EQ(entry.change, RowChange::insert);
    EXPECT_FALSE(entry.loaded);
}

}  // namespace
}  // namespace flowfabric::test
