#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/engine/batching/batcher_fixture.hpp"

namespace flowfabric::test {
namespace {

using testing::ElementsAre;

using BatcherFaults = BatcherTest;

bool contains(const Batch& batch, CommandId id) {
    return std::ranges::find(batch.commands, id, &PendingCommand::id) != batch.commands.end();
}

TEST_F(BatcherFaults, ABusyCommandComesBackInItsOldPlaceAndThenWaitsPatiently) {
    const CommandId busy = submit(complete(1));
    for (int round = 1; round <= 3; ++round) {
        submit(complete(100 + static_cast<std::uint64_t>(round)));
        Batch batch = take();
        EXPECT_EQ(batch.commands.front().id, busy) << "round " << round;
        EXPECT_FALSE(batch.patient);
        BatchDecision decision = decision_of(batch, Verdict::answered);
        decision.verdicts.front().verdict = Verdict::busy;
        batcher.committed(std::move(batch), std::move(decision), now, finished);
        collect();
    }
    EXPECT_FALSE(answered(busy));
    EXPECT_EQ(answers.size(), 3U) << "its neighbours are not held up";
    EXPECT_FALSE(next());
    EXPECT_TRUE(batcher.has_patient_work());
    const Batch patient = take(WriterRole::patient);
    EXPECT_TRUE(patient.patient);
    EXPECT_THAT(ids(patient), ElementsAre(busy));
    commit(patient);
    EXPECT_TRUE(succeeded(busy));
}

TEST_F(BatcherFaults, ThePatientWriterTakesOneCommandAtATime) {
    submit(complete(1));
    submit(complete(2));
    for (int round = 0; round < 3; ++round) commit(take(), Verdict::busy);
    EXPECT_EQ(take(WriterRole::patient).commands.size(), 1U);
    EXPECT_EQ(take(WriterRole::patient).commands.size(), 1U);
    EXPECT_FALSE(next(WriterRole::patient));
}

TEST_F(BatcherFaults, PatienceEndsWithRetryExhausted) {
    const CommandId id = submit(complete(1));
    for (int round = 0; round < 3; ++round) commit(take(), Verdict::busy);
    for (int round = 0; round < 3; ++round) {
        EXPECT_FALSE(next()) << "only the patient writer goes on with it";
        fail(take(WriterRole::patient), StoreFault::contention);
        now += 20;
    }
    EXPECT_EQ(error_of(id), ErrorKind::retry_exhausted);
}

TEST_F(BatcherFaults, AContendedBatchIsTriedThriceFiveAndTenMillisecondsApartThenEachCommandAlone) {
    submit(complete(1));
    submit(complete(2));
    const SteadyMs start = now;
    fail(take(), StoreFault::contention);
    now = start + 4;
    EXPECT_FALSE(next());
    EXPECT_EQ(batcher.next_due(), start + 5);
    now = start + 5;
    fail(take(), StoreFault::contention);
    now = start + 14;
    EXPECT_FALSE(next());
    now = start + 15;
    const Batch third = take();
    EXPECT_THAT(ids(third), ElementsAre(1, 2));
    fail(third, StoreFault::contention);

    const Batch first_alone = take();
    const Batch second_alone = take();
    EXPECT_THAT(ids(first_alone), ElementsAre(1));
    EXPECT_THAT(ids(second_alone), ElementsAre(2));
    commit(second_alone);
    EXPECT_TRUE(succeeded(2));

    fail(first_alone, StoreFault::contention);
    now += 5;
    fail(take(), StoreFault::contention);
    now += 10;
    EXPECT_FALSE(answered(1));
    fail(take(), StoreFault::contention);
    EXPECT_EQ(error_of(1), ErrorKind::retry_exhausted);
    EXPECT_TRUE(batcher.idle());
}

TEST_F(BatcherFaults, APoisonCommandIsFoundByBisectionAndTheRestSucceed) {
    for (std::uint64_t row = 1; row <= 13; ++row) submit(complete(row));
    const CommandId poison = 5;
    int batches = 0;
    while (auto batch = next()) {
        ASSERT_LT(++batches, 20);
        if (contains(*batch, poison)) {
            fail(std::move(*batch), StoreFault::data);
        } else {
            commit(std::move(*batch));
        }
    }
    EXPECT_EQ(answers.size(), 13U);
    for (CommandId id = 1; id <= 13; ++id) EXPECT_EQ(succeeded(id), id != poison) << id;
    EXPECT_EQ(error_of(poison), ErrorKind::internal);
    EXPECT_FALSE(is_retryable(answers.at(poison).error()));
    EXPECT_TRUE(batcher.idle());
}

TEST_F(BatcherFaults, HalvesOfABisectedBatchHaveTriesOfTheirOwn) {
    submit(complete(1));
    submit(complete(2));
    fail(take(), StoreFault::contention);
    now += 5;
    fail(take(), StoreFault::contention);
    now += 10;
    fail(take(), StoreFault::data);
    fail(take(), StoreFault::contention);
    fail(take(), StoreFault::contention);
    EXPECT_TRUE(answers.empty());
    now += 5;
    commit(take());
    commit(take());
    EXPECT_TRUE(succeeded(1));
    EXPECT_TRUE(succeeded(2));
}

TEST_F(BatcherFaults, TwoPoisonCommandsAreBothFound) {
    for (std::uint64_t row = 1; row <= 8; ++row) submit(complete(row));
    while (auto batch = next()) {
        if (contains(*batch, 2) || contains(*batch, 7)) {
            fail(std::move(*batch), StoreFault::data);
        } else {
            commit(std::move(*batch));
        }
    }
    for (CommandId id = 1; id <= 8; ++id) EXPECT_EQ(succeeded(id), id != 2 && id != 7) << id;
}

TEST_F(BatcherFaults, ALostConnectionIsRetriedUntilTheDeadline) {
    for (const StoreFault kind : {StoreFault::connection, StoreFault::exhausted}) {
        now = 100;
        const CommandId id = submit(complete(last_id + 1));
        int tries = 0;
        while (!answered(id)) {
            ASSERT_LT(++tries, 1'000);
            if (auto batch = next()) {
                fail(std::move(*batch), kind);
            }
            const auto due = batcher.next_due();
            ASSERT_TRUE(due || answered(id));
            if (due) now = std::max(now, *due);
            expire();
        }
        EXPECT_GT(tries, 10);
        EXPECT_EQ(now, deadline);
        EXPECT_EQ(error_of(id), ErrorKind::timeout);
        EXPECT_TRUE(batcher.idle());
    }
}

TEST_F(BatcherFaults, ACommandUnderWayIsAnsweredByItsDeadline) {
    const CommandId id = submit(complete(1));
    Batch hung = take();
    ASSERT_EQ(batcher.next_due(), deadline);
    now = deadline;
    expire();
    EXPECT_EQ(error_of(id), ErrorKind::unknown_outcome);
    EXPECT_EQ(batcher.next_due(), std::nullopt);
    EXPECT_FALSE(batcher.idle());

    answers.clear();
    fail(std::move(hung), StoreFault::connection);
    expire();
    EXPECT_TRUE(batcher.idle()) << "nobody waits for it any more";
}

TEST_F(BatcherFaults, ATimeoutNamesTheLastFaultOfTheStore) {
    const CommandId full = submit(complete(1));
    fail(take(), StoreFault::exhausted);
    now = deadline;
    expire();
    EXPECT_EQ(error_of(full), ErrorKind::timeout);
    EXPECT_THAT(answers.at(full).error().detail, testing::HasSubstr("last store fault: injected"));

    now = 100;
    submit(complete(2));
    fail(take(), StoreFault::exhausted);
    now += 100;
    commit(take());
    const CommandId later = submit(complete(3));
    now = deadline;
    expire();
    EXPECT_THAT(answers.at(later).error().detail, testing::Not(testing::HasSubstr("fault")));
}

TEST_F(BatcherFaults, ABatchThatOutlivesAnOutageSucceeds) {
    const CommandId id = submit(complete(1));
    for (int outage = 0; outage < 20; ++outage) {
        fail(take(), StoreFault::connection);
        now += 2'000;
        ASSERT_LT(now, deadline * 2);
    }
    commit(take());
    EXPECT_TRUE(succeeded(id));
}

TEST_F(BatcherFaults, AnOutageDoesNotUseUpTheTriesOfALaterContention) {
    const CommandId id = submit(complete(1));
    for (int outage = 0; outage < 5; ++outage) {
        fail(take(), StoreFault::connection);
        now += 2'000;
    }
    fail(take(), StoreFault::contention);
    EXPECT_FALSE(answered(id)) << "the first contention is followed by two more tries";
    now += 10;
    fail(take(), StoreFault::contention);
    EXPECT_FALSE(answered(id));
    now += 10;
    commit(take());
    EXPECT_TRUE(succeeded(id));
}

TEST_F(BatcherFaults, RetriesOfOneRowDoNotRunBesideABatchThatHoldsIt) {
    submit(complete(1));
    fail(take(), StoreFault::contention);
    submit(complete(1));
    const Batch newer = take();
    EXPECT_THAT(ids(newer), ElementsAre(2));
    now += 5;
    EXPECT_FALSE(next());
    commit(newer);
    EXPECT_THAT(ids(take()), ElementsAre(1));
}

TEST_F(BatcherFaults, AStoreThatIsNotOursAnswersAtOnce) {
    const CommandId id = submit(complete(1));
    fail(take(), StoreFault::unavailable);
    EXPECT_EQ(error_of(id), ErrorKind::unavailable);
}

TEST_F(BatcherFaults, DeadlinesHoldForBusyPatientAndRetriedCommandsToo) {
    submit(complete(1));
    for (int round = 0; round < 3; ++round) commit(take(), Verdict::busy);
    submit(complete(2));
    fail(take(), StoreFault::contention);
    submit(complete(3));
    now = deadline;
    expire();
    for (CommandId id = 1; id <= 3; ++id) EXPECT_EQ(error_of(id), ErrorKind::timeout) << id;
    EXPECT_TRUE(batcher.idle());
    EXPECT_FALSE(batcher.next_due());
    EXPECT_FALSE(batcher.has_patient_work());
}

}  // namespace
}  // namespace flowfabric::test
