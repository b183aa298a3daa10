#include "engine/batching/batcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/engine/batching/batcher_fixture.hpp"

namespace flowfabric::test {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

using Batching = BatcherTest;

TEST_F(Batching, OneCommandAloneNeverWaits) {
    const CommandId id = submit(complete(1));
    const Batch batch = take();
    EXPECT_THAT(ids(batch), ElementsAre(id));
    commit(batch);
    EXPECT_TRUE(succeeded(id));
    EXPECT_TRUE(batcher.idle());
    EXPECT_FALSE(next());
}

TEST_F(Batching, ABatchIsInOrderOfArrivalWhateverTheUrgency) {
    submit(create(1));
    submit(complete(2));
    submit(claim());
    submit(complete(3));
    EXPECT_THAT(ids(take()), ElementsAre(1, 2, 3, 4));
}

TEST_F(Batching, WhatArrivesWhileABatchRunsFormsTheNextOne) {
    submit(complete(1));
    const Batch first = take();
    submit(complete(2));
    submit(complete(3));
    commit(first);
    EXPECT_THAT(ids(take()), ElementsAre(2, 3));
}

TEST_F(Batching, ACommandForARowInFlightKeepsItsPlace) {
    submit(complete(1));
    const Batch first = take();
    submit(complete(1));
    submit(complete(2));
    submit(complete(1));
    const Batch second = take();
    EXPECT_THAT(ids(second), ElementsAre(3));
    EXPECT_FALSE(next());
    commit(second);
    EXPECT_FALSE(next());
    commit(first);
    EXPECT_THAT(ids(take()), ElementsAre(2, 4));
}

TEST_F(Batching, TwoCommandsForOneRowMayShareABatch) {
    submit(complete(1));
    submit(complete(1));
    const Batch batch = take();
    EXPECT_THAT(ids(batch), ElementsAre(1, 2));
    commit(batch);
    submit(complete(1));
    EXPECT_TRUE(next()) << "the row is free again";
}

TEST_F(Batching, AClassThatDoesNotExistIsAskedForFirst) {
    AdmittedCreate command = create_of(1);
    command.row.lane_id = "new-lane";
    command.row.required_capabilities = {"gpu"};
    submit(command_of(command));
    submit(create(2));
    auto batch = next();
    ASSERT_TRUE(batch);
    EXPECT_THAT(batcher.wanted_routes(*batch).missing, ElementsAre(ClassSpec{"new-lane", {"gpu"}}));
    EXPECT_THAT(batcher.wanted_routes(*batch).lanes, ElementsAre("new-lane")) << "not those that are known";
    EXPECT_FALSE(batcher.resolve_classes(*batch, now));
    directory.learn_routes({.classes = {{1, "default", {}}, {7, "new-lane", {"gpu"}}}});
    EXPECT_THAT(batcher.wanted_routes(*batch).lanes, SizeIs(0));
    ASSERT_TRUE(batcher.resolve_classes(*batch, now));
    EXPECT_EQ(batch->commands[0].command->creations().front().row.class_id, 7);
    EXPECT_EQ(batch->commands[1].command->creations().front().row.class_id, 1);
}

TEST_F(Batching, RefusingAllAnswersEverythingThatWaits) {
    submit(complete(1));
    submit(claim());
    submit(create(2));
    const Batch in_flight = take();
    submit(complete(3));
    batcher.refuse_all({.kind = ErrorKind::unavailable, .detail = "stopping"}, finished);
    collect();
    EXPECT_EQ(error_of(4), ErrorKind::unavailable);
    EXPECT_FALSE(answered(1));
    EXPECT_FALSE(batcher.idle()) << "one batch is still under way";
    commit(in_flight);
    EXPECT_TRUE(batcher.idle());
    EXPECT_THAT(answers, SizeIs(4));
}

TEST_F(Batching, ACommandPastItsDeadlineTimesOut) {
    const CommandId id = submit(complete(1));
    now = deadline - 1;
    expire();
    EXPECT_FALSE(answered(id));
    EXPECT_EQ(batcher.next_due(), deadline);
    now = deadline;
    expire();
    EXPECT_EQ(error_of(id), ErrorKind::timeout);
    EXPECT_TRUE(batcher.idle());
    EXPECT_FALSE(next());
}

class TwoWriters : public BatcherTest {
  protected:
    TwoWriters() : BatcherTest({.second_writer_rows = 10, .second_writer = true}) {}

    void submit_many(std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) submit(complete(last_id));
    }
};

TEST_F(TwoWriters, TheSecondJoinsOnlyUnderLoad) {
    submit_many(9);
    EXPECT_FALSE(next(WriterRole::secondary));
    submit_many(1);
    EXPECT_TRUE(batcher.second_writer_pays());
    EXPECT_TRUE(next(WriterRole::secondary));
}

TEST_F(TwoWriters, NobodyIsWokenWhoDoesNotExist) {
    Batcher alone({.second_writer_rows = 10, .second_writer = false}, directory);
    for (std::uint64_t i = 1; i <= 50; ++i) alone.submit({.id = i, .command = complete(i), .deadline = deadline});
    EXPECT_FALSE(alone.second_writer_pays());
    EXPECT_FALSE(alone.next(WriterRole::secondary, now));
}

TEST_F(TwoWriters, WhatIsEnoughForBothIsShared) {
    submit_many(40);
    EXPECT_THAT(take().commands, SizeIs(20));
    EXPECT_THAT(take(WriterRole::secondary).commands, SizeIs(20));
}

class SmallBatches : public BatcherTest {
  protected:
    SmallBatches()
        : BatcherTest({.max_rows = 8, .min_rows = 2, .max_bytes = 100, .target_ms = 25, .max_queued = 100}) {}

    struct Mix {
        int urgent = 0, claims = 0, bulk = 0;
        bool operator==(const Mix&) const = default;
    };
    static Mix mix_of(const Batch& batch) {
        Mix mix;
        for (const PendingCommand& pending : batch.commands) {
            if (pending.command->claim() != nullptr) {
                ++mix.claims;
            } else if (!pending.command->creations().empty()) {
                ++mix.bulk;
            } else {
                ++mix.urgent;
            }
        }
        return mix;
    }
};

TEST_F(SmallBatches, UrgentCommandsGoFirstAndTheOthersKeepAShare) {
    for (std::uint64_t i = 0; i < 10; ++i) submit(create(i));
    for (std::uint64_t i = 0; i < 10; ++i) submit(claim());
    for (std::uint64_t i = 100; i < 110; ++i) submit(complete(i));
    EXPECT_EQ(mix_of(take()), (Mix{.urgent = 4, .claims = 2, .bulk = 2}));
}

TEST_F(SmallBatches, AShareThatNobodyNeedsIsNotWasted) {
    for (std::uint64_t i = 0; i < 20; ++i) submit(complete(i));
    EXPECT_EQ(mix_of(take()), (Mix{.urgent = 8}));
    submit(create(50));
    EXPECT_EQ(mix_of(take()), (Mix{.urgent = 7, .bulk = 1}));
}

TEST_F(SmallBatches, AClaimCountsAsTheRowsItMayTake) {
    submit(claim(5));
    submit(claim(5));
    const Batch first = take();
    EXPECT_THAT(ids(first), ElementsAre(1));
    EXPECT_THAT(ids(take()), ElementsAre(2));
}

TEST_F(SmallBatches, PayloadsAreLimitedByTheirBytes) {
    submit(create(1), 0, 60);
    submit(create(2), 0, 40);
    submit(create(3), 0, 1);
    EXPECT_THAT(ids(take()), ElementsAre(1, 2));
    EXPECT_THAT(ids(take()), ElementsAre(3));
}

TEST_F(SmallBatches, WhatIsTooLargeForAnyBatchGoesAlone) {
    submit(create(1), 0, 1'000);
    submit(create(2), 0, 1);
    EXPECT_THAT(ids(take()), ElementsAre(1));
    EXPECT_THAT(ids(take()), ElementsAre(2));
}

TEST_F(SmallBatches, AStreamOfUrgentCommandsCannotStarveALargeClaim) {
    submit(claim(8));
    bool served = false;
    for (std::uint64_t round = 0; round < 10 && !served; ++round) {
        submit(complete(round));
        const Batch batch = take();
        served = mix_of(batch).claims > 0;
        commit(batch);
    }
    EXPECT_TRUE(served);
}

TEST_F(SmallBatches, AStreamOfUrgentCommandsCannotStarveALargePayload) {
    const CommandId large = submit(create(1), 0, 1'000);
    for (std::uint64_t round = 0; round < 10 && !answered(large); ++round) {
        submit(complete(100 + round));
        commit(take());
    }
    EXPECT_TRUE(answered(large));
}

TEST_F(SmallBatches, AFullQueueRefusesAndRecovers) {
    for (std::uint64_t i = 0; i < 100; ++i) submit(complete(i));
    const auto refusal = try_submit(complete(100));
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->kind, ErrorKind::resource_exhausted);
    commit(take());
    EXPECT_FALSE(try_submit(complete(101)));
}

class AdaptedBatches : public BatcherTest {
  protected:
    AdaptedBatches() : BatcherTest({.max_rows = 64, .min_rows = 16, .target_ms = 25}) {}

    // How many of the waiting commands one batch took that then ran for `took`.
    std::size_t run_one(SteadyMs took, int waiting = 200) {
        for (int i = 0; i < waiting; ++i) submit(complete(last_id));
        Batch batch = take();
        const std::size_t size = batch.commands.size();
        now += took;
        commit(std::move(batch));
        batcher.refuse_all({.kind = ErrorKind::unavailable}, finished);
        collect();
        return size;
    }
};

TEST_F(AdaptedBatches, LongTransactionsMakeSmallerBatchesAndShortOnesLargerAgain) {
    EXPECT_EQ(run_one(200), 64U);
    EXPECT_LT(run_one(200), 64U);
    for (int i = 0; i < 20; ++i) run_one(200);
    EXPECT_EQ(run_one(200), 16U) << "never below the least";
    for (int i = 0; i < 30; ++i) run_one(1);
    EXPECT_EQ(run_one(1), 64U);
}

TEST_F(AdaptedBatches, ATransactionForTheRestIsSpared) {
    run_one(200);
    const std::size_t fitting = run_one(25);
    ASSERT_LT(fitting, 60U);
    EXPECT_EQ(run_one(30, 60), 60U);
    EXPECT_EQ(run_one(25, 65), fitting) << "never above the most";
}

}  // namespace
}  // namespace flowfabric::test
