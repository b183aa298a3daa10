#include "core/stream/frame_retention.hpp"

#include <gtest/gtest.h>

namespace flowfabric {
namespace {

AppendFrame best_effort(std::uint64_t ttl_ms) {
    AppendFrame frame;
    frame.mode = FrameMode::best_effort;
    frame.ttl_ms = ttl_ms;
    return frame;
}

TEST(BestEffortTest, HasDefaults) {
    AppendFrame frame;
    frame.mode = FrameMode::best_effort;
    const BestEffort config = best_effort_of(frame);
    EXPECT_EQ(config.ttl_ms, 10'000U);
    EXPECT_EQ(config.floor, 64);
    EXPECT_EQ(config.ceiling, 16'384);
    EXPECT_EQ(config.alpha, 0.2);
}

TEST(BestEffortTest, WhatContradictsItselfIsSetRight) {
    AppendFrame frame = best_effort(1000);
    frame.maxlen_floor = 100;
    frame.maxlen_ceiling = 10;
    EXPECT_EQ(best_effort_of(frame).ceiling, 100);
    for (const double alpha : {0.0, -1.0, 1.1}) {
        frame.ema_alpha = alpha;
        EXPECT_EQ(best_effort_of(frame).alpha, 0.2) << alpha;
    }
    frame.ema_alpha = 1.0;
    EXPECT_EQ(best_effort_of(frame).alpha, 1.0);
}

TEST(FrameRateTest, BeginsAtTheFloor) {
    const FrameRate first = first_rate(best_effort_of(best_effort(5000)));
    EXPECT_DOUBLE_EQ(first.hz, 6.4);
    EXPECT_EQ(first.maxlen, 64);
}

TEST(FrameRateTest, IsAMovingAverage) {
    const BestEffort config = best_effort_of(best_effort(5000));
    // 0.2 * 100 + 0.8 * 6.4 = 25.12 frames a second, of which ten seconds are kept.
    const FrameRate next = next_rate(config, 6.4, 10);
    EXPECT_DOUBLE_EQ(next.hz, 25.12);
    EXPECT_EQ(next.maxlen, 252);
}

TEST(FrameRateTest, ABurstWithinAMillisecondCountsAsOneMillisecond) {
    const BestEffort config = best_effort_of(best_effort(5000));
    EXPECT_EQ(next_rate(config, 6.4, 0).hz, next_rate(config, 6.4, 1).hz);
    EXPECT_EQ(next_rate(config, 6.4, -7).hz, next_rate(config, 6.4, 1).hz);
    EXPECT_GT(next_rate(config, 6.4, 0).maxlen, 64) << "bursts must not shrink what is kept";
}

TEST(FrameRateTest, StaysWithinFloorAndCeiling) {
    const BestEffort config = best_effort_of(best_effort(86'400'000));
    EXPECT_EQ(next_rate(config, 1e9, 1).maxlen, 16'384);
    EXPECT_EQ(next_rate(config, 0, 3'600'000'000).maxlen, 64);
}

TEST(KeepNewestTest, ShowsExactlyTheNewestAndRemovesTheOthersInPieces) {
    StreamMetaRow meta;
    std::int64_t removals = 0;
    for (meta.frame_count = 1; meta.frame_count <= 2000; ++meta.frame_count) {
        if (keep_newest(meta, 1000)) ++removals;
        EXPECT_EQ(meta.cut_through, std::max<std::int64_t>(meta.frame_count - 1000, 0));
        EXPECT_LE(meta.cut_through - meta.removed_through, 125);
        EXPECT_LE(meta.removed_through, meta.cut_through);
    }
    EXPECT_EQ(removals, 7) << "each of 126 frames";
}

TEST(KeepNewestTest, WhatIsCutStaysCut) {
    StreamMetaRow meta;
    meta.frame_count = 500;
    EXPECT_TRUE(keep_newest(meta, 64));
    EXPECT_EQ(meta.cut_through, 436);
    EXPECT_FALSE(keep_newest(meta, 10'000));
    EXPECT_EQ(meta.cut_through, 436);
}

TEST(KeepNewestTest, NoFrameMayBeKept) {
    StreamMetaRow meta;
    meta.frame_count = 3;
    EXPECT_FALSE(keep_newest(meta, 0));
    EXPECT_EQ(meta.cut_through, 3);
}

}  // namespace
}  // namespace flowfabric
