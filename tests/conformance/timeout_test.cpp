#include "conformance/api_test.hpp"

namespace flowfabric::test {
namespace {

using enum ErrorKind;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class Timeouts : public ApiTest {
  protected:
    static Claim limited(std::uint64_t attempt_timeout_ms, std::uint64_t lease_ttl_ms = 30'000) {
        Claim claim = claim_by("w1");
        claim.attempt_timeout_ms = attempt_timeout_ms;
        claim.lease_ttl_ms = lease_ttl_ms;
        return claim;
    }
    ExecutionId create_due_in(std::int64_t deadline_in_ms) {
        CreateExecution command;
        command.execution_deadline_at_ms = now() + deadline_in_ms;
        return create(std::move(command));
    }
    TimerFired fire(const ExecutionId& id, Timer timer) { return value_of(run(FireTimer{id, timer})); }
};
INSTANTIATE_TEST_SUITE_P(Stores, Timeouts, all_stores(), name_of_param);

// ---- attempts -----------------------------------------------------------------------------------------------------

TEST_P(Timeouts, AnAttemptWithoutRetriesExpiresItsExecution) {
    const auto id = create();
    const auto claimed = claim(limited(5000));
    advance(4999);
    reconcile();
    EXPECT_EQ(state(id), PublicState::active);
    advance(1);
    reconcile();

    EXPECT_EQ(row(id).vector.terminal_outcome, TerminalOutcome::expired);
    EXPECT_EQ(row(id).failure_reason, "attempt_timeout");
    EXPECT_THAT(outcomes(id), ElementsAre(TerminalOutcome::expired));
    const auto history = attempts(id);
    ASSERT_THAT(history, SizeIs(1));
    EXPECT_EQ(history[0].outcome, AttemptOutcome::ended_failure);
    EXPECT_THAT(lease_event_types(id), ElementsAre(LeaseEventType::acquired, LeaseEventType::expired));
    EXPECT_EQ(lease_events(id).back().reason, "attempt_timeout");
    expect_no_change([&] {
        expect_error(complete(claimed.handle), execution_not_active);
        expect_error(fail(claimed.handle), execution_not_active);
        reconcile();
    });
}

TEST_P(Timeouts, AnAttemptWithRetriesIsTriedAgain) {
    const auto id = create_with(retries(1, 700));
    claim(limited(5000));
    advance(5000);
    reconcile();
    EXPECT_EQ(state(id), PublicState::delayed);
    EXPECT_EQ(row(id).retry_count, 1);
    EXPECT_EQ(row(id).lease_reclaim_count, 0) << "it failed; it was not lost";
    EXPECT_EQ(row(id).delay_until_ms, now() + 700);

    advance(700);
    reconcile();
    const auto second = claim(limited(5000));
    EXPECT_EQ(second.attempt_index, 1U);
    EXPECT_EQ(second.attempt_type, AttemptType::retry);
    advance(5000);
    reconcile();
    EXPECT_EQ(row(id).vector.terminal_outcome, TerminalOutcome::expired);
    EXPECT_THAT(attempts(id), SizeIs(2));
}

TEST_P(Timeouts, ARetryPolicyThatDoesNotNameTimeoutsDoesNotRetryThem) {
    ExecutionPolicy policy = retries(5, 0);
    policy.retry_policy->retryable_categories = {"transient"};
    const auto id = create_with(policy);
    claim(limited(5000));
    advance(5000);
    reconcile();
    EXPECT_EQ(row(id).vector.terminal_outcome, TerminalOutcome::expired);
}

TEST_P(Timeouts, RenewalsDoNotExtendAnAttempt) {
    const auto id = create();
    const auto claimed = claim(limited(10'000, 4000));
    for (int i = 0; i < 3; ++i) {
        advance(3000);
        value_of(renew(claimed.handle));
        reconcile();
        EXPECT_EQ(state(id), PublicState::active);
    }
    advance(1000);
    reconcile();
    EXPECT_EQ(row(id).failure_reason, "attempt_timeout");
}

TEST_P(Timeouts, APolicyLimitsAttemptsAsWell) {
    ExecutionPolicy policy;
    policy.timeout_policy = TimeoutPolicy{.attempt_timeout_ms = 2000};
    const auto id = create_with(policy);
    claim();
    advance(2000);
    reconcile();
    EXPECT_EQ(row(id).failure_reason, "attempt_timeout");
}

TEST_P(Timeouts, WhatIsLeftOfADelayedAttemptCountsAfterwards) {
    const auto id = create();
    const auto claimed = claim(limited(10'000));
    advance(4000);
    value_of(delay(claimed.handle, now() + 60'000));
    advance(60'000);
    reconcile();
    claim();
    advance(5999);
    reconcile();
    EXPECT_EQ(state(id), PublicState::active);
    advance(1);
    reconcile();
    EXPECT_EQ(row(id).failure_reason, "attempt_timeout");
}

// ---- leases against attempts --------------------------------------------------------------------------------------

TEST_P(Timeouts, WhicheverEndsFirstDecidesHoweverLateItIsNoticed) {
    const auto lost = create();
    claim(limited(9000, 4000));
    const auto late = create();
    claim(limited(3000, 4000));
    advance(60'000);
    reconcile();
    EXPECT_EQ(row(lost).vector.ownership_state, OwnershipState::lease_expired_reclaimable);
    EXPECT_EQ(row(late).failure_reason, "attempt_timeout");
    EXPECT_EQ(row(late).vector.terminal_outcome, TerminalOutcome::expired);
}

TEST_P(Timeouts, AWorkerThatComesTooLateDecidesTheSame) {
    const auto lost = create();
    const auto first = claim(limited(9000, 4000));
    const auto late = create();
    const auto second = claim(limited(3000, 4000));
    advance(60'000);
    expect_error(complete(first.handle), lease_expired);
    expect_error(complete(second.handle), lease_expired);
    EXPECT_EQ(row(lost).vector.ownership_state, OwnershipState::lease_expired_reclaimable);
    EXPECT_EQ(row(late).failure_reason, "attempt_timeout");
}

TEST_P(Timeouts, AReclaimedAttemptHasItsFullTime) {
    const auto id = create();
    claim(limited(9000, 4000));
    advance(4000);
    reconcile();
    claim(limited(9000, 30'000));
    advance(8999);
    reconcile();
    EXPECT_EQ(state(id), PublicState::active);
    advance(1);
    reconcile();
    EXPECT_EQ(row(id).failure_reason, "attempt_timeout");
}

// ---- deadlines ----------------------------------------------------------------------------------------------------

TEST_P(Timeouts, WaitingDelayedActiveAndLostWorkAllExpireAtTheirDeadline) {
    const auto active = create_due_in(10'000);
    claim();
    const auto lost = create_due_in(10'000);
    claim(limited(600'000, 2000));
    CreateExecution later;
    later.execution_deadline_at_ms = now() + 10'000;
    later.delay_until_ms = now() + 60'000;
    const auto delayed = create(std::move(later));
    const auto waiting = create_due_in(10'000);
    advance(2000);
    reconcile();
    EXPECT_EQ(row(lost).vector.ownership_state, OwnershipState::lease_expired_reclaimable);
    advance(7999);
    reconcile();
    for (const auto& id : {active, lost, delayed, waiting}) EXPECT_THAT(outcomes(id), IsEmpty());
    advance(1);
    reconcile();
    for (const auto& id : {active, lost, delayed, waiting}) {
        EXPECT_THAT(outcomes(id), ElementsAre(TerminalOutcome::expired));
        EXPECT_EQ(state(id), PublicState::expired);
        EXPECT_EQ(row(id).failure_reason, "execution_deadline");
    }
    EXPECT_THAT(lease_event_types(active), ElementsAre(LeaseEventType::acquired, LeaseEventType::expired));
    EXPECT_EQ(lease_events(active).back().reason, "execution_deadline");
    EXPECT_THAT(lease_event_types(lost), ElementsAre(LeaseEventType::acquired, LeaseEventType::expired));
    EXPECT_THAT(attempts(active), SizeIs(1));
    EXPECT_THAT(attempts(waiting), IsEmpty());
}

TEST_P(Timeouts, ADeadlineOutlivesADelayAndARetry) {
    CreateExecution command;
    command.execution_deadline_at_ms = now() + 20'000;
    command.policy = retries(9, 1000);
    const auto id = create(std::move(command));
    const auto claimed = claim();
    value_of(delay(claimed.handle, now() + 5000));
    advance(5000);
    reconcile();
    fail_with_retry(claim().handle);
    advance(15'000);
    reconcile();
    EXPECT_EQ(state(id), PublicState::expired);
}

TEST_P(Timeouts, WhatEndedInTimeStaysAsItEnded) {
    const auto id = create_due_in(10'000);
    value_of(complete(claim().handle));
    advance(20'000);
    expect_no_change([&] {
        reconcile();
        EXPECT_FALSE(fire(id, Timer::execution_deadline).changed);
    });
}

TEST_P(Timeouts, ADeadlineThatHasPassedEndsANewExecutionAtOnce) {
    const auto id = create_due_in(-5);
    reconcile();
    EXPECT_EQ(state(id), PublicState::expired);
}

// ---- one by one ---------------------------------------------------------------------------------------------------

TEST_P(Timeouts, EveryTimerCanBeFiredByHandAndOnlyWhenItIsDue) {
    const auto timed = create();
    claim(limited(5000));
    const auto leased = create();
    claim(limited(600'000, 6000));
    const auto due = create_due_in(5000);
    CreateExecution later;
    later.delay_until_ms = now() + 5000;
    const auto delayed = create(std::move(later));
    const std::vector<std::pair<ExecutionId, Timer>> all{{timed, Timer::attempt_timeout},
                                                         {leased, Timer::lease_expiry},
                                                         {due, Timer::execution_deadline},
                                                         {delayed, Timer::delayed_promotion}};
    expect_no_change([&] {
        for (const auto& [id, timer] : all) EXPECT_FALSE(fire(id, timer).changed) << to_string(timer);
    });
    advance(6000);
    for (const auto& [id, timer] : all) EXPECT_TRUE(fire(id, timer).changed) << to_string(timer);
    expect_no_change([&] {
        for (const auto& [id, timer] : all) EXPECT_FALSE(fire(id, timer).changed) << to_string(timer);
    });
    EXPECT_EQ(state(timed), PublicState::expired);
    EXPECT_EQ(row(leased).vector.ownership_state, OwnershipState::lease_expired_reclaimable);
    EXPECT_EQ(state(due), PublicState::expired);
    EXPECT_EQ(state(delayed), PublicState::waiting);
}

TEST_P(Timeouts, AnUnknownExecutionIsNothingToFire) {
    ExecutionId nobody{.partition = 3, .uuid = {}};
    EXPECT_FALSE(fire(nobody, Timer::lease_expiry).changed);
    nobody.partition = 256;
    expect_error(run(FireTimer{nobody, Timer::lease_expiry}), invalid_input, "partition");
    expect_error(run(FireTimer{{}, static_cast<Timer>(9)}), invalid_input, "timer");
}

// ---- what is due --------------------------------------------------------------------------------------------------

TEST_P(Timeouts, AFilterLeavesOthersAlone) {
    CreateExecution mine;
    mine.namespace_name = "mine";
    mine.tags["team.name"] = "blue";
    mine.delay_until_ms = now() + 1000;
    const auto wanted = create(mine);
    mine.tags["team.name"] = "red";
    create(mine);
    mine.namespace_name = "yours";
    mine.tags["team.name"] = "blue";
    create(mine);
    advance(1500);
    const auto reader = std::move(*backend().open_reader());
    const auto due = [&](const ExecutionFilter& filter) {
        return *reader->select_due(delayed_promotion_timer, 10, filter);
    };
    EXPECT_THAT(due({}).executions, SizeIs(3));
    EXPECT_EQ(due({}).oldest_at_ms, now() - 500);
    EXPECT_THAT(due({.namespace_name = "mine"}).executions, SizeIs(2));
    EXPECT_THAT(due({.tag = std::pair("team.name", "blue")}).executions, SizeIs(2));
    EXPECT_THAT(due({.namespace_name = "mine", .tag = std::pair("team.name", "blue")}).executions, ElementsAre(wanted));
    EXPECT_THAT(due({.tag = std::pair("team", "blue")}).executions, IsEmpty());
    EXPECT_EQ(due({.namespace_name = "nobody"}).oldest_at_ms, std::nullopt);
}

}  // namespace
}  // namespace flowfabric::test
