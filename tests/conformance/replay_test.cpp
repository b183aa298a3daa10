#include "core/execution/state_vector.hpp"
#include "support/fixture.hpp"

namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using enum LeaseEventType;

class ReplayTest : public StoreTest {
  protected:
    Result<Replayed> replay(const ExecutionId& id) { return run(ReplayExecution{.execution_id = id}); }

    // Replays it and checks what holds of every replayed execution, however it ended before.
    void replay_and_check(const ExecutionId& id) {
        const ExecutionRow before = row(id);
        const auto history = dumped_attempts(id);
        const auto leases = lease_events(id);
        const auto completions = completion_events(id);
        advance(5);
        EXPECT_EQ(value_of(replay(id)), (Replayed{id, PublicState::waiting}));

        const ExecutionRow after = row(id);
        EXPECT_TRUE(after.vector == waiting_vector(AttemptState::pending_replay_attempt));
        EXPECT_EQ(after.replay_count, before.replay_count + 1);
        EXPECT_EQ(after.retry_count, 0);
        EXPECT_EQ(after.lease_epoch, before.lease_epoch) << "the epoch rises with the next claim";
        EXPECT_EQ(after.total_attempt_count, before.total_attempt_count);
        EXPECT_FALSE(after.terminal_at_ms || after.failure_reason || after.failure_category);
        EXPECT_FALSE(after.cancellation_reason || after.cancelled_by || after.blocking_detail);
        EXPECT_FALSE(after.result_encoding || result(id));
        EXPECT_EQ(dumped_attempts(id), history);
        EXPECT_EQ(lease_events(id), leases);
        EXPECT_EQ(completion_events(id), completions);

        const auto events = operator_events(id);
        ASSERT_FALSE(events.empty());
        EXPECT_EQ(events.back().event_type, OperatorEventType::replayed);
        EXPECT_EQ(events.back().details.text, R"({"branch":"normal"})");
        EXPECT_EQ(events.back().occurred_at_ms, now());
    }

    ClaimedExecution claim_replay(const ExecutionId& id) {
        const ExecutionRow before = row(id);
        advance(5);
        const ClaimedExecution claimed = claim("w2");
        EXPECT_EQ(claimed.execution_id, id);
        EXPECT_EQ(claimed.attempt_type, AttemptType::replay);
        EXPECT_EQ(claimed.attempt_index, static_cast<std::uint32_t>(before.total_attempt_count));
        EXPECT_EQ(claimed.lease_epoch.value, before.lease_epoch + 1);
        EXPECT_EQ(lease_events(id).back().event_type, acquired);
        return claimed;
    }

    std::vector<AttemptRow> dumped_attempts(const ExecutionId& id) { return snapshot().executions.at(id).attempts; }
};

TEST_P(ReplayTest, OfASuccess) {
    CreateExecution command;
    command.input_payload = "november";
    const ExecutionId id = create(command);
    value_of(run(Complete{.lease = claim("w1").handle, .result = "first", .result_encoding = "text"}));
    ASSERT_EQ(result(id), "first");
    replay_and_check(id);
    EXPECT_THAT(operator_events(id), SizeIs(1));

    const ClaimedExecution again = claim_replay(id);
    EXPECT_EQ(again.input_payload, "november");
    value_of(complete(again.handle, "second"));
    EXPECT_EQ(result(id), "second");
    EXPECT_EQ(state(id), PublicState::completed);
    EXPECT_THAT(outcomes(id), ElementsAre(TerminalOutcome::success, TerminalOutcome::success));
    EXPECT_THAT(lease_event_types(id), ElementsAre(acquired, released, acquired, released));
    const auto history = attempts(id);
    ASSERT_THAT(history, SizeIs(2));
    EXPECT_EQ(history[0].attempt_type, AttemptType::initial);
    EXPECT_EQ(history[0].worker_id, "w1");
    EXPECT_EQ(history[1].attempt_type, AttemptType::replay);
    EXPECT_EQ(history[1].outcome, AttemptOutcome::ended_success);
    EXPECT_EQ(history[1].previous_attempt_index, 0U);
}

TEST_P(ReplayTest, TheSecondLifeMayEndWithoutAResult) {
    const ExecutionId id = create();
    value_of(complete(claim().handle, "first"));
    value_of(replay(id));
    value_of(complete(claim().handle));
    EXPECT_FALSE(result(id));
}

TEST_P(ReplayTest, AnEmptyResultIsAResult) {
    const ExecutionId id = create();
    value_of(complete(claim().handle, "first"));
    value_of(replay(id));
    value_of(complete(claim().handle, ""));
    EXPECT_EQ(result(id), "");
}

TEST_P(ReplayTest, OfAFailure) {
    const ExecutionId id = create();
    value_of(fail(claim("w1").handle));
    ASSERT_TRUE(row(id).failure_reason);
    replay_and_check(id);
    value_of(complete(claim_replay(id).handle, "done"));
    EXPECT_FALSE(row(id).failure_reason);
    EXPECT_THAT(outcomes(id), ElementsAre(TerminalOutcome::failed, TerminalOutcome::success));
    EXPECT_EQ(attempts(id)[0].failure_reason, "it broke");
}

TEST_P(ReplayTest, GivesAllRetriesAgain) {
    const ExecutionId id = create_with(retries(1, 0));
    fail_with_retry(claim().handle);
    reconcile();
    EXPECT_TRUE(std::holds_alternative<TerminalFailed>(value_of(fail(claim().handle))));
    ASSERT_EQ(row(id).retry_count, 1);
    replay_and_check(id);

    fail_with_retry(claim_replay(id).handle);
    reconcile();
    const ClaimedExecution last = claim();
    EXPECT_EQ(last.attempt_type, AttemptType::retry);
    EXPECT_EQ(last.attempt_index, 3U);
    EXPECT_TRUE(std::holds_alternative<TerminalFailed>(value_of(fail(last.handle))));
}

TEST_P(ReplayTest, OfARunningExecutionThatWasCancelled) {
    const ExecutionId id = create();
    const ClaimedExecution stopped = claim("w1");
    value_of(cancel_by("flow_cascade", id));
    replay_and_check(id);
    expect_no_change([&] { EXPECT_FALSE(complete(stopped.handle)) << "its old owner has no part in the new life"; });
    value_of(complete(claim_replay(id).handle));
    expect_no_change([&] { EXPECT_FALSE(complete(stopped.handle)); });
    EXPECT_THAT(outcomes(id), ElementsAre(TerminalOutcome::cancelled, TerminalOutcome::success));
}

TEST_P(ReplayTest, OfWhatWasNeverClaimed) {
    const ExecutionId id = create();
    value_of(cancel_by("flow_cascade", id));
    replay_and_check(id);
    const ClaimedExecution claimed = claim_replay(id);
    EXPECT_EQ(claimed.attempt_index, 0U);
    EXPECT_EQ(claimed.lease_epoch.value, 1U);
    value_of(complete(claimed.handle));
    EXPECT_FALSE(attempts(id)[0].previous_attempt_index);
}

TEST_P(ReplayTest, OfADelayedOneThatWasCancelledRunsAtOnce) {
    CreateExecution command;
    command.delay_until_ms = now() + 60'000;
    const ExecutionId id = create(command);
    value_of(cancel_by("flow_cascade", id));
    replay_and_check(id);
    value_of(complete(claim_replay(id).handle));
}

TEST_P(ReplayTest, ALostReplayIsReclaimed) {
    const ExecutionId id = create();
    value_of(complete(claim("w1").handle));
    value_of(replay(id));
    claim("w2");
    let_lease_lapse();
    const ClaimedExecution reclaimed = claim("w3");
    EXPECT_EQ(reclaimed.attempt_type, AttemptType::reclaim);
    EXPECT_EQ(reclaimed.attempt_index, 2U);
    value_of(complete(reclaimed.handle));
    EXPECT_THAT(outcomes(id), SizeIs(2));
}

TEST_P(ReplayTest, AReplayThatWasGivenBackIsStillAReplay) {
    const ExecutionId id = create();
    value_of(complete(claim("w1").handle));
    value_of(replay(id));
    value_of(release(claim("w2").handle));
    value_of(complete(claim_replay(id).handle));
}

TEST_P(ReplayTest, AnotherEngineFindsIt) {
    const auto other = another_engine();
    ASSERT_THAT(value_of(other->run(claim_by("w1"))).executions, IsEmpty());
    const ExecutionId id = create();
    value_of(complete(claim().handle, "first"));
    value_of(replay(id));
    const Claimed claimed = value_of(other->run(claim_by("w1")));
    ASSERT_THAT(claimed.executions, SizeIs(1));
    EXPECT_EQ(claimed.executions[0].execution_id, id);
}

TEST_P(ReplayTest, OfWhatEndsInTheSameBatch) {
    const ExecutionId id = create();
    const ClaimedExecution first = claim();
    const auto succeeds = [](const Result<Answer>& answer) { EXPECT_TRUE(answer); };
    engine().submit(Complete{.lease = first.handle, .result = "first"}, succeeds);
    engine().submit(ReplayExecution{.execution_id = id}, succeeds);
    engine().settle();
    EXPECT_FALSE(result(id)) << "the result of the life before";
    EXPECT_THAT(outcomes(id), ElementsAre(TerminalOutcome::success));
    value_of(complete(claim_replay(id).handle, "second"));
    EXPECT_EQ(result(id), "second");
}

TEST_P(ReplayTest, ThePolicyLimitsReplays) {
    ExecutionPolicy policy;
    policy.max_replay_count = 1;
    const ExecutionId id = create_with(policy);
    value_of(complete(claim().handle));
    value_of(replay(id));
    value_of(complete(claim().handle, "kept"));
    expect_no_change([&] { expect_error(replay(id), ErrorKind::max_replays_exhausted); });
    EXPECT_EQ(result(id), "kept");

    policy.max_replay_count = 0;
    const ExecutionId never = create_with(policy);
    value_of(complete(claim().handle));
    expect_no_change([&] { expect_error(replay(never), ErrorKind::max_replays_exhausted); });
}

TEST_P(ReplayTest, TenTimesByDefault) {
    const ExecutionId id = create();
    for (std::size_t i = 0; i < 10; ++i) {
        value_of(cancel_by("flow_cascade", id));
        value_of(replay(id));
    }
    value_of(cancel_by("flow_cascade", id));
    expect_no_change([&] { expect_error(replay(id), ErrorKind::max_replays_exhausted); });
    EXPECT_THAT(operator_events(id), SizeIs(10));
    EXPECT_THAT(outcomes(id), SizeIs(11)) << "one completion for every end";
}

TEST_P(ReplayTest, OnlyWhatHasEnded) {
    const ExecutionId waiting = create();
    expect_no_change([&] { expect_error(replay(waiting), ErrorKind::execution_not_terminal, "waiting"); });
    const ClaimedExecution claimed = claim();
    expect_no_change([&] { expect_error(replay(waiting), ErrorKind::execution_not_terminal, "active"); });
    value_of(delay(claimed.handle, now() + 1000));
    expect_no_change([&] { expect_error(replay(waiting), ErrorKind::execution_not_terminal, "delayed"); });
    value_of(cancel_by("flow_cascade", waiting));
    value_of(replay(waiting));
    expect_no_change([&] { expect_error(replay(waiting), ErrorKind::execution_not_terminal, "waiting"); });
    EXPECT_THAT(operator_events(waiting), SizeIs(1));
}

TEST_P(ReplayTest, AnUnknownExecutionIsNotFound) {
    expect_error(replay(ExecutionId{86, Uuid{}}), ErrorKind::execution_not_found);
    expect_error(replay(ExecutionId{256, Uuid{}}), ErrorKind::invalid_input, "execution_id");
}

INSTANTIATE_TEST_SUITE_P(Stores, ReplayTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
