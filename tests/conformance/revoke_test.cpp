#include <boost/json.hpp>

#include "support/fixture.hpp"

namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using enum LeaseEventType;

class RevokeTest : public StoreTest {
  protected:
    Result<Revocation> revoke(const ExecutionId& id, std::string worker_instance_id = "",
                              std::optional<LeaseId> lease_id = {}) {
        return run(RevokeLease{.execution_id = id,
                               .expected_lease_id = lease_id,
                               .worker_instance_id = std::move(worker_instance_id),
                               .reason = "host \"9\" is gone"});
    }

    void expect_satisfied(const ExecutionId& id, const std::string& reason, std::string worker_instance_id = "",
                          std::optional<LeaseId> lease_id = {}) {
        expect_no_change([&] {
            EXPECT_EQ(value_of(revoke(id, std::move(worker_instance_id), lease_id)),
                      Revocation(NothingToRevoke{reason}));
        });
    }
};

TEST_P(RevokeTest, TakesALiveLeaseAway) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim("w1");
    advance(5);
    EXPECT_EQ(value_of(revoke(id)), Revocation(Revoked{claimed.lease_id, LeaseEpoch{2}}));
    const ExecutionRow after = row(id);
    EXPECT_EQ(after.vector.lifecycle_phase, LifecyclePhase::active);
    EXPECT_EQ(after.vector.ownership_state, OwnershipState::lease_revoked);
    EXPECT_EQ(after.vector.attempt_state, AttemptState::attempt_interrupted);
    EXPECT_EQ(after.vector.public_state, PublicState::active);
    EXPECT_EQ(after.lease_epoch, 2U);
    EXPECT_EQ(after.reclaimable_since_ms, now());
    EXPECT_EQ(after.worker_instance_id, "w1-1") << "whose it was stays for the history";
    ASSERT_TRUE(after.blocking_detail);
    EXPECT_THAT(*after.blocking_detail, ::testing::HasSubstr("host \"9\" is gone"));
    EXPECT_THAT(completion_events(id), IsEmpty());

    const auto events = lease_events(id);
    ASSERT_THAT(events, SizeIs(2));
    EXPECT_EQ(events[1].event_type, revoked);
    EXPECT_EQ(events[1].reason, "host \"9\" is gone");
    EXPECT_EQ(events[1].revoked_by, "operator");
    EXPECT_EQ(events[1].lease_id, claimed.lease_id);
    EXPECT_EQ(events[1].lease_epoch, 1U);
    EXPECT_EQ(events[1].attempt_id, claimed.attempt_id);
    EXPECT_EQ(events[1].worker_id, "w1");
    EXPECT_EQ(events[1].worker_instance_id, "w1-1");
    EXPECT_EQ(events[1].occurred_at_ms, now());
}

TEST_P(RevokeTest, IsOneOperatorEvent) {
    CreateExecution command;
    command.namespace_name = "shop";
    command.tags = {{"cairn.instance_id", "i-7"}};
    const ExecutionId id = create(command);
    const ClaimedExecution claimed = claim("w1");
    advance(5);
    value_of(revoke(id));
    const auto events = operator_events(id);
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_EQ(events[0].event_type, OperatorEventType::lease_revoked);
    EXPECT_EQ(events[0].subject_kind, SubjectKind::execution);
    EXPECT_EQ(events[0].namespace_name, "shop");
    EXPECT_EQ(events[0].instance_tag, "i-7");
    const auto details = boost::json::parse(events[0].details.text).as_object();
    EXPECT_EQ(details.size(), 4U);
    EXPECT_EQ(details.at("lease_id").as_string(), claimed.lease_id.to_string());
    EXPECT_EQ(details.at("lease_epoch").to_number<int>(), 1) << "the one that was revoked";
    EXPECT_EQ(details.at("worker_instance_id").as_string(), "w1-1");
    EXPECT_EQ(details.at("reason").as_string(), "host \"9\" is gone");
    EXPECT_EQ(events[0].occurred_at_ms, now());
}

TEST_P(RevokeTest, ItsHolderIsToldAtItsNextOperation) {
    create();
    const ClaimedExecution claimed = claim("w1");
    value_of(revoke(claimed.execution_id));
    expect_no_change([&] {
        expect_error(renew(claimed.handle), ErrorKind::lease_revoked);
        expect_error(progress(claimed.handle), ErrorKind::lease_revoked);
        expect_error(complete(claimed.handle), ErrorKind::lease_revoked);
        expect_error(fail(claimed.handle), ErrorKind::lease_revoked);
        expect_error(delay(claimed.handle, now()), ErrorKind::lease_revoked);
        expect_error(release(claimed.handle), ErrorKind::lease_revoked);
        expect_error(cancel(claimed.handle), ErrorKind::lease_revoked);
    });
}

TEST_P(RevokeTest, ANormalClaimTakesOver) {
    const ExecutionId id = create();
    const ClaimedExecution lost = claim("w1");
    value_of(revoke(id));
    advance(5);
    const ClaimedExecution claimed = claim("w2");
    EXPECT_EQ(claimed.execution_id, id);
    EXPECT_EQ(claimed.attempt_type, AttemptType::reclaim);
    EXPECT_EQ(claimed.handle.kind, HandleKind::reclaimed);
    EXPECT_EQ(claimed.attempt_index, 1U);
    EXPECT_EQ(claimed.lease_epoch, LeaseEpoch{3});
    EXPECT_EQ(row(id).lease_reclaim_count, 1);
    EXPECT_FALSE(row(id).blocking_detail);

    const auto events = lease_events(id);
    ASSERT_THAT(events, SizeIs(3));
    EXPECT_EQ(events[2].event_type, reclaimed);
    EXPECT_EQ(events[2].prev_worker_instance_id, "w1-1");
    EXPECT_EQ(events[2].reason, "previous_epoch:1");
    const AttemptView first = attempts(id)[0];
    EXPECT_EQ(first.outcome, AttemptOutcome::interrupted_reclaimed);
    EXPECT_EQ(first.worker_id, "w1");
    EXPECT_EQ(first.lease_id, lost.lease_id);
    EXPECT_EQ(first.lease_epoch, LeaseEpoch{1});

    expect_no_change([&] { expect_error(complete(lost.handle), ErrorKind::stale_lease); });
    value_of(complete(claimed.handle));
    EXPECT_THAT(lease_event_types(id), ElementsAre(acquired, revoked, reclaimed, released));
}

TEST_P(RevokeTest, AnotherEngineTakesOver) {
    const auto other = another_engine();
    const ExecutionId id = create();
    claim("w1");
    ASSERT_THAT(value_of(other->run(claim_by("w2"))).executions, IsEmpty());
    value_of(revoke(id));
    const Claimed claimed = value_of(other->run(claim_by("w2")));
    ASSERT_THAT(claimed.executions, SizeIs(1));
    EXPECT_EQ(claimed.executions[0].execution_id, id);
}

TEST_P(RevokeTest, ReconcilersLeaveARevokedLeaseAlone) {
    const ExecutionId id = create();
    claim("w1");
    value_of(revoke(id));
    expect_no_change([&] { let_lease_lapse(); });
    EXPECT_THAT(lease_event_types(id), ElementsAre(acquired, revoked));
}

TEST_P(RevokeTest, TheRightHolderAndLeaseMayBeNamed) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim("w1");
    EXPECT_EQ(value_of(revoke(id, "w1-1", claimed.lease_id)), Revocation(Revoked{claimed.lease_id, LeaseEpoch{2}}));
}

TEST_P(RevokeTest, AnotherHolderOrLeaseIsSpared) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim("w1");
    expect_satisfied(id, "different_worker_instance_id", "w2-1");
    expect_satisfied(id, "different_worker_instance_id", "w2-1", LeaseId{Uuid{}});
    expect_satisfied(id, "lease_id_mismatch", "", LeaseId{Uuid{}});
    expect_satisfied(id, "lease_id_mismatch", "w1-1", LeaseId{Uuid{}});
    value_of(renew(claimed.handle));
    EXPECT_THAT(operator_events(id), IsEmpty());
}

TEST_P(RevokeTest, ASecondRevocationHasNothingToDo) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim("w1");
    value_of(revoke(id));
    advance(5);
    expect_satisfied(id, "already_revoked");
    expect_satisfied(id, "already_revoked", "w2-1", claimed.lease_id);
    EXPECT_THAT(operator_events(id), SizeIs(1));
}

TEST_P(RevokeTest, WhereNobodyHoldsALeaseThereIsNothingToDo) {
    const ExecutionId id = create();
    expect_satisfied(id, "no_active_lease");
    const ClaimedExecution claimed = claim("w1");
    value_of(delay(claimed.handle, now() + 1000));
    expect_satisfied(id, "no_active_lease");
    advance(1000);
    reconcile();
    value_of(complete(claim("w1").handle));
    expect_satisfied(id, "no_active_lease", "w1-1");
}

TEST_P(RevokeTest, AnExpiredLeaseIsNotRevokedAsWell) {
    const ExecutionId id = create();
    claim("w1");
    let_lease_lapse();
    expect_satisfied(id, "already_expired");
    EXPECT_THAT(lease_event_types(id), ElementsAre(acquired, expired));
}

TEST_P(RevokeTest, ALeaseThatLapsedUnnoticedClosesAsExpired) {
    const ExecutionId id = create();
    claim("w1");
    advance(30'000);
    EXPECT_EQ(value_of(revoke(id, "w2-1")), Revocation(NothingToRevoke{"already_expired"}));
    EXPECT_EQ(row(id).vector.ownership_state, OwnershipState::lease_expired_reclaimable);
    const auto events = lease_events(id);
    ASSERT_THAT(events, SizeIs(2));
    EXPECT_EQ(events[1].event_type, expired);
    EXPECT_EQ(events[1].reason, "lease_ttl");
    EXPECT_FALSE(events[1].revoked_by);
    EXPECT_THAT(operator_events(id), IsEmpty());
    expect_satisfied(id, "already_expired");
    reconcile();
    EXPECT_THAT(lease_events(id), SizeIs(2));
    EXPECT_EQ(claim("w2").attempt_type, AttemptType::reclaim);
}

TEST_P(RevokeTest, ARevokedExecutionCanBeCancelled) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim("w1");
    value_of(revoke(id));
    value_of(cancel_by("operator_override", id));
    EXPECT_THAT(lease_event_types(id), ElementsAre(acquired, revoked)) << "one end for every lease";
    EXPECT_THAT(outcomes(id), ElementsAre(TerminalOutcome::cancelled));
    EXPECT_EQ(attempts(id)[0].lease_id, claimed.lease_id);
    EXPECT_THAT(operator_events(id), SizeIs(2));
}

TEST_P(RevokeTest, RevokeAndCompleteInOneBatchHaveOneWinner) {
    for (const bool complete_first : {true, false}) {
        const ExecutionId id = create();
        const ClaimedExecution claimed = claim();
        std::optional<Result<Answer>> completed;
        std::optional<Result<Answer>> revocation;
        const auto submit_complete = [&] {
            engine().submit(Complete{.lease = claimed.handle}, [&](Result<Answer> answer) { completed = answer; });
        };
        if (complete_first) submit_complete();
        engine().submit(RevokeLease{.execution_id = id}, [&](Result<Answer> answer) { revocation = answer; });
        if (!complete_first) submit_complete();
        engine().settle();
        ASSERT_TRUE(completed && revocation);
        if (complete_first) {
            EXPECT_TRUE(*completed);
            EXPECT_EQ(answer_of<Revocation>(*revocation), Revocation(NothingToRevoke{"no_active_lease"}));
        } else {
            expect_error(*completed, ErrorKind::lease_revoked);
            EXPECT_EQ(answer_of<Revocation>(*revocation), Revocation(Revoked{claimed.lease_id, LeaseEpoch{2}}));
            value_of(complete(claim("w2").handle));
        }
        EXPECT_THAT(outcomes(id), ElementsAre(TerminalOutcome::success));
    }
}

TEST_P(RevokeTest, AnUnknownExecutionIsNotFound) {
    expect_error(revoke(ExecutionId{86, Uuid{}}), ErrorKind::execution_not_found);
    expect_error(revoke(ExecutionId{256, Uuid{}}), ErrorKind::invalid_input, "execution_id");
}

INSTANTIATE_TEST_SUITE_P(Stores, RevokeTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
