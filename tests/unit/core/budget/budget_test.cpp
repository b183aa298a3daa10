#include "core/budget/budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flowfabric::test {
namespace {

BudgetRow budget(std::uint8_t number, BudgetAmounts hard_limits = {}) {
    BudgetId id;
    id.uuid.bytes[15] = number;
    BudgetRow row;
    row.key = key_of(id);
    row.policy_json = json_of(BudgetPolicy{.hard_limits = std::move(hard_limits)});
    return row;
}

BudgetRow below(const BudgetRow& parent, BudgetRow row) {
    row.ancestors = parent.ancestors;
    row.ancestors.values.push_back(parent.key.budget_id.to_string());
    return row;
}

void use(SideTables& side, const BudgetRow& row, const std::string& dimension, std::int64_t amount) {
    side.of<BudgetUsageRow>().load({.key = {row.key, dimension}, .current_value = amount});
}

TEST(BudgetPolicies, AreKeptAsTheyAre) {
    const BudgetPolicy policy{.hard_limits = {{"a \"quoted\" one", 0}, {"tokens", max_budget_amount}},
                              .soft_limits = {{"ä", 7}},
                              .reset_interval_ms = 86'400'000,
                              .on_hard_limit = HardLimitAction::fail,
                              .on_soft_limit = SoftLimitAction::none};
    BudgetRow row = budget(1);
    row.policy_json = json_of(policy);
    EXPECT_EQ(policy_of(row), policy);
    EXPECT_EQ(damage_in(row), std::nullopt);
}

TEST(BudgetPolicies, ThatAreDamagedAreNotTakenForOnesWithoutLimits) {
    for (const std::string text : {"", "[]", "{}", R"({"hard_limits":{}})",
                                   R"({"hard_limits":{"a":-1},"soft_limits":{},"reset_interval_ms":0,)"
                                   R"("on_hard_limit":"fail","on_soft_limit":"warn"})",
                                   R"({"hard_limits":{},"soft_limits":{},"reset_interval_ms":0,)"
                                   R"("on_hard_limit":"explode","on_soft_limit":"warn"})"}) {
        BudgetRow row = budget(1);
        row.policy_json = {text};
        EXPECT_NE(damage_in(row), std::nullopt) << text;
    }
    BudgetRow row = budget(1);
    row.ancestors.values = {"none"};
    EXPECT_NE(damage_in(row), std::nullopt);
    row = budget(1);
    row.child_count = -1;
    EXPECT_NE(damage_in(row), std::nullopt);
}

TEST(SpentLimits, AreLookedForHereAndAbove) {
    const BudgetRow root = budget(1, {{"calls", 5}, {"tokens", 10}});
    const BudgetRow middle = below(root, budget(2, {{"tokens", 0}}));
    const BudgetRow leaf = below(middle, budget(3, {{"tokens", 100}}));
    SideTables side;
    for (const BudgetRow& row : {root, middle, leaf}) side.of<BudgetRow>().load(row);
    use(side, root, "tokens", 9);
    use(side, middle, "tokens", 1'000);
    use(side, leaf, "tokens", 99);
    EXPECT_EQ(spent_limit(leaf.key, side), std::nullopt);
    use(side, root, "tokens", 10);
    EXPECT_EQ(spent_limit(leaf.key, side), (SpentLimit{root.key.budget_id, "tokens", 10, 10}));
    use(side, leaf, "tokens", 101);
    EXPECT_EQ(spent_limit(leaf.key, side), (SpentLimit{leaf.key.budget_id, "tokens", 101, 100})) << "the nearest";
    use(side, root, "calls", 5);
    EXPECT_EQ(spent_limit(middle.key, side), (SpentLimit{root.key.budget_id, "calls", 5, 5}));
}

TEST(SpentLimits, AreNoneOfWhatIsNotThereOrOnlyWarns) {
    SideTables side;
    BudgetRow row = budget(1, {{"tokens", 1}});
    EXPECT_EQ(spent_limit(row.key, side), std::nullopt);
    row.enforcement_mode = EnforcementMode::warn;
    side.of<BudgetRow>().load(row);
    use(side, row, "tokens", 5);
    EXPECT_EQ(spent_limit(row.key, side), std::nullopt);
}

TEST(LimitedUsage, IsThatOfHardLimitsAlone) {
    NamedRows rows;
    name_limited_usage(budget(1, {{"a", 0}, {"b", 3}}), rows);
    const auto& keys = rows.side.of<BudgetUsageRow>().keys;
    ASSERT_EQ(keys.size(), 1U);
    EXPECT_EQ(keys[0].dimension, "b");
}

}  // namespace
}  // namespace flowfabric::test
