#include "engine/streams/parked_tails.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flowfabric {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const StreamKey stream{{7, Uuid{{1}}}, 0};
const StreamKey another{{7, Uuid{{1}}}, 1};

StreamMetaRow meta(std::int64_t frames, std::int64_t lasting, const StreamKey& key = stream) {
    StreamMetaRow row;
    row.key = key;
    row.last_ts_ms = frames;
    row.frame_count = frames;
    row.lasting_count = lasting;
    return row;
}

Tail tail_of(const StreamKey& key, SteadyMs deadline = 1000, FrameVisibility visibility = FrameVisibility::all) {
    return {.stream = key, .limit = 10, .visibility = visibility, .deadline = deadline};
}

class ParkedTailsTest : public ::testing::Test {
  protected:
    std::vector<TailId> due() {
        std::vector<TailId> ids;
        for (const auto& [id, tail] : tails.take_due()) ids.push_back(id);
        return ids;
    }
    // Parked, and looked at when the stream was so.
    TailId park(const Tail& tail, const std::optional<StreamMetaRow>& at = std::nullopt) {
        const TailId id = tails.add(tail);
        due();
        tails.looked(id, at);
        return id;
    }

    ParkedTails tails;
};

TEST_F(ParkedTailsTest, IsLookedAtOnceWhenItComes) {
    const TailId id = tails.add(tail_of(stream));
    EXPECT_THAT(due(), ElementsAre(id));
    EXPECT_THAT(due(), IsEmpty());
}

TEST_F(ParkedTailsTest, ACommitWakesThoseOfItsStreamAlone) {
    const TailId first = park(tail_of(stream));
    const TailId second = park(tail_of(stream));
    park(tail_of(another));
    EXPECT_TRUE(tails.on_commit(meta(1, 1)));
    EXPECT_THAT(due(), UnorderedElementsAre(first, second));
    EXPECT_FALSE(tails.on_commit(meta(1, 1, {{7, Uuid{{9}}}, 0})));
}

TEST_F(ParkedTailsTest, WhatItHasSeenIsNoNews) {
    park(tail_of(stream), meta(3, 3));
    EXPECT_FALSE(tails.on_commit(meta(3, 3)));
    EXPECT_TRUE(tails.on_commit(meta(4, 4)));
}

TEST_F(ParkedTailsTest, BestEffortFramesWakeNobodyWhoDoesNotWantThem) {
    park(tail_of(stream, 1000, FrameVisibility::exclude_best_effort), meta(3, 1));
    EXPECT_FALSE(tails.on_commit(meta(9, 1)));
    EXPECT_TRUE(tails.on_commit(meta(10, 2)));
}

TEST_F(ParkedTailsTest, TheEndOfAStreamIsNewsToAll) {
    park(tail_of(stream, 1000, FrameVisibility::exclude_best_effort), meta(3, 1));
    StreamMetaRow closed = meta(3, 1);
    closed.closed_at_ms = 5;
    EXPECT_TRUE(tails.on_commit(closed));
}

TEST_F(ParkedTailsTest, WhatHappensDuringALookIsLookedAtAgain) {
    const TailId id = tails.add(tail_of(stream));
    due();
    EXPECT_TRUE(tails.on_commit(meta(1, 1)));
    tails.looked(id, std::nullopt);
    EXPECT_THAT(due(), ElementsAre(id));
}

TEST_F(ParkedTailsTest, GoesOnBehindWhatWasThereWhenItWasLookedAt) {
    const TailId id = park(tail_of(stream), meta(4, 4));
    tails.on_anything();
    const auto taken = tails.take_due();
    ASSERT_EQ(taken.size(), 1U);
    EXPECT_EQ(taken.front().first, id);
    EXPECT_EQ(taken.front().second.after, (FrameId{4, 0}));
}

TEST_F(ParkedTailsTest, AnotherProcessWakesByName) {
    const TailId id = park(tail_of(stream), meta(4, 4));
    EXPECT_FALSE(tails.on_touched("00000000-0000-0000-0000-000000000000_0"));
    EXPECT_FALSE(tails.on_touched("no name"));
    EXPECT_TRUE(tails.on_touched(name_of(stream)));
    EXPECT_THAT(due(), ElementsAre(id));
}

TEST_F(ParkedTailsTest, EndsAtItsTimeButNotUnseen) {
    const TailId first = park(tail_of(stream, 100));
    const TailId second = park(tail_of(stream, 200));
    EXPECT_EQ(tails.next_deadline(), 100);
    EXPECT_THAT(tails.take_expired(99), IsEmpty());
    EXPECT_THAT(tails.take_expired(150), ElementsAre(first));
    EXPECT_THAT(tails.take_expired(200), ElementsAre(second));
    EXPECT_TRUE(tails.empty());
    const TailId unseen = tails.add(tail_of(stream, 0));
    EXPECT_THAT(tails.take_expired(500), IsEmpty());
    due();
    tails.looked(unseen, std::nullopt);
    EXPECT_THAT(tails.take_expired(500), ElementsAre(unseen));
}

TEST_F(ParkedTailsTest, WhatIsRemovedIsNotLookedAt) {
    const TailId id = park(tail_of(stream));
    tails.on_anything();
    tails.remove(id);
    tails.remove(id);
    EXPECT_THAT(due(), IsEmpty());
    EXPECT_FALSE(tails.on_commit(meta(1, 1)));
    EXPECT_EQ(tails.next_deadline(), std::nullopt);
}

}  // namespace
}  // namespace flowfabric
