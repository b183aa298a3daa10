#include "engine/claim_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/core/fixtures.hpp"

namespace flowfabric::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::int64_t store_now = created_at + 100'000;

ClaimKey key_at(std::int64_t created, std::uint64_t number = 1) {
    return {created, uuid_of(number)};
}

ExecutionRow row_at(std::int64_t created, std::int32_t priority = 0) {
    ExecutionRow row = waiting_row(1);
    row.created_at_ms = created;
    row.priority = priority;
    return row;
}

std::vector<std::int32_t> classes_of(const ClaimDirectory& directory, std::vector<std::string> lanes,
                                     std::vector<std::string> capabilities) {
    return directory.classes_for(lanes, capabilities);
}

class ClaimFloors : public testing::Test {
  protected:
    ClaimSelection select(bool full_scan = false) { return directory.select({1}, 10, full_scan, steady); }

    // A claim that saw `head` first; `unlocked`: and got it.
    void see(const ClaimKey& head, bool unlocked = true, std::int64_t duration = 1, std::int32_t priority = 0) {
        see(select(), directory.generation(), head, unlocked, duration, priority);
    }
    void see(ClaimSelection selection, std::uint64_t generation, const ClaimKey& head, bool unlocked = true,
             std::int64_t duration = 1, std::int32_t priority = 0) {
        selection.heads = true;
        const LevelHead level{.class_id = 1, .priority = priority, .key = head};
        LevelHead returned = level;
        if (!unlocked) returned.key.created_at_ms += 1;
        directory.learn(selection, {.first_returned = {returned}, .heads = {level}}, generation, store_now, steady,
                        duration);
    }

    ClaimKey floor() {
        const ClaimSelection selection = select();
        EXPECT_THAT(selection.levels, SizeIs(1));
        return selection.levels.empty() ? ClaimKey{} : selection.levels.front().floor;
    }

    ClaimDirectory directory{true};
    std::int64_t steady = 5'000;
};

TEST(ClaimClasses, AWorkerCoversTheClassesWhoseCapabilitiesItHas) {
    ClaimDirectory directory(false);
    directory.learn_routes({.classes = {{4, "default", {"cuda", "gpu"}},
                                        {1, "default", {}},
                                        {2, "default", {"gpu"}},
                                        {3, "mail", {}},
                                        {5, "default", {"GPU"}}}});
    EXPECT_THAT(classes_of(directory, {"default"}, {}), ElementsAre(1));
    EXPECT_THAT(classes_of(directory, {"default"}, {"gpu"}), ElementsAre(1, 2));
    EXPECT_THAT(classes_of(directory, {"default", "mail"}, {"arm", "cuda", "gpu"}), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(classes_of(directory, {"nowhere"}, {"gpu"}), IsEmpty());
    EXPECT_EQ(directory.class_of({"default", {"cuda", "gpu"}}), 4);
    EXPECT_EQ(directory.class_of({"mail", {"gpu"}}), std::nullopt);
}

TEST_F(ClaimFloors, HeadsAreAskedForEveryTenMilliseconds) {
    EXPECT_TRUE(select().heads);
    EXPECT_FALSE(select().heads);
    steady += 9;
    EXPECT_FALSE(select(true).heads);
    steady += 1;
    EXPECT_TRUE(select(true).heads);
    EXPECT_FALSE(ClaimDirectory(false).select({1}, 10, true, steady).heads);
}

TEST_F(ClaimFloors, WithoutHeadsNothingIsLearned) {
    const ClaimSelection selection{.class_ids = {1}, .levels = {}, .count = 10, .heads = false};
    directory.learn(selection, {}, directory.generation(), store_now, steady, 1);
    EXPECT_THAT(select().levels, IsEmpty());
}

TEST(ClaimSightOf, NamesTheFirstEligibleRowOfEachLevel) {
    const ExecutionRow first = row_at(created_at + 5, 3);
    const ExecutionRow second = row_at(created_at + 6, 3);
    const ExecutionRow low = row_at(created_at + 1, 0);
    Claimable found;
    found.rows = {{.row = reclaimable_row(9)}, {.row = first}, {.row = second}, {.row = low}};
    const ClaimSight sight = sight_of(found);
    EXPECT_THAT(sight.first_returned,
                ElementsAre(LevelHead{1, 3, key_at(created_at + 5)}, LevelHead{1, 0, key_at(created_at + 1)}));
}

TEST(ClaimFloorsOff, AStoreWithoutFloorsAlwaysStartsAtTheHead) {
    ClaimDirectory directory(false);
    const ClaimSelection selection = directory.select({1, 2}, 10, false, 0);
    EXPECT_THAT(selection.class_ids, ElementsAre(1, 2));
    EXPECT_EQ(selection.count, 10U);
    EXPECT_THAT(selection.levels, IsEmpty());
    directory.learn(selection, {.first_returned = {{1, 0, key_at(created_at)}}, .heads = {{1, 0, key_at(created_at)}}},
                    0, store_now, 0, 1);
    EXPECT_THAT(directory.select({1}, 10, false, 1).levels, IsEmpty());
}

TEST_F(ClaimFloors, AnUnknownClassIsScannedInFull) {
    EXPECT_THAT(select().levels, IsEmpty());
}

TEST_F(ClaimFloors, AnUnlockedHeadBecomesTheFloor) {
    see(key_at(created_at));
    EXPECT_EQ(floor(), key_at(created_at));
    see(key_at(created_at + 10));
    EXPECT_EQ(floor(), key_at(created_at + 10));
}

TEST_F(ClaimFloors, AHeadThatSomebodyElseHoldsDoesNotRaiseIt) {
    see(key_at(created_at));
    see(key_at(created_at + 10), false);
    EXPECT_EQ(floor(), key_at(created_at));
}

TEST_F(ClaimFloors, AFloorNeverSinksByWhatAClaimSees) {
    see(key_at(created_at + 10));
    see(key_at(created_at));
    EXPECT_EQ(floor(), key_at(created_at + 10));
}

TEST_F(ClaimFloors, AFloorStays250MillisecondsBehindTheClock) {
    see(key_at(store_now - 250, 9));
    EXPECT_EQ(floor(), key_at(store_now - 250, 9));
    see(key_at(store_now - 10));
    EXPECT_LE(floor().created_at_ms, store_now - 250);
}

TEST_F(ClaimFloors, AnOwnCommitLowersIt) {
    see(key_at(created_at + 50));
    directory.on_eligible(row_at(created_at + 7));
    EXPECT_EQ(floor(), key_at(created_at + 7));
    directory.on_eligible(row_at(created_at + 60));
    EXPECT_EQ(floor(), key_at(created_at + 7)) << "a later row is above it anyway";
}

TEST_F(ClaimFloors, AnOwnCommitAtANewPriorityIsLookedAtFirst) {
    see(key_at(created_at + 50));
    directory.on_eligible(row_at(created_at + 60, 5));
    const ClaimSelection selection = select();
    ASSERT_THAT(selection.levels, SizeIs(2));
    EXPECT_EQ(selection.levels[0].priority, 5);
    EXPECT_EQ(selection.levels[0].floor, key_at(created_at + 60));
    EXPECT_EQ(selection.levels[1].priority, 0);
}

TEST_F(ClaimFloors, WhatAnOlderScanLearnedIsVoidAfterTheFloorWasLowered) {
    see(key_at(created_at + 50));
    const ClaimSelection scan = select();
    const std::uint64_t generation = directory.generation();
    directory.on_eligible(row_at(created_at + 7));
    see(scan, generation, key_at(created_at + 80));
    EXPECT_EQ(floor(), key_at(created_at + 7));
}

TEST_F(ClaimFloors, TheFirstScanOfAClassDoesNotHideAnOldRowThatCameBackMeanwhile) {
    const ClaimSelection scan = select();
    const std::uint64_t generation = directory.generation();
    ExecutionRow retried = row_at(created_at + 7);
    retried.last_mutation_at_ms = store_now;
    directory.on_eligible(retried);
    see(scan, generation, key_at(created_at + 80));
    const ClaimSelection later = select();
    const bool visible = later.levels.empty() || later.levels.front().floor <= key_at(created_at + 7);
    EXPECT_TRUE(visible) << "a retry that became eligible during the scan stands below the floor";
}

TEST_F(ClaimFloors, AFullScanAtANewPriorityDoesNotHideAnOldRowThatCameBackMeanwhile) {
    see(key_at(created_at + 50), true, 1, 3);
    const ClaimSelection scan = select(true);
    const std::uint64_t generation = directory.generation();
    ExecutionRow retried = row_at(created_at + 7);
    retried.last_mutation_at_ms = store_now;
    directory.on_eligible(retried);
    see(scan, generation, key_at(created_at + 80));
    for (const ClaimLevel& level : select().levels) {
        if (level.priority == 0) {
            EXPECT_LE(level.floor, key_at(created_at + 7));
        }
    }
}

TEST_F(ClaimFloors, NewWorkDoesNotKeepAScanFromLearning) {
    const ClaimSelection scan = select();
    const std::uint64_t generation = directory.generation();
    ExecutionRow fresh = row_at(store_now);
    fresh.last_mutation_at_ms = store_now;
    directory.on_eligible(fresh);
    see(scan, generation, key_at(created_at + 80));
    EXPECT_EQ(floor(), key_at(created_at + 80));
}

TEST_F(ClaimFloors, AForeignWakeUpForgetsThem) {
    see(key_at(created_at));
    const ClaimSelection scan = select();
    const std::uint64_t generation = directory.generation();
    directory.forget_floors();
    EXPECT_THAT(select().levels, IsEmpty());
    see(scan, generation, key_at(created_at + 80));
    EXPECT_THAT(select().levels, IsEmpty()) << "and what a scan from before learned";
}

TEST_F(ClaimFloors, AFullScanIsDueEverySecond) {
    see(key_at(created_at));
    steady += 999;
    EXPECT_THAT(select().levels, SizeIs(1));
    steady += 1;
    EXPECT_THAT(select().levels, IsEmpty());
    see(key_at(created_at));
    EXPECT_THAT(select().levels, SizeIs(1));
}

TEST_F(ClaimFloors, ASlowFullScanIsDueLessOften) {
    see(key_at(created_at), true, 200);
    steady += 3'999;
    EXPECT_THAT(select().levels, SizeIs(1));
    steady += 1;
    EXPECT_THAT(select().levels, IsEmpty());
}

TEST_F(ClaimFloors, AFlooredClaimDoesNotPutOffTheFullScan) {
    see(key_at(created_at));
    steady += 600;
    see(key_at(created_at + 1));
    steady += 400;
    EXPECT_THAT(select().levels, IsEmpty());
}

TEST_F(ClaimFloors, OneUnknownClassMakesTheWholeSelectionFull) {
    see(key_at(created_at));
    EXPECT_THAT(directory.select({1, 2}, 10, false, steady).levels, IsEmpty());
    EXPECT_THAT(directory.select({1}, 10, true, steady).levels, IsEmpty()) << "a second look";
}

}  // namespace
}  // namespace flowfabric::test
