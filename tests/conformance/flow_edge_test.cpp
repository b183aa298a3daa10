#include "conformance/flowing.hpp"

// Edges piece by piece: staged on the flow's graph, then applied to the execution that waits.
namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;

class FlowEdges : public Flowing {
  protected:
    void SetUp() override {
        Flowing::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        create_flow();
        a = member();
        b = member();
    }
    // Whoever exists and belongs to nobody.
    ExecutionId stranger() { return create_beside(flow_); }
    ExecutionId nobody() { return flow_execution_id(flow_, Uuid{{0x99}}); }

    ExecutionId a, b;
};
INSTANTIATE_TEST_SUITE_P(Stores, FlowEdges, all_stores(), name_of_param);

// ---- stage_dependency_edge --------------------------------------------------------------------------------------

TEST_P(FlowEdges, AStagedEdgeIsCountedAndChangesNobody) {
    EXPECT_EQ(stage(edge_id(1), a, b), (EdgeStaged{edge_id(1), 3, false}));
    EXPECT_EQ(flow_row().graph_revision, 3);
    EXPECT_EQ(fields_of(flow_row()).edge_count, 1);
    EXPECT_EQ(fields_of(edge_row(edge_id(1))).edge_state, EdgeState::pending);
    EXPECT_FALSE(edge_row(edge_id(1)).dependency_state);
    EXPECT_TRUE(claimable(b));
}

TEST_P(FlowEdges, TheSameEdgeAgainIsTheStoredOneWhateverTheRevision) {
    auto command = staging(edge_id(1), a, b);
    command.data_passing_ref = "ref";
    const auto first = value_of(run(command));
    EXPECT_FALSE(first.already_there);
    expect_no_change([&] { EXPECT_EQ(value_of(run(command)), (EdgeStaged{edge_id(1), first.graph_revision, true})); });
}

TEST_P(FlowEdges, AnEdgeIdIsUsedForOneEdge) {
    auto command = staging(edge_id(1), a, b);
    command.data_passing_ref = "ref";
    value_of(run(command));
    using enum ErrorKind;
    expect_refused(staging(edge_id(1), b, a), dependency_already_exists, a.to_string());
    expect_refused(staging(edge_id(1), a, member()), dependency_already_exists, b.to_string());
    expect_refused(staging(edge_id(1), a, b), dependency_already_exists);
}

TEST_P(FlowEdges, OfTwoStagesThatExpectOneRevisionOneIsStale) {
    const ExecutionId c = member();
    const auto first = staging(edge_id(1), a, b);
    const auto second = staging(edge_id(2), a, c);
    value_of(run(first));
    expect_refused(second, ErrorKind::stale_graph_revision, std::to_string(flow_row().graph_revision));
    value_of(run(staging(edge_id(2), a, c)));
}

TEST_P(FlowEdges, AnEdgeIsNoLoopAndClosesNoCycle) {
    const ExecutionId c = member();
    stage(edge_id(1), a, b);
    connect(edge_id(2), b, c);
    using enum ErrorKind;
    expect_refused(staging(edge_id(3), c, a), cycle_detected, edge_id(3).to_string());
    expect_refused(staging(edge_id(3), b, a), cycle_detected);
    expect_refused(staging(edge_id(3), a, a), self_referencing_edge);
    value_of(run(staging(edge_id(3), a, c)));
}

TEST_P(FlowEdges, BothEndsOfAnEdgeAreMembers) {
    const ExecutionId outside = stranger();
    using enum ErrorKind;
    expect_refused(staging(edge_id(1), a, outside), execution_not_in_flow, outside.to_string());
    expect_refused(staging(edge_id(1), outside, a), execution_not_in_flow, outside.to_string());
    expect_refused(staging(edge_id(1), a, nobody()), execution_not_in_flow, nobody().to_string());
    const ExecutionId far{static_cast<std::uint16_t>((a.partition + 1) % flow_partitions), a.uuid};
    expect_refused(staging(edge_id(1), far, b), invalid_input, "upstream");
    expect_refused(staging(edge_id(1), a, far), invalid_input, "downstream");
}

TEST_P(FlowEdges, AnUnknownFlowHasNoEdges) {
    const FlowId unknown = flow_id(9);
    const ExecutionId from = flow_execution_id(unknown, Uuid{{1}});
    const ExecutionId to = flow_execution_id(unknown, Uuid{{2}});
    const StageDependencyEdge staged{.flow_id = unknown, .edge_id = edge_id(1), .upstream = from, .downstream = to};
    expect_refused(staged, ErrorKind::flow_not_found, unknown.to_string());
    const ApplyDependencyToChild applied{.flow_id = unknown, .edge_id = edge_id(1), .upstream = from, .downstream = to};
    expect_refused(applied, ErrorKind::flow_not_found, unknown.to_string());
}

// ---- apply_dependency_to_child ----------------------------------------------------------------------------------

TEST_P(FlowEdges, AnAppliedEdgeHoldsItsChildUntilItsUpstreamHasSucceeded) {
    stage(edge_id(1), a, b);
    EXPECT_EQ(apply(edge_id(1), a, b), (DependencyApplied{1, false}));
    EXPECT_EQ(state(b), PublicState::waiting_children);
    EXPECT_EQ(row(b).vector.eligibility_state, EligibilityState::blocked_by_dependencies);
    EXPECT_EQ(row(b).vector.blocking_reason, BlockingReason::waiting_for_children);
    EXPECT_FALSE(row(b).blocking_detail->empty());
    EXPECT_THAT(claimed_ids(claim_of(b)), ::testing::IsEmpty());
    EXPECT_EQ(fields_of(edge_row(edge_id(1))).edge_state, EdgeState::applied);
    EXPECT_EQ(edge_row(edge_id(1)).dependency_state, DependencyState::unsatisfied);
    succeed(a);
    EXPECT_EQ(state(b), PublicState::waiting);
    EXPECT_EQ(take(b).attempt_index, 0U);
}

TEST_P(FlowEdges, ApplyingTwiceCountsOnce) {
    const ExecutionId c = member();
    connect(edge_id(1), a, c);
    EXPECT_EQ(connect(edge_id(2), b, c), (DependencyApplied{2, false}));
    expect_no_change([&] { EXPECT_EQ(apply(edge_id(1), a, c), (DependencyApplied{2, true})); });
    succeed(a);
    expect_no_change([&] { EXPECT_EQ(apply(edge_id(1), a, c), (DependencyApplied{1, true})); });
}

TEST_P(FlowEdges, ApplyNamesTheEdgeAsItIsStaged) {
    const ExecutionId c = member();
    stage(edge_id(1), a, b);
    using enum ErrorKind;
    expect_refused(applying(edge_id(1), b, a), invalid_input, "edge_id");
    expect_refused(applying(edge_id(1), c, b), invalid_input, "edge_id");
    expect_refused(applying(edge_id(1), a, c), invalid_input, "edge_id");
    expect_refused(applying(edge_id(2), a, b), edge_not_found, edge_id(2).to_string());
    const ExecutionId far{static_cast<std::uint16_t>((a.partition + 1) % flow_partitions), a.uuid};
    expect_refused(applying(edge_id(1), far, b), invalid_input, "partition_mismatch");
    expect_refused(applying(edge_id(1), a, far), invalid_input, "partition_mismatch");
}

TEST_P(FlowEdges, AnEdgeFromAnEndedUpstreamResolvesAtOnce) {
    const ExecutionId c = member();
    const ExecutionId d = member();
    succeed(a);
    lose(b);
    stage(edge_id(1), a, c);
    EXPECT_EQ(value_of(run(applying(edge_id(1), a, c))), (DependencyApplied{0, false}));
    EXPECT_EQ(state(c), PublicState::waiting) << "without any further event";
    stage(edge_id(2), b, d);
    EXPECT_EQ(value_of(run(applying(edge_id(2), b, d))), (DependencyApplied{0, false}));
    EXPECT_EQ(state(d), PublicState::skipped);
    engine().settle();
    EXPECT_THAT(outcomes(d), ElementsAre(TerminalOutcome::skipped));
    EXPECT_EQ(undispatched(), 0U);
}

TEST_P(FlowEdges, AnUpstreamThatHasEndedButIsNotDispatchedIsSeenByTheApply) {
    stage(edge_id(1), a, b);
    value_of(complete(take(a).handle));
    engine().crash();
    EXPECT_EQ(undispatched(), 1U);
    EXPECT_EQ(value_of(run(applying(edge_id(1), a, b))).unsatisfied_count, 0U);
    EXPECT_TRUE(claimable(b));
    recover();
    EXPECT_EQ(undispatched(), 0U);
    EXPECT_EQ(group_of(b).success_count, 1) << "counted by the apply alone";
}

TEST_P(FlowEdges, AStagedEdgeThatIsNotAppliedCountsNowhere) {
    const ExecutionId c = member();
    connect(edge_id(1), a, c);
    stage(edge_id(2), b, c);
    succeed(b);
    EXPECT_EQ(state(c), PublicState::waiting_children);
    EXPECT_EQ(group_of(c).success_count, 0);
    EXPECT_EQ(apply(edge_id(2), b, c), (DependencyApplied{1, false}));
    EXPECT_EQ(group_of(c).n, 2);
    EXPECT_EQ(group_of(c).success_count, 1);
    succeed(a);
    EXPECT_EQ(state(c), PublicState::waiting);
}

TEST_P(FlowEdges, AChildThatHasBecomeEligibleIsHeldAgain) {
    const ExecutionId c = member();
    connect(edge_id(1), a, c);
    succeed(a);
    EXPECT_TRUE(claimable(c));
    EXPECT_EQ(connect(edge_id(2), b, c), (DependencyApplied{1, false}));
    EXPECT_EQ(state(c), PublicState::waiting_children);
    EXPECT_EQ(group_of(c).group_state, GroupState::pending);
    succeed(b);
    EXPECT_TRUE(claimable(c));
}

TEST_P(FlowEdges, AChildThatHasStartedTakesNoMoreEdges) {
    stage(edge_id(1), a, b);
    const ClaimedExecution held = take(b);
    using enum ErrorKind;
    expect_refused(applying(edge_id(1), a, b), active_attempt_exists);
    value_of(delay(held.handle, now() + 1000));
    expect_refused(applying(edge_id(1), a, b), active_attempt_exists);
    advance(1000);
    reconcile();
    value_of(complete(take(b).handle));
    engine().settle();
    expect_refused(applying(edge_id(1), a, b), execution_terminal);
}

// Builders of flows add edges behind each other while workers are at work already.
TEST_P(FlowEdges, AChildThatHasStartedTakesAnEdgeThatIsMetAndBringsNothing) {
    const ExecutionId c = member();
    succeed(a);
    stage(edge_id(1), a, b);
    auto with_data = staging(edge_id(2), a, c);
    with_data.data_passing_ref = "input";
    value_of(run(with_data));
    stage(edge_id(3), c, b);
    const ClaimedExecution held = take(b);
    EXPECT_EQ(apply(edge_id(1), a, b), (DependencyApplied{0, false}));
    EXPECT_EQ(apply(edge_id(1), a, b), (DependencyApplied{0, true}));
    EXPECT_EQ(state(b), PublicState::active);
    expect_refused(applying(edge_id(3), c, b), ErrorKind::active_attempt_exists);
    take(c);
    expect_refused(applying(edge_id(2), a, c), ErrorKind::active_attempt_exists);
    value_of(complete(held.handle));
    engine().settle();
    EXPECT_EQ(state(b), PublicState::completed);
    expect_refused(applying(edge_id(3), c, b), ErrorKind::execution_terminal);
}

TEST_P(FlowEdges, AChildThatLostItsLeaseHasStarted) {
    stage(edge_id(1), a, b);
    take(b);
    let_lease_lapse();
    expect_refused(applying(edge_id(1), a, b), ErrorKind::active_attempt_exists);
}

TEST_P(FlowEdges, AChildThatWaitsForItsRetryHasStarted) {
    const ExecutionId c = member({.policy = retries(2, 10'000)});
    stage(edge_id(1), a, c);
    fail_with_retry(take(c).handle);
    expect_refused(applying(edge_id(1), a, c), ErrorKind::active_attempt_exists);
    advance(10'000);
    reconcile();
    expect_refused(applying(edge_id(1), a, c), ErrorKind::active_attempt_exists);
}

TEST_P(FlowEdges, AChildThatWasReplayedStartsAnew) {
    const ExecutionId c = member();
    stage(edge_id(1), a, c);
    lose(c);
    value_of(run(ReplayExecution{.execution_id = c}));
    apply(edge_id(1), a, c);
    EXPECT_EQ(state(c), PublicState::waiting_children);
    succeed(a);
    EXPECT_TRUE(claimable(c));
}

TEST_P(FlowEdges, AChildThatWasGivenBackUnstartedCanStillBeHeld) {
    stage(edge_id(1), a, b);
    value_of(release(take(b).handle));
    apply(edge_id(1), a, b);
    EXPECT_EQ(state(b), PublicState::waiting_children);
    succeed(a);
    EXPECT_TRUE(claimable(b));
}

TEST_P(FlowEdges, ADelayIsKeptUntilBothAreOver) {
    const ExecutionId c = member({.delay_until_ms = now() + 10'000});
    const ExecutionId d = member({.delay_until_ms = now() + 10'000});
    connect(edge_id(1), a, c);
    connect(edge_id(2), b, d);
    EXPECT_EQ(state(c), PublicState::waiting_children);
    succeed(a);
    EXPECT_EQ(state(c), PublicState::delayed) << "its dependencies ended first";
    advance(10'000);
    reconcile();
    EXPECT_TRUE(claimable(c));
    EXPECT_EQ(state(d), PublicState::waiting_children) << "its delay ended first";
    succeed(b);
    EXPECT_TRUE(claimable(d));
}

}  // namespace
}  // namespace flowfabric::test
