#include "engine/batching/linger.hpp"

#include <gtest/gtest.h>

namespace flowfabric::test {
namespace {

constexpr SteadyUs transaction_us = 1500;

TEST(Linger, NeverHoldsBackACommandThatFindsTheEngineIdle) {
    Linger linger;
    linger.on_arrival();
    EXPECT_EQ(linger.remaining(0), std::nullopt);
}

TEST(Linger, WaitsAFractionOfTheLastTransactionForTheCallersJustAnswered) {
    Linger linger;
    linger.on_answers(8, transaction_us, 1000);
    EXPECT_EQ(linger.remaining(1000), 500);
    EXPECT_EQ(linger.remaining(1500), std::nullopt);
}

TEST(Linger, WaitsLongEnoughToHearFromCallersAndNeverMuchLonger) {
    Linger linger;
    linger.on_answers(8, 0, 0);
    EXPECT_EQ(linger.remaining(0), 300);
    linger.on_answers(8, 1'000'000, 0);
    EXPECT_EQ(linger.remaining(0), 600);
}

TEST(Linger, EndsAsSoonAsAllCallersAreBack) {
    Linger linger;
    linger.on_answers(2, transaction_us, 0);
    linger.on_arrival();
    EXPECT_FALSE(linger.complete());
    EXPECT_TRUE(linger.remaining(10).has_value());
    linger.on_arrival();
    EXPECT_TRUE(linger.complete());
    EXPECT_EQ(linger.remaining(20), std::nullopt);
}

TEST(Linger, PausesWhenCallersDoNotComeBackAndTriesAgainLater) {
    Linger linger;
    linger.on_answers(8, transaction_us, 0);
    EXPECT_EQ(linger.remaining(transaction_us), std::nullopt);  // nobody came

    int skipped = 0;
    SteadyUs now = transaction_us;
    for (;; ++skipped) {
        linger.on_answers(8, transaction_us, now);
        if (linger.remaining(now)) break;
        ASSERT_LT(skipped, 1000) << "lingering never came back";
    }
    EXPECT_EQ(skipped, 32);
}

TEST(Linger, GoesOnWhileAQuarterOfTheCallersComeBack) {
    Linger linger;
    linger.on_answers(8, transaction_us, 0);
    linger.on_arrival();
    linger.on_arrival();
    EXPECT_EQ(linger.remaining(transaction_us), std::nullopt);
    linger.on_answers(8, transaction_us, transaction_us);
    EXPECT_TRUE(linger.remaining(transaction_us).has_value());
}

}  // namespace
}  // namespace flowfabric::test
