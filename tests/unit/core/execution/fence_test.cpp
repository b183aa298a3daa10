#include "core/execution/fence.hpp"

#include <gtest/gtest.h>

#include "unit/core/fixtures.hpp"

// Each row of the ladder is tested with everything below it broken as well, so that the order shows.
namespace flowfabric {
namespace {

using test::Desk;

constexpr auto may_override = OverrideRule::operator_may_override;

std::optional<EngineError> climb(Desk& desk, const HeldLease& lease, OverrideRule rule = OverrideRule::never) {
    Transition transition(desk.entry, desk.set);
    return refuse_by_fence(transition, lease, rule);
}

ExecutionRow terminal_row() {
    ExecutionRow row = test::running_row();
    row.vector = terminal_vector(TerminalOutcome::cancelled, true);
    row.lease_epoch = 4;
    return row;
}

ExecutionRow revoked_row() {
    ExecutionRow row = test::reclaimable_row();
    row.vector.ownership_state = OwnershipState::lease_revoked;
    return row;
}

HeldLease foreign_lease() {
    HeldLease lease = test::held_lease_on(test::running_row());
    lease.triple->lease_id = LeaseId{test::uuid_of(999)};
    return lease;
}

TEST(FenceLadder, APartialTripleIsRefusedFirst) {
    Desk desk(terminal_row());
    HeldLease lease{.execution_id = desk.row().id, .partial_triple = true, .source = Source::operator_override};
    const auto refusal = climb(desk, lease, may_override);
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->kind, ErrorKind::invalid_input);
    EXPECT_NE(refusal->detail.find("partial_fence_triple"), std::string::npos);
    expect_untouched(desk);
}

TEST(FenceLadder, AMissingFenceIsRefusedNextUnlessAnOperatorMayOverride) {
    struct Case {
        Source source;
        OverrideRule rule;
    };
    for (const auto& [source, rule] :
         {Case{Source::lease_holder, OverrideRule::never}, Case{Source::lease_holder, may_override},
          Case{Source::operator_override, OverrideRule::never}}) {
        Desk desk(terminal_row());
        const auto refusal = climb(desk, {.execution_id = desk.row().id, .source = source}, rule);
        ASSERT_TRUE(refusal);
        EXPECT_EQ(refusal->kind, ErrorKind::invalid_input);
        EXPECT_NE(refusal->detail.find("fence_required"), std::string::npos);
    }
}

TEST(FenceLadder, AnExecutionThatIsNotActiveReportsAllFourFacts) {
    Desk desk(terminal_row());
    const auto refusal = climb(desk, foreign_lease());
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->kind, ErrorKind::execution_not_active);
    const NotActiveFacts facts{.terminal_outcome = "cancelled",
                               .lease_epoch = 4,
                               .lifecycle_phase = "terminal",
                               .attempt_id = desk.row().attempt_id->to_string()};
    EXPECT_EQ(refusal->not_active, facts);
    expect_untouched(desk);
}

TEST(FenceLadder, ARunnableExecutionIsNotActiveEither) {
    Desk desk(test::waiting_row());
    const auto refusal = climb(desk, foreign_lease());
    ASSERT_TRUE(refusal && refusal->not_active);
    EXPECT_EQ(refusal->not_active->lifecycle_phase, "runnable");
    EXPECT_EQ(refusal->not_active->terminal_outcome, "none");
    EXPECT_EQ(refusal->not_active->attempt_id, "");
}

TEST(FenceLadder, ARevokedLeaseIsReportedBeforeItsExpiry) {
    Desk desk(revoked_row(), test::claimed_at + 1'000'000);
    const auto refusal = climb(desk, foreign_lease());
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->kind, ErrorKind::lease_revoked);
    expect_untouched(desk);
}

TEST(FenceLadder, ALeaseThatLapsedUnnoticedExpiresOnTheWayEvenForAStaleCaller) {
    Desk desk(test::running_row(), *test::running_row().lease_expires_at_ms);
    const auto refusal = climb(desk, foreign_lease());
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->kind, ErrorKind::lease_expired);
    EXPECT_EQ(desk.row().vector, lease_expired_vector());
    EXPECT_EQ(desk.row().lease_epoch, 2U);
    ASSERT_EQ(desk.set.events.of<LeaseEvent>().size(), 1U);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].event_type, LeaseEventType::expired);
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].reason, "lease_ttl");
    EXPECT_EQ(desk.set.events.of<LeaseEvent>()[0].lease_epoch, 1U);
    expect_change_is_reported(desk);
}

TEST(FenceLadder, ALeaseIsLiveUntilTheVeryMillisecondOfItsExpiry) {
    const ExecutionRow row = test::running_row();
    Desk desk(row, *row.lease_expires_at_ms - 1);
    EXPECT_FALSE(climb(desk, test::held_lease_on(row)));
    expect_untouched(desk);
}

TEST(FenceLadder, AnAlreadyExpiredLeaseEmitsNoSecondEvent) {
    Desk desk(test::reclaimable_row(), test::claimed_at + 1'000'000);
    const auto refusal = climb(desk, foreign_lease());
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->kind, ErrorKind::lease_expired);
    expect_untouched(desk);
}

TEST(FenceLadder, EveryPartOfTheFenceMustMatch) {
    const ExecutionRow row = test::running_row();
    std::vector<HeldLease> stale(5, test::held_lease_on(row));
    stale[0].triple->lease_id = LeaseId{test::uuid_of(999)};
    stale[1].triple->lease_epoch += 1;
    stale[2].triple->attempt_id = AttemptId{test::uuid_of(999)};
    stale[3].triple->attempt_index = 5;
    stale[4].suspended_handle = true;
    for (const HeldLease& lease : stale) {
        Desk desk(row);
        const auto refusal = climb(desk, lease);
        ASSERT_TRUE(refusal);
        EXPECT_EQ(refusal->kind, ErrorKind::stale_lease);
        expect_untouched(desk);
    }
}

TEST(FenceLadder, AFenceWithoutAnAttemptIndexIsEnough) {
    Desk desk(test::running_row());
    HeldLease lease = test::held_lease_on(desk.row());
    lease.triple->attempt_index.reset();
    EXPECT_FALSE(climb(desk, lease));
}

TEST(FenceLadder, AnOperatorSkipsOnlyTheComparison) {
    Desk active(test::running_row());
    EXPECT_FALSE(climb(active, test::held_by_operator(active.row()), may_override));

    Desk finished(terminal_row());
    EXPECT_EQ(climb(finished, test::held_by_operator(finished.row()), may_override)->kind,
              ErrorKind::execution_not_active);
    Desk revoked(revoked_row());
    EXPECT_EQ(climb(revoked, test::held_by_operator(revoked.row()), may_override)->kind, ErrorKind::lease_revoked);
    Desk lapsed(test::running_row(), test::claimed_at + 1'000'000);
    EXPECT_EQ(climb(lapsed, test::held_by_operator(lapsed.row()), may_override)->kind, ErrorKind::lease_expired);
}

TEST(FenceLadder, TheClockNeverRunsBackBehindTheRow) {
    ExecutionRow row = test::running_row();
    row.last_mutation_at_ms = *row.lease_expires_at_ms;
    Desk desk(row, test::claimed_at);
    EXPECT_EQ(climb(desk, test::held_lease_on(row))->kind, ErrorKind::lease_expired);
}

}  // namespace
}  // namespace flowfabric
