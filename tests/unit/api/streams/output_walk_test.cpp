#include "api/streams/output_walk.hpp"

#include <gtest/gtest.h>

namespace flowfabric::api {
namespace {

using Step = OutputWalk::Step;

const ExecutionId id = *ExecutionId::parse("{fp:86}:550e8400-e29b-41d4-a716-446655440000");

ExecutionView standing(std::uint32_t attempt, bool ended) {
    ExecutionView view;
    view.current_attempt_index = attempt;
    view.vector.lifecycle_phase = ended ? LifecyclePhase::terminal : LifecyclePhase::active;
    return view;
}

StreamPage with_frames(std::initializer_list<std::int64_t> times) {
    StreamPage page;
    for (const auto time : times) page.frames.push_back({.id = {time, 0}});
    return page;
}

StreamPage closed(StreamEnd why) {
    StreamPage page;
    page.closed_at_ms = 9;
    page.closed_reason = why;
    return page;
}

TEST(OutputWalk, GoesFromFrameToFrameAndFromAttemptToAttempt) {
    OutputWalk walk(id, {});
    ASSERT_EQ(walk.step(), Step::look);
    walk.learn(standing(1, false));
    ASSERT_EQ(walk.step(), Step::tail);
    EXPECT_EQ(walk.tail().attempt_index, 1U) << "it begins with the current attempt";
    EXPECT_LT(walk.tail().block_ms, max_tail_block_ms) << "a stream that was not written to does not tell of its end";
    EXPECT_EQ(walk.take(with_frames({5, 6})).size(), 2U);
    ASSERT_EQ(walk.step(), Step::tail);
    EXPECT_EQ(walk.tail().after, (FrameId{6, 0}));
    EXPECT_EQ(walk.tail().block_ms, max_tail_block_ms);
    EXPECT_FALSE(walk.is_up_to_date());
    const auto end = walk.take(closed(StreamEnd::attempt_failure));
    ASSERT_EQ(end.size(), 1U);
    EXPECT_FALSE(end[0].frame);
    EXPECT_EQ(end[0].attempt_index, 1U);
    EXPECT_EQ(end[0].behind, (OutputPlace{2, {}}));
    EXPECT_EQ(walk.step(), Step::look);
    EXPECT_EQ(walk.tail().attempt_index, 2U);
}

// What was written before the end must not be missed, and what is seen before it is looked for proves nothing.
TEST(OutputWalk, EndsOnlyWhenALookAndThenAnEmptyAnswerSaySo) {
    OutputWalk walk(id, {});
    walk.learn(standing(0, false));
    walk.take({});
    EXPECT_TRUE(walk.is_up_to_date());
    ASSERT_EQ(walk.step(), Step::look);
    walk.learn(standing(0, true));
    ASSERT_EQ(walk.step(), Step::tail);
    EXPECT_EQ(walk.tail().block_ms, 0U);
    EXPECT_EQ(walk.take(with_frames({7})).size(), 1U);
    ASSERT_EQ(walk.step(), Step::tail);
    walk.take({});
    EXPECT_EQ(walk.step(), Step::done);
}

TEST(OutputWalk, AnAttemptThatPutNothingOutIsLeftWhenItIsOver) {
    OutputWalk walk(id, {.from_first = true});
    for (std::uint32_t attempt = 0; attempt < 2; ++attempt) {
        walk.learn(standing(2, false));
        EXPECT_EQ(walk.tail().attempt_index, attempt);
        EXPECT_EQ(walk.tail().block_ms, 0U);
        walk.take({});
        ASSERT_EQ(walk.step(), Step::look);
    }
    walk.learn(standing(2, false));
    EXPECT_EQ(walk.tail().attempt_index, 2U);
    EXPECT_GT(walk.tail().block_ms, 0U);
}

TEST(OutputWalk, WaitsLongerEachTimeWhileNothingComes) {
    OutputWalk walk(id, {});
    std::uint64_t before = 0;
    for (int i = 0; i < 4; ++i) {
        walk.learn(standing(0, false));
        EXPECT_GT(walk.tail().block_ms, before);
        before = walk.tail().block_ms;
        walk.take({});
    }
    walk.learn(standing(0, false));
    walk.look_again();
    EXPECT_EQ(walk.step(), Step::look) << "something has happened";
}

TEST(OutputWalk, OneAttemptAloneEndsWithIt) {
    OutputWalk walk(id, {.only_attempt = 0});
    walk.learn(standing(3, false));
    EXPECT_EQ(walk.tail().attempt_index, 0U);
    walk.take(closed(StreamEnd::lease_expired));
    EXPECT_EQ(walk.step(), Step::done);
    const OutputWalk behind(id, {.from = OutputPlace{1, {}}, .only_attempt = 0});
    EXPECT_EQ(behind.step(), Step::done) << "it is behind the attempt's end already";
}

TEST(OutputWalk, ACursorIsThePlaceAndNothingElseIsOne) {
    const OutputPlace place{7, {1'713'100'800'150, 3}};
    EXPECT_EQ(*OutputPlace::of_cursor(place.cursor()), place);
    Bytes wrong = place.cursor();
    wrong.front() = 0x02;
    EXPECT_FALSE(OutputPlace::of_cursor(wrong));
    wrong = place.cursor();
    wrong[5] = static_cast<char>(0x80);
    EXPECT_FALSE(OutputPlace::of_cursor(wrong)) << "negative";
    EXPECT_FALSE(OutputPlace::of_cursor(place.cursor() + "x"));
    EXPECT_FALSE(OutputPlace::of_cursor(""));
    OutputWalk walk(id, {.from = place});
    EXPECT_EQ(walk.tail().after, place.after);
    EXPECT_EQ(walk.tail().attempt_index, 7U);
}

}  // namespace
}  // namespace flowfabric::api
