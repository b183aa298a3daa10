#include "conformance/flowing.hpp"

// Groups of edges: their policies, and when the number of their edges is fixed.
namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FlowGroups : public Flowing {
  protected:
    void SetUp() override {
        Flowing::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        create_flow();
        a = member();
        b = member();
        c = member();
        child = member();
    }
    void set(const GroupPolicy& policy, std::optional<std::uint32_t> expected_edges = {}) {
        EXPECT_FALSE(value_of(run(policy_for(child, policy, expected_edges))).already_there);
    }

    ExecutionId a, b, c, child;
};
INSTANTIATE_TEST_SUITE_P(Stores, FlowGroups, all_stores(), name_of_param);

// ---- set_edge_group_policy --------------------------------------------------------------------------------------

TEST_P(FlowGroups, APolicyIsSetOnceUntilItChanges) {
    set(quorum_policy(2));
    expect_no_change([&] { EXPECT_TRUE(value_of(run(policy_for(child, quorum_policy(2)))).already_there); });
    set(quorum_policy(3));
    EXPECT_EQ(group_of(child).k_target, 3);
    set(quorum_policy(3, OnSatisfied::let_run));
    set(any_policy());
    EXPECT_FALSE(group_of(child).k_target);
    set(any_policy(), 2);
    expect_no_change([&] { EXPECT_TRUE(value_of(run(policy_for(child, any_policy(), 2))).already_there); });
    EXPECT_EQ(flow_row().graph_revision, 4) << "members count as changes of the graph, policies do not";
    EXPECT_TRUE(claimable(child)) << "a policy alone holds nobody";
}

TEST_P(FlowGroups, AStagedEdgeFixesThePolicy) {
    set(any_policy());
    stage(edge_id(1), a, child);
    expect_refused(policy_for(child, quorum_policy(2)), ErrorKind::invalid_input, "edge_group_policy_already_fixed");
    expect_refused(policy_for(child, any_policy(), 1), ErrorKind::invalid_input, "edge_group_policy_already_fixed");
    expect_no_change([&] { EXPECT_TRUE(value_of(run(policy_for(child, any_policy()))).already_there); });
    expect_refused(policy_for(child, any_policy(OnSatisfied::let_run)), ErrorKind::invalid_input,
                   "edge_group_policy_already_fixed");
    connect(edge_id(2), b, c);
    expect_refused(policy_for(c, any_policy()), ErrorKind::invalid_input, "edge_group_policy_already_fixed");
}

TEST_P(FlowGroups, APolicyThatIsNoneIsRefused) {
    using enum ErrorKind;
    expect_refused(policy_for(child, quorum_policy(0)), invalid_input, "policy.k");
    expect_refused(policy_for(child, quorum_policy(3), 2), invalid_input, "policy.k");
    expect_refused(policy_for(child, any_policy(), 0), invalid_input, "expected_edges");
    expect_refused(policy_for(child, {.kind = static_cast<GroupKind>(7)}), invalid_input, "policy");
    expect_refused(policy_for(child, any_policy(static_cast<OnSatisfied>(7))), invalid_input, "policy");
    expect_refused(policy_for(child, any_policy(), 4'000'000'000U), invalid_input, "expected_edges");
    expect_refused(policy_for(child, quorum_policy(4'000'000'000U)), invalid_input, "policy.k");
}

TEST_P(FlowGroups, APolicyNeedsItsFlowAndItsMember) {
    using enum ErrorKind;
    const ExecutionId outside = create_beside(flow_);
    expect_refused(policy_for(outside, any_policy()), execution_not_in_flow, outside.to_string());
    const FlowId unknown = flow_id(9);
    expect_refused(SetEdgeGroupPolicy{.flow_id = unknown,
                                      .downstream = flow_execution_id(unknown, Uuid{{1}}),
                                      .policy = {},
                                      .expected_edges = {}},
                   flow_not_found, unknown.to_string());
    const ExecutionId far{static_cast<std::uint16_t>((a.partition + 1) % flow_partitions), a.uuid};
    expect_refused(policy_for(far, any_policy()), invalid_input, "partition_mismatch");
}

// ---- a number of edges that is fixed ----------------------------------------------------------------------------

TEST_P(FlowGroups, AGroupThatExpectsEdgesDoesNotFireBeforeTheyAreThere) {
    set({}, 3);
    connect(edge_id(1), a, child);
    succeed(a);
    EXPECT_EQ(state(child), PublicState::waiting_children);
    connect(edge_id(2), b, child);
    succeed(b);
    EXPECT_EQ(state(child), PublicState::waiting_children);
    connect(edge_id(3), c, child);
    succeed(c);
    EXPECT_TRUE(claimable(child));
}

TEST_P(FlowGroups, AGroupTakesNoMoreEdgesThanItExpects) {
    set({}, 1);
    connect(edge_id(1), a, child);
    stage(edge_id(2), b, child);
    expect_refused(applying(edge_id(2), b, child), ErrorKind::invalid_input, "1 edges");
    succeed(a);
    expect_refused(applying(edge_id(2), b, child), ErrorKind::invalid_input, "1 edges");
}

TEST_P(FlowGroups, AnExpectedAnyOfIsImpossibleOnceAllAreLost) {
    set(any_policy(), 2);
    connect(edge_id(1), a, child);
    lose(a);
    EXPECT_EQ(state(child), PublicState::waiting_children);
    connect(edge_id(2), b, child);
    lose(b);
    EXPECT_EQ(state(child), PublicState::skipped);
}

TEST_P(FlowGroups, AnExpectedQuorumIsImpossibleAsSoonAsTooFewAreLeft) {
    set(quorum_policy(2), 3);
    connect(edge_id(1), a, child);
    connect(edge_id(2), b, child);
    lose(a);
    lose(b);
    EXPECT_EQ(state(child), PublicState::skipped);
}

// ---- a number of edges that is open -----------------------------------------------------------------------------

TEST_P(FlowGroups, AnOpenAnyOfWaitsForTheSealAndSaysSo) {
    set(any_policy());
    connect(edge_id(1), a, child);
    lose(a);
    EXPECT_EQ(state(child), PublicState::waiting_children);
    const auto explained = value_of(api().explain_execution(child));
    ASSERT_TRUE(explained);
    EXPECT_THAT(explained->obstacles.at(0).detail + explained->obstacles.at(0).remedy, HasSubstr("seal"));
    seal();
    EXPECT_EQ(state(child), PublicState::skipped);
    EXPECT_THAT(outcomes(child), ElementsAre(TerminalOutcome::skipped));
}

TEST_P(FlowGroups, AnOpenAnyOfIsSatisfiedAtOnceAndFlagsItsSiblings) {
    set(any_policy());
    connect(edge_id(1), a, child);
    connect(edge_id(2), b, child);
    succeed(a);
    EXPECT_TRUE(claimable(child));
    EXPECT_EQ(state(b), PublicState::cancelled);
    EXPECT_EQ(state(c), PublicState::waiting) << "it feeds nobody";
}

TEST_P(FlowGroups, AnOpenAllOfIsImpossibleAtTheFirstLoss) {
    connect(edge_id(1), a, child);
    connect(edge_id(2), b, child);
    lose(a);
    EXPECT_EQ(state(child), PublicState::skipped);
    EXPECT_EQ(state(b), PublicState::waiting) << "all_of has no siblings to cancel";
}

TEST_P(FlowGroups, AQuorumAboveItsEdgesIsSkippedByTheSeal) {
    set(quorum_policy(4, OnSatisfied::let_run));
    connect(edge_id(1), a, child);
    connect(edge_id(2), b, child);
    connect(edge_id(3), c, child);
    EXPECT_EQ(state(child), PublicState::waiting_children);
    seal();
    EXPECT_EQ(state(child), PublicState::skipped);
    EXPECT_EQ(state(a), PublicState::waiting);
}

TEST_P(FlowGroups, WhatTheSealMakesImpossibleNeedsItsSiblingsNoMore) {
    set(quorum_policy(4));
    connect(edge_id(1), a, child);
    connect(edge_id(2), b, child);
    connect(edge_id(3), c, child);
    seal();
    EXPECT_EQ(state(child), PublicState::skipped);
    for (const ExecutionId& sibling : {a, b, c}) {
        EXPECT_EQ(state(sibling), PublicState::cancelled);
        EXPECT_EQ(row(sibling).cancellation_reason, "sibling_quorum_impossible");
    }
    EXPECT_THAT(snapshot().of<SiblingWorkRow>(), IsEmpty());
}

TEST_P(FlowGroups, ASealedGroupThatWasPromisedMoreEdgesDoesNotWaitForThem) {
    set({}, 3);
    connect(edge_id(1), a, child);
    seal();
    succeed(a);
    EXPECT_NE(state(child), PublicState::waiting_children) << "no edge can come any more";
}

TEST_P(FlowGroups, AnOpenGroupOfACancelledFlowDoesNotWaitForASeal) {
    set(any_policy());
    connect(edge_id(1), a, child);
    lose(a);
    cancel_flow(CancellationPolicy::cancel_flow_only);
    EXPECT_EQ(state(child), PublicState::skipped) << "a cancelled flow takes no edge and cannot be sealed";
}

// ---- seal_flow --------------------------------------------------------------------------------------------------

TEST_P(FlowGroups, AFlowIsSealedOnce) {
    succeed(a);
    seal();
    EXPECT_TRUE(flow_row().sealed);
    EXPECT_EQ(flow_row().open_members, 3);
    EXPECT_EQ(flow_state(), FlowState::open);
    expect_no_change([&] { EXPECT_TRUE(value_of(run(SealFlow{flow_})).already_there); });
    expect_refused(SealFlow{flow_id(9)}, ErrorKind::flow_not_found, flow_id(9).to_string());
}

TEST_P(FlowGroups, ASealWithNobodyLeftEndsTheFlowAtOnce) {
    for (const ExecutionId& id : {a, b, c, child}) succeed(id);
    EXPECT_EQ(flow_state(), FlowState::open) << "an open flow has no end of its own";
    seal();
    EXPECT_EQ(flow_state(), FlowState::completed);
    EXPECT_EQ(flow_row().terminal_at_ms, now());
    create_flow(2);
    seal();
    EXPECT_EQ(flow_state(), FlowState::completed) << "without any member";
    expect_refused(SealFlow{flow_}, ErrorKind::flow_already_terminal);
}

TEST_P(FlowGroups, ASealedFlowEndsWithItsLastMember) {
    seal();
    succeed(a);
    succeed(b);
    lose(c);
    EXPECT_EQ(flow_state(), FlowState::open);
    succeed(child);
    EXPECT_EQ(flow_state(), FlowState::failed);
}

TEST_P(FlowGroups, AMemberThatHadEndedBeforeItJoinedCountsAsItEnded) {
    const ExecutionId lost = create_beside(flow_);
    lose(lost);
    add(lost);
    for (const ExecutionId& id : {a, b, c, child}) succeed(id);
    EXPECT_EQ(value_of(api().describe_flow(flow_))->state, FlowPhase::failed);
    seal();
    EXPECT_EQ(flow_state(), FlowState::failed);
}

TEST_P(FlowGroups, AnEndThatIsNotDispatchedKeepsASealedFlowOpen) {
    for (const ExecutionId& id : {a, b, c}) succeed(id);
    value_of(complete(take(child).handle));
    engine().crash();
    value_of(run(SealFlow{flow_}));
    EXPECT_EQ(flow_row().open_members, 1);
    EXPECT_EQ(flow_state(), FlowState::open);
    recover();
    EXPECT_EQ(flow_state(), FlowState::completed);
}

}  // namespace
}  // namespace flowfabric::test
