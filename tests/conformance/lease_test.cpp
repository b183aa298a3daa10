#include "support/fixture.hpp"

namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using enum LeaseEventType;

class LeaseTest : public StoreTest {};

TEST_P(LeaseTest, RenewalExtendsTheLeaseAndKeepsItsIdentity) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    advance(10'000);
    const Renewed renewed = value_of(renew(claimed.handle));
    EXPECT_EQ(renewed.lease_expires_at_ms, now() + 30'000);
    EXPECT_EQ(renewed.lease_epoch, claimed.lease_epoch);

    const ExecutionRow after = row(id);
    EXPECT_EQ(after.lease_id, claimed.lease_id);
    EXPECT_EQ(after.lease_epoch, 1U);
    EXPECT_EQ(after.lease_expires_at_ms, now() + 30'000);
    EXPECT_EQ(after.lease_last_renewed_at_ms, now());
    EXPECT_EQ(after.lease_acquired_at_ms, now() - 10'000);
    EXPECT_THAT(lease_event_types(id), ElementsAre(acquired, LeaseEventType::renewed));
}

TEST_P(LeaseTest, RenewalTakesTheTtlItIsGiven) {
    create();
    const ClaimedExecution claimed = claim();
    EXPECT_EQ(value_of(renew(claimed.handle, 90'000)).lease_expires_at_ms, now() + 90'000);
    EXPECT_EQ(value_of(renew(claimed.handle)).lease_expires_at_ms, now() + 30'000);
}

TEST_P(LeaseTest, RenewalByFenceNeedsATtl) {
    create();
    const ClaimedExecution claimed = claim();
    expect_error(run(Renew{.lease = fence_of(claimed)}), ErrorKind::invalid_input, "lease_ttl_ms");
    EXPECT_EQ(value_of(run(Renew{.lease = fence_of(claimed), .lease_ttl_ms = 5000})).lease_expires_at_ms, now() + 5000);
}

TEST_P(LeaseTest, RenewedEventsCanBeSwitchedOff) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    Settings quiet;
    quiet.overrides.emit_renewed_events = false;
    advance(100);
    value_of(another_engine(quiet)->run(Renew{.lease = claimed.handle}));
    EXPECT_EQ(row(id).lease_last_renewed_at_ms, now());
    EXPECT_THAT(lease_event_types(id), ElementsAre(acquired));
}

TEST_P(LeaseTest, ARenewedLeaseOutlivesItsFirstExpiry) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    advance(20'000);
    value_of(renew(claimed.handle));
    advance(15'000);
    reconcile();
    EXPECT_EQ(row(id).vector.ownership_state, OwnershipState::leased);
    advance(15'000);
    reconcile();
    EXPECT_EQ(row(id).vector.ownership_state, OwnershipState::lease_expired_reclaimable);
}

TEST_P(LeaseTest, AShorterRenewalIsNoticedInTime) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    value_of(renew(claimed.handle, 1000));
    advance(999);
    reconcile();
    EXPECT_EQ(row(id).vector.ownership_state, OwnershipState::leased);
    advance(1);
    reconcile();
    EXPECT_EQ(row(id).vector.ownership_state, OwnershipState::lease_expired_reclaimable);
}

TEST_P(LeaseTest, CompletionEndsExecutionAttemptAndLease) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    advance(500);
    Complete command{.lease = claimed.handle, .result = std::string("\0\xff result", 9), .result_encoding = "raw"};
    EXPECT_EQ(value_of(run(command)), (Completed{.execution_id = id, .public_state = PublicState::completed}));

    const ExecutionRow after = row(id);
    EXPECT_EQ(after.vector.lifecycle_phase, LifecyclePhase::terminal);
    EXPECT_EQ(after.vector.terminal_outcome, TerminalOutcome::success);
    EXPECT_EQ(after.vector.attempt_state, AttemptState::attempt_terminal);
    EXPECT_EQ(after.terminal_at_ms, now());
    EXPECT_EQ(after.lease_epoch, 1U);
    EXPECT_EQ(after.result_encoding, "raw");
    EXPECT_FALSE(after.lease_id);
    EXPECT_EQ(result(id), command.result);

    const auto history = attempts(id);
    ASSERT_EQ(history.size(), 1U);
    EXPECT_EQ(history[0].outcome, AttemptOutcome::ended_success);
    EXPECT_EQ(history[0].ended_at_ms, now());
    EXPECT_EQ(history[0].started_at_ms, now() - 500);
    EXPECT_EQ(history[0].lease_id, claimed.lease_id);
    EXPECT_EQ(history[0].lease_epoch, claimed.lease_epoch);

    const auto events = lease_events(id);
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[1].event_type, released);
    EXPECT_EQ(events[1].reason, "completed");
    EXPECT_EQ(events[1].worker_instance_id, "w1-1");
    EXPECT_THAT(outcomes(id), ElementsAre(TerminalOutcome::success));
}

TEST_P(LeaseTest, CompletionWithoutAResultHasNone) {
    const ExecutionId none = create();
    value_of(complete(claim().handle));
    EXPECT_EQ(result(none), std::nullopt);
    const ExecutionId empty = create();
    value_of(complete(claim().handle, Bytes{}));
    EXPECT_EQ(result(empty), Bytes{});
}

TEST_P(LeaseTest, ACompletedExecutionIsNeverClaimedAgain) {
    create();
    value_of(complete(claim().handle));
    advance(86'400'000);
    reconcile();
    expect_no_change([&] { EXPECT_THAT(claimed_ids(claim_by("w2")), IsEmpty()); });
}

TEST_P(LeaseTest, CompletingTwiceIsOneCompletion) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    value_of(complete(claimed.handle, "first"));
    advance(100);
    expect_no_change([&] {
        EXPECT_EQ(value_of(complete(claimed.handle, "second")).public_state, PublicState::completed);
        EXPECT_EQ(value_of(run(Complete{.lease = fence_of(claimed), .result = "third"})).execution_id, id);
    });
    EXPECT_EQ(result(id), "first");
    EXPECT_THAT(outcomes(id), ElementsAre(TerminalOutcome::success));
}

TEST_P(LeaseTest, CompletingTwiceInOneBatchIsOneCompletion) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    int completed = 0;
    for (const std::string_view text : {"first", "second"}) {
        engine().submit(Complete{.lease = claimed.handle, .result = Bytes(text)},
                        [&](const Result<Answer>& answer) { completed += answer ? 1 : 0; });
    }
    engine().settle();
    EXPECT_EQ(completed, 2);
    EXPECT_EQ(result(id), "first");
    EXPECT_THAT(outcomes(id), ElementsAre(TerminalOutcome::success));
}

TEST_P(LeaseTest, AnErrorInABatchLeavesItsNeighboursAlone) {
    const ExecutionId first = create();
    const ClaimedExecution claimed = claim();
    std::vector<bool> succeeded;
    const auto note = [&](const Result<Answer>& answer) { succeeded.push_back(answer.has_value()); };
    const ExecutionId unknown{86, Uuid{}};
    engine().submit(Complete{.lease = Fence{.execution_id = unknown,
                                            .lease_id = claimed.lease_id,
                                            .lease_epoch = claimed.lease_epoch,
                                            .attempt_id = claimed.attempt_id}},
                    note);
    engine().submit(Complete{.lease = claimed.handle}, note);
    engine().submit(CreateExecution{}, note);
    engine().settle();
    EXPECT_THAT(succeeded, ElementsAre(false, true, true));
    EXPECT_EQ(state(first), PublicState::completed);
}

TEST_P(LeaseTest, LastMutationRisesWithEveryOperationAndNeverFalls) {
    const ExecutionId id = create();
    std::int64_t last = row(id).last_mutation_at_ms;
    const auto expect_risen = [&](std::string_view after) {
        const std::int64_t at = row(id).last_mutation_at_ms;
        EXPECT_GT(at, last) << after;
        last = at;
        advance(10);
    };
    advance(10);
    const ClaimedExecution claimed = claim();
    expect_risen("claim");
    value_of(renew(claimed.handle));
    expect_risen("renew");
    value_of(complete(claimed.handle));
    expect_risen("complete");
}

TEST_P(LeaseTest, TimeNeverRunsBackwardsOnARow) {
    const ExecutionId id = create();
    advance(1000);
    const ClaimedExecution claimed = claim();
    const std::int64_t claimed_at = now();
    advance(-900);
    EXPECT_EQ(value_of(renew(claimed.handle)).lease_expires_at_ms, claimed_at + 30'000);
    value_of(complete(claimed.handle));
    EXPECT_EQ(row(id).terminal_at_ms, claimed_at);
    EXPECT_EQ(row(id).last_mutation_at_ms, claimed_at);
}

TEST_P(LeaseTest, EpochsRiseWithEveryAcquisition) {
    const ExecutionId id = create_with(retries(10, 0));
    for (std::uint64_t i = 0; i < 4; ++i) {
        EXPECT_EQ(claim().lease_epoch, LeaseEpoch{3 * i + 1});
        advance(30'000);
        reconcile();
        const ClaimedExecution reclaimed = claim();
        EXPECT_EQ(reclaimed.lease_epoch, LeaseEpoch{3 * i + 3});
        fail_with_retry(reclaimed.handle);
    }
    EXPECT_EQ(row(id).lease_epoch, 12U);
    EXPECT_EQ(row(id).total_attempt_count, 8);
}

INSTANTIATE_TEST_SUITE_P(Stores, LeaseTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
