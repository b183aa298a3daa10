#include "bench/followers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flowfabric::bench {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class LagTest : public testing::Test {
  protected:
    static ExecutionId id(std::uint8_t number) {
        ExecutionId id;
        id.uuid.bytes[0] = number;
        return id;
    }
    static BenchClock::time_point at(std::chrono::milliseconds time) { return BenchClock::time_point(time); }
    static Sighting begun(std::uint8_t number) {
        return {.execution_id = id(number), .stage = Stage::begun, .seen_at = at(0ms)};
    }
    static Sighting ended(std::uint8_t number, std::chrono::milliseconds seen_at = 0ms) {
        return {.execution_id = id(number), .stage = Stage::ended, .seen_at = at(seen_at)};
    }
    static Result<Lag> lag_of(Channel channel, const std::vector<Sighting>& sightings) {
        return bench::lag_of(
            {.channel = channel, .namespace_name = std::nullopt}, sightings,
            {{.execution_id = id(2), .answered_at = at(20ms)}, {.execution_id = id(1), .answered_at = at(10ms)}});
    }
};

TEST_F(LagTest, CountsFromTheAnswerToTheEvent) {
    const auto lag = lag_of(Channel::completion, {ended(1, 13ms), ended(2, 21ms)});
    ASSERT_TRUE(lag);
    EXPECT_EQ(lag->events, 2U);
    EXPECT_THAT(lag->samples, testing::ElementsAre(3ms, 1ms));
}

TEST_F(LagTest, AnEventThatOvertakesItsAnswerHasNone) {
    const auto lag = lag_of(Channel::completion, {ended(1, 9ms), ended(2, 20ms)});
    ASSERT_TRUE(lag);
    EXPECT_THAT(lag->samples, testing::Each(0ms));
}

TEST_F(LagTest, EventsOfOthersDoNotCount) {
    const auto lag = lag_of(Channel::completion, {ended(1), ended(3), ended(2)});
    ASSERT_TRUE(lag);
    EXPECT_EQ(lag->events, 2U);
}

TEST_F(LagTest, ALostEventFails) {
    const auto lag = lag_of(Channel::completion, {ended(2)});
    ASSERT_FALSE(lag);
    EXPECT_THAT(lag.error().detail, HasSubstr("1 events lost, 0 came more than once"));
}

TEST_F(LagTest, ARepeatedEventFails) {
    const auto lag = lag_of(Channel::completion, {ended(1), ended(2), ended(2)});
    ASSERT_FALSE(lag);
    EXPECT_THAT(lag.error().detail, HasSubstr("0 events lost, 1 came more than once"));
}

TEST_F(LagTest, LeasesHaveABeginningAndAnEnd) {
    EXPECT_TRUE(lag_of(Channel::lease, {begun(1), begun(2), ended(1), ended(2)}));
    EXPECT_FALSE(lag_of(Channel::lease, {begun(1), ended(1), ended(2)}));
    EXPECT_FALSE(lag_of(Channel::lease, {begun(1), begun(2), begun(2), ended(1), ended(2)}));
}

}  // namespace
}  // namespace flowfabric::bench
