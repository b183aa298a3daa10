#include "conformance/budgeting.hpp"

// Budgets that are reset by themselves.
namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;

constexpr std::int64_t interval = 60'000;

class BudgetResets : public Budgeting {
  protected:
    void make_resetting(std::uint8_t number) {
        CreateBudget command = budget(number, {{"tokens", 10}});
        command.reset_interval_ms = static_cast<std::uint64_t>(interval);
        make(std::move(command));
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, BudgetResets, all_stores(), name_of_param);

TEST_P(BudgetResets, HappenWhenTheIntervalIsOver) {
    make_resetting(1);
    make(budget(2));
    report(1, {{"tokens", 7}});
    report(2, {{"tokens", 7}});
    advance(interval - 1);
    reconcile();
    EXPECT_EQ(usage(1), (Amounts{{"tokens", 7}}));
    EXPECT_EQ(report(1, {{"tokens", 4}}), (UsageOutcome{HardBreach{"tokens", 7, 10}}));
    advance(1);
    reconcile();
    const BudgetStatus reset = status(1);
    EXPECT_EQ(reset.usage, (Amounts{{"tokens", 0}}));
    EXPECT_EQ(reset.reset_count, 1U);
    EXPECT_EQ(reset.last_reset_at_ms, now());
    EXPECT_EQ(reset.next_reset_at_ms, now() + interval);
    EXPECT_EQ(reset.last_breach_at_ms, std::nullopt);
    EXPECT_EQ(reset.last_breach_dim, std::nullopt);
    EXPECT_EQ(reset.breach_count, 1U) << "kept";
    EXPECT_THAT(told(1), ElementsAre(::testing::HasSubstr("budget_breached"),
                                     R"(budget_reset {"next_reset_at":)" + std::to_string(now() + interval) + "}"));
    EXPECT_EQ(usage(2), (Amounts{{"tokens", 7}})) << "never by itself";
    expect_no_change([&] { reconcile(); });
}

TEST_P(BudgetResets, StayOnTheirGridWhenTheyAreLate) {
    make_resetting(1);
    const std::int64_t first = *status(1).next_reset_at_ms;
    report(1, {{"tokens", 7}});
    advance(interval + interval * 5 / 2);
    reconcile();
    EXPECT_EQ(status(1).reset_count, 1U) << "one for all that were missed";
    EXPECT_EQ(status(1).next_reset_at_ms, first + 3 * interval);
    EXPECT_GT(*status(1).next_reset_at_ms, now());
}

TEST_P(BudgetResets, ThatFallOnTheNextTimeOfTheGridGoOnBehindIt) {
    make_resetting(1);
    const std::int64_t first = *status(1).next_reset_at_ms;
    advance(2 * interval);
    reconcile();
    EXPECT_EQ(status(1).next_reset_at_ms, first + 2 * interval);
}

TEST_P(BudgetResets, ByHandBeginTheIntervalAnew) {
    make_resetting(1);
    advance(interval / 2);
    EXPECT_EQ(reset(1), now() + interval);
    make(budget(2));
    EXPECT_EQ(reset(2), std::nullopt);
    advance(interval / 2);
    reconcile();
    EXPECT_EQ(status(1).reset_count, 1U);
    advance(interval / 2);
    reconcile();
    EXPECT_EQ(status(1).reset_count, 2U);
}

TEST_P(BudgetResets, OfSeveralEnginesHappenOnce) {
    for (std::uint8_t number = 1; number <= 5; ++number) make_resetting(number);
    const auto other = another_engine();
    advance(interval);
    reconcile();
    other->reconcile();
    for (std::uint8_t number = 1; number <= 5; ++number) EXPECT_EQ(status(number).reset_count, 1U);
}

TEST_P(BudgetResets, LeaveWhatIsAboveAndBelowAlone) {
    make(budget(1));
    make_below(1, budget(2));
    make_below(2, budget(3));
    report(3, {{"tokens", 5}});
    reset(2);
    EXPECT_EQ(usage(1), (Amounts{{"tokens", 5}}));
    EXPECT_EQ(usage(2), (Amounts{{"tokens", 0}}));
    EXPECT_EQ(usage(3), (Amounts{{"tokens", 5}}));
}

}  // namespace
}  // namespace flowfabric::test
