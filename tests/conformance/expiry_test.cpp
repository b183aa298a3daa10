#include "support/fixture.hpp"

namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using enum LeaseEventType;

class ExpiryTest : public StoreTest {
  protected:
    static ExecutionPolicy reclaim_cap(std::uint32_t cap) {
        ExecutionPolicy policy;
        policy.max_reclaim_count = cap;
        return policy;
    }
};

TEST_P(ExpiryTest, ALapsedLeaseIsFoundByTheScanner) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim("w1");
    advance(29'999);
    reconcile();
    EXPECT_EQ(row(id).vector.ownership_state, OwnershipState::leased);
    advance(1);
    reconcile();

    const ExecutionRow after = row(id);
    EXPECT_EQ(after.vector.lifecycle_phase, LifecyclePhase::active);
    EXPECT_EQ(after.vector.ownership_state, OwnershipState::lease_expired_reclaimable);
    EXPECT_EQ(after.vector.attempt_state, AttemptState::attempt_interrupted);
    EXPECT_EQ(after.vector.public_state, PublicState::active);
    EXPECT_EQ(after.lease_epoch, 2U);
    EXPECT_EQ(after.reclaimable_since_ms, now());
    EXPECT_FALSE(view(id).current_lease);
    const auto history = attempts(id);
    ASSERT_THAT(history, SizeIs(1));
    EXPECT_EQ(history[0].outcome, AttemptOutcome::suspended);

    const auto events = lease_events(id);
    ASSERT_THAT(events, SizeIs(2));
    EXPECT_EQ(events[1].event_type, expired);
    EXPECT_EQ(events[1].reason, "lease_ttl");
    EXPECT_EQ(events[1].worker_instance_id, "w1-1");
    EXPECT_EQ(events[1].lease_id, claimed.lease_id);
    EXPECT_EQ(events[1].lease_epoch, 1U);
    EXPECT_THAT(outcomes(id), IsEmpty());
}

TEST_P(ExpiryTest, ScanningAgainChangesNothing) {
    create();
    claim();
    let_lease_lapse();
    expect_no_change([&] { reconcile(); });
}

TEST_P(ExpiryTest, AReclaimOpensANewAttemptAndKeepsTheOldOne) {
    const ExecutionId id = create();
    const ClaimedExecution lost = claim("w1");
    const std::int64_t started = now();
    let_lease_lapse();
    advance(10);
    const ClaimedExecution reclaimed_by = claim("w2");
    EXPECT_EQ(reclaimed_by.execution_id, id);
    EXPECT_EQ(reclaimed_by.attempt_index, 1U);
    EXPECT_EQ(reclaimed_by.attempt_type, AttemptType::reclaim);
    EXPECT_EQ(reclaimed_by.lease_epoch, LeaseEpoch{3});
    EXPECT_EQ(reclaimed_by.handle.kind, HandleKind::reclaimed);
    EXPECT_NE(reclaimed_by.lease_id, lost.lease_id);
    EXPECT_NE(reclaimed_by.attempt_id, lost.attempt_id);

    const ExecutionRow after = row(id);
    EXPECT_EQ(after.lease_reclaim_count, 1);
    EXPECT_EQ(after.total_attempt_count, 2);
    EXPECT_EQ(after.started_at_ms, started);
    EXPECT_EQ(after.vector.ownership_state, OwnershipState::leased);

    const auto history = attempts(id);
    ASSERT_THAT(history, SizeIs(2));
    EXPECT_EQ(history[0].outcome, AttemptOutcome::interrupted_reclaimed);
    EXPECT_EQ(history[0].attempt_id, lost.attempt_id);
    EXPECT_EQ(history[0].lease_epoch, lost.lease_epoch);
    EXPECT_EQ(history[0].worker_id, "w1");
    EXPECT_EQ(history[0].ended_at_ms, now());
    EXPECT_EQ(history[1].outcome, AttemptOutcome::started);
    EXPECT_EQ(history[1].previous_attempt_index, 0U);

    const auto events = lease_events(id);
    ASSERT_THAT(events, SizeIs(3));
    EXPECT_EQ(events[2].event_type, reclaimed);
    EXPECT_EQ(events[2].prev_worker_instance_id, "w1-1");
    EXPECT_EQ(events[2].worker_instance_id, "w2-1");
    EXPECT_EQ(events[2].lease_epoch, 3U);
    EXPECT_EQ(events[2].reason, "previous_epoch:1");
    value_of(complete(reclaimed_by.handle));
    EXPECT_EQ(state(id), PublicState::completed);
}

TEST_P(ExpiryTest, AClaimTakesReclaimableWorkFirst) {
    const ExecutionId lost = create();
    claim("w1");
    CreateExecution urgent;
    urgent.priority = 9000;
    const ExecutionId waiting = create(urgent);
    let_lease_lapse();
    EXPECT_THAT(claimed_ids(claim_by("w2")), ElementsAre(lost));
    EXPECT_THAT(claimed_ids(claim_by("w2")), ElementsAre(waiting));
}

TEST_P(ExpiryTest, AReclaimRespectsLanesAndCapabilities) {
    const ExecutionId id = create_with(requiring({"gpu"}));
    Claim capable = claim_by("w1");
    capable.capabilities = {"gpu"};
    claim(capable);
    let_lease_lapse();
    EXPECT_THAT(claimed_ids(claim_by("w2")), IsEmpty());
    Claim elsewhere = capable;
    elsewhere.lanes = {"other"};
    EXPECT_THAT(claimed_ids(elsewhere), IsEmpty());
    EXPECT_THAT(claimed_ids(capable), ElementsAre(id));
}

TEST_P(ExpiryTest, TheLoserMayReclaimItself) {
    const ExecutionId id = create();
    const ClaimedExecution first = claim("w1");
    let_lease_lapse();
    const ClaimedExecution second = claim("w1");
    EXPECT_EQ(second.execution_id, id);
    expect_error(complete(first.handle), ErrorKind::stale_lease);
    value_of(complete(second.handle));
}

TEST_P(ExpiryTest, AReclaimedLeaseStaysThroughManyScans) {
    const ExecutionId id = create();
    claim("w1");
    let_lease_lapse();
    const ClaimedExecution current = claim("w2");
    for (int i = 0; i < 10; ++i) {
        advance(1500);
        reconcile();
        EXPECT_EQ(row(id).vector.ownership_state, OwnershipState::leased);
        EXPECT_EQ(row(id).lease_id, current.lease_id);
    }
}

TEST_P(ExpiryTest, TheReclaimCapFailsTheExecution) {
    const ExecutionId id = create_with(reclaim_cap(2));
    claim();
    for (int i = 0; i < 2; ++i) {
        let_lease_lapse();
        claim();
    }
    let_lease_lapse();
    EXPECT_THAT(claimed_ids(claim_by("w9")), IsEmpty());

    const ExecutionRow after = row(id);
    EXPECT_EQ(after.vector.public_state, PublicState::failed);
    EXPECT_EQ(after.failure_reason, "max_reclaims_exceeded");
    EXPECT_EQ(after.lease_reclaim_count, 2);
    EXPECT_THAT(outcomes(id), ElementsAre(TerminalOutcome::failed));
    EXPECT_THAT(lease_event_types(id), ElementsAre(acquired, expired, reclaimed, expired, reclaimed, expired));
    const auto history = attempts(id);
    ASSERT_THAT(history, SizeIs(3));
    EXPECT_EQ(history[2].outcome, AttemptOutcome::interrupted_reclaimed);
}

TEST_P(ExpiryTest, ACapOfZeroAllowsNoReclaim) {
    const ExecutionId id = create_with(reclaim_cap(0));
    const ClaimedExecution claimed = claim();
    let_lease_lapse();
    const ExecutionId next = create();
    EXPECT_THAT(claimed_ids(claim_by("w2")), ElementsAre(next));
    EXPECT_EQ(state(id), PublicState::failed);
    expect_no_change([&] { expect_error(complete(claimed.handle), ErrorKind::execution_not_active); });
}

TEST_P(ExpiryTest, ManyLeasesLapseInOneScan) {
    std::vector<ExecutionId> ids;
    for (int i = 0; i < 20; ++i) ids.push_back(create());
    Claim all = claim_by("w1");
    all.max_count = 20;
    EXPECT_THAT(claimed_ids(all), SizeIs(20));
    let_lease_lapse();
    for (const ExecutionId& id : ids) {
        EXPECT_EQ(row(id).vector.ownership_state, OwnershipState::lease_expired_reclaimable);
    }
    all.worker_id = "w2";
    EXPECT_THAT(claimed_ids(all), SizeIs(20));
}

TEST_P(ExpiryTest, AnotherEngineMayFindTheLapse) {
    const ExecutionId id = create();
    claim();
    const auto other = another_engine();
    advance(30'000);
    other->reconcile();
    EXPECT_EQ(row(id).vector.ownership_state, OwnershipState::lease_expired_reclaimable);
    EXPECT_THAT(claimed_ids(claim_by("w2")), ElementsAre(id));
}

TEST_P(ExpiryTest, ChecksOfFinishedLeasesAreRetired) {
    const ExecutionId id = create();
    value_of(complete(claim().handle));
    EXPECT_TRUE(row(id).lease_check_at_ms);
    let_lease_lapse();
    EXPECT_FALSE(row(id).lease_check_at_ms);
    EXPECT_THAT(lease_event_types(id), ElementsAre(acquired, released));
}

TEST_P(ExpiryTest, ADelayedExecutionIsPromotedOnce) {
    CreateExecution command;
    command.delay_until_ms = now() + 1000;
    const ExecutionId id = create(command);
    advance(5000);
    reconcile();
    EXPECT_EQ(state(id), PublicState::waiting);
    EXPECT_EQ(row(id).delay_until_ms, std::nullopt);
    EXPECT_EQ(row(id).vector.attempt_state, AttemptState::pending_first_attempt);
    expect_no_change([&] { reconcile(); });
}

TEST_P(ExpiryTest, OnlyWhatIsDueIsPromoted) {
    std::vector<ExecutionId> ids;
    for (int i = 1; i <= 3; ++i) {
        CreateExecution command;
        command.delay_until_ms = now() + 1000 * i;
        ids.push_back(create(command));
    }
    advance(2000);
    reconcile();
    EXPECT_EQ(state(ids[0]), PublicState::waiting);
    EXPECT_EQ(state(ids[1]), PublicState::waiting);
    EXPECT_EQ(state(ids[2]), PublicState::delayed);
}

INSTANTIATE_TEST_SUITE_P(Stores, ExpiryTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
