#include "support/fixture.hpp"

namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using enum LeaseEventType;

const std::vector<std::string> foreign_sources{"operator_override", "flow_cascade", "system_timeout", "night shift"};

class CancelTest : public StoreTest {
  protected:
    // What holds of every cancelled execution, however it got there.
    void expect_cancelled(const ExecutionId& id, const std::string& by) {
        const ExecutionRow after = row(id);
        EXPECT_EQ(after.vector.lifecycle_phase, LifecyclePhase::terminal);
        EXPECT_EQ(after.vector.terminal_outcome, TerminalOutcome::cancelled);
        EXPECT_EQ(after.vector.public_state, PublicState::cancelled);
        EXPECT_EQ(after.cancellation_reason, "not needed");
        EXPECT_EQ(after.cancelled_by, by);
        EXPECT_EQ(after.terminal_at_ms, now());
        EXPECT_FALSE(after.lease_id || after.worker_id || after.delay_until_ms || after.reclaimable_since_ms);
        const auto completions = completion_events(id);
        ASSERT_THAT(completions, SizeIs(1));
        EXPECT_EQ(completions[0].outcome, TerminalOutcome::cancelled);
        EXPECT_EQ(completions[0].occurred_at_ms, now());
        EXPECT_EQ(completions[0].dispatched_at_ms, now());
        advance(60'000);
        reconcile();
        EXPECT_THAT(claimed_ids(claim_by("w9")), IsEmpty()) << "nobody gets it any more";
    }

    // The last attempt in the history, which the cancellation ended.
    AttemptView cancelled_attempt(const ExecutionId& id) {
        AttemptView attempt = attempts(id).back();
        EXPECT_EQ(attempt.outcome, AttemptOutcome::ended_cancelled);
        EXPECT_EQ(attempt.failure_reason, "not needed");
        EXPECT_TRUE(attempt.ended_at_ms);
        return attempt;
    }
};

TEST_P(CancelTest, AWaitingExecution) {
    const ExecutionId id = create();
    advance(5);
    EXPECT_EQ(value_of(cancel_by("operator_override", id)), (Cancelled{id, PublicState::cancelled}));
    EXPECT_EQ(row(id).vector.attempt_state, AttemptState::none) << "it was never claimed";
    EXPECT_EQ(row(id).lease_epoch, 0U);
    EXPECT_THAT(attempts(id), IsEmpty());
    EXPECT_THAT(lease_events(id), IsEmpty());
    expect_cancelled(id, "operator_override");
}

TEST_P(CancelTest, AnExecutionWithADelay) {
    CreateExecution command;
    command.delay_until_ms = now() + 1000;
    const ExecutionId id = create(command);
    value_of(cancel_by("operator_override", id));
    EXPECT_THAT(lease_events(id), IsEmpty());
    expect_cancelled(id, "operator_override");
}

TEST_P(CancelTest, AnExecutionInItsBackoff) {
    const ExecutionId id = create_with(retries(3, 1000));
    fail_with_retry(claim().handle);
    advance(5);
    value_of(cancel_by("operator_override", id));
    EXPECT_EQ(row(id).vector.attempt_state, AttemptState::attempt_terminal);
    EXPECT_EQ(row(id).lease_epoch, 1U);
    const auto history = attempts(id);
    ASSERT_THAT(history, SizeIs(1));
    EXPECT_EQ(history[0].outcome, AttemptOutcome::ended_failure) << "an ended attempt never changes";
    EXPECT_THAT(lease_event_types(id), ElementsAre(acquired, released));
    expect_cancelled(id, "operator_override");
}

TEST_P(CancelTest, ADelayedAttemptEndsUnderItsLastWorker) {
    const ExecutionId id = create();
    Claim command = claim_by("w1");
    command.attempt_timeout_ms = 10'000;
    const ClaimedExecution claimed = claim(command);
    value_of(delay(claimed.handle, now() + 1000));
    advance(5);
    value_of(cancel_by("operator_override", id));
    EXPECT_FALSE(row(id).attempt_time_left_ms);
    EXPECT_EQ(row(id).lease_epoch, 1U);
    const AttemptView attempt = cancelled_attempt(id);
    EXPECT_EQ(attempt.attempt_id, claimed.attempt_id);
    EXPECT_EQ(attempt.worker_id, "w1");
    EXPECT_EQ(attempt.worker_instance_id, "w1-1");
    EXPECT_EQ(attempt.lease_id, claimed.lease_id);
    EXPECT_EQ(attempt.lease_epoch, LeaseEpoch{1});
    EXPECT_EQ(attempt.ended_at_ms, now());
    EXPECT_THAT(lease_event_types(id), ElementsAre(acquired, released)) << "no live lease was removed";
    expect_cancelled(id, "operator_override");
}

TEST_P(CancelTest, AResumableExecution) {
    const ExecutionId id = create();
    value_of(delay(claim("w1").handle, now()));
    ASSERT_EQ(state(id), PublicState::resumable);
    value_of(cancel_by("operator_override", id));
    EXPECT_EQ(cancelled_attempt(id).worker_id, "w1");
    EXPECT_THAT(lease_event_types(id), ElementsAre(acquired, released));
    expect_cancelled(id, "operator_override");
}

TEST_P(CancelTest, AReleasedExecution) {
    const ExecutionId id = create();
    value_of(release(claim().handle));
    value_of(cancel_by("operator_override", id));
    EXPECT_THAT(attempts(id), IsEmpty());
    EXPECT_THAT(lease_event_types(id), ElementsAre(acquired, released));
    expect_cancelled(id, "operator_override");
}

TEST_P(CancelTest, AReleasedReclaim) {
    const ExecutionId id = create();
    claim("w1");
    let_lease_lapse();
    value_of(release(claim("w2").handle));
    value_of(cancel_by("operator_override", id));
    ASSERT_THAT(attempts(id), SizeIs(1));
    EXPECT_EQ(attempts(id)[0].outcome, AttemptOutcome::interrupted_reclaimed);
    expect_cancelled(id, "operator_override");
}

TEST_P(CancelTest, AnExpiredLeaseIsNotRemovedTwice) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim("w1");
    let_lease_lapse();
    value_of(cancel_by("operator_override", id));
    EXPECT_EQ(row(id).lease_epoch, 2U);
    const AttemptView attempt = cancelled_attempt(id);
    EXPECT_EQ(attempt.lease_epoch, LeaseEpoch{1});
    EXPECT_EQ(attempt.lease_id, claimed.lease_id);
    EXPECT_THAT(lease_event_types(id), ElementsAre(acquired, expired));
    expect_cancelled(id, "operator_override");
}

TEST_P(CancelTest, ALeaseThatLapsedUnnoticedClosesAsExpired) {
    for (const std::string& source : foreign_sources) {
        const ExecutionId id = create();
        claim("w1");
        advance(30'000);
        value_of(cancel_by(source, id));
        EXPECT_EQ(row(id).lease_epoch, 2U) << source;
        const auto events = lease_events(id);
        ASSERT_THAT(events, SizeIs(2)) << source;
        EXPECT_EQ(events[1].event_type, expired) << source;
        EXPECT_EQ(events[1].reason, "lease_ttl") << source;
        EXPECT_EQ(events[1].lease_epoch, 1U) << source;
        EXPECT_FALSE(events[1].revoked_by) << source;
        EXPECT_EQ(cancelled_attempt(id).lease_epoch, LeaseEpoch{1}) << source;
        expect_cancelled(id, source);
    }
}

TEST_P(CancelTest, OthersRevokeALiveLease) {
    const std::vector<std::string> revokers{"operator", "backend", "reconciler", "operator"};
    for (std::size_t i = 0; i < foreign_sources.size(); ++i) {
        const std::string& source = foreign_sources[i];
        SCOPED_TRACE(source);
        const ExecutionId id = create();
        const ClaimedExecution claimed = claim("w1");
        advance(5);
        value_of(cancel_by(source, id));
        EXPECT_EQ(row(id).lease_epoch, 2U);
        EXPECT_EQ(row(id).vector.attempt_state, AttemptState::attempt_terminal);

        const auto events = lease_events(id);
        ASSERT_THAT(events, SizeIs(2));
        EXPECT_EQ(events[1].event_type, revoked);
        EXPECT_EQ(events[1].reason, source);
        EXPECT_EQ(events[1].revoked_by, revokers[i]);
        EXPECT_EQ(events[1].lease_id, claimed.lease_id);
        EXPECT_EQ(events[1].lease_epoch, 1U);
        EXPECT_EQ(events[1].attempt_id, claimed.attempt_id);
        EXPECT_EQ(events[1].worker_id, "w1");
        EXPECT_EQ(events[1].worker_instance_id, "w1-1");
        EXPECT_EQ(events[1].occurred_at_ms, now());

        const AttemptView attempt = cancelled_attempt(id);
        EXPECT_EQ(attempt.attempt_id, claimed.attempt_id);
        EXPECT_EQ(attempt.lease_epoch, LeaseEpoch{1});
        EXPECT_EQ(attempt.worker_id, "w1");
        const auto refused = complete(claimed.handle);
        expect_error(refused, ErrorKind::execution_not_active);
        EXPECT_EQ(refused.error().not_active->terminal_outcome, "cancelled");
        expect_cancelled(id, source);
    }
}

TEST_P(CancelTest, TheOwnerReleasesItsLease) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim("w1");
    advance(5);
    EXPECT_EQ(value_of(cancel(claimed.handle)), (Cancelled{id, PublicState::cancelled}));
    EXPECT_EQ(row(id).lease_epoch, 1U);
    const auto events = lease_events(id);
    ASSERT_THAT(events, SizeIs(2));
    EXPECT_EQ(events[1].event_type, released);
    EXPECT_EQ(events[1].reason, "cancelled");
    EXPECT_FALSE(events[1].revoked_by);
    EXPECT_EQ(events[1].lease_id, claimed.lease_id);
    EXPECT_EQ(events[1].worker_instance_id, "w1-1");
    EXPECT_THAT(operator_events(id), IsEmpty());
    EXPECT_EQ(cancelled_attempt(id).worker_id, "w1");
    expect_cancelled(id, "worker");
}

TEST_P(CancelTest, TheOwnerMayUseTheOtherDoor) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim("w1");
    value_of(run(CancelExecution{.execution = fence_of(claimed), .reason = "not needed", .source = "lease_holder"}));
    EXPECT_EQ(row(id).lease_epoch, 1U);
    EXPECT_EQ(lease_events(id).back().event_type, released);
    EXPECT_THAT(operator_events(id), IsEmpty());
    expect_cancelled(id, "lease_holder");
}

TEST_P(CancelTest, WhatNobodyHoldsNeedsNoFence) {
    const ExecutionId waiting = create();
    value_of(cancel_by("lease_holder", waiting));
    expect_cancelled(waiting, "lease_holder");
    EXPECT_THAT(operator_events(waiting), IsEmpty());
}

// An operator does not become the owner by knowing the lease.
TEST_P(CancelTest, AnOperatorThatNamesTheLeaseStillRevokesIt) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim("w1");
    value_of(run(CancelExecution{.execution = fence_of(claimed), .reason = "not needed"}));
    EXPECT_EQ(row(id).lease_epoch, 2U);
    EXPECT_EQ(lease_events(id).back().event_type, revoked);
    EXPECT_EQ(lease_events(id).back().revoked_by, "operator");
    expect_cancelled(id, "operator_override");
}

TEST_P(CancelTest, AnOperatorsFenceIsNoHindranceWhereNobodyHoldsALease) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim("w1");
    value_of(delay(claimed.handle, now() + 1000));
    value_of(run(CancelExecution{.execution = fence_of(claimed), .reason = "not needed"}));
    expect_cancelled(id, "operator_override");
}

TEST_P(CancelTest, OnlyOperatorsActionsAreOperatorEvents) {
    for (const std::string source : {"operator_override", "night shift"}) {
        CreateExecution command;
        command.namespace_name = "shop";
        command.tags = {{"cairn.instance_id", "i-7"}};
        const ExecutionId id = create(command);
        advance(5);
        value_of(cancel_by(source, id, "too \"late\""));
        const auto events = operator_events(id);
        ASSERT_THAT(events, SizeIs(1)) << source;
        EXPECT_EQ(events[0].event_type, OperatorEventType::execution_cancelled);
        EXPECT_EQ(events[0].subject_kind, SubjectKind::execution);
        EXPECT_EQ(events[0].partition_key, id.partition);
        EXPECT_EQ(events[0].namespace_name, "shop");
        EXPECT_EQ(events[0].instance_tag, "i-7");
        EXPECT_EQ(events[0].details.text, R"({"reason":"too \"late\"","source":")" + source + R"("})");
        EXPECT_EQ(events[0].occurred_at_ms, now());
    }
    for (const std::string source : {"flow_cascade", "system_timeout", "lease_holder"}) {
        const ExecutionId id = create();
        value_of(cancel_by(source, id));
        EXPECT_THAT(operator_events(id), IsEmpty()) << source;
    }
}

TEST_P(CancelTest, TheFirstReasonStands) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    value_of(cancel_by("operator_override", id));
    advance(5);
    expect_no_change([&] {
        const Cancelled again{id, PublicState::cancelled};
        for (const std::string& source : foreign_sources) EXPECT_EQ(value_of(cancel_by(source, id, "me too")), again);
        EXPECT_EQ(value_of(cancel_by("lease_holder", id, "me too")), again);
        EXPECT_EQ(value_of(cancel(claimed.handle, "me too")), again);
    });
}

TEST_P(CancelTest, AWorkersRepeatIsTheSameAnswer) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    value_of(cancel(claimed.handle));
    expect_no_change([&] {
        EXPECT_EQ(value_of(cancel(claimed.handle)), (Cancelled{id, PublicState::cancelled}));
        EXPECT_EQ(value_of(cancel_by("operator_override", id)), (Cancelled{id, PublicState::cancelled}));
    });
}

TEST_P(CancelTest, AnEndedExecutionTellsHowItEnded) {
    const ExecutionId completed = create();
    const ClaimedExecution winner = claim();
    value_of(complete(winner.handle));
    const ExecutionId failed = create();
    value_of(fail(claim().handle));
    expect_no_change([&] {
        for (const std::string& source : foreign_sources) {
            const auto refused = cancel_by(source, completed);
            expect_error(refused, ErrorKind::execution_not_active);
            EXPECT_EQ(refused.error().not_active, (NotActiveFacts{.terminal_outcome = "success",
                                                                  .lease_epoch = 1,
                                                                  .lifecycle_phase = "terminal",
                                                                  .attempt_id = winner.attempt_id.to_string()}));
            const auto too_late = cancel_by(source, failed);
            expect_error(too_late, ErrorKind::execution_not_active);
            EXPECT_EQ(too_late.error().not_active->terminal_outcome, "failed");
        }
        expect_error(cancel_by("lease_holder", completed), ErrorKind::execution_not_active);
        expect_error(cancel(winner.handle), ErrorKind::execution_not_active);
    });
}

TEST_P(CancelTest, AnUnknownExecutionIsNotFound) {
    for (const std::string& source : foreign_sources) {
        expect_error(cancel_by(source, ExecutionId{86, Uuid{}}), ErrorKind::execution_not_found);
    }
    expect_error(cancel_by("lease_holder", ExecutionId{86, Uuid{}}), ErrorKind::execution_not_found);
    expect_error(cancel_by("operator_override", ExecutionId{256, Uuid{}}), ErrorKind::invalid_input, "execution_id");
}

TEST_P(CancelTest, ASourceIsRequired) {
    const ExecutionId id = create();
    expect_no_change([&] { expect_error(cancel_by("", id), ErrorKind::invalid_input, "source"); });
}

TEST_P(CancelTest, AStaleHandleChangesNothing) {
    const ExecutionId id = create();
    const ClaimedExecution lost = claim("w1");
    let_lease_lapse();
    claim("w2");
    expect_no_change([&] {
        expect_error(cancel(lost.handle), ErrorKind::stale_lease);
        expect_error(run(CancelExecution{.execution = fence_of(lost), .reason = "stolen", .source = "lease_holder"}),
                     ErrorKind::stale_lease);
    });
    EXPECT_EQ(state(id), PublicState::active);
}

TEST_P(CancelTest, CompleteAndCancelInOneBatchHaveOneWinner) {
    for (const bool complete_first : {true, false}) {
        const ExecutionId id = create();
        const ClaimedExecution claimed = claim();
        std::optional<Result<Answer>> completed;
        std::optional<Result<Answer>> cancelled;
        const auto submit_complete = [&] {
            engine().submit(Complete{.lease = claimed.handle}, [&](Result<Answer> answer) { completed = answer; });
        };
        if (complete_first) submit_complete();
        engine().submit(CancelExecution{.execution = {.execution_id = id}},
                        [&](Result<Answer> answer) { cancelled = answer; });
        if (!complete_first) submit_complete();
        engine().settle();
        ASSERT_TRUE(completed && cancelled);
        const auto& loser = complete_first ? *cancelled : *completed;
        EXPECT_TRUE(complete_first ? *completed : *cancelled);
        expect_error(loser, ErrorKind::execution_not_active);
        EXPECT_EQ(loser.error().not_active->terminal_outcome, complete_first ? "success" : "cancelled");
        EXPECT_THAT(outcomes(id), SizeIs(1));
    }
}

TEST_P(CancelTest, ACancelledExecutionKeepsItsIdAndKeyTaken) {
    CreateExecution command;
    command.idempotency_key = "order-1";
    const ExecutionId id = create(command);
    value_of(cancel_by("operator_override", id));
    expect_no_change([&] {
        const Created again = value_of(run(command));
        EXPECT_TRUE(again.duplicate);
        EXPECT_EQ(again.execution_id, id);
    });
}

INSTANTIATE_TEST_SUITE_P(Stores, CancelTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
