#include "core/events/event_retention.hpp"

#include <gtest/gtest.h>

namespace flowfabric {
namespace {

constexpr std::int64_t day = 86'400'000;
constexpr std::int64_t now = 100 * day;

OutboxState outbox(std::vector<EventRun> oldest) {
    return {.now_ms = now, .trimmed = 10, .oldest = std::move(oldest)};
}

const EventRun slice{.last_id = 99, .newest_at_ms = now - day, .divisible = false, .costly = false};
const EventRun events{.last_id = 50, .newest_at_ms = now - 2 * day, .divisible = true, .costly = true};

TEST(EventRetention, RemovesWhatIsOldEnough) {
    EXPECT_EQ(trim_of(outbox({slice}), day), (Trim{99, now - day}));
    EXPECT_EQ(trim_of(outbox({slice}), day + 1), std::nullopt);
    EXPECT_EQ(trim_of(outbox({}), day), std::nullopt);
}

TEST(EventRetention, WaitsTwiceAsLongWhereRemovingIsCostly) {
    EXPECT_EQ(trim_of(outbox({events}), day), (Trim{50, now - 2 * day}));
    EXPECT_EQ(trim_of(outbox({events}), day + 1), std::nullopt);
}

TEST(EventRetention, TakesTheSecondWayWhenTheFirstIsBarred) {
    OutboxState state = outbox({slice, events});
    EXPECT_EQ(trim_of(state, day)->through, 99);
    state.slowest_consumer = 98;
    EXPECT_EQ(trim_of(state, day)->through, 50);
}

TEST(EventRetention, NeverPassesAConsumer) {
    OutboxState state = outbox({slice});
    state.slowest_consumer = 99;
    EXPECT_EQ(trim_of(state, day)->through, 99);
    state.slowest_consumer = 98;
    EXPECT_EQ(trim_of(state, day), std::nullopt) << "a slice goes as a whole or not at all";

    state.oldest = {events};
    state.slowest_consumer = 30;
    EXPECT_EQ(trim_of(state, day)->through, 30);
    state.slowest_consumer = 10;
    EXPECT_EQ(trim_of(state, day), std::nullopt) << "nothing is left to remove";
}

TEST(EventRetention, NeverTakesAnUndispatchedCompletion) {
    OutboxState state = outbox({events});
    state.first_undispatched = 40;
    EXPECT_EQ(trim_of(state, day)->through, 39);
    state.first_undispatched = 11;
    EXPECT_EQ(trim_of(state, day), std::nullopt);
}

TEST(EventRetention, RemovesAnEmptySlice) {
    EXPECT_EQ(trim_of(outbox({{.last_id = 99, .divisible = false}}), day), (Trim{99, std::nullopt}));
}

}  // namespace
}  // namespace flowfabric
