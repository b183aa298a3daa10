#include "store/postgres/watermark.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/random.hpp"

namespace flowfabric::postgres {
namespace {

using Holders = std::vector<std::string>;

TEST(Watermark, EverythingDrawnIsDecidedWhileNobodyHoldsTheSequence) {
    WatermarkTracker tracker;
    EXPECT_EQ(tracker.advance(0, {}), 0);
    EXPECT_EQ(tracker.advance(7, {}), 7);
    EXPECT_EQ(tracker.advance(9, {}), 9);
}

TEST(Watermark, WhatAHolderOfTheFirstPollDrewIsUnknown) {
    WatermarkTracker tracker;
    EXPECT_EQ(tracker.advance(7, {"3/1"}), std::nullopt);
    EXPECT_EQ(tracker.advance(8, {"3/1", "4/1"}), std::nullopt);
    EXPECT_EQ(tracker.advance(9, {"4/1"}), 7) << "the second came after the first poll";
    EXPECT_EQ(tracker.advance(9, {}), 9);
}

TEST(Watermark, ANewHolderDrewNothingUpToThePollBefore) {
    WatermarkTracker tracker;
    tracker.advance(5, {});
    EXPECT_EQ(tracker.advance(8, {"3/1"}), 5);
    EXPECT_EQ(tracker.advance(12, {"3/1"}), 5) << "its bound stays";
    EXPECT_EQ(tracker.advance(12, {"3/1", "4/1"}), 5);
    EXPECT_EQ(tracker.advance(13, {"4/1"}), 12);
    EXPECT_EQ(tracker.advance(13, {}), 13);
}

TEST(Watermark, TheNextTransactionOfASessionIsAnotherHolder) {
    WatermarkTracker tracker;
    tracker.advance(5, {});
    EXPECT_EQ(tracker.advance(6, {"3/1"}), 5);
    EXPECT_EQ(tracker.advance(7, {"3/2"}), 6);
}

TEST(Watermark, IsSettledOnlyWhenNothingWasDrawnSinceAPollWithoutHolders) {
    WatermarkTracker tracker;
    EXPECT_FALSE(tracker.settled(0)) << "before the first poll";
    tracker.advance(5, {"3/1"});
    EXPECT_FALSE(tracker.settled(5));
    tracker.advance(5, {});
    EXPECT_TRUE(tracker.settled(5));
    EXPECT_FALSE(tracker.settled(6));
}

// ---- any interleaving -------------------------------------------------------------------------------------------

// Transactions that lock the sequence, draw ids and end, as PostgreSQL's do.
struct Sequence {
    std::int64_t last = 0;
    std::map<std::string, std::set<std::int64_t>> open;
    int begun = 0;

    void step(test::Random& random) {
        switch (random.below(4)) {
            case 0:
                open.emplace("3/" + std::to_string(++begun), std::set<std::int64_t>{});
                break;
            case 1:
            case 2:
                if (!open.empty()) std::next(open.begin(), pick(random))->second.insert(++last);
                break;
            default:
                if (!open.empty()) open.erase(std::next(open.begin(), pick(random)));
        }
    }
    std::ptrdiff_t pick(test::Random& random) const { return static_cast<std::ptrdiff_t>(random.below(open.size())); }
    std::vector<std::string> holders() const {
        std::vector<std::string> names;
        for (const auto& [name, drawn] : open) names.push_back(name);
        return names;
    }
};

TEST(Watermark, NeverPassesAnIdThatMayStillCommit) {
    for (const std::uint64_t seed : test::seeds(300)) {
        SCOPED_TRACE("FF_SEED=" + std::to_string(seed));
        test::Random random(seed);
        Sequence sequence;
        WatermarkTracker tracker;
        std::int64_t before = 0;
        const auto poll = [&](bool in_between) {
            const std::int64_t last_drawn = sequence.last;
            if (in_between && tracker.settled(last_drawn)) return;
            // Others go on between the two statements of a poll.
            if (in_between) sequence.step(random);
            const auto decided = tracker.advance(last_drawn, sequence.holders());
            if (!decided) return;
            EXPECT_GE(*decided, before);
            EXPECT_LE(*decided, last_drawn);
            before = *decided;
            for (const auto& [name, drawn] : sequence.open) {
                for (const std::int64_t id : drawn) EXPECT_GT(id, *decided) << name;
            }
        };
        for (int i = 0; i < 100; ++i) {
            sequence.step(random);
            if (random.chance(40)) poll(true);
        }
        sequence.open.clear();
        poll(false);
        EXPECT_EQ(before, sequence.last);
        if (testing::Test::HasFailure()) return;
    }
}

}  // namespace
}  // namespace flowfabric::postgres
