#include "conformance/budgeting.hpp"

// Budgets that stand above one another.
namespace flowfabric::test {
namespace {

using enum ErrorKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class BudgetTrees : public Budgeting {};
INSTANTIATE_TEST_SUITE_P(Stores, BudgetTrees, all_stores(), name_of_param);

TEST_P(BudgetTrees, AreChargedUpToTheRoot) {
    make(budget(5, {{"tokens", 100}}));
    make_below(5, budget(3, {{"tokens", 50}}));
    make_below(3, budget(7));
    make_below(3, budget(1));
    EXPECT_EQ(report(7, {{"tokens", 20}}), UsageOutcome{UsageOk{}});
    EXPECT_EQ(report(1, {{"tokens", 20}}, "k"), UsageOutcome{UsageOk{}});
    EXPECT_EQ(report(1, {{"tokens", 20}}, "k"), UsageOutcome{UsageAlreadyApplied{}});
    EXPECT_EQ(report(5, {{"tokens", 1}}), UsageOutcome{UsageOk{}});
    EXPECT_EQ(usage(7), (Amounts{{"tokens", 20}}));
    EXPECT_EQ(usage(1), (Amounts{{"tokens", 20}}));
    EXPECT_EQ(usage(3), (Amounts{{"tokens", 40}}));
    EXPECT_EQ(usage(5), (Amounts{{"tokens", 41}}));
    EXPECT_EQ(status(7).parent_budget_id, budget_id(3));
    EXPECT_EQ(status(5).parent_budget_id, std::nullopt);
}

TEST_P(BudgetTrees, AreRefusedByAHardLimitAnywhere) {
    make(budget(1, {{"tokens", 100}}));
    make_below(1, budget(2, {{"tokens", 50}}));
    make_below(2, budget(3, {{"tokens", 200}}));
    report(3, {{"tokens", 30}});
    const Dump before = snapshot();
    EXPECT_EQ(report(3, {{"tokens", 30}}, "k"), (UsageOutcome{HardBreach{"tokens", 30, 50, budget_id(2)}}))
        << "the nearest one that refuses";
    EXPECT_EQ(snapshot().of<BudgetUsageRow>(), before.of<BudgetUsageRow>());
    EXPECT_EQ(status(2).breach_count, 1U);
    EXPECT_EQ(status(3).breach_count, 0U);
    EXPECT_EQ(status(1).breach_count, 0U);
    EXPECT_THAT(told(2), ElementsAre(HasSubstr("hard")));
    EXPECT_THAT(told(3), IsEmpty());
    EXPECT_EQ(report(2, {{"tokens", 21}}), (UsageOutcome{HardBreach{"tokens", 30, 50}}))
        << "its own: as without others";
    report(1, {{"tokens", 60}});
    EXPECT_EQ(report(3, {{"tokens", 15}}), (UsageOutcome{HardBreach{"tokens", 90, 100, budget_id(1)}}));
}

TEST_P(BudgetTrees, TellOfSoftLimitsAnywhere) {
    make(budget(1, {}, {{"tokens", 10}}));
    make_below(1, budget(2, {}, {{"tokens", 20}}));
    EXPECT_EQ(report(2, {{"tokens", 15}}), (UsageOutcome{SoftBreach{"tokens", 15, 10, budget_id(1)}}));
    EXPECT_EQ(report(2, {{"tokens", 15}}), (UsageOutcome{SoftBreach{"tokens", 30, 20}}));
    EXPECT_EQ(status(1).soft_breach_count, 2U);
    EXPECT_EQ(status(2).soft_breach_count, 1U);
}

TEST_P(BudgetTrees, GiveSharesBackUpToTheRoot) {
    const ExecutionId id = create();
    make(budget(1));
    make_below(1, budget(2));
    make_below(1, budget(3));
    spend(id, 2, {{"tokens", 10}});
    spend(id, 3, {{"tokens", 5}});
    spend(id, 1, {{"tokens", 2}});
    EXPECT_EQ(usage(1), (Amounts{{"tokens", 17}}));
    EXPECT_EQ(release(id, 1), (Amounts{{"tokens", 2}})) << "what was spent on it by name";
    EXPECT_EQ(usage(1), (Amounts{{"tokens", 15}}));
    EXPECT_EQ(release(id, 2), (Amounts{{"tokens", 10}}));
    EXPECT_EQ(usage(1), (Amounts{{"tokens", 5}}));
    EXPECT_EQ(usage(2), (Amounts{{"tokens", 0}}));
    EXPECT_EQ(usage(3), (Amounts{{"tokens", 5}}));
}

TEST_P(BudgetTrees, GiveNothingBackToABudgetThatWasResetSince) {
    const ExecutionId id = create();
    make(budget(1));
    make_below(1, budget(2));
    make_below(1, budget(3));
    spend(id, 2, {{"tokens", 10}});
    reset(1);
    spend(id, 3, {{"tokens", 7}});
    EXPECT_EQ(release(id, 2), (Amounts{{"tokens", 10}}));
    EXPECT_EQ(usage(2), (Amounts{{"tokens", 0}}));
    EXPECT_EQ(usage(1), (Amounts{{"tokens", 7}}));
}

TEST_P(BudgetTrees, GrowFromTheRoot) {
    CreateBudget orphan = budget(2);
    orphan.parent_budget_id = budget_id(1);
    expect_no_change([&] { expect_error(run(orphan), budget_not_found, budget_id(1).to_string()); });
    make(budget(1));
    make(orphan);
    EXPECT_TRUE(value_of(run(orphan)).already_there);
    CreateBudget itself = budget(4);
    itself.parent_budget_id = budget_id(4);
    expect_error(run(itself), invalid_input, "parent_budget_id");
    CreateBudget circle = budget(1);
    circle.parent_budget_id = budget_id(2);
    expect_no_change([&] { EXPECT_TRUE(value_of(run(circle)).already_there); });
}

TEST_P(BudgetTrees, AreSoDeepAtMost) {
    make(budget(1));
    for (std::uint8_t number = 2; number <= max_budget_depth; ++number) {
        make_below(static_cast<std::uint8_t>(number - 1), budget(number));
    }
    CreateBudget deeper = budget(100);
    deeper.parent_budget_id = budget_id(max_budget_depth);
    expect_no_change([&] { expect_error(run(deeper), invalid_input, "parent_budget_id"); });
    report(max_budget_depth, {{"tokens", 3}});
    for (std::uint8_t number = 1; number <= max_budget_depth; ++number) {
        EXPECT_EQ(usage(number), (Amounts{{"tokens", 3}}));
    }
}

TEST_P(BudgetTrees, LoseTheirLeavesFirst) {
    make(budget(1));
    make_below(1, budget(2));
    make_below(2, budget(3));
    report(3, {{"tokens", 3}});
    expect_no_change([&] {
        expect_error(run(DeleteBudget{budget_id(1)}), budget_has_children, budget_id(1).to_string());
        expect_error(run(DeleteBudget{budget_id(2)}), budget_has_children);
    });
    EXPECT_TRUE(value_of(run(DeleteBudget{budget_id(3)})).existed);
    EXPECT_EQ(usage(1), (Amounts{{"tokens", 3}})) << "it was spent";
    EXPECT_TRUE(value_of(run(DeleteBudget{budget_id(2)})).existed);
    EXPECT_TRUE(value_of(run(DeleteBudget{budget_id(1)})).existed);
    EXPECT_THAT(snapshot().of<BudgetRow>(), IsEmpty());
}

TEST_P(BudgetTrees, AreSpentWhereAHardLimitIsReachedHereOrAbove) {
    make(budget(1, {{"tokens", 10}}));
    make_below(1, budget(2, {{"calls", 2}}));
    const auto spent = [&](std::uint8_t number) {
        const Dump stored = snapshot();
        SideTables side;
        for (const auto& [key, row] : stored.of<BudgetRow>()) side.of<BudgetRow>().load(row);
        for (const auto& [key, row] : stored.of<BudgetUsageRow>()) side.of<BudgetUsageRow>().load(row);
        return spent_limit(key_of(budget_id(number)), side);
    };
    EXPECT_EQ(spent(2), std::nullopt);
    report(1, {{"tokens", 9}});
    EXPECT_EQ(spent(2), std::nullopt);
    report(1, {{"tokens", 1}});
    EXPECT_EQ(spent(1), (SpentLimit{budget_id(1), "tokens", 10, 10}));
    EXPECT_EQ(spent(2), (SpentLimit{budget_id(1), "tokens", 10, 10}));
    value_of(run(UpdateBudget{.budget_id = budget_id(1), .enforcement_mode = EnforcementMode::warn}));
    EXPECT_EQ(spent(2), std::nullopt) << "it only warns";
    report(2, {{"calls", 2}});
    EXPECT_EQ(spent(2), (SpentLimit{budget_id(2), "calls", 2, 2}));
    EXPECT_EQ(spent(1), std::nullopt);
    EXPECT_EQ(spent(9), std::nullopt) << "none that is unknown";
}

}  // namespace
}  // namespace flowfabric::test
