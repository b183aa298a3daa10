#include "core/statistics/rate_history.hpp"

#include <gtest/gtest.h>

namespace flowfabric::test {
namespace {

LaneCountsRow lane(const char* name, std::int64_t created, std::int64_t ended = 0) {
    return {.lane_id = name, .counts = {.depth = {}, .totals = {.created = created, .ended_success = ended}}};
}

TEST(RateHistory, TellsNoRateBeforeItHasLookedForAsLong) {
    RateHistory history;
    EXPECT_FALSE(history.rates(lane("a", 5), 1000, 60'000));
    history.add(1000, {lane("a", 5)});
    EXPECT_FALSE(history.rates(lane("a", 5), 60'999, 60'000));
    EXPECT_TRUE(history.rates(lane("a", 5), 61'000, 60'000));
}

TEST(RateHistory, IsExactOverTheTimeThatItNames) {
    RateHistory history;
    history.add(0, {lane("a", 0)});
    history.add(15'000, {lane("a", 100, 10)});
    history.add(30'000, {lane("a", 300, 50)});
    const auto rates = history.rates(lane("a", 1000, 70), 90'000, 60'000);
    ASSERT_TRUE(rates);
    EXPECT_EQ(rates->over_ms, 60'000);
    EXPECT_DOUBLE_EQ(rates->created, 700.0 / 60);
    EXPECT_DOUBLE_EQ(rates->ended, 20.0 / 60);
}

TEST(RateHistory, ALaneThatIsNewBeganWithNothing) {
    RateHistory history;
    history.add(0, {lane("a", 7)});
    EXPECT_DOUBLE_EQ(history.rates(lane("b", 60), 60'000, 60'000)->created, 1.0);
}

TEST(RateHistory, KeepsTheSampleThatTheOldestRatesBeginWith) {
    RateHistory history;
    for (std::int64_t at = 0; at <= 3'600'000; at += RateHistory::interval_ms) history.add(at, {lane("a", at)});
    const auto rates = history.rates(lane("a", 3'600'000), 3'600'000, 300'000);
    ASSERT_TRUE(rates);
    EXPECT_EQ(rates->over_ms, 300'000);
    EXPECT_DOUBLE_EQ(rates->created, 1000.0);
}

}  // namespace
}  // namespace flowfabric::test
