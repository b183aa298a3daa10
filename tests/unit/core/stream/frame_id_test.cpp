#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "flowfabric/stream.hpp"

namespace flowfabric {
namespace {

constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();

TEST(FrameIdTest, IsMillisecondAndSequence) {
    EXPECT_EQ(*FrameId::parse("5-7"), (FrameId{5, 7}));
    EXPECT_EQ(*FrameId::parse("0-0"), FrameId{});
    EXPECT_EQ(*FrameId::parse("5-99999999999"), (FrameId{5, 99'999'999'999}));
    EXPECT_EQ((FrameId{1'713'100'800'150, 3}).to_string(), "1713100800150-3");
}

TEST(FrameIdTest, AMillisecondAloneIsItsFirstFrame) {
    EXPECT_EQ(*FrameId::parse("5"), (FrameId{5, 0}));
}

TEST(FrameIdTest, GrowsByTimeAndThenBySequence) {
    EXPECT_LT((FrameId{5, 9}), (FrameId{6, 0}));
    EXPECT_LT((FrameId{5, 9}), (FrameId{5, 10}));
}

TEST(FrameIdTest, AnythingElseIsRefused) {
    for (const char* text : {"", "-", "+", "5-", "-5", "a", "5-a", "a-5", "5-7-9", " 5", "5 ", "+5", "0x5", "5.0",
                             "start", "end", "9223372036854775808", "5-18446744073709551616"}) {
        EXPECT_FALSE(FrameId::parse(text)) << text;
    }
}

TEST(StreamBoundTest, IsAPlaceOrAnEndOfTheStream) {
    for (const char* text : {"start", "end", "5", "5-7"}) EXPECT_EQ(StreamBound::parse(text)->to_string(), text);
    for (const char* text : {"", "-", "+", "5-", "a", "START", "5-7-9"}) EXPECT_FALSE(StreamBound::parse(text)) << text;
}

TEST(StreamBoundTest, AMillisecondHoldsAllOfItsFrames) {
    const StreamBound bound = *StreamBound::parse("5");
    EXPECT_EQ(bound.lowest(), (FrameId{5, 0}));
    EXPECT_EQ(bound.highest(), (FrameId{5, last}));
    EXPECT_EQ(StreamBound::parse("5-7")->lowest(), (FrameId{5, 7}));
    EXPECT_EQ(StreamBound::parse("5-7")->highest(), (FrameId{5, 7}));
}

TEST(StreamBoundTest, StartAndEndHoldEverything) {
    EXPECT_EQ(StreamBound::start().lowest(), FrameId{});
    EXPECT_EQ(StreamBound::start().highest(), FrameId{});
    EXPECT_EQ(StreamBound::end().highest(), (FrameId{last, last}));
    EXPECT_EQ(StreamBound::end().lowest(), (FrameId{last, last}));
}

}  // namespace
}  // namespace flowfabric
