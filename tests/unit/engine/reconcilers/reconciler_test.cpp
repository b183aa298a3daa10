#include "engine/reconcilers/reconciler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/core/fixtures.hpp"

namespace flowfabric::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr SteadyMs start = 10'000;
constexpr std::uint32_t page = 1000;
const Result<Answer> fired{Answer{TimerFired{.changed = true}}};
const Result<Answer> idle{Answer{TimerFired{.changed = false}}};

Due due_of(std::uint64_t count, std::optional<std::int64_t> next_in = {}) {
    Due due{.now_ms = created_at};
    for (std::uint64_t i = 0; i < count; ++i) due.executions.push_back(execution(i));
    if (next_in) due.next_at_ms = created_at + *next_in;
    return due;
}

TEST(ReconcilerSpecs, ServeTheirTimersAtTheSpecifiedCadence) {
    std::vector<std::pair<Timer, SteadyMs>> cadence;
    for (const ReconcilerSpec& spec : all_reconcilers()) {
        cadence.emplace_back(spec.timer, spec.interval_ms);
        EXPECT_EQ(spec.batch, 1000U);
        EXPECT_EQ(spec.name(), to_string(spec.timer));
    }
    EXPECT_THAT(cadence,
                ElementsAre(std::pair(Timer::lease_expiry, 1500), std::pair(Timer::delayed_promotion, 750),
                            std::pair(Timer::attempt_timeout, 2000), std::pair(Timer::execution_deadline, 5000)));
}

TEST(ReconcilerSpecs, EachAsksForWhatItsTimerMeans) {
    EXPECT_EQ(std::get<ExpireLease>(command_of(Timer::lease_expiry, execution(1))).execution_id, execution(1));
    EXPECT_EQ(std::get<PromoteDelayed>(command_of(Timer::delayed_promotion, execution(1))).execution_id, execution(1));
    EXPECT_EQ(std::get<TimeOutAttempt>(command_of(Timer::attempt_timeout, execution(1))).execution_id, execution(1));
    EXPECT_EQ(std::get<ExpireExecution>(command_of(Timer::execution_deadline, execution(1))).execution_id,
              execution(1));
}

TEST(Reconciler, AsksAtOnceAndThenEveryInterval) {
    Reconciler reconciler(delayed_promotion());
    EXPECT_TRUE(reconciler.ready(0));
    EXPECT_THAT(reconciler.on_due(due_of(0), start), IsEmpty());
    EXPECT_FALSE(reconciler.ready(start + 749));
    EXPECT_TRUE(reconciler.ready(start + 750));
    EXPECT_EQ(reconciler.next_run(), start + 750);
}

TEST(Reconciler, WakesForTheNextDueTimeItKnows) {
    Reconciler reconciler(delayed_promotion());
    reconciler.on_due(due_of(0, 200), start);
    EXPECT_EQ(reconciler.next_run(), start + 200);
    reconciler.on_due(due_of(0, 5'000), start);
    EXPECT_EQ(reconciler.next_run(), start + 750);
}

TEST(Reconciler, ATimerSetMeanwhileIsNotSleptPast) {
    Reconciler reconciler(delayed_promotion());
    reconciler.on_due(due_of(0), start);
    EXPECT_TRUE(reconciler.hurry(start + 300));
    EXPECT_EQ(reconciler.next_run(), start + 300);
    EXPECT_FALSE(reconciler.hurry(start + 400)) << "later than what is planned";
    EXPECT_EQ(reconciler.next_run(), start + 300);
}

TEST(Reconciler, NeverSpins) {
    Reconciler reconciler(delayed_promotion());
    reconciler.on_due(due_of(0, 1), start);
    EXPECT_GT(reconciler.next_run(), start + 1);
}

TEST(Reconciler, WaitsForItsAnswersBeforeItAsksAgain) {
    Reconciler reconciler(lease_expiry());
    EXPECT_THAT(reconciler.on_due(due_of(2), start), SizeIs(2));
    EXPECT_FALSE(reconciler.ready(start + 10'000));
    reconciler.on_answer(execution(0), fired, start + 10);
    EXPECT_FALSE(reconciler.ready(start + 10'000));
    reconciler.on_answer(execution(1), idle, start + 20);
    EXPECT_FALSE(reconciler.ready(start + 1'499));
    EXPECT_TRUE(reconciler.ready(start + 1'500));
    EXPECT_EQ(reconciler.view().processed, 1U);
    EXPECT_EQ(reconciler.view().errors, 0U);
}

TEST(Reconciler, GoesOnAtOnceAfterAFullPage) {
    Reconciler reconciler(lease_expiry());
    ASSERT_THAT(reconciler.on_due(due_of(page), start), SizeIs(page));
    for (std::uint32_t i = 0; i < page; ++i) reconciler.on_answer(execution(i), fired, start + 5);
    EXPECT_TRUE(reconciler.ready(start + 5));
}

TEST(Reconciler, AFullPageWithAFailureWaitsItsTurn) {
    Reconciler reconciler(lease_expiry());
    reconciler.on_due(due_of(page), start);
    for (std::uint32_t i = 1; i < page; ++i) reconciler.on_answer(execution(i), fired, start + 5);
    reconciler.on_answer(execution(0), EngineError{.kind = ErrorKind::retry_exhausted, .detail = "row"}, start + 5);
    EXPECT_FALSE(reconciler.ready(start + 5));
    EXPECT_TRUE(reconciler.ready(start + 1'500));
    EXPECT_EQ(reconciler.view().processed, page - 1);
    EXPECT_EQ(reconciler.view().errors, 1U);
    EXPECT_NE(reconciler.view().last_error.find("retry_exhausted"), std::string::npos);
}

TEST(Reconciler, AStoreErrorIsCountedAndTriedAgainAfterTheInterval) {
    Reconciler reconciler(lease_expiry());
    reconciler.on_failure("gone", start);
    EXPECT_EQ(reconciler.next_run(), start + 1'500);
    EXPECT_EQ(reconciler.view().errors, 1U);
    EXPECT_EQ(reconciler.view().last_error, "gone");
}

TEST(Reconciler, TellsHowFarBehindItWas) {
    Reconciler reconciler(lease_expiry());
    Due due = due_of(1);
    due.oldest_at_ms = created_at - 700;
    reconciler.on_due(due, start);
    EXPECT_EQ(reconciler.view().lag_ms, 700);
    EXPECT_EQ(reconciler.view().last_run_at_ms, created_at);
    EXPECT_EQ(reconciler.view().runs, 1U);
    reconciler.on_answer(execution(0), fired, start);
    reconciler.on_due(due_of(0), start);
    EXPECT_EQ(reconciler.view().lag_ms, 0);
}

TEST(Reconciler, ARowThatKeepsFailingIsPassedOverForAWhile) {
    const Result<Answer> failure = EngineError{.kind = ErrorKind::corruption, .detail = "poison"};
    Reconciler reconciler(lease_expiry());
    const auto run = [&] {
        const auto commands = reconciler.on_due(due_of(2), start);
        for (const Command& command : commands) {
            const ExecutionId id = *subject_of(command);
            reconciler.on_answer(id, id == execution(0) ? failure : fired, start);
        }
        return commands.size();
    };
    for (int i = 0; i < 3; ++i) EXPECT_EQ(run(), 2U) << "strike " << i + 1;
    for (int i = 0; i < 10; ++i) EXPECT_EQ(run(), 1U) << "the other row is not held up";
    EXPECT_EQ(run(), 2U) << "it gets another chance";
    EXPECT_EQ(reconciler.view().errors, 4U);
    EXPECT_EQ(reconciler.view().processed, 14U);
}

TEST(Reconciler, ASuccessForgivesEarlierFailures) {
    const Result<Answer> failure = EngineError{.kind = ErrorKind::corruption, .detail = "flaky"};
    Reconciler reconciler(lease_expiry());
    for (int i = 0; i < 6; ++i) {
        ASSERT_EQ(reconciler.on_due(due_of(1), start).size(), 1U);
        reconciler.on_answer(execution(0), i % 3 == 2 ? fired : failure, start);
    }
    EXPECT_EQ(reconciler.on_due(due_of(1), start).size(), 1U);
}

}  // namespace
}  // namespace flowfabric::test
