#include "core/rows/due_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "core/execution/state_vector.hpp"
#include "unit/core/fixtures.hpp"

namespace flowfabric::test {
namespace {

constexpr std::int64_t now = claimed_at + 1'000;

TEST(AllDueRows, HaveNamesOfTheirOwn) {
    std::set<std::string_view> names;
    for (const DueRows* rows : all_due_rows()) EXPECT_TRUE(names.insert(rows->name).second) << rows->name;
    EXPECT_TRUE(names.contains("lease_expiry"));
    EXPECT_TRUE(names.contains("flow_retention"));
}

TEST(EarliestDue, IsTheFirstThatTheBatchSet) {
    WorkingSet set;
    set.now_ms = now;
    EXPECT_EQ(earliest_due(set, delayed_promotion_timer), std::nullopt);
    set.executions.push_back({.row = delayed_row(now + 500, 1), .change = RowChange::insert});
    set.executions.push_back({.row = delayed_row(now + 200, 2), .change = RowChange::update});
    set.executions.push_back({.row = delayed_row(now + 100, 3), .change = RowChange::none});
    EXPECT_EQ(earliest_due(set, delayed_promotion_timer), 200);
    EXPECT_EQ(earliest_due(set, lease_expiry_timer), std::nullopt);
    set.executions.push_back({.row = running_row(4), .change = RowChange::update});
    EXPECT_EQ(earliest_due(set, lease_expiry_timer), *running_row(4).lease_check_at_ms - now);
    set.executions.push_back({.row = delayed_row(now - 50, 5), .change = RowChange::update});
    EXPECT_EQ(earliest_due(set, delayed_promotion_timer), 0) << "overdue is now";
}

TEST(EarliestDue, AFinishedExecutionHasNone) {
    ExecutionRow row = running_row(1);
    row.vector = terminal_vector(TerminalOutcome::success, true);
    WorkingSet set;
    set.now_ms = now;
    set.executions.push_back({.row = row, .change = RowChange::update});
    EXPECT_EQ(earliest_due(set, lease_expiry_timer), std::nullopt);
}

TEST(EarliestDue, OfASideTableIsTheFirstThatTheBatchPut) {
    WorkingSet set;
    set.now_ms = now;
    auto& suspensions = set.side.of<SuspensionRow>();
    suspensions.load({.key = {execution(1)}, .timeout_at_ms = now + 10});
    EXPECT_EQ(earliest_due(set, due_rows<SuspensionRow>), std::nullopt);
    suspensions.put({.key = {execution(2)}, .timeout_at_ms = now + 300});
    suspensions.put({.key = {execution(3)}, .timeout_at_ms = std::nullopt});
    EXPECT_EQ(earliest_due(set, due_rows<SuspensionRow>), 300);
    set.side.of<WaitpointRow>().put(
        {.key = {}, .state = WaitpointState::active, .created_at_ms = now, .expires_at_ms = now + 5});
    EXPECT_EQ(earliest_due(set, due_rows<WaitpointRow>), std::nullopt) << "it expires only while it is pending";
}

TEST(EarliestDue, OfARowThatIsItsOwnSubjectIsItsTime) {
    EXPECT_EQ(due_rows<BudgetRow>.subject, DueSubject::itself);
    EXPECT_EQ(due_rows<BudgetRow>.id, "budget_id");
    EXPECT_EQ(due_rows<FlowRetentionRow>.id, "flow_id");
    EXPECT_EQ(due_rows<GrantRow>.id, "execution_id");
    WorkingSet set;
    set.now_ms = now;
    BudgetRow row{.key = {.partition = 3}};
    set.side.of<BudgetRow>().put(row);
    EXPECT_EQ(earliest_due(set, due_rows<BudgetRow>), std::nullopt);
    row.next_reset_at_ms = now + 70;
    set.side.of<BudgetRow>().put(row);
    EXPECT_EQ(earliest_due(set, due_rows<BudgetRow>), 70);
}

}  // namespace
}  // namespace flowfabric::test
