#include <boost/json.hpp>

#include "support/fixture.hpp"

namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using enum LeaseEventType;

class OperatorClaimTest : public StoreTest {
  protected:
    Result<LeasedExecution> take(const ExecutionId& id, std::uint64_t ttl_ms = 30'000) {
        return run(IssueGrantAndClaim{.execution_id = id, .lease_ttl_ms = ttl_ms});
    }
};

TEST_P(OperatorClaimTest, OpensANewAttempt) {
    const ExecutionId id = create();
    advance(5);
    const LeasedExecution claimed = value_of(take(id, 20'000));
    EXPECT_EQ(claimed.execution_id, id);
    EXPECT_EQ(claimed.lease_epoch, LeaseEpoch{1});
    EXPECT_EQ(claimed.attempt_index, 0U);
    EXPECT_EQ(claimed.handle.kind, HandleKind::fresh);

    const ExecutionRow after = row(id);
    EXPECT_EQ(after.vector.public_state, PublicState::active);
    EXPECT_EQ(after.lease_id, claimed.lease_id);
    EXPECT_EQ(after.attempt_id, claimed.attempt_id);
    EXPECT_EQ(after.worker_id, "operator");
    EXPECT_EQ(after.worker_instance_id, "operator");
    EXPECT_EQ(after.lease_expires_at_ms, now() + 20'000);
    const auto events = lease_events(id);
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_EQ(events[0].event_type, acquired);
    EXPECT_EQ(events[0].reason, "operator");
    EXPECT_EQ(events[0].worker_id, "operator");
    EXPECT_EQ(events[0].lease_id, claimed.lease_id);
    EXPECT_EQ(attempts(id)[0].attempt_type, AttemptType::initial);
    EXPECT_THAT(claimed_ids(claim_by("w1")), IsEmpty());
}

TEST_P(OperatorClaimTest, IsOneOperatorEvent) {
    CreateExecution command;
    command.namespace_name = "shop";
    command.tags = {{"cairn.instance_id", "i-7"}};
    const ExecutionId id = create(command);
    advance(5);
    const LeasedExecution claimed = value_of(take(id));
    const auto events = operator_events(id);
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_EQ(events[0].event_type, OperatorEventType::execution_claimed);
    EXPECT_EQ(events[0].subject_kind, SubjectKind::execution);
    EXPECT_EQ(events[0].namespace_name, "shop");
    EXPECT_EQ(events[0].instance_tag, "i-7");
    const auto details = boost::json::parse(events[0].details.text).as_object();
    EXPECT_EQ(details.size(), 3U);
    EXPECT_EQ(details.at("lease_id").as_string(), claimed.lease_id.to_string());
    EXPECT_EQ(details.at("lease_epoch").to_number<int>(), 1);
    EXPECT_EQ(details.at("attempt_index").to_number<int>(), 0);
    EXPECT_EQ(events[0].occurred_at_ms, now());
}

TEST_P(OperatorClaimTest, TheHandleIsAsGoodAsAWorkers) {
    const ExecutionId id = create();
    const LeasedExecution claimed = value_of(take(id));
    advance(10'000);
    EXPECT_EQ(value_of(renew(claimed.handle)).lease_expires_at_ms, now() + 30'000);
    value_of(progress(claimed.handle));
    value_of(complete(claimed.handle, "by hand"));
    EXPECT_EQ(result(id), "by hand");
    EXPECT_THAT(outcomes(id), ElementsAre(TerminalOutcome::success));
    EXPECT_EQ(attempts(id)[0].worker_id, "operator");
    EXPECT_EQ(lease_events(id).back().event_type, released);
    EXPECT_THAT(operator_events(id), SizeIs(1));
}

TEST_P(OperatorClaimTest, GoesOnWithAnInterruptedAttempt) {
    const ExecutionId id = create();
    const ClaimedExecution first = claim("w1");
    value_of(delay(first.handle, now()));
    ASSERT_EQ(state(id), PublicState::resumable);
    const LeasedExecution claimed = value_of(take(id));
    EXPECT_EQ(claimed.attempt_id, first.attempt_id);
    EXPECT_EQ(claimed.attempt_index, 0U);
    EXPECT_EQ(claimed.lease_epoch, LeaseEpoch{2});
    EXPECT_NE(claimed.lease_id, first.lease_id);
    EXPECT_EQ(claimed.handle.kind, HandleKind::resumed);
    EXPECT_EQ(lease_events(id).back().event_type, acquired);
    EXPECT_EQ(lease_events(id).back().reason, "operator");
    value_of(complete(claimed.handle));
    EXPECT_THAT(attempts(id), SizeIs(1));
    EXPECT_THAT(lease_event_types(id), ElementsAre(acquired, released, acquired, released));
}

TEST_P(OperatorClaimTest, OfARetryAndOfAReplay) {
    const ExecutionId id = create_with(retries(1, 1000));
    fail_with_retry(claim().handle);
    advance(1000);
    reconcile();
    const LeasedExecution retried = value_of(take(id));
    EXPECT_EQ(retried.attempt_index, 1U);
    EXPECT_EQ(attempts(id)[1].attempt_type, AttemptType::retry);
    value_of(fail(retried.handle));
    value_of(run(ReplayExecution{.execution_id = id}));
    const LeasedExecution replayed = value_of(take(id));
    EXPECT_EQ(replayed.attempt_index, 2U);
    EXPECT_EQ(attempts(id)[2].attempt_type, AttemptType::replay);
    EXPECT_THAT(operator_events(id), SizeIs(3));
}

TEST_P(OperatorClaimTest, CapabilitiesDoNotHinderIt) {
    const ExecutionId id = create_with(requiring({"gpu"}));
    ASSERT_THAT(claimed_ids(claim_by("w1")), IsEmpty());
    value_of(complete(value_of(take(id)).handle));
    EXPECT_EQ(state(id), PublicState::completed);
}

TEST_P(OperatorClaimTest, ClosedLanesDoNotHinderIt) {
    for (const LaneState closed : {LaneState::paused, LaneState::draining, LaneState::disabled}) {
        value_of(set_lane("default", LaneState::active));
        const ExecutionId id = create();
        value_of(set_lane("default", closed));
        value_of(complete(value_of(take(id)).handle));
        EXPECT_EQ(state(id), PublicState::completed) << to_string(closed);
    }
}

TEST_P(OperatorClaimTest, TheQueueDoesNotHinderIt) {
    create();
    const ExecutionId last = create();
    EXPECT_EQ(value_of(take(last)).execution_id, last);
}

TEST_P(OperatorClaimTest, ThePolicyLimitsItsAttempt) {
    ExecutionPolicy policy;
    policy.timeout_policy = TimeoutPolicy{.attempt_timeout_ms = 7'000};
    const ExecutionId id = create_with(policy);
    value_of(take(id));
    EXPECT_EQ(row(id).attempt_deadline_at_ms, now() + 7'000);
}

TEST_P(OperatorClaimTest, ARunningAttemptIsRespected) {
    const ExecutionId id = create();
    claim("w1");
    expect_no_change([&] { expect_error(take(id), ErrorKind::active_attempt_exists); });
    const ExecutionId taken = create();
    value_of(take(taken));
    expect_no_change([&] { expect_error(take(taken), ErrorKind::active_attempt_exists); });
}

TEST_P(OperatorClaimTest, OnlyWhatWaitsForAWorker) {
    CreateExecution command;
    command.delay_until_ms = now() + 1000;
    const ExecutionId delayed = create(command);
    expect_no_change([&] { expect_error(take(delayed), ErrorKind::execution_not_eligible, "delayed"); });
    value_of(cancel_by("flow_cascade", delayed));
    expect_no_change([&] { expect_error(take(delayed), ErrorKind::execution_not_eligible, "cancelled"); });

    const ExecutionId completed = create();
    value_of(complete(claim().handle));
    expect_no_change([&] { expect_error(take(completed), ErrorKind::execution_not_eligible, "completed"); });

    const ExecutionId expired_lease = create();
    claim("w1");
    let_lease_lapse();
    expect_no_change([&] { expect_error(take(expired_lease), ErrorKind::execution_not_eligible); });
}

TEST_P(OperatorClaimTest, ALapsedLeaseOfAnOperatorIsReclaimed) {
    const ExecutionId id = create();
    const LeasedExecution claimed = value_of(take(id));
    let_lease_lapse();
    const ClaimedExecution reclaim = claim("w1");
    EXPECT_EQ(reclaim.attempt_type, AttemptType::reclaim);
    EXPECT_EQ(lease_events(id).back().prev_worker_instance_id, "operator");
    expect_no_change([&] { expect_error(complete(claimed.handle), ErrorKind::stale_lease); });
}

TEST_P(OperatorClaimTest, AnUnknownExecutionIsNotFound) {
    expect_error(take(ExecutionId{86, Uuid{}}), ErrorKind::execution_not_found);
    expect_error(take(ExecutionId{256, Uuid{}}), ErrorKind::invalid_input, "execution_id");
}

TEST_P(OperatorClaimTest, ALeaseNeedsATime) {
    const ExecutionId id = create();
    expect_no_change([&] { expect_error(take(id, 0), ErrorKind::invalid_input, "lease_ttl_ms"); });
}

INSTANTIATE_TEST_SUITE_P(Stores, OperatorClaimTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
