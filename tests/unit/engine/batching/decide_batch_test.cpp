#include "engine/batching/decide_batch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/engine/batching/batches.hpp"

namespace flowfabric::test {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

TEST(DecideBatch, TwoCommandsOnOneRowAreDecidedInOrderOfArrival) {
    const ExecutionRow row = running_row(1);
    const auto renewed_first = decide_batch(batch_of({renew(row), complete(row)}), loaded_with({row}), {});
    EXPECT_EQ(error_of(renewed_first.verdicts[0]), std::nullopt);
    EXPECT_EQ(error_of(renewed_first.verdicts[1]), std::nullopt);
    ASSERT_THAT(renewed_first.set.executions, SizeIs(1));
    EXPECT_EQ(renewed_first.set.executions[0].row.vector.terminal_outcome, TerminalOutcome::success);
    EXPECT_THAT(renewed_first.set.events.of<LeaseEvent>(), SizeIs(2));

    const auto completed_first = decide_batch(batch_of({complete(row), renew(row)}), loaded_with({row}), {});
    EXPECT_EQ(error_of(completed_first.verdicts[0]), std::nullopt);
    EXPECT_EQ(error_of(completed_first.verdicts[1]), ErrorKind::execution_not_active);
    EXPECT_THAT(completed_first.set.events.of<CompletionEvent>(), SizeIs(1));
}

TEST(DecideBatch, ADomainErrorLeavesItsNeighboursAlone) {
    ExecutionRow later = running_row(2);
    later.lease_epoch = 99;
    const auto decision = decide_batch(
        batch_of({complete(running_row(1)), complete(later), complete(running_row(3)), complete(running_row(4))}),
        loaded_with({running_row(1), running_row(2), running_row(3)}), {});
    EXPECT_EQ(error_of(decision.verdicts[0]), std::nullopt);
    EXPECT_EQ(error_of(decision.verdicts[1]), ErrorKind::stale_lease);
    EXPECT_EQ(error_of(decision.verdicts[2]), std::nullopt);
    EXPECT_EQ(error_of(decision.verdicts[3]), ErrorKind::execution_not_found);
    EXPECT_EQ(decision.set.executions[1].row, running_row(2));
    EXPECT_EQ(decision.set.executions[1].change, RowChange::none);
    EXPECT_THAT(decision.set.events.of<CompletionEvent>(), SizeIs(2));
    EXPECT_EQ(decision.set.now_ms, now);
}

TEST(DecideBatch, ACommandWaitsForTheSubmissionThatAnotherEngineTakesIn) {
    AdmittedCreate create = create_of(1);
    create.submission_id = 7;
    const auto decision = decide_batch(batch_of({create, complete(running_row(1))}), loaded_with({}), {});
    EXPECT_TRUE(answer_of<Created>(decision.verdicts[0].answer).duplicate);
    EXPECT_EQ(decision.verdicts[1].verdict, Verdict::busy);
}

TEST(DecideBatch, ABusyRowIsReportedAndTheRestDecided) {
    Loaded loaded = loaded_with({running_row(2)});
    loaded.busy = {execution(1), execution(3)};
    loaded.busy_keys = {{"default", "taken"}};
    const auto decision = decide_batch(batch_of({complete(running_row(1)), complete(running_row(2)), create_of(3),
                                                 keyed_create(4, "taken"), keyed_create(5, "free")}),
                                       std::move(loaded), {});
    EXPECT_EQ(decision.verdicts[0].verdict, Verdict::busy);
    EXPECT_EQ(error_of(decision.verdicts[1]), std::nullopt);
    EXPECT_EQ(decision.verdicts[2].verdict, Verdict::busy);
    EXPECT_EQ(decision.verdicts[3].verdict, Verdict::busy);
    EXPECT_EQ(error_of(decision.verdicts[4]), std::nullopt);
}

TEST(DecideBatch, WhatIsAboutASubmissionWhoseKeyIsBusyWaitsWithIt) {
    Loaded loaded = loaded_with({});
    loaded.busy_keys = {{"default", "taken"}};
    loaded.submissions = {7};
    AdmittedCreate submitted = keyed_create(4, "taken");
    submitted.submission_id = 7;
    const auto decision = decide_batch(batch_of({submitted, complete(running_row(4))}), std::move(loaded), {});
    EXPECT_EQ(decision.verdicts[0].verdict, Verdict::busy);
    EXPECT_EQ(decision.verdicts[1].verdict, Verdict::busy) << "not: no such execution";
}

TEST(DecideBatch, TwoCreatesWithOneKeyMakeOneExecution) {
    const auto decision = decide_batch(batch_of({keyed_create(1, "k"), keyed_create(2, "k"), keyed_create(3, "other")}),
                                       loaded_with({}), {});
    EXPECT_FALSE(answer_of<Created>(decision.verdicts[0].answer).duplicate);
    const auto second = answer_of<Created>(decision.verdicts[1].answer);
    EXPECT_TRUE(second.duplicate);
    EXPECT_EQ(second.execution_id, execution(1));
    EXPECT_FALSE(answer_of<Created>(decision.verdicts[2].answer).duplicate);
    EXPECT_THAT(decision.set.executions, SizeIs(2));
    EXPECT_THAT(decision.set.idempotency, SizeIs(2));
}

TEST(DecideBatch, ALapsedKeyGoesToTheFirstWhoAsks) {
    Loaded loaded = loaded_with({});
    loaded.idempotency = {{.key = {"default", "k"}, .execution_id = execution(9), .expires_at_ms = now}};
    const auto decision = decide_batch(batch_of({keyed_create(1, "k"), keyed_create(2, "k")}), std::move(loaded), {});
    EXPECT_EQ(answer_of<Created>(decision.verdicts[0].answer).execution_id, execution(1));
    EXPECT_EQ(answer_of<Created>(decision.verdicts[1].answer).execution_id, execution(1));
    EXPECT_TRUE(answer_of<Created>(decision.verdicts[1].answer).duplicate);
    EXPECT_THAT(decision.set.idempotency, SizeIs(1));
}

TEST(DecideBatch, TwoCreatesWithOneIdMakeOneExecution) {
    const auto decision = decide_batch(batch_of({create_of(1), create_of(1)}), loaded_with({}), {});
    EXPECT_FALSE(answer_of<Created>(decision.verdicts[0].answer).duplicate);
    EXPECT_TRUE(answer_of<Created>(decision.verdicts[1].answer).duplicate);
    EXPECT_THAT(decision.set.executions, SizeIs(1));
}

TEST(DecideBatch, ClaimsOfOneSelectionShareItsRows) {
    Batch batch = batch_of({claim_by("worker-a", 1, 2), claim_by("worker-b", 2, 2), claim_by("worker-c", 3, 2)});
    batch.selections.push_back({{}, {0, 1, 2}});
    Loaded loaded = loaded_with({});
    loaded.claims.push_back(claimable_of({waiting_row(1), waiting_row(2), waiting_row(3)}));
    const auto decision = decide_batch(batch, std::move(loaded), {});
    EXPECT_THAT(claimed_by(decision.verdicts[0]), ElementsAre(execution(1), execution(2)));
    EXPECT_THAT(claimed_by(decision.verdicts[1]), ElementsAre(execution(3)));
    EXPECT_EQ(decision.verdicts[2].verdict, Verdict::empty_claim);
    EXPECT_EQ(answer_of<Claimed>(decision.verdicts[0].answer).executions[0].input_payload, "in");
    EXPECT_THAT(decision.sights, SizeIs(1));
}

TEST(DecideBatch, OverlappingSelectionsNeverHandOutOneRowTwice) {
    Batch batch = batch_of({claim_by("worker-a", 1, 2), claim_by("worker-b", 2, 2)});
    select_each_claim(batch);
    Loaded loaded = loaded_with({});
    loaded.claims.push_back(claimable_of({waiting_row(1), waiting_row(2)}));
    loaded.claims.push_back(claimable_of({waiting_row(1), waiting_row(2), waiting_row(3)}));
    const auto decision = decide_batch(batch, std::move(loaded), {});
    EXPECT_THAT(claimed_by(decision.verdicts[0]), ElementsAre(execution(1), execution(2)));
    EXPECT_THAT(claimed_by(decision.verdicts[1]), ElementsAre(execution(3)));
    EXPECT_THAT(decision.set.executions, SizeIs(3));
    EXPECT_THAT(decision.set.events.of<LeaseEvent>(), SizeIs(3));
}

TEST(DecideBatch, ARowThatIsNamedAndClaimableHasOneEntry) {
    Batch batch = batch_of({claim_by("worker-b", 1, 1), complete(running_row(1))});
    select_each_claim(batch);
    Loaded loaded = loaded_with({reclaimable_row(1)});
    loaded.claims.push_back(claimable_of({reclaimable_row(1)}));
    const auto decision = decide_batch(batch, std::move(loaded), {});
    EXPECT_THAT(claimed_by(decision.verdicts[0]), ElementsAre(execution(1)));
    EXPECT_EQ(answer_of<Claimed>(decision.verdicts[0].answer).executions[0].input_payload, "in");
    EXPECT_EQ(error_of(decision.verdicts[1]), ErrorKind::stale_lease);
    EXPECT_THAT(decision.set.executions, SizeIs(1));
}

TEST(DecideBatch, AClaimOfNothingIsAnswered) {
    Batch batch = batch_of({claim_by("worker-a", 1, 0)});
    select_each_claim(batch);
    Loaded loaded = loaded_with({});
    loaded.claims.emplace_back();
    EXPECT_EQ(decide_batch(batch, std::move(loaded), {}).verdicts[0].verdict, Verdict::answered);
}

TEST(DecideBatch, AnErrorThatExpiresALeaseIsStillSaved) {
    const ExecutionRow row = running_row(1);
    Loaded loaded = loaded_with({row});
    loaded.now_ms = *row.lease_expires_at_ms;
    const auto decision = decide_batch(batch_of({renew(row), complete(row)}), std::move(loaded), {});
    EXPECT_EQ(error_of(decision.verdicts[0]), ErrorKind::lease_expired);
    EXPECT_EQ(error_of(decision.verdicts[1]), ErrorKind::lease_expired);
    EXPECT_FALSE(decision.set.empty());
    EXPECT_THAT(decision.set.events.of<LeaseEvent>(), SizeIs(1)) << "once";
}

TEST(DecideBatch, ABatchOfRefusalsHasNothingToSave) {
    const auto decision = decide_batch(batch_of({complete(running_row(1))}), loaded_with({waiting_row(1)}), {});
    EXPECT_TRUE(decision.set.empty());
}

TEST(DecideBatch, AClaimThatFoundTheAnswerFullTriesAgain) {
    Batch batch = batch_of({claim_by("worker-a", 1), claim_by("worker-b", 2)});
    batch.selections = {{.selection = {.class_ids = {1}, .count = 2}, .commands = {0, 1}}};
    Loaded loaded = loaded_with({});
    loaded.claims.push_back(claimable_of({waiting_row(9)}));
    loaded.claims.back().cut = true;
    const auto decision = decide_batch(batch, std::move(loaded), {});
    EXPECT_THAT(claimed_by(decision.verdicts[0]), ElementsAre(execution(9)));
    EXPECT_EQ(decision.verdicts[1].verdict, Verdict::busy);
}

}  // namespace
}  // namespace flowfabric::test
