#include "engine/claims/claim_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

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

std::vector<std::int32_t> classes_of(ClaimDirectory& directory, const std::vector<std::string>& lanes,
                                     const std::vector<std::string>& capabilities) {
    return directory.classes_for(lanes, capabilities);
}

LevelHead at(std::int64_t created, std::int32_t priority = 0, std::int32_t class_id = 1) {
    return {.class_id = class_id, .priority = priority, .key = key_at(created)};
}

class ClaimFloors : public testing::Test {
  protected:
    ClaimSelection select(bool full_scan = false) { return directory.select({1}, 2, full_scan, steady); }

    // A claim for two that got these.
    void see(std::vector<LevelHead> returned, std::int64_t duration = 1) {
        see(select(), directory.moment(), std::move(returned), duration);
    }
    void see(const ClaimSelection& selection, const ClaimDirectory::Moment& moment, std::vector<LevelHead> returned,
             std::int64_t duration = 1) {
        directory.learn(selection, {.returned = std::move(returned)}, moment, store_now, steady, duration);
    }

    ClaimKey floor() {
        const ClaimSelection selection = select();
        EXPECT_THAT(selection.levels, SizeIs(1));
        return selection.levels.empty() ? ClaimKey{} : selection.levels.front().floor;
    }
    // Whether a claim would come upon a row that stands there.
    static bool covers(const ClaimSelection& selection, const LevelHead& row) {
        return std::ranges::any_of(selection.levels,
                                   [&](const ClaimLevel& level) {
                                       return level.class_id == row.class_id && level.priority == row.priority &&
                                              level.floor <= row.key;
                                   }) ||
               std::ranges::any_of(selection.tails, [&](const ClaimTail& tail) {
                   return tail.class_id == row.class_id && row.priority < tail.below;
               });
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

TEST(ClaimClasses, RoutesOfOneLaneLeaveTheOthersAsTheyWere) {
    ClaimDirectory directory(false);
    directory.learn_routes({.classes = {{1, "default", {}}}, .lane_states = {{"mail", LaneState::paused}}});
    directory.learn_routes({.classes = {{3, "mail", {}}}});
    EXPECT_THAT(classes_of(directory, {"default", "mail"}, {}), ElementsAre(1)) << "mail is still paused";
    directory.learn_routes({.classes = {}, .lane_states = {}, .lane_revision = 1});
    EXPECT_THAT(classes_of(directory, {"default", "mail"}, {}), ElementsAre(1, 3));
}

TEST(ClaimClasses, SettingsAreTakenInAlsoWhenNoLaneHasChanged) {
    ClaimDirectory directory(false);
    directory.learn_routes({.classes = {}, .lane_revision = 4, .settings = {.event_retention_ms = 1}});
    directory.learn_routes(
        {.classes = {}, .lane_revision = 4, .settings = {.event_retention_ms = 2}, .setting_revision = 1});
    EXPECT_EQ(directory.settings().event_retention_ms, 2U);
    directory.learn_routes({.classes = {}, .lane_revision = 5, .settings = {.event_retention_ms = 1}});
    EXPECT_EQ(directory.settings().event_retention_ms, 2U) << "older settings that came with newer lanes";
    EXPECT_EQ(directory.lane_revision(), 5);
}

TEST(ClaimClasses, ALaneThatCannotBeReadIsAskedForAgainUntilItIsRepaired) {
    ClaimDirectory directory(false);
    directory.learn_routes({.classes = {{1, "mail", {}}},
                            .lane_states = {{"mail", LaneState::disabled}},
                            .lane_revision = 4,
                            .unreadable_lanes = {"mail"}});
    EXPECT_THAT(classes_of(directory, {"mail"}, {}), IsEmpty());
    EXPECT_NE(directory.changes_wanted().known_revision, 4);
    directory.learn_routes({.classes = {}, .lane_states = {}, .lane_revision = 4});
    EXPECT_THAT(classes_of(directory, {"mail"}, {}), ElementsAre(1));
    EXPECT_EQ(directory.changes_wanted().known_revision, 4);
}

TEST(ClaimSightOf, NamesEveryEligibleRowAndTheClassesOfTheOthers) {
    const ExecutionRow first = row_at(created_at + 5, 3);
    const ExecutionRow low = row_at(created_at + 1, 0);
    Claimable found;
    found.rows = {{.row = reclaimable_row(9)}, {.row = first}, {.row = low}};
    const ClaimSight sight = sight_of(found);
    EXPECT_THAT(sight.returned, ElementsAre(at(created_at + 5, 3), at(created_at + 1, 0)));
    EXPECT_THAT(sight.reclaimable_in, ElementsAre(reclaimable_row(9).class_id));
}

TEST(ClaimFloorsOff, AStoreWithoutFloorsAlwaysLooksAtWholeClasses) {
    ClaimDirectory directory(false);
    const ClaimSelection selection = directory.select({1, 2}, 10, false, 0);
    EXPECT_THAT(selection.class_ids, ElementsAre(1, 2));
    EXPECT_EQ(selection.count, 10U);
    EXPECT_TRUE(selection.whole);
    directory.learn(selection, {.returned = {at(created_at)}}, directory.moment(), store_now, 0, 1);
    EXPECT_TRUE(directory.select({1}, 10, false, 1).whole);
}

TEST_F(ClaimFloors, AnUnknownClassIsLookedAtWhole) {
    EXPECT_TRUE(select().whole);
}

TEST_F(ClaimFloors, TheFloorIsWhereAClaimGot) {
    see({at(created_at - 1), at(created_at)});
    EXPECT_EQ(floor(), key_at(created_at));
    see({at(created_at + 5), at(created_at + 10)});
    EXPECT_EQ(floor(), key_at(created_at + 10));
}

TEST_F(ClaimFloors, AFloorStays250MillisecondsBehindTheClock) {
    see({at(store_now - 260), at(store_now - 10)});
    EXPECT_LE(floor().created_at_ms, store_now - 250);
}

TEST_F(ClaimFloors, AClaimThatHadItsFillLeavesLowerPrioritiesInTheTail) {
    see({at(created_at, 9), at(created_at + 1, 7)});
    const ClaimSelection selection = select();
    ASSERT_THAT(selection.levels, SizeIs(1));
    EXPECT_EQ(selection.levels[0].priority, 7);
    ASSERT_THAT(selection.tails, SizeIs(1));
    EXPECT_EQ(selection.tails[0].below, 7);
}

TEST_F(ClaimFloors, AClaimThatFoundLessHasEmptiedTheClass) {
    see({at(created_at, 9)});
    directory.on_eligible(row_at(store_now, 4));
    const ClaimSelection selection = select();
    ASSERT_THAT(selection.levels, SizeIs(1));
    EXPECT_EQ(selection.levels[0].priority, 4);
    EXPECT_THAT(selection.tails, IsEmpty());
}

TEST_F(ClaimFloors, AnAnswerThatWasCutShortHasNotEmptiedTheClass) {
    directory.learn(select(), {.returned = {at(created_at, 9)}, .cut = true}, directory.moment(), store_now, steady, 1);
    EXPECT_TRUE(covers(select(), at(created_at + 1, 9)));
    EXPECT_TRUE(covers(select(), at(created_at, 3)));
}

TEST_F(ClaimFloors, AClaimForNothingHasEmptiedNothing) {
    see(directory.select({1}, 0, false, steady), directory.moment(), {});
    EXPECT_TRUE(covers(select(), at(created_at, 3)));
}

TEST_F(ClaimFloors, AnOwnCommitLowersIt) {
    see({at(created_at), at(created_at + 50)});
    directory.on_eligible(row_at(created_at + 7));
    EXPECT_EQ(floor(), key_at(created_at + 7));
    directory.on_eligible(row_at(created_at + 60));
    EXPECT_EQ(floor(), key_at(created_at + 7)) << "a later row is above it anyway";
}

TEST_F(ClaimFloors, AnOwnCommitAtANewPriorityIsLookedAtFirst) {
    see({at(created_at), at(created_at + 50)});
    directory.on_eligible(row_at(created_at + 60, 5));
    const ClaimSelection selection = select();
    ASSERT_THAT(selection.levels, SizeIs(2));
    EXPECT_EQ(selection.levels[0].priority, 5);
    EXPECT_EQ(selection.levels[0].floor, key_at(created_at + 60));
    EXPECT_EQ(selection.levels[1].priority, 0);
}

TEST_F(ClaimFloors, WhatAnOlderScanLearnedIsVoidAfterTheFloorWasLowered) {
    see({at(created_at), at(created_at + 50)});
    const ClaimSelection scan = select();
    const auto moment = directory.moment();
    directory.on_eligible(row_at(created_at + 7));
    see(scan, moment, {at(created_at + 70), at(created_at + 80)});
    EXPECT_EQ(floor(), key_at(created_at + 7));
}

TEST_F(ClaimFloors, TheFirstLookAtAClassDoesNotHideAnOldRowThatCameBackMeanwhile) {
    const ClaimSelection scan = select();
    const auto moment = directory.moment();
    ExecutionRow retried = row_at(created_at + 7);
    retried.last_mutation_at_ms = store_now;
    directory.on_eligible(retried);
    see(scan, moment, {at(created_at + 70), at(created_at + 80)});
    EXPECT_TRUE(covers(select(), at(created_at + 7)));
}

TEST_F(ClaimFloors, AnEmptyLookDoesNotHideWhatAnOwnCommitAddedMeanwhile) {
    see({at(created_at, 3)});
    const ClaimSelection scan = select(true);
    const auto moment = directory.moment();
    directory.on_eligible(row_at(store_now, 8));
    see(scan, moment, {});
    EXPECT_TRUE(covers(select(), at(store_now, 8)));
}

TEST_F(ClaimFloors, NewWorkDoesNotKeepAScanFromLearning) {
    const ClaimSelection scan = select();
    const auto moment = directory.moment();
    ExecutionRow fresh = row_at(store_now);
    fresh.last_mutation_at_ms = store_now;
    directory.on_eligible(fresh);
    see(scan, moment, {at(created_at), at(created_at + 80)});
    EXPECT_EQ(floor(), key_at(created_at + 80));
}

TEST_F(ClaimFloors, AForeignWakeUpForgetsThem) {
    see({at(created_at), at(created_at + 1)});
    const ClaimSelection scan = select();
    const auto moment = directory.moment();
    directory.forget_floors();
    EXPECT_TRUE(select().whole);
    see(scan, moment, {at(created_at + 70), at(created_at + 80)});
    EXPECT_TRUE(select().whole) << "and what a scan from before learned";
}

TEST_F(ClaimFloors, WhatABatchThatFailedHadLockedIsLookedForAgain) {
    see({at(created_at), at(created_at + 1)});
    directory.distrust(select());
    EXPECT_TRUE(select().whole);
}

TEST_F(ClaimFloors, AWholeLookIsDueEverySecond) {
    see({at(created_at), at(created_at + 1)});
    steady += 999;
    EXPECT_FALSE(select().whole);
    steady += 1;
    EXPECT_TRUE(select().whole);
    see({at(created_at), at(created_at + 1)});
    EXPECT_FALSE(select().whole);
}

TEST_F(ClaimFloors, ASlowWholeLookIsDueLessOften) {
    see({at(created_at), at(created_at + 1)}, 200);
    steady += 3'999;
    EXPECT_FALSE(select().whole);
    steady += 1;
    EXPECT_TRUE(select().whole);
}

TEST_F(ClaimFloors, AFlooredClaimDoesNotPutOffTheWholeLook) {
    see({at(created_at), at(created_at + 1)});
    steady += 600;
    see({at(created_at + 2), at(created_at + 3)});
    steady += 400;
    EXPECT_TRUE(select().whole);
}

TEST_F(ClaimFloors, OneUnknownClassMakesTheWholeSelectionWhole) {
    see({at(created_at), at(created_at + 1)});
    EXPECT_TRUE(directory.select({1, 2}, 10, false, steady).whole);
    EXPECT_TRUE(directory.select({1}, 10, true, steady).whole) << "a second look";
}

// A look at a class that has nothing, so that everything in it is known.
class KnownClass : public ClaimFloors {
  protected:
    void SetUp() override { see({}); }
};

TEST_F(KnownClass, HoweverManyPrioritiesAreUsedAClaimLooksAtFewAndMissesNone) {
    for (std::int32_t priority = 0; priority < 5'000; ++priority) directory.on_eligible(row_at(store_now, priority));
    const ClaimSelection selection = select();
    EXPECT_LE(selection.levels.size() + selection.tails.size(), 64U);
    for (std::int32_t priority = 0; priority < 5'000; ++priority) {
        EXPECT_TRUE(covers(selection, at(store_now, priority))) << priority;
    }
    EXPECT_EQ(selection.levels.front().priority, 4'999);
}

TEST_F(KnownClass, PrioritiesThatAreUsedUpAreForgotten) {
    for (std::int32_t priority = 0; priority < 30; ++priority) {
        directory.on_eligible(row_at(created_at, priority));
        see({});
    }
    EXPECT_LE(select().levels.size(), 9U);
}

TEST_F(KnownClass, WhatJoinedTheTailDuringAScanIsNotPassedByIt) {
    for (std::int32_t priority = 100; priority < 132; ++priority) directory.on_eligible(row_at(store_now, priority));
    const ClaimSelection scan = select(true);
    const auto moment = directory.moment();
    directory.on_eligible(row_at(store_now, 7));
    see(scan, moment, {});
    EXPECT_TRUE(covers(select(), at(store_now, 7)));
}

TEST(ManyClasses, AClaimLooksAtThoseWhoseWorkComesFirst) {
    ClaimDirectory directory(true);
    std::vector<std::int32_t> ids;
    std::vector<LevelHead> heads;
    for (std::int32_t id = 1; id <= 5'000; ++id) {
        ids.push_back(id);
        heads.push_back(at(created_at + id, id == 4'000 ? 9 : 0, id));
    }
    const ClaimSelection look = directory.select(ids, 100, false, 0);
    EXPECT_EQ(look.best_tails, 100U);
    directory.learn(look, {.returned = {}, .reclaimable_in = {}, .heads = heads}, directory.moment(), store_now, 0, 1);

    const ClaimSelection selection = directory.select(ids, 100, false, 1);
    EXPECT_FALSE(selection.whole);
    EXPECT_EQ(selection.levels.size() + selection.tails.size(), 100U);
    EXPECT_TRUE(selection.partial);
    ASSERT_FALSE(selection.tails.empty()) << "what else the class with the high priority has";
    EXPECT_EQ(selection.tails.front().class_id, 4'000);
    EXPECT_THAT(selection.reclaimable_in, IsEmpty());
}

TEST(ManyClasses, OnlyThoseThatMayHaveReclaimableWorkAreAskedForIt) {
    ClaimDirectory directory(true);
    std::vector<std::int32_t> ids;
    for (std::int32_t id = 1; id <= 100; ++id) ids.push_back(id);
    directory.learn(directory.select(ids, 10, false, 0), {}, directory.moment(), store_now, 0, 1);
    ExecutionRow lost = reclaimable_row(9);
    lost.class_id = 70;
    directory.on_reclaimable(lost);
    directory.on_eligible(row_at(store_now));
    EXPECT_THAT(directory.select(ids, 10, false, 1).reclaimable_in, ElementsAre(70));
}

}  // namespace
}  // namespace flowfabric::test
