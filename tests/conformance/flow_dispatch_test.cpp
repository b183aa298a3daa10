#include <map>

#include "flowfabric/submit_flow.hpp"
#include "support/fixture.hpp"

// What the ends of a flow's members do to the others.
namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class FlowDispatch : public StoreTest {
  protected:
    // Every node on a lane of its own name, so that a test picks whom it claims.
    void submit(const std::vector<std::string>& names, const std::vector<FlowEdge>& edges,
                const std::map<std::string, GroupPolicy>& policies = {}) {
        SubmitFlow command;
        command.flow_kind = "test";
        for (const std::string& name : names) {
            FlowNode node{.name = name, .execution = {.lane_id = name, .input_payload = "own"}, .policy = {}};
            if (const auto policy = policies.find(name); policy != policies.end()) node.policy = policy->second;
            command.nodes.push_back(std::move(node));
        }
        command.edges = edges;
        const auto submitted = value_of(run(std::move(command)));
        flow_ = submitted.flow_id;
        for (std::size_t i = 0; i < names.size(); ++i) members_[names[i]] = submitted.members[i];
        engine().settle();
    }

    ClaimedExecution claim_node(const std::string& name) {
        Claim command = claim_by("w1");
        command.lanes = {name};
        return claim(std::move(command));
    }
    void succeed(const std::string& name, std::optional<Bytes> result = {}) {
        value_of(complete(claim_node(name).handle, std::move(result)));
        engine().settle();
    }
    void lose(const std::string& name) {
        value_of(fail(claim_node(name).handle, "permanent"));
        engine().settle();
    }
    PublicState state_of(const std::string& name) { return state(members_.at(name)); }
    const ExecutionId& id_of(const std::string& name) { return members_.at(name); }
    FlowRow flow() { return snapshot().of<FlowRow>().begin()->second; }

    FlowId flow_;
    std::map<std::string, ExecutionId> members_;
};
INSTANTIATE_TEST_SUITE_P(Stores, FlowDispatch, all_stores(), name_of_param);

TEST_P(FlowDispatch, AChainRunsStepByStepAndEndsItsFlow) {
    submit({"a", "b", "c"}, {{.from = "a", .to = "b"}, {.from = "b", .to = "c"}});
    EXPECT_EQ(state_of("a"), PublicState::waiting);
    EXPECT_EQ(state_of("b"), PublicState::waiting_children);
    succeed("a");
    EXPECT_EQ(state_of("b"), PublicState::waiting);
    EXPECT_EQ(state_of("c"), PublicState::waiting_children);
    succeed("b");
    EXPECT_EQ(flow().public_flow_state, FlowState::open);
    succeed("c");
    EXPECT_EQ(flow().public_flow_state, FlowState::completed);
    EXPECT_EQ(flow().open_members, 0);
}

TEST_P(FlowDispatch, AllOfWaitsForTheLast) {
    submit({"a", "b", "c", "d"}, {{.from = "a", .to = "d"}, {.from = "b", .to = "d"}, {.from = "c", .to = "d"}});
    succeed("b");
    succeed("a");
    EXPECT_EQ(state_of("d"), PublicState::waiting_children);
    succeed("c");
    EXPECT_EQ(state_of("d"), PublicState::waiting);
}

TEST_P(FlowDispatch, AFailureSkipsAllThatDependOnIt) {
    submit({"a", "b", "c"}, {{.from = "a", .to = "b"}, {.from = "b", .to = "c"}});
    lose("a");
    EXPECT_EQ(state_of("b"), PublicState::skipped);
    EXPECT_EQ(state_of("c"), PublicState::skipped);
    EXPECT_THAT(outcomes(id_of("c")), ElementsAre(TerminalOutcome::skipped));
    EXPECT_EQ(flow().public_flow_state, FlowState::failed);
}

TEST_P(FlowDispatch, AnyOfFiresOnceAndCancelsTheRest) {
    submit({"a", "b", "c", "d"}, {{.from = "a", .to = "d"}, {.from = "b", .to = "d"}, {.from = "c", .to = "d"}},
           {{"d", {.kind = GroupKind::any_of}}});
    succeed("a");
    EXPECT_EQ(state_of("d"), PublicState::waiting);
    for (const char* sibling : {"b", "c"}) {
        EXPECT_EQ(state_of(sibling), PublicState::cancelled);
        EXPECT_EQ(row(id_of(sibling)).cancellation_reason, "sibling_quorum_satisfied");
        EXPECT_EQ(row(id_of(sibling)).cancelled_by, "flow_cascade");
        EXPECT_THAT(outcomes(id_of(sibling)), ElementsAre(TerminalOutcome::cancelled));
    }
    EXPECT_THAT(snapshot().of<SiblingWorkRow>(), IsEmpty());
    succeed("d");
    EXPECT_EQ(flow().public_flow_state, FlowState::completed);
}

TEST_P(FlowDispatch, ASiblingThatAnotherGroupNeedsRunsOn) {
    submit({"a", "b", "d", "e"}, {{.from = "a", .to = "d"}, {.from = "b", .to = "d"}, {.from = "b", .to = "e"}},
           {{"d", {.kind = GroupKind::any_of}}});
    succeed("a");
    EXPECT_EQ(state_of("b"), PublicState::waiting);
    succeed("b");
    EXPECT_EQ(state_of("e"), PublicState::waiting);
}

TEST_P(FlowDispatch, LetRunLeavesTheRestAlone) {
    submit({"a", "b", "d"}, {{.from = "a", .to = "d"}, {.from = "b", .to = "d"}},
           {{"d", {.kind = GroupKind::any_of, .on_satisfied = OnSatisfied::let_run}}});
    succeed("a");
    EXPECT_EQ(state_of("d"), PublicState::waiting);
    EXPECT_EQ(state_of("b"), PublicState::waiting);
    value_of(complete(claim_node("d").handle));
    succeed("b");
    EXPECT_EQ(state_of("d"), PublicState::completed);
}

TEST_P(FlowDispatch, AQuorumIsImpossibleOnceTooManyAreLost) {
    submit({"a", "b", "c", "d"}, {{.from = "a", .to = "d"}, {.from = "b", .to = "d"}, {.from = "c", .to = "d"}},
           {{"d", {.kind = GroupKind::quorum, .k = 2}}});
    lose("a");
    EXPECT_EQ(state_of("d"), PublicState::waiting_children);
    lose("b");
    EXPECT_EQ(state_of("d"), PublicState::skipped);
    EXPECT_EQ(state_of("c"), PublicState::cancelled);
    EXPECT_EQ(row(id_of("c")).cancellation_reason, "sibling_quorum_impossible");
}

TEST_P(FlowDispatch, TheResultBecomesTheInputBeforeTheChildCanBeClaimed) {
    submit({"a", "b"}, {{.from = "a", .to = "b", .data_passing_ref = "report"}});
    succeed("a", "november");
    EXPECT_EQ(claim_node("b").input_payload, "november");
}

TEST_P(FlowDispatch, WithoutAResultTheChildKeepsItsOwnInput) {
    submit({"a", "b"}, {{.from = "a", .to = "b", .data_passing_ref = "report"}});
    succeed("a");
    EXPECT_EQ(claim_node("b").input_payload, "own");
}

TEST_P(FlowDispatch, ACancelledUpstreamSkipsItsDependents) {
    submit({"a", "b"}, {{.from = "a", .to = "b"}});
    value_of(cancel_by("operator_override", id_of("a")));
    engine().settle();
    EXPECT_EQ(state_of("b"), PublicState::skipped);
}

TEST_P(FlowDispatch, WhatACrashLeftUndoneIsFoundByTheReconciler) {
    submit({"a", "b", "c"}, {{.from = "a", .to = "b"}, {.from = "b", .to = "c"}});
    value_of(complete(claim_node("a").handle));
    engine().crash();
    EXPECT_EQ(state_of("b"), PublicState::waiting_children);
    advance(2000);
    reconcile();
    engine().settle();
    EXPECT_EQ(state_of("b"), PublicState::waiting);
}

}  // namespace
}  // namespace flowfabric::test
