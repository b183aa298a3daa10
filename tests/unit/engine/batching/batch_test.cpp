#include "engine/batching/batch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/execution/timers.hpp"
#include "core/execution/transition.hpp"
#include "flowfabric/lease.hpp"
#include "flowfabric/setting.hpp"
#include "unit/engine/batching/batches.hpp"

namespace flowfabric::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// Every claim of the batch gets a selection of its own.
void select_each_claim(Batch& batch) {
    for (std::size_t i = 0; i < batch.commands.size(); ++i) {
        if (batch.commands[i].command->claim() != nullptr) batch.selections.push_back({{}, {i}});
    }
}

Claimable claimable_of(const std::vector<ExecutionRow>& rows) {
    Claimable found;
    for (const ExecutionRow& row : rows) found.rows.push_back({.row = row, .input = "in"});
    return found;
}

Given renew(const ExecutionRow& row) {
    return Renew{.lease = lease_on(row), .lease_ttl_ms = lease_ttl};
}

Given complete(const ExecutionRow& row) {
    return Complete{.lease = lease_on(row), .result = "done"};
}

Command promote(std::uint64_t number) {
    return command_of(Timer::delayed_promotion, execution(number));
}

AdmittedCreate keyed_create(std::uint64_t number, std::string key) {
    AdmittedCreate create = create_of(number);
    create.idempotency = IdempotencyKey{"default", std::move(key)};
    return create;
}

std::optional<ErrorKind> error_of(const CommandVerdict& verdict) {
    EXPECT_EQ(verdict.verdict, Verdict::answered);
    return verdict.answer ? std::nullopt : std::optional(verdict.answer.error().kind);
}

std::vector<ExecutionId> claimed_by(const CommandVerdict& verdict) {
    std::vector<ExecutionId> ids;
    for (const auto& execution : answer_of<Claimed>(verdict.answer).executions) ids.push_back(execution.execution_id);
    return ids;
}

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

std::vector<ExecutionId> missing_in(const Batch& batch, const Loaded& loaded) {
    return missing_executions(batch, load_request(batch), loaded);
}

TEST(MissingExecutions, AreThoseOfUsersCommandsThatNothingHasMade) {
    Loaded loaded = loaded_with({running_row(1)});
    loaded.busy = {execution(2)};
    const auto missing =
        missing_in(batch_of({complete(running_row(1)), complete(running_row(2)), complete(running_row(3)),
                             complete(running_row(3)), create_of(4), complete(running_row(4)),
                             command_of(Timer::lease_expiry, execution(5)), complete(running_row(6)), create_of(6)}),
                   loaded);
    EXPECT_THAT(missing, ElementsAre(execution(3), execution(6)));
}

TEST(MissingExecutions, AreNoneWhenAllAreLoaded) {
    EXPECT_THAT(missing_in(batch_of({complete(running_row(1))}), loaded_with({running_row(1)})), IsEmpty());
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

class HandOver : public testing::Test {
  protected:
    void let_wait(const AdmittedClaim& claim) {
        PendingCommand waiting;
        waiting.id = 100 + batch.waiting_claims.size();
        waiting.command = Given(claim).command;
        batch.waiting_claims.push_back(std::move(waiting));
    }
    std::vector<ExecutionId> handed_to(const BatchDecision& decision, std::size_t waiting) {
        std::vector<ExecutionId> ids;
        for (const auto& execution : decision.handed_over[waiting].executions) ids.push_back(execution.execution_id);
        return ids;
    }
    static AdmittedCreate create_with_priority(std::uint64_t number, std::int32_t priority) {
        AdmittedCreate create = create_of(number);
        create.row.priority = priority;
        return create;
    }

    Batch batch;
};

TEST_F(HandOver, WhatIsCreatedGoesToWhoeverWaitsForItInTheSameTransaction) {
    AdmittedCreate create = create_of(1);
    create.input = "letter";
    batch = batch_of({create});
    let_wait(claim_by("worker-a", 1));
    let_wait(claim_by("worker-b", 2));
    const auto decision = decide_batch(batch, loaded_with({}), {});
    EXPECT_EQ(error_of(decision.verdicts[0]), std::nullopt);
    ASSERT_THAT(handed_to(decision, 0), ElementsAre(execution(1)));
    EXPECT_EQ(decision.handed_over[0].executions[0].input_payload, "letter");
    EXPECT_THAT(handed_to(decision, 1), IsEmpty());
    ASSERT_THAT(decision.set.executions, SizeIs(1));
    EXPECT_EQ(decision.set.executions[0].change, RowChange::insert);
    EXPECT_EQ(decision.set.executions[0].row.vector, active_vector());
    EXPECT_THAT(decision.set.events.of<LeaseEvent>(), SizeIs(1));
    EXPECT_FALSE(decision.set.work_available) << "nobody else need look for it";
}

TEST_F(HandOver, GoesByPriorityAndUpToWhatWasAskedFor) {
    batch = batch_of({create_with_priority(1, 0), create_with_priority(2, 5), create_with_priority(3, 5),
                      create_with_priority(4, 9)});
    let_wait(claim_by("worker-a", 1, 2));
    let_wait(claim_by("worker-b", 2, 1));
    const auto decision = decide_batch(batch, loaded_with({}), {});
    EXPECT_THAT(handed_to(decision, 0), ElementsAre(execution(4), execution(2)));
    EXPECT_THAT(handed_to(decision, 1), ElementsAre(execution(3)));
    EXPECT_TRUE(decision.set.work_available) << "one is left";
}

TEST_F(HandOver, PassesOverWhoCannotDoIt) {
    AdmittedCreate create = create_of(1);
    create.row.required_capabilities = {"gpu"};
    batch = batch_of({create});
    AdmittedClaim elsewhere = claim_by("worker-a", 1);
    elsewhere.claim.lanes = {"another"};
    AdmittedClaim capable = claim_by("worker-c", 3);
    capable.claim.capabilities = {"disk", "gpu"};
    let_wait(elsewhere);
    let_wait(claim_by("worker-b", 2));
    let_wait(capable);
    const auto decision = decide_batch(batch, loaded_with({}), {});
    EXPECT_THAT(handed_to(decision, 0), IsEmpty());
    EXPECT_THAT(handed_to(decision, 1), IsEmpty());
    EXPECT_THAT(handed_to(decision, 2), ElementsAre(execution(1)));
}

TEST_F(HandOver, APausedLaneKeepsItsWork) {
    batch = batch_of({create_of(1)});
    batch.lane_states = {{"default", LaneState::paused}};
    let_wait(claim_by("worker-a", 1));
    const auto decision = decide_batch(batch, loaded_with({}), {});
    EXPECT_THAT(handed_to(decision, 0), IsEmpty());
    EXPECT_TRUE(is_waiting(decision.set.executions[0].row));
}

TEST_F(HandOver, WhatIsReleasedNeedsItsInput) {
    batch = batch_of({promote(1), promote(2)});
    let_wait(claim_by("worker-a", 1, 5));
    EXPECT_THAT(load_request(batch).inputs_of, ElementsAre(execution(1), execution(2)));
    Loaded loaded = loaded_with({delayed_row(now, 1), delayed_row(now, 2)});
    loaded.inputs = {{execution(2), "letter"}};
    const auto decision = decide_batch(batch, std::move(loaded), {});
    ASSERT_THAT(handed_to(decision, 0), ElementsAre(execution(2)));
    EXPECT_EQ(decision.handed_over[0].executions[0].input_payload, "letter");
    EXPECT_TRUE(decision.set.work_available);
}

TEST_F(HandOver, WhatIsLeftByThoseWhoWaitGoesToClaimsOfTheBatchThatFoundNothing) {
    batch = batch_of({claim_by("worker-b", 2), create_of(1), create_of(2), claim_by("worker-c", 3, 2), create_of(3),
                      claim_by("worker-d", 4)});
    select_each_claim(batch);
    let_wait(claim_by("worker-a", 1));
    Loaded loaded = loaded_with({});
    loaded.claims.resize(3);
    const auto decision = decide_batch(batch, std::move(loaded), {});
    EXPECT_THAT(handed_to(decision, 0), ElementsAre(execution(1)));
    EXPECT_THAT(claimed_by(decision.verdicts[0]), ElementsAre(execution(2)));
    EXPECT_EQ(decision.verdicts[0].verdict, Verdict::answered);
    EXPECT_THAT(claimed_by(decision.verdicts[3]), ElementsAre(execution(3)));
    EXPECT_EQ(decision.verdicts[3].verdict, Verdict::answered);
    EXPECT_EQ(decision.verdicts[5].verdict, Verdict::empty_claim) << "there is nothing left";
    EXPECT_FALSE(decision.set.work_available);
}

TEST_F(HandOver, AClaimThatHasFoundWorkTakesNoMore) {
    batch = batch_of({claim_by("worker-a", 1, 2), create_of(1)});
    select_each_claim(batch);
    Loaded loaded = loaded_with({});
    loaded.claims.push_back(claimable_of({waiting_row(9)}));
    const auto decision = decide_batch(batch, std::move(loaded), {});
    EXPECT_THAT(claimed_by(decision.verdicts[0]), ElementsAre(execution(9)));
    EXPECT_TRUE(decision.set.work_available);
}

TEST_F(HandOver, AClaimOfTheBatchIsHandedTheInputAsWell) {
    batch = batch_of({claim_by("worker-a", 1), promote(1)});
    select_each_claim(batch);
    EXPECT_THAT(load_request(batch).inputs_of, ElementsAre(execution(1)));
    Loaded loaded = loaded_with({delayed_row(now, 1)});
    loaded.claims.emplace_back();
    loaded.inputs = {{execution(1), "letter"}};
    const auto decision = decide_batch(batch, std::move(loaded), {});
    ASSERT_THAT(claimed_by(decision.verdicts[0]), ElementsAre(execution(1)));
    EXPECT_EQ(answer_of<Claimed>(decision.verdicts[0].answer).executions[0].input_payload, "letter");
}

TEST_F(HandOver, WhatIsReleasedBringsTheSignalsThatItHasAccepted) {
    batch = batch_of({promote(1)});
    let_wait(claim_by("worker-a", 1));
    EXPECT_THAT(load_request(batch).signals_of, ElementsAre(execution(1)));
    ExecutionRow row = delayed_row(now, 1);
    row.signal_count = 1;
    Loaded loaded = loaded_with({row});
    loaded.inputs = {{execution(1), "letter"}};
    loaded.side.of<SignalRow>().load({.key = {execution(1), 0}, .signal_name = "approved"});
    const auto decision = decide_batch(batch, std::move(loaded), {});
    ASSERT_THAT(handed_to(decision, 0), ElementsAre(execution(1)));
    const auto& signals = decision.handed_over[0].executions[0].signals;
    ASSERT_EQ(signals.size(), 1U);
    EXPECT_EQ(signals[0].signal_name, "approved");
}

TEST_F(HandOver, ReadsTheInputsOfSixtyFourAtMost) {
    std::vector<Given> commands;
    for (std::uint64_t i = 1; i <= 100; ++i) commands.emplace_back(promote(i));
    batch = batch_of(std::move(commands));
    let_wait(claim_by("worker-a", 1));
    EXPECT_EQ(load_request(batch).inputs_of.size(), 64U);
}

TEST_F(HandOver, WithNobodyWaitingNoInputIsLoaded) {
    EXPECT_THAT(load_request(batch_of({promote(1)})).inputs_of, IsEmpty());
    EXPECT_THAT(load_request(batch_of({promote(1)})).signals_of, IsEmpty());
}

TEST_F(HandOver, AClaimThatFoundTheAnswerFullTriesAgain) {
    batch = batch_of({claim_by("worker-a", 1), claim_by("worker-b", 2)});
    batch.selections = {{.selection = {.class_ids = {1}, .count = 2}, .commands = {0, 1}}};
    Loaded loaded = loaded_with({});
    loaded.claims.push_back(claimable_of({waiting_row(9)}));
    loaded.claims.back().cut = true;
    const auto decision = decide_batch(batch, std::move(loaded), {});
    EXPECT_THAT(claimed_by(decision.verdicts[0]), ElementsAre(execution(9)));
    EXPECT_EQ(decision.verdicts[1].verdict, Verdict::busy);
}

TEST_F(HandOver, IsRoutedAgainWhenALaneHasChanged) {
    batch = batch_of({promote(1)});
    Loaded loaded = loaded_with({});
    loaded.lane_revision = batch.lane_revision + 1;
    loaded.setting_revision = batch.setting_revision;
    EXPECT_FALSE(routes_have_changed(batch, loaded));
    let_wait(claim_by("worker-a", 1));
    EXPECT_TRUE(routes_have_changed(batch, loaded));
}

TEST_F(HandOver, IsRoutedAgainWhenASettingHasChanged) {
    Loaded loaded = loaded_with({});
    loaded.setting_revision = batch.setting_revision + 1;
    loaded.lane_revision = batch.lane_revision;
    EXPECT_FALSE(routes_have_changed(batch_of({SetSetting{.name = "event_retention", .value = "0"}}), loaded));
    EXPECT_TRUE(routes_have_changed(batch_of({promote(1)}), loaded));
}

TEST(LoadRequestOf, NamesEveryRowAndKeyOnceInLockOrder) {
    const Batch batch =
        batch_of({keyed_create(3, "b"), complete(running_row(2)), renew(running_row(2)), keyed_create(1, "a"),
                  keyed_create(4, "a"), command_of(Timer::lease_expiry, execution(9))});
    const LoadRequest request = load_request(batch);
    EXPECT_THAT(request.executions, ElementsAre(execution(1), execution(2), execution(3), execution(4), execution(9)));
    EXPECT_THAT(request.idempotency_keys, ElementsAre(IdempotencyKey{"default", "a"}, IdempotencyKey{"default", "b"}));
    EXPECT_THAT(request.claims, IsEmpty());
    EXPECT_FALSE(request.patient);
}

}  // namespace
}  // namespace flowfabric::test
