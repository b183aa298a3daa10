#include <gtest/gtest.h>

#include "remote/call_queue.hpp"

namespace flowfabric::remote {
namespace {

Call call_with(Commands command) {
    return call_of(
        Asked(std::in_place_type<Commands>, std::move(command)), [](const Result<std::any>&) {},
        Client::AnswerOn::any_thread);
}

// Two connections would change their order.
TEST(CallQueue, FramesTravelInOneRequestAtATime) {
    CallQueue queue;
    queue.put(call_with(AppendFrame{.payload = "a"}));
    queue.put(call_with(AppendFrame{.payload = "b"}));
    const auto first = queue.take();
    ASSERT_EQ(first.size(), 2U);
    queue.put(call_with(AppendFrame{.payload = "c"}));
    EXPECT_TRUE(queue.empty());
    EXPECT_TRUE(queue.take().empty());
    queue.put(call_with(Renew{}));
    EXPECT_FALSE(queue.empty());
    const auto other = queue.take();
    ASSERT_EQ(other.size(), 1U);
    EXPECT_EQ(other[0].operation->operation.name, "renew");
    queue.answered(other);
    EXPECT_TRUE(queue.take().empty()) << "the frames are still on their way";
    queue.answered(first);
    EXPECT_EQ(queue.take().size(), 1U);
}

TEST(CallQueue, ATailTravelsAloneForAsLongAsItWaits) {
    CallQueue queue;
    queue.put(call_with(TailStream{.block_ms = 700}));
    queue.put(call_with(TailStream{}));
    const auto waiting = queue.take();
    ASSERT_EQ(waiting.size(), 1U);
    EXPECT_EQ(waiting[0].max_wait.count(), 700);
    EXPECT_EQ(queue.take().size(), 1U);
    EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace flowfabric::remote
