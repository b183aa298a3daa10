#include <atomic>

#include "concurrency/engine_test.hpp"
#include "core/budget/budget.hpp"

namespace flowfabric::test {
namespace {

BudgetId budget_id(std::uint8_t number) {
    BudgetId id;
    id.uuid.bytes[0] = number;
    return id;
}

class ConcurrentBudgets : public EngineTest {
  protected:
    static void make(Engine& engine, std::uint8_t number, std::uint64_t hard_limit,
                     std::optional<std::uint8_t> parent = std::nullopt) {
        CreateBudget command{.budget_id = budget_id(number)};
        command.dimensions = {"tokens"};
        command.hard_limits = {hard_limit};
        command.soft_limits = {0};
        if (parent) command.parent_budget_id = budget_id(*parent);
        value_of(engine.call(std::move(command)));
    }
    static BudgetStatus status(Engine& engine, std::uint8_t number) {
        return value_of(engine.read(GetBudgetStatus{budget_id(number)}));
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, ConcurrentBudgets, all_stores(), name_of_param);

TEST_P(ConcurrentBudgets, AHundredReportersUseAHardLimitUpAndNoMore) {
    const std::vector<Engine*> engines{&open(), &open(), &open()};
    make(*engines[0], 1, 50);
    std::atomic<int> applied = 0;
    std::atomic<int> refused = 0;
    on_threads(100, [&](int thread) {
        Engine& engine = *engines[static_cast<std::size_t>(thread) % engines.size()];
        const auto outcome = value_of(engine.call(ReportUsageAdmin{budget_id(1), {{"tokens", 1}}}));
        ++(std::holds_alternative<HardBreach>(outcome) ? refused : applied);
    });
    EXPECT_EQ(applied, 50);
    EXPECT_EQ(refused, 50);
    EXPECT_EQ(status(*engines[1], 1).usage.at("tokens"), 50U);
    EXPECT_EQ(status(*engines[1], 1).breach_count, 50U);
}

TEST_P(ConcurrentBudgets, OneKeyIsAppliedOnceHoweverManyReportIt) {
    const std::vector<Engine*> engines{&open(), &open()};
    make(*engines[0], 1, 0);
    std::atomic<int> applied = 0;
    on_threads(40, [&](int thread) {
        Engine& engine = *engines[static_cast<std::size_t>(thread) % engines.size()];
        const auto outcome = value_of(engine.call(ReportUsageAdmin{budget_id(1), {{"tokens", 1}}, "call"}));
        if (std::holds_alternative<UsageOk>(outcome)) ++applied;
    });
    EXPECT_EQ(applied, 1);
    EXPECT_EQ(status(*engines[0], 1).usage.at("tokens"), 1U);
}

// The root's id is in the middle of the others', so that it is locked before some and behind others.
TEST_P(ConcurrentBudgets, ATreeIsChargedFromAllItsLeavesAtOnce) {
    const std::vector<Engine*> engines{&open(), &open(), &open()};
    constexpr std::uint8_t root = 100;
    constexpr int reports = 30;
    make(*engines[0], root, 150);
    for (std::uint8_t leaf = 1; leaf <= 5; ++leaf) {
        make(*engines[0], leaf, 0, root);
        make(*engines[0], static_cast<std::uint8_t>(200 + leaf), 0, leaf);
    }
    std::atomic<int> applied = 0;
    on_threads(10, [&](int thread) {
        for (int i = 0; i < reports; ++i) {
            Engine& engine = *engines[static_cast<std::size_t>(thread + i) % engines.size()];
            const auto leaf = static_cast<std::uint8_t>(1 + (thread + i) % 5);
            const auto charged = thread % 2 == 0 ? leaf : static_cast<std::uint8_t>(200 + leaf);
            const auto outcome = value_of(engine.call(ReportUsageAdmin{budget_id(charged), {{"tokens", 1}}}));
            if (std::holds_alternative<UsageOk>(outcome)) ++applied;
        }
    });
    EXPECT_EQ(applied, 150);
    EXPECT_EQ(status(*engines[0], root).usage.at("tokens"), 150U);
    EXPECT_EQ(status(*engines[0], root).breach_count, 150U);
    std::uint64_t below = 0;
    for (std::uint8_t leaf = 1; leaf <= 5; ++leaf) below += status(*engines[0], leaf).usage.at("tokens");
    EXPECT_EQ(below, 150U);
}

TEST_P(ConcurrentBudgets, SpendsReleasesAndResetsOfOneBudgetLeaveNothingBehind) {
    const std::vector<Engine*> engines{&open(), &open()};
    make(*engines[0], 1, 0);
    make(*engines[0], 2, 0, 1);
    const auto ids = create(*engines[0], 16);
    const std::vector<ExecutionId> spenders(ids.begin(), ids.end());
    on_threads(16, [&](int thread) {
        Engine& engine = *engines[static_cast<std::size_t>(thread) % engines.size()];
        const ExecutionId& spender = spenders[static_cast<std::size_t>(thread)];
        for (int i = 0; i < 10; ++i) {
            const BudgetId charged = budget_id(i % 2 == 0 ? 2 : 1);
            value_of(engine.call(RecordSpend{charged, spender, {{"tokens", 3}}}));
            if (thread == 0 && i == 5) value_of(engine.call(ResetBudget{budget_id(1)}));
            value_of(engine.call(ReleaseBudget{charged, spender}));
        }
    });
    EXPECT_EQ(status(*engines[0], 1).usage.at("tokens"), 0U);
    EXPECT_EQ(status(*engines[0], 2).usage.at("tokens"), 0U);
    EXPECT_TRUE(snapshot().of<BudgetShareRow>().empty());
}

TEST_P(ConcurrentBudgets, AreCreatedOnceAndAboveWhatIsThere) {
    const std::vector<Engine*> engines{&open(), &open()};
    make(*engines[0], 1, 0);
    std::atomic<int> created = 0;
    on_threads(12, [&](int thread) {
        CreateBudget command{.budget_id = budget_id(static_cast<std::uint8_t>(2 + thread % 3))};
        command.parent_budget_id = budget_id(1);
        const auto made = value_of(engines[static_cast<std::size_t>(thread) % 2]->call(std::move(command)));
        if (!made.already_there) ++created;
    });
    EXPECT_EQ(created, 3);
    expect_error(engines[0]->call(DeleteBudget{budget_id(1)}), ErrorKind::budget_has_children, "3");
}

}  // namespace
}  // namespace flowfabric::test
