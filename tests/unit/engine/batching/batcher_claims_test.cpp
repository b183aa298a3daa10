#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/engine/batching/batcher_fixture.hpp"

namespace flowfabric::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class BatcherClaims : public BatcherTest {
  protected:
    // Runs the claim's first and second look; both find nothing.
    void look_twice() {
        commit(take(), Verdict::empty_claim);
        commit(take(), Verdict::empty_claim);
    }

    Claimed claimed(CommandId id) const { return answers.at(id)->as<Claimed>(); }

    static Command claim_with(std::vector<std::string> capabilities, std::uint32_t count) {
        AdmittedClaim command = claim_by("worker-a", 7, count);
        command.claim.capabilities = std::move(capabilities);
        return Given(command).command;
    }
};

TEST_F(BatcherClaims, AClaimThatFindsNothingLooksTwiceTheSecondTimeEverywhere) {
    const CommandId id = submit(claim());
    const Batch first = take();
    EXPECT_THAT(batcher.wanted_routes(first).lanes, testing::IsEmpty());
    commit(first, Verdict::empty_claim);
    EXPECT_FALSE(answered(id));

    const Batch second = take();
    EXPECT_THAT(ids(second), ElementsAre(id));
    EXPECT_THAT(batcher.wanted_routes(second).lanes, testing::ElementsAre("default"));
    commit(second, Verdict::empty_claim);
    ASSERT_TRUE(succeeded(id));
    EXPECT_TRUE(claimed(id).executions.empty()) << "no work is not an error";
}

TEST_F(BatcherClaims, AClaimThatHasSeenOnlyAPartGoesOnBeforeItLooksEverywhere) {
    const CommandId id = submit(claim());
    for (int look = 0; look < 16; ++look) {
        Batch batch = take();
        EXPECT_THAT(batcher.wanted_routes(batch).lanes, testing::IsEmpty()) << look;
        BatchDecision decision = decision_of(batch, Verdict::empty_claim);
        decision.verdicts[0].looked_everywhere = false;
        batcher.committed(std::move(batch), std::move(decision), now, finished);
        collect();
        EXPECT_FALSE(answered(id));
    }
    look_twice();
    ASSERT_TRUE(succeeded(id));
    EXPECT_TRUE(claimed(id).executions.empty());
}

TEST_F(BatcherClaims, AClaimThatMayWaitIsParkedAndWoken) {
    const CommandId id = submit(claim(), now + 1'000);
    look_twice();
    EXPECT_FALSE(answered(id));
    EXPECT_TRUE(batcher.has_waiting_claims());
    EXPECT_FALSE(next());
    EXPECT_FALSE(batcher.idle());

    batcher.wake_claims();
    EXPECT_FALSE(batcher.has_waiting_claims());
    const Batch woken = take();
    EXPECT_THAT(ids(woken), ElementsAre(id));
    EXPECT_THAT(batcher.wanted_routes(woken).lanes, testing::IsEmpty()) << "a new first look";
    commit(woken);
    EXPECT_TRUE(succeeded(id));
}

TEST_F(BatcherClaims, AParkedClaimIsAnsweredWithNothingWhenItsWaitIsOver) {
    const CommandId id = submit(claim(), now + 1'000);
    look_twice();
    EXPECT_EQ(batcher.next_due(), now + 1'000);
    now += 999;
    expire();
    EXPECT_FALSE(answered(id));
    now += 1;
    expire();
    ASSERT_TRUE(succeeded(id));
    EXPECT_TRUE(claimed(id).executions.empty());
    EXPECT_TRUE(batcher.idle());
}

TEST_F(BatcherClaims, AParkedClaimThatIsWithdrawnEndsWithNothing) {
    bool withdrawn = false;
    AdmittedClaim command = claim_by("worker-a");
    command.claim.withdrawn = [&withdrawn] { return withdrawn; };
    const CommandId id = submit(Given(command).command, now + 60'000);
    look_twice();
    expire();
    EXPECT_FALSE(answered(id));
    withdrawn = true;
    expire();
    ASSERT_TRUE(succeeded(id));
    EXPECT_TRUE(claimed(id).executions.empty());
    EXPECT_TRUE(batcher.idle());
}

TEST_F(BatcherClaims, AParkedRequestLooksOnceMoreWhenItsWaitIsOver) {
    AdmittedClaim command = claim_by("worker-a");
    command.claim.request_id = "r1";
    const CommandId id = submit(Given(command).command, now + 1'000);
    look_twice();
    now += 1'000;
    expire();
    EXPECT_FALSE(answered(id)) << "another engine may have served the same request";
    commit(take(), Verdict::empty_claim);
    ASSERT_TRUE(succeeded(id));
    EXPECT_TRUE(claimed(id).executions.empty());
    EXPECT_TRUE(batcher.idle());
}

TEST_F(BatcherClaims, AWakeUpBetweenLoadAndParkingIsNotLost) {
    submit(claim(), now + 1'000);
    commit(take(), Verdict::empty_claim);
    Batch second = take();
    batcher.wake_claims();
    commit(std::move(second), Verdict::empty_claim);
    EXPECT_FALSE(batcher.has_waiting_claims());
    EXPECT_TRUE(next()) << "work may have come after the load: look again";
}

TEST_F(BatcherClaims, WorkOfTheVeryBatchThatFoundNothingIsNotLostEither) {
    submit(claim(), now + 1'000);
    commit(take(), Verdict::empty_claim);
    submit(create(5));
    Batch batch = take();
    ASSERT_THAT(ids(batch), ElementsAre(1, 2));
    BatchDecision decision = decision_of(batch, Verdict::answered);
    decision.verdicts[0] = {Verdict::empty_claim, Answer::of<Claimed>({})};
    decision.set.work_available = true;
    batcher.committed(std::move(batch), std::move(decision), now, finished);
    collect();
    EXPECT_TRUE(answered(2));
    EXPECT_THAT(ids(take()), ElementsAre(1));
}

TEST_F(BatcherClaims, AnOwnCommitThatMakesWorkClaimableWakesParkedClaims) {
    const CommandId waiting = submit(claim(), now + 1'000);
    look_twice();
    submit(create(5));
    Batch batch = take();
    BatchDecision decision = decision_of(batch, Verdict::answered);
    decision.set.work_available = true;
    batcher.committed(std::move(batch), std::move(decision), now, finished);
    EXPECT_THAT(ids(take()), ElementsAre(waiting));
}

TEST_F(BatcherClaims, ParkedClaimsRideAlongWithWhatMayReleaseWorkAndWithNothingElse) {
    const CommandId waiting = submit(claim(), now + 1'000);
    look_twice();
    submit(complete(1));
    Batch ends = take();
    EXPECT_THAT(ends.waiting_claims, IsEmpty());
    commit(std::move(ends));

    submit(create(5));
    const Batch creates = take();
    ASSERT_THAT(creates.waiting_claims, SizeIs(1));
    EXPECT_EQ(creates.waiting_claims.front().id, waiting);
    EXPECT_TRUE(batcher.has_waiting_claims()) << "somebody waits for work, if not here";
    submit(create(6));
    EXPECT_THAT(take().waiting_claims, IsEmpty()) << "a claim is in one batch at a time";
}

TEST_F(BatcherClaims, AWaitingClaimIsAnsweredWithWhatWasHandedToIt) {
    const CommandId served = submit(claim(), now + 1'000);
    const CommandId unserved = submit(claim(), now + 1'000);
    look_twice();
    submit(create(5));
    Batch batch = take();
    BatchDecision decision = decision_of(batch, Verdict::answered);
    decision.handed_over[0].executions.emplace_back();
    batcher.committed(std::move(batch), std::move(decision), now, finished);
    collect();
    ASSERT_TRUE(succeeded(served));
    EXPECT_THAT(claimed(served).executions, SizeIs(1));
    EXPECT_FALSE(answered(unserved));
    EXPECT_TRUE(batcher.has_waiting_claims());
    EXPECT_FALSE(next()) << "nothing is left for the other one";
}

TEST_F(BatcherClaims, AWaitingClaimWhoseBatchFailsWaitsAgain) {
    const CommandId waiting = submit(claim(), now + 1'000);
    look_twice();
    submit(create(5));
    fail(take(), StoreFault::connection);
    EXPECT_FALSE(answered(waiting));
    EXPECT_TRUE(batcher.has_waiting_claims());
    now += 10'000;
    expire();
    ASSERT_TRUE(succeeded(waiting));
    EXPECT_TRUE(claimed(waiting).executions.empty());
}

TEST_F(BatcherClaims, AWaitingClaimLooksAgainForWorkThatCameElsewhereMeanwhile) {
    const CommandId waiting = submit(claim(), now + 1'000);
    look_twice();
    submit(create(5));
    Batch batch = take();
    batcher.wake_claims();
    commit(std::move(batch));
    EXPECT_THAT(ids(take()), ElementsAre(waiting));
}

TEST_F(BatcherClaims, ClaimsForTheSameClassesShareASelection) {
    directory.learn_routes({.classes = {{1, "default", {}}, {2, "default", {"gpu"}}}});
    submit(claim(3));
    submit(claim_with({"gpu"}, 5));
    submit(claim(4));
    const Batch batch = take();
    ASSERT_THAT(batch.selections, SizeIs(2));
    EXPECT_THAT(batch.selections[0].selection.class_ids, ElementsAre(1));
    EXPECT_THAT(batch.selections[0].commands, ElementsAre(0, 2));
    EXPECT_GE(batch.selections[0].selection.count, 7U);
    EXPECT_THAT(batch.selections[1].selection.class_ids, ElementsAre(1, 2));
    EXPECT_THAT(batch.selections[1].commands, ElementsAre(1));
    EXPECT_GE(batch.selections[1].selection.count, 5U);
}

TEST_F(BatcherClaims, StoppingAnswersParkedClaimsWithNothing) {
    const CommandId id = submit(claim(), now + 1'000);
    look_twice();
    batcher.refuse_all({.kind = ErrorKind::unavailable, .detail = "stopping"}, finished);
    collect();
    ASSERT_TRUE(succeeded(id));
    EXPECT_TRUE(claimed(id).executions.empty());
    EXPECT_TRUE(batcher.idle());
}

}  // namespace
}  // namespace flowfabric::test
