#include <limits>

#include "conformance/budgeting.hpp"

// What is charged to a budget, and what its limits make of it.
namespace flowfabric::test {
namespace {

using enum ErrorKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Budgets : public Budgeting {};
INSTANTIATE_TEST_SUITE_P(Stores, Budgets, all_stores(), name_of_param);

TEST_P(Budgets, AHardLimitRefusesWhatGoesBeyondIt) {
    make(budget(1, {{"tokens", 100}}));
    EXPECT_EQ(report(1, {{"tokens", 40}}), UsageOutcome{UsageOk{}});
    advance(5);
    EXPECT_EQ(report(1, {{"tokens", 61}}), (UsageOutcome{HardBreach{"tokens", 40, 100}}));
    EXPECT_EQ(usage(1), (Amounts{{"tokens", 40}}));
    EXPECT_EQ(status(1).breach_count, 1U);
    EXPECT_EQ(status(1).last_breach_at_ms, now());
    EXPECT_EQ(status(1).last_breach_dim, "tokens");
    EXPECT_EQ(report(1, {{"tokens", 60}}), UsageOutcome{UsageOk{}}) << "up to the limit";
    EXPECT_EQ(usage(1), (Amounts{{"tokens", 100}}));
    EXPECT_EQ(status(1).soft_breach_count, 0U);
}

TEST_P(Budgets, ARefusalChangesNothingButTheCounters) {
    make(budget(1, {{"tokens", 10}}));
    report(1, {{"calls", 3}});
    const Dump before = snapshot();
    EXPECT_EQ(report(1, {{"calls", 1}, {"other", 1}, {"tokens", 11}}, "k"),
              (UsageOutcome{HardBreach{"tokens", 0, 10}}));
    const Dump after = snapshot();
    EXPECT_EQ(after.of<BudgetUsageRow>(), before.of<BudgetUsageRow>());
    EXPECT_THAT(after.of<BudgetDedupRow>(), IsEmpty());
    BudgetRow row = after.of<BudgetRow>().begin()->second;
    EXPECT_EQ(std::exchange(row.breach_count, 0), 1);
    row.last_breach_at_ms.reset();
    row.last_breach_dim.reset();
    row.hard_told.values.clear();
    EXPECT_EQ(row, before.of<BudgetRow>().begin()->second);
}

TEST_P(Budgets, OfTwoDimensionsBothAreChargedOrNeither) {
    make(budget(1, {{"a", 100}, {"b", 10}}));
    EXPECT_EQ(report(1, {{"a", 1}, {"b", 11}}), (UsageOutcome{HardBreach{"b", 0, 10}}));
    EXPECT_EQ(usage(1), Amounts{});
    EXPECT_EQ(report(1, {{"a", 101}, {"b", 11}}), (UsageOutcome{HardBreach{"a", 0, 100}})) << "the first one is told";
    EXPECT_EQ(report(1, {{"a", 1}, {"b", 1}}), UsageOutcome{UsageOk{}});
    EXPECT_EQ(usage(1), (Amounts{{"a", 1}, {"b", 1}}));
}

TEST_P(Budgets, ASoftLimitIsToldAndApplied) {
    make(budget(1, {}, {{"tokens", 50}}));
    EXPECT_EQ(report(1, {{"tokens", 60}}), (UsageOutcome{SoftBreach{"tokens", 60, 50}}));
    EXPECT_EQ(usage(1), (Amounts{{"tokens", 60}}));
    EXPECT_EQ(status(1).soft_breach_count, 1U);
    EXPECT_EQ(status(1).breach_count, 0U);
    EXPECT_EQ(status(1).last_breach_at_ms, std::nullopt);
}

TEST_P(Budgets, DimensionsStandInTheOrderOfTheirBytes) {
    make(budget(1, {}, {{"B", 1}, {"a", 1}, {"ä", 1}}));
    EXPECT_EQ(report(1, {{"ä", 2}, {"a", 2}, {"B", 2}}), (UsageOutcome{SoftBreach{"B", 2, 1}}));
    EXPECT_EQ(report(1, {{"ä", 1}, {"a", 1}}), (UsageOutcome{SoftBreach{"a", 3, 1}}));
    EXPECT_EQ(status(1).soft_breach_count, 2U) << "once for each report";
}

TEST_P(Budgets, AKeyIsAppliedOnceADay) {
    make(budget(1, {{"tokens", 100}}));
    EXPECT_EQ(report(1, {{"tokens", 10}}, "k"), UsageOutcome{UsageOk{}});
    advance(day - 1);
    expect_no_change([&] { EXPECT_EQ(report(1, {{"tokens", 10}}, "k"), UsageOutcome{UsageAlreadyApplied{}}); });
    EXPECT_EQ(usage(1), (Amounts{{"tokens", 10}}));
    advance(1);
    EXPECT_EQ(report(1, {{"tokens", 10}}, "k"), UsageOutcome{UsageOk{}});
    EXPECT_EQ(usage(1), (Amounts{{"tokens", 20}}));
    EXPECT_EQ(report(1, {{"tokens", 10}}, "k"), UsageOutcome{UsageAlreadyApplied{}});
}

TEST_P(Budgets, AKeyThatWasRefusedIsNotRemembered) {
    make(budget(1, {{"tokens", 10}}));
    report(1, {{"tokens", 10}});
    EXPECT_EQ(report(1, {{"tokens", 1}}, "k"), (UsageOutcome{HardBreach{"tokens", 10, 10}}));
    EXPECT_EQ(report(1, {{"tokens", 1}}, "k"), (UsageOutcome{HardBreach{"tokens", 10, 10}}));
    reset(1);
    EXPECT_EQ(report(1, {{"tokens", 1}}, "k"), UsageOutcome{UsageOk{}});
    EXPECT_EQ(report(1, {{"tokens", 1}}, "k"), UsageOutcome{UsageAlreadyApplied{}});
    EXPECT_EQ(usage(1), (Amounts{{"tokens", 1}}));
    EXPECT_EQ(status(1).breach_count, 2U) << "counted over all resets";
}

TEST_P(Budgets, AKeyIsOfOneBudgetAndOneOperation) {
    const ExecutionId id = create();
    make(budget(1));
    make(budget(2));
    EXPECT_EQ(report(1, {{"tokens", 1}}, "k"), UsageOutcome{UsageOk{}});
    EXPECT_EQ(report(2, {{"tokens", 1}}, "k"), UsageOutcome{UsageOk{}});
    EXPECT_EQ(spend(id, 1, {{"tokens", 1}}, "k"), UsageOutcome{UsageOk{}});
    EXPECT_EQ(spend(id, 1, {{"tokens", 1}}, "k"), UsageOutcome{UsageAlreadyApplied{}});
    EXPECT_EQ(usage(1), (Amounts{{"tokens", 2}}));
    EXPECT_EQ(usage(2), (Amounts{{"tokens", 1}}));
}

TEST_P(Budgets, LapsedKeysAreSwept) {
    make(budget(1));
    report(1, {{"tokens", 1}}, "old");
    advance(1);
    report(1, {{"tokens", 1}}, "new");
    advance(day - 1);
    EXPECT_EQ(*(*backend().open_writer())->sweep(100, day), 1U);
    const auto keys = snapshot().of<BudgetDedupRow>();
    ASSERT_EQ(keys.size(), 1U);
    EXPECT_EQ(keys.begin()->first.dedup_key, "new");
}

TEST_P(Budgets, AReportUnderALeaseIsTakenAfterTheLeaseIsLost) {
    make(budget(1, {{"tokens", 10}}));
    create();
    const auto claimed = claim();
    const ReportUsage told{claimed.handle, budget_id(1), {{"tokens", 4}}, "call-1"};
    EXPECT_EQ(value_of(run(told)), UsageOutcome{UsageOk{}});
    EXPECT_EQ(report(1, {{"tokens", 4}}, "call-1"), UsageOutcome{UsageAlreadyApplied{}}) << "one family";
    let_lease_lapse();
    EXPECT_EQ(value_of(run(ReportUsage{claimed.handle, budget_id(1), {{"tokens", 6}}})), UsageOutcome{UsageOk{}});
    EXPECT_EQ(value_of(run(ReportUsage{claimed.handle, budget_id(1), {{"tokens", 1}}})),
              (UsageOutcome{HardBreach{"tokens", 10, 10}}));
    const ExecutionRow before = row(claimed.execution_id);
    value_of(run(ReportUsage{fence_of(claimed), budget_id(1), {{"calls", 6}}}));
    EXPECT_EQ(row(claimed.execution_id), before) << "its execution is as before";

    const ExecutionId unknown{3, budget_id(9).uuid};
    expect_error(run(ReportUsage{Fence{.execution_id = unknown}, budget_id(1), {{"tokens", 1}}}), execution_not_found);
    Handle broken = claimed.handle;
    broken.opaque[0] ^= 1;
    EXPECT_FALSE(run(ReportUsage{broken, budget_id(1), {{"tokens", 1}}}));
}

TEST_P(Budgets, AmountsAreHeldAtTheLargestThereIs) {
    make(budget(1));
    EXPECT_EQ(report(1, {{"tokens", max_budget_amount}}), UsageOutcome{UsageOk{}});
    EXPECT_EQ(report(1, {{"tokens", max_budget_amount}}), UsageOutcome{UsageOk{}});
    EXPECT_EQ(usage(1), (Amounts{{"tokens", max_budget_amount}}));
    make(budget(2, {{"tokens", max_budget_amount - 1}}));
    EXPECT_EQ(report(2, {{"tokens", max_budget_amount}}),
              (UsageOutcome{HardBreach{"tokens", 0, max_budget_amount - 1}}));
    expect_no_change([&] {
        expect_error(run(ReportUsageAdmin{budget_id(1), {{"tokens", max_budget_amount + 1}}}), invalid_input,
                     "dimensions");
        expect_error(run(ReportUsageAdmin{budget_id(1), {{"tokens", std::numeric_limits<std::uint64_t>::max()}}}),
                     invalid_input, "dimensions");
    });
}

TEST_P(Budgets, OneThatWarnsRefusesNothing) {
    CreateBudget warning = budget(1, {{"tokens", 10}}, {{"tokens", 5}});
    warning.enforcement_mode = EnforcementMode::warn;
    make(std::move(warning));
    EXPECT_EQ(report(1, {{"tokens", 6}}), (UsageOutcome{SoftBreach{"tokens", 6, 5}}));
    EXPECT_EQ(report(1, {{"tokens", 6}}), (UsageOutcome{SoftBreach{"tokens", 12, 10}}));
    EXPECT_EQ(usage(1), (Amounts{{"tokens", 12}}));
    EXPECT_EQ(status(1).breach_count, 0U);
    EXPECT_EQ(status(1).soft_breach_count, 2U);
    EXPECT_THAT(told(1), ElementsAre(HasSubstr(R"("kind":"soft")"), HasSubstr(R"("kind":"hard")")));
}

TEST_P(Budgets, ASoftLimitMayBeKeptToItself) {
    CreateBudget quiet = budget(1, {}, {{"tokens", 5}});
    quiet.on_soft_limit = SoftLimitAction::none;
    make(std::move(quiet));
    EXPECT_EQ(report(1, {{"tokens", 6}}), UsageOutcome{UsageOk{}});
    EXPECT_EQ(status(1).soft_breach_count, 1U);
    EXPECT_THAT(told(1), IsEmpty());
}

TEST_P(Budgets, OperatorsAreToldOfTheFirstBreachOfEachDimensionSinceTheLastReset) {
    make(budget(1, {{"a", 10}, {"b", 10}}, {{"a", 5}}));
    report(1, {{"a", 6}});
    report(1, {{"a", 1}});
    report(1, {{"a", 10}});
    report(1, {{"a", 10}});
    report(1, {{"b", 11}});
    EXPECT_THAT(told(1),
                ElementsAre(R"(budget_breached {"current_usage":6,"dimension":"a","kind":"soft","limit":5})",
                            R"(budget_breached {"current_usage":7,"dimension":"a","kind":"hard","limit":10})",
                            R"(budget_breached {"current_usage":0,"dimension":"b","kind":"hard","limit":10})"));
    reset(1);
    report(1, {{"a", 11}});
    EXPECT_THAT(told(1), ElementsAre(HasSubstr("soft"), HasSubstr("hard"), HasSubstr("hard"),
                                     R"(budget_reset {"next_reset_at":0})", HasSubstr("hard")));
}

// ---- shares ---------------------------------------------------------------------------------------------------------

TEST_P(Budgets, AReleaseTakesBackTheShareOfOneExecutionOnce) {
    const ExecutionId first = create();
    const ExecutionId second = create();
    make(budget(1, {{"tokens", 100}}));
    EXPECT_EQ(spend(first, 1, {{"calls", 1}, {"tokens", 30}}), UsageOutcome{UsageOk{}});
    spend(first, 1, {{"tokens", 10}});
    spend(second, 1, {{"tokens", 50}});
    EXPECT_EQ(spend(second, 1, {{"tokens", 11}}), (UsageOutcome{HardBreach{"tokens", 90, 100}}));
    EXPECT_EQ(release(first, 1), (Amounts{{"calls", 1}, {"tokens", 40}}));
    EXPECT_EQ(usage(1), (Amounts{{"calls", 0}, {"tokens", 50}}));
    expect_no_change([&] { EXPECT_EQ(release(first, 1), Amounts{}); });
    EXPECT_EQ(release(second, 1), (Amounts{{"tokens", 50}}));
    EXPECT_EQ(usage(1), (Amounts{{"calls", 0}, {"tokens", 0}}));
}

TEST_P(Budgets, AShareOfBeforeAResetIsVoid) {
    const ExecutionId first = create();
    const ExecutionId second = create();
    make(budget(1));
    spend(first, 1, {{"tokens", 30}});
    reset(1);
    spend(second, 1, {{"tokens", 50}});
    EXPECT_EQ(release(first, 1), Amounts{});
    EXPECT_EQ(usage(1), (Amounts{{"tokens", 50}}));

    reset(1);
    spend(second, 1, {{"tokens", 5}});
    EXPECT_EQ(release(second, 1), (Amounts{{"tokens", 5}})) << "what it spent since";
    EXPECT_EQ(usage(1), (Amounts{{"tokens", 0}}));
}

TEST_P(Budgets, NothingIsReleasedOfWhatIsNotThere) {
    const ExecutionId id = create();
    const ExecutionId unknown{3, budget_id(9).uuid};
    make(budget(1));
    expect_no_change([&] {
        EXPECT_EQ(release(id, 1), Amounts{});
        EXPECT_EQ(release(id, 2), Amounts{});
        EXPECT_EQ(release(unknown, 1), Amounts{});
        expect_error(run(RecordSpend{budget_id(1), unknown, {{"tokens", 1}}}), execution_not_found);
    });
}

TEST_P(Budgets, SharesGoWithTheirExecution) {
    const ExecutionId id = create();
    make(budget(1));
    spend(id, 1, {{"tokens", 30}});
    value_of(complete(claim().handle));
    const auto obedient = obedient_engine();
    value_of(obedient->run(SetSetting{"execution_retention", "1s"}));
    advance(day);
    for (int i = 0; i < 5; ++i) obedient->reconcile();
    EXPECT_THAT(snapshot().executions, IsEmpty());
    EXPECT_THAT(snapshot().of<BudgetShareRow>(), IsEmpty());
    EXPECT_EQ(usage(1), (Amounts{{"tokens", 30}})) << "it was spent";
}

// ---- definitions ----------------------------------------------------------------------------------------------------

TEST_P(Budgets, TheFirstDefinitionStands) {
    CreateBudget first = budget(1, {{"tokens", 10}}, {{"tokens", 5}});
    first.scope_type = "tenant";
    first.scope_id = "shop";
    first.reset_interval_ms = 60'000;
    make(first);
    EXPECT_EQ(status(1).next_reset_at_ms, now() + 60'000);
    EXPECT_EQ(status(1).created_at_ms, now());
    EXPECT_EQ(status(1).scope_type + "/" + status(1).scope_id, "tenant/shop");
    EXPECT_EQ(status(1).hard_limits, (Amounts{{"tokens", 10}}));
    EXPECT_EQ(status(1).soft_limits, (Amounts{{"tokens", 5}}));
    expect_no_change([&] { EXPECT_TRUE(value_of(run(budget(1, {{"tokens", 99}}))).already_there); });
}

TEST_P(Budgets, TellLimitsAndUsageByThemselves) {
    make(budget(1, {{"tokens", 10}}, {{"calls", 2}}));
    report(1, {{"tokens", 4}});
    const auto read = [&](std::uint8_t number) {
        return value_of(api().read(ReadBudgetUsageAndLimits{budget_id(number)}));
    };
    EXPECT_EQ(read(1),
              (BudgetUsageAndLimits{{{"hard:calls", 0}, {"hard:tokens", 10}, {"soft:calls", 2}, {"soft:tokens", 0}},
                                    {{"tokens", 4}}}));
    EXPECT_EQ(read(2), BudgetUsageAndLimits{});
}

TEST_P(Budgets, AnUnknownOneIsNotFound) {
    const ExecutionId id = create();
    create();
    const auto claimed = claim();
    expect_no_change([&] {
        expect_error(run(ReportUsageAdmin{budget_id(1), {{"tokens", 1}}}), budget_not_found, budget_id(1).to_string());
        expect_error(run(ReportUsage{claimed.handle, budget_id(1), {{"tokens", 1}}}), budget_not_found);
        expect_error(run(RecordSpend{budget_id(1), id, {{"tokens", 1}}}), budget_not_found);
        expect_error(run(ResetBudget{budget_id(1)}), budget_not_found);
        expect_error(run(UpdateBudget{.budget_id = budget_id(1)}), budget_not_found);
        expect_error(api().read(GetBudgetStatus{budget_id(1)}), budget_not_found);
        EXPECT_FALSE(value_of(run(DeleteBudget{budget_id(1)})).existed);
    });
}

TEST_P(Budgets, BadDefinitionsAreRefusedByField) {
    const auto refused = [&](CreateBudget command, std::string_view field) {
        expect_no_change([&] { expect_error(run(std::move(command)), invalid_input, field); });
    };
    CreateBudget shorter = budget(1, {{"a", 1}, {"b", 1}});
    shorter.hard_limits.pop_back();
    refused(shorter, "hard_limits");
    shorter = budget(1, {{"a", 1}, {"b", 1}});
    shorter.soft_limits.push_back(1);
    refused(shorter, "soft_limits");
    CreateBudget twice = budget(1, {{"a", 1}, {"b", 1}});
    twice.dimensions[1] = "a";
    refused(twice, "dimensions");
    refused(budget(1, {{"", 1}}), "dimensions");
    refused(budget(1, {{std::string(257, 'a'), 1}}), "dimensions");
    refused(budget(1, {{"a\n", 1}}), "dimensions");
    refused(budget(1, {{"a", max_budget_amount + 1}}), "hard_limits");
    refused(budget(1, {}, {{"a", max_budget_amount + 1}}), "soft_limits");
    CreateBudget nil = budget(1);
    nil.budget_id = {};
    refused(nil, "budget_id");
    CreateBudget often = budget(1);
    often.reset_interval_ms = min_reset_interval_ms - 1;
    refused(often, "reset_interval_ms");
    CreateBudget many = budget(1);
    for (std::size_t i = 0; i <= max_budget_dimensions; ++i) {
        many.dimensions.push_back("d" + std::to_string(i));
        many.hard_limits.push_back(1);
        many.soft_limits.push_back(1);
    }
    refused(many, "dimensions");
    CreateBudget unknown = budget(1);
    unknown.enforcement_mode = static_cast<EnforcementMode>(9);
    refused(unknown, "enforcement_mode");
    unknown = budget(1);
    unknown.on_hard_limit = static_cast<HardLimitAction>(9);
    refused(unknown, "on_hard_limit");
    unknown = budget(1);
    unknown.on_soft_limit = static_cast<SoftLimitAction>(9);
    refused(unknown, "on_soft_limit");
}

TEST_P(Budgets, AChangedLimitResetsNoUsage) {
    make(budget(1, {{"tokens", 10}, {"calls", 3}}));
    report(1, {{"tokens", 8}});
    advance(5);
    EXPECT_TRUE(value_of(run(UpdateBudget{.budget_id = budget_id(1), .hard_limits = {{"tokens", 20}}})).changed);
    EXPECT_EQ(status(1).hard_limits, (Amounts{{"calls", 3}, {"tokens", 20}}));
    EXPECT_EQ(usage(1), (Amounts{{"tokens", 8}}));
    EXPECT_EQ(report(1, {{"tokens", 12}}), UsageOutcome{UsageOk{}});

    value_of(run(UpdateBudget{.budget_id = budget_id(1), .hard_limits = {{"tokens", 5}, {"calls", 0}}}));
    EXPECT_EQ(report(1, {{"tokens", 1}}), (UsageOutcome{HardBreach{"tokens", 20, 5}})) << "a lowered one drains";
    EXPECT_EQ(report(1, {{"calls", 100}}), UsageOutcome{UsageOk{}}) << "one that was taken away";
    expect_no_change([&] {
        EXPECT_FALSE(value_of(run(UpdateBudget{.budget_id = budget_id(1), .hard_limits = {{"tokens", 5}}})).changed);
        expect_error(run(UpdateBudget{.budget_id = budget_id(1), .reset_interval_ms = 1}), invalid_input,
                     "reset_interval_ms");
        expect_error(run(UpdateBudget{.budget_id = budget_id(1), .soft_limits = {{"", 1}}}), invalid_input,
                     "soft_limits");
    });
    value_of(run(UpdateBudget{.budget_id = budget_id(1), .enforcement_mode = EnforcementMode::warn}));
    EXPECT_EQ(report(1, {{"tokens", 1}}), (UsageOutcome{SoftBreach{"tokens", 21, 5}}));
}

TEST_P(Budgets, AChangedIntervalBeginsNow) {
    make(budget(1));
    advance(500);
    value_of(run(UpdateBudget{.budget_id = budget_id(1), .reset_interval_ms = 1000}));
    EXPECT_EQ(status(1).next_reset_at_ms, now() + 1000);
    value_of(run(UpdateBudget{.budget_id = budget_id(1), .hard_limits = {{"tokens", 1}}}));
    EXPECT_EQ(status(1).next_reset_at_ms, now() + 1000);
    value_of(run(UpdateBudget{.budget_id = budget_id(1), .reset_interval_ms = 0}));
    EXPECT_EQ(status(1).next_reset_at_ms, std::nullopt);
}

TEST_P(Budgets, ADeletedOneBeginsAnewWhenItIsCreatedAgain) {
    const ExecutionId id = create();
    make(budget(1, {{"tokens", 10}}));
    report(1, {{"calls", 1}}, "k");
    spend(id, 1, {{"tokens", 7}}, "k");
    EXPECT_TRUE(value_of(run(DeleteBudget{budget_id(1)})).existed);
    EXPECT_THAT(snapshot().of<BudgetRow>(), IsEmpty());
    EXPECT_THAT(snapshot().of<BudgetUsageRow>(), IsEmpty());
    make(budget(1, {{"tokens", 10}}));
    EXPECT_EQ(usage(1), Amounts{});
    EXPECT_EQ(spend(id, 1, {{"tokens", 8}}, "k"), UsageOutcome{UsageOk{}}) << "the key was another budget's";
    EXPECT_EQ(report(1, {{"tokens", 1}}, "k"), UsageOutcome{UsageOk{}});
    EXPECT_EQ(release(id, 1), (Amounts{{"tokens", 8}})) << "the share of before is void";
    EXPECT_EQ(usage(1), (Amounts{{"tokens", 1}}));
}

TEST_P(Budgets, HaveABoundedNumberOfDimensions) {
    make(budget(1));
    Amounts many;
    for (std::size_t i = 0; i < max_budget_dimensions; ++i) many.emplace("d" + std::to_string(i), 1);
    EXPECT_EQ(report(1, many), UsageOutcome{UsageOk{}});
    expect_no_change([&] {
        expect_error(run(ReportUsageAdmin{budget_id(1), {{"d1", 1}, {"one more", 1}}}), invalid_input, "dimensions");
    });
    EXPECT_EQ(report(1, many), UsageOutcome{UsageOk{}});
    EXPECT_EQ(usage(1).size(), max_budget_dimensions);
    reset(1);
    EXPECT_EQ(usage(1).at("d7"), 0U);
}

TEST_P(Budgets, AreListedInPages) {
    std::set<BudgetId> made;
    for (std::uint8_t number = 1; number <= 40; ++number) {
        make(budget(number, {{"tokens", number}}));
        report(number, {{"tokens", 1}});
        made.insert(budget_id(number));
    }
    std::set<BudgetId> listed;
    std::optional<BudgetId> after;
    int pages = 0;
    do {
        const auto page = value_of(api().read(ListBudgets{.after = after, .limit = 7}));
        for (const BudgetStatus& budget : page.budgets) {
            EXPECT_TRUE(listed.insert(budget.budget_id).second);
            EXPECT_EQ(budget.usage, (Amounts{{"tokens", 1}}));
        }
        after = page.next;
        ++pages;
    } while (after);
    EXPECT_EQ(listed, made);
    EXPECT_EQ(pages, 6);
    EXPECT_THAT(value_of(api().read(ListBudgets{.limit = 0})).budgets, IsEmpty());
    EXPECT_EQ(value_of(api().read(ListBudgets{.limit = 5000})).budgets.size(), 40U);
}

}  // namespace
}  // namespace flowfabric::test
