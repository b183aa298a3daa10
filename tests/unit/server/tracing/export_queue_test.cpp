#include "server/tracing/export_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flowfabric::server {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ExportQueueTest : public ::testing::Test {
  protected:
    bool add(const std::string& name) { return queue_.add(Span{.name = name}, now_); }
    std::vector<std::string> names_of(const std::vector<Span>& spans) {
        std::vector<std::string> names;
        for (const Span& span : spans) names.push_back(span.name);
        return names;
    }
    std::vector<std::string> take() { return names_of(queue_.take(now_)); }
    // A batch is due, and fails.
    void fail(std::chrono::milliseconds wanted = 0ms) {
        auto batch = queue_.take(now_);
        ASSERT_THAT(batch, Not(IsEmpty()));
        queue_.failed(std::move(batch), now_, wanted);
    }

    ExportQueue::Time now_{1h};
    ExportQueue queue_{{.batch = 2, .room = 4}, [] { return 1.0; }};
};

TEST_F(ExportQueueTest, ABatchGoesWhenItIsFull) {
    EXPECT_EQ(queue_.due(), std::nullopt);
    add("a");
    EXPECT_EQ(queue_.due(), now_ + 1s);
    EXPECT_THAT(take(), IsEmpty());
    add("b");
    add("c");
    EXPECT_LE(queue_.due(), now_);
    EXPECT_THAT(take(), ElementsAre("a", "b"));
    EXPECT_EQ(queue_.due(), std::nullopt) << "one at a time";
    now_ += 5s;
    EXPECT_THAT(take(), IsEmpty());
    queue_.done();
    EXPECT_THAT(take(), ElementsAre("c"));
}

TEST_F(ExportQueueTest, ABatchGoesWhenItsFirstSpanHasWaitedForASecond) {
    add("a");
    now_ += 999ms;
    EXPECT_THAT(take(), IsEmpty());
    now_ += 1ms;
    EXPECT_THAT(take(), ElementsAre("a"));
}

TEST_F(ExportQueueTest, WhatFindsNoRoomIsTurnedAway) {
    for (const char* name : {"a", "b", "c", "d"}) EXPECT_TRUE(add(name));
    EXPECT_FALSE(add("e"));
    EXPECT_THAT(take(), SizeIs(2));
    EXPECT_FALSE(add("f")) << "what is under way may come back";
    queue_.done();
    EXPECT_TRUE(add("g"));
}

TEST_F(ExportQueueTest, WhatFailsComesAgainInItsOrderAfterPausesThatGrow) {
    for (const char* name : {"a", "b", "c"}) add(name);
    for (const auto pause : {1s, 2s, 4s, 8s, 16s, 30s, 30s}) {
        fail();
        EXPECT_EQ(queue_.due(), now_ + pause);
        now_ += pause - 1ms;
        EXPECT_THAT(take(), IsEmpty());
        now_ += 1ms;
    }
    EXPECT_THAT(take(), ElementsAre("a", "b"));
    queue_.done();
    now_ += 1s;
    fail();
    EXPECT_EQ(queue_.due(), now_ + 1s) << "a success begins anew";
}

TEST_F(ExportQueueTest, APauseIsAsLongAsTheCollectorWants) {
    add("a");
    add("b");
    fail(7s);
    EXPECT_EQ(queue_.due(), now_ + 7s);
    now_ += 7s;
    fail(100h);
    EXPECT_EQ(queue_.due(), now_ + 1h) << "within reason";
}

TEST_F(ExportQueueTest, ServersThatFailedTogetherDoNotComeBackTogether) {
    ExportQueue early({.batch = 1}, [] { return 0.0; });
    early.add({}, now_);
    early.failed(early.take(now_), now_, 0ms);
    EXPECT_EQ(early.due(), now_ + 750ms);
}

TEST_F(ExportQueueTest, AtTheEndNothingWaits) {
    add("a");
    add("b");
    fail();
    queue_.end();
    EXPECT_FALSE(add("c"));
    EXPECT_THAT(take(), ElementsAre("a", "b"));
    queue_.failed({Span{}, Span{}}, now_, 0ms);
    EXPECT_EQ(queue_.clear(), 2U);
    EXPECT_EQ(queue_.due(), std::nullopt);
}

}  // namespace
}  // namespace flowfabric::server
