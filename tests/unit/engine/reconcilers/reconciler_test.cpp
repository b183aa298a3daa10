#include "engine/reconcilers/reconciler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/core/fixtures.hpp"

namespace flowfabric::test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr SteadyMs start = 10'000;
const Result<Answer> fired{Answer{TimerFired{.changed = true}}};
const Result<Answer> idle{Answer{TimerFired{.changed = false}}};

Due due_of(std::uint64_t count, std::optional<std::int64_t> next_in = {}) {
    Due due{.now_ms = created_at};
    for (std::uint64_t i = 0; i < count; ++i) due.executions.push_back(execution(i));
    if (next_in) due.next_at_ms = created_at + *next_in;
    return due;
}

TEST(ReconcilerSpecs, ServeTheirTimersAtTheSpecifiedCadence) {
    EXPECT_EQ(lease_expiry().kind, DueKind::lease_check);
    EXPECT_EQ(lease_expiry().interval_ms, 1500);
    EXPECT_EQ(std::get<ExpireLease>(lease_expiry().command_for(execution(1))).execution_id, execution(1));
    EXPECT_EQ(delayed_promotion().kind, DueKind::delayed);
    EXPECT_EQ(delayed_promotion().interval_ms, 750);
    EXPECT_EQ(std::get<PromoteDelayed>(delayed_promotion().command_for(execution(1))).execution_id, execution(1));
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
    reconciler.on_answer(fired, start + 10);
    EXPECT_FALSE(reconciler.ready(start + 10'000));
    reconciler.on_answer(idle, start + 20);
    EXPECT_FALSE(reconciler.ready(start + 1'499));
    EXPECT_TRUE(reconciler.ready(start + 1'500));
    EXPECT_EQ(reconciler.stats().processed, 1U);
    EXPECT_EQ(reconciler.stats().errors, 0U);
}

TEST(Reconciler, GoesOnAtOnceAfterAFullPage) {
    Reconciler reconciler(lease_expiry());
    ASSERT_THAT(reconciler.on_due(due_of(reconciler_page), start), SizeIs(reconciler_page));
    for (std::uint32_t i = 0; i < reconciler_page; ++i) reconciler.on_answer(fired, start + 5);
    EXPECT_TRUE(reconciler.ready(start + 5));
}

TEST(Reconciler, AFullPageWithAFailureWaitsItsTurn) {
    Reconciler reconciler(lease_expiry());
    reconciler.on_due(due_of(reconciler_page), start);
    for (std::uint32_t i = 1; i < reconciler_page; ++i) reconciler.on_answer(fired, start + 5);
    reconciler.on_answer(EngineError{.kind = ErrorKind::retry_exhausted, .detail = "row"}, start + 5);
    EXPECT_FALSE(reconciler.ready(start + 5));
    EXPECT_TRUE(reconciler.ready(start + 1'500));
    EXPECT_EQ(reconciler.stats().processed, reconciler_page - 1);
    EXPECT_EQ(reconciler.stats().errors, 1U);
    EXPECT_NE(reconciler.stats().last_error.find("retry_exhausted"), std::string::npos);
}

TEST(Reconciler, AStoreErrorIsCountedAndTriedAgainAfterTheInterval) {
    Reconciler reconciler(lease_expiry());
    reconciler.on_store_error({.fault = StoreFault::connection, .detail = "gone"}, start);
    EXPECT_EQ(reconciler.next_run(), start + 1'500);
    EXPECT_EQ(reconciler.stats().errors, 1U);
    EXPECT_EQ(reconciler.stats().last_error, "gone");
}

}  // namespace
}  // namespace flowfabric::test
