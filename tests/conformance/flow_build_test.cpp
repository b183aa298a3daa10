#include "conformance/flowing.hpp"

// How flows are made, at once and piece by piece, and who belongs to them.
namespace flowfabric::test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class FlowBuild : public Flowing {
  protected:
    ExecutionId elsewhere(const FlowId& flow) {
        ExecutionId id = create();
        if (id.partition != flow_partition(flow)) return id;
        const auto partition = static_cast<std::uint16_t>((id.partition + 1) % flow_partitions);
        return create({.execution_id = ExecutionId{partition, id.uuid}});
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, FlowBuild, all_stores(), name_of_param);

// ---- create_flow ------------------------------------------------------------------------------------------------

TEST_P(FlowBuild, CreatingAFlowTwiceIsOneFlow) {
    const CreateFlow command{.flow_id = flow_id(1), .flow_kind = "k", .namespace_name = "n"};
    EXPECT_EQ(value_of(run(command)), (FlowCreated{flow_id(1), false}));
    expect_no_change([&] { EXPECT_EQ(value_of(run(command)), (FlowCreated{flow_id(1), true})); });

    const FlowRow stored = flow_row(flow_id(1));
    EXPECT_EQ(stored.graph_revision, 0);
    EXPECT_EQ(stored.public_flow_state, FlowState::open);
    EXPECT_EQ(stored.created_at_ms, now());
    EXPECT_FALSE(stored.sealed);
    EXPECT_EQ(fields_of(stored).node_count, 0);
    EXPECT_EQ(fields_of(stored).edge_count, 0);
    EXPECT_THAT(snapshot().operator_events, IsEmpty());
}

TEST_P(FlowBuild, AFlowIdOfAnotherKindOrNamespaceIsTaken) {
    value_of(run(CreateFlow{.flow_id = flow_id(1), .flow_kind = "k"}));
    expect_refused(CreateFlow{.flow_id = flow_id(1), .flow_kind = "other"}, ErrorKind::flow_already_exists, "'k'");
    expect_refused(CreateFlow{.flow_id = flow_id(1), .flow_kind = "k", .namespace_name = "other"},
                   ErrorKind::flow_already_exists, "'default'");
}

TEST_P(FlowBuild, AnAbsentFlowIdIsMinted) {
    const FlowId first = value_of(run(CreateFlow{})).flow_id;
    const FlowId second = value_of(run(CreateFlow{})).flow_id;
    EXPECT_NE(first, second);
    EXPECT_THAT(snapshot().of<FlowRow>(), SizeIs(2));
}

// ---- add_execution_to_flow --------------------------------------------------------------------------------------

TEST_P(FlowBuild, AMemberCountsOnce) {
    create_flow();
    const ExecutionId first = create_beside(flow_);
    const ExecutionId second = create_beside(flow_);
    EXPECT_EQ(add(first), (MemberAdded{first, 1, false}));
    EXPECT_EQ(flow_row().graph_revision, 1);
    expect_no_change([&] { EXPECT_EQ(add(first), (MemberAdded{first, 1, true})); });
    EXPECT_EQ(add(second), (MemberAdded{second, 2, false}));
    EXPECT_EQ(flow_row().graph_revision, 2);
    EXPECT_EQ(fields_of(flow_row()).node_count, 2);
    EXPECT_EQ(row(first).flow_id, flow_);
    EXPECT_TRUE(claimable(first)) << "nothing is held back for a seal";
}

TEST_P(FlowBuild, AMemberOfAnotherFlowStaysThere) {
    create_flow(1);
    const ExecutionId id = member();
    const FlowId other = neighbour_of(flow_);
    value_of(run(CreateFlow{.flow_id = other}));
    expect_refused(AddExecutionToFlow{.flow_id = other, .execution_id = id}, ErrorKind::execution_already_in_flow,
                   flow_.to_string());
}

TEST_P(FlowBuild, AMemberIsThereAndOnTheFlowsPartition) {
    create_flow();
    const ExecutionId stranger = elsewhere(flow_);
    expect_refused(AddExecutionToFlow{.flow_id = flow_, .execution_id = stranger}, ErrorKind::invalid_input,
                   "partition_mismatch");
    ExecutionId nobody = stranger;
    nobody.uuid = Uuid{{9}};
    expect_refused(AddExecutionToFlow{.flow_id = flow_, .execution_id = nobody}, ErrorKind::invalid_input,
                   "partition_mismatch");
    expect_refused(AddExecutionToFlow{.flow_id = flow_, .execution_id = flow_execution_id(flow_, nobody.uuid)},
                   ErrorKind::execution_not_found);
    const FlowId unknown = flow_id(9);
    expect_refused(AddExecutionToFlow{.flow_id = unknown, .execution_id = flow_execution_id(unknown, nobody.uuid)},
                   ErrorKind::flow_not_found);
}

TEST_P(FlowBuild, ACancelledFlowTakesNothingMore) {
    create_flow();
    const ExecutionId a = member();
    const ExecutionId b = member();
    const ExecutionId late = create_beside(flow_);
    stage(edge_id(1), a, b);
    const auto next_edge = staging(edge_id(2), a, b);
    cancel_flow(CancellationPolicy::cancel_flow_only);

    using enum ErrorKind;
    expect_refused(AddExecutionToFlow{.flow_id = flow_, .execution_id = late}, flow_already_terminal, "cancelled");
    expect_refused(next_edge, flow_already_terminal);
    expect_refused(applying(edge_id(1), a, b), flow_already_terminal);
    expect_refused(policy_for(late, any_policy()), flow_already_terminal);
    expect_refused(SealFlow{flow_}, flow_already_terminal);
}

TEST_P(FlowBuild, ASealedFlowTakesNothingMore) {
    create_flow();
    const ExecutionId a = member();
    const ExecutionId b = member();
    const ExecutionId c = member();
    const ExecutionId late = create_beside(flow_);
    stage(edge_id(1), a, b);
    seal();
    using enum ErrorKind;
    expect_refused(AddExecutionToFlow{.flow_id = flow_, .execution_id = late}, flow_sealed);
    expect_refused(staging(edge_id(2), a, c), flow_sealed);
    expect_refused(applying(edge_id(1), a, b), flow_sealed);
    expect_refused(policy_for(c, any_policy()), flow_sealed);
}

TEST_P(FlowBuild, TheWorkerOfALiveMemberMayAddToASealedFlow) {
    create_flow();
    const ExecutionId parent = member();
    const ExecutionId late = create_beside(flow_);
    seal();
    const ClaimedExecution held = take(parent);
    const AddExecutionToFlow command{.flow_id = flow_, .execution_id = late, .lease = held.handle};
    EXPECT_EQ(value_of(run(command)), (MemberAdded{late, 2, false}));
    EXPECT_EQ(flow_row().open_members, 2);
    expect_no_change([&] { EXPECT_TRUE(value_of(run(command)).already_there); });

    auto edge = staging(edge_id(1), late, parent);
    edge.lease = held.handle;
    const auto staged = value_of(run(edge));
    EXPECT_EQ(staged.graph_revision, flow_row().graph_revision);
}

TEST_P(FlowBuild, NobodyElsesLeaseOpensASealedFlow) {
    create_flow();
    const ExecutionId parent = member();
    const ExecutionId stranger = create_beside(flow_);
    const ExecutionId late = create_beside(flow_);
    seal();
    const auto adding = [&](const LeaseRef& lease) {
        return AddExecutionToFlow{.flow_id = flow_, .execution_id = late, .lease = lease};
    };
    expect_refused(adding(take(stranger).handle), ErrorKind::flow_sealed);
    const ClaimedExecution lost = take(parent);
    Fence wrong = fence_of(lost);
    wrong.lease_epoch = LeaseEpoch{9};
    expect_refused(adding(wrong), ErrorKind::stale_lease);
    expect_refused(adding(Fence{.execution_id = parent}), ErrorKind::invalid_input, "fence_required");
    let_lease_lapse();
    expect_refused(adding(lost.handle), ErrorKind::lease_expired);
    const ClaimedExecution again = take(parent);
    expect_refused(adding(lost.handle), ErrorKind::stale_lease);
    value_of(complete(again.handle));
}

// ---- submit_flow ------------------------------------------------------------------------------------------------

TEST_P(FlowBuild, ASubmittedGraphIsSealedAndComplete) {
    auto command = graph_of({"a", "b", "c"}, fan_in({"a", "b"}, "c"), {{"c", quorum_policy(2)}});
    command.namespace_name = "n";
    command.tags = {{"app.team", "blue"}};
    submit(std::move(command));
    const FlowRow stored = flow_row();
    EXPECT_TRUE(stored.sealed);
    EXPECT_EQ(stored.open_members, 3);
    EXPECT_EQ(fields_of(stored).node_count, 3);
    EXPECT_EQ(fields_of(stored).edge_count, 2);
    EXPECT_EQ(value_of(api().get_flow_tag(flow_, "app.team")), "blue");
    const EdgeGroupRow group = group_of(at("c"));
    EXPECT_EQ(group.n, 2);
    EXPECT_TRUE(group.n_fixed);
    EXPECT_EQ(group.k_target, 2);
    EXPECT_EQ(group.running_count, 2);
    EXPECT_FALSE(has_group(at("a")));
    EXPECT_EQ(state(at("a")), PublicState::waiting);
    EXPECT_EQ(state(at("c")), PublicState::waiting_children);
    for (const char* name : {"a", "b", "c"}) {
        EXPECT_EQ(at(name).partition, flow_partition(flow_));
        EXPECT_EQ(row(at(name)).flow_id, flow_);
    }
}

TEST_P(FlowBuild, AGraphThatIsNoneIsRefusedByNameAndNothingIsWritten) {
    using enum ErrorKind;
    expect_refused(graph_of({}), invalid_input, "nodes");
    expect_refused(graph_of({""}), invalid_input, "nodes[0].name");
    expect_refused(graph_of({"a", "a"}), invalid_input, "'a' is there twice");
    expect_refused(graph_of({"a"}, {{.from = "a", .to = "b"}}), invalid_input, "no node 'b'");
    expect_refused(graph_of({"a"}, {{.from = "b", .to = "a"}}), invalid_input, "edges[0].from");
    expect_refused(graph_of({"a"}, {{.from = "a", .to = "a"}}), self_referencing_edge, "edges[0]");
    expect_refused(graph_of({"a", "b"}, {{.from = "a", .to = "b"}, {.from = "a", .to = "b"}}), invalid_input,
                   "edges[1]");
    expect_refused(
        graph_of({"a", "b", "c"}, {{.from = "a", .to = "b"}, {.from = "b", .to = "c"}, {.from = "c", .to = "b"}}),
        cycle_detected, "node '");
    expect_refused(graph_of({"a", "b"}, fan_in({"a"}, "b"), {{"b", quorum_policy(2)}}), invalid_input,
                   "'b' has 1 incoming edges");
    expect_refused(graph_of({"a", "b"}, fan_in({"a"}, "b"), {{"b", quorum_policy(0)}}), invalid_input, "policy.k");
    auto tagged = graph_of({"a"});
    tagged.tags = {{"Team", "x"}};
    expect_refused(tagged, invalid_input, "tags.");
}

TEST_P(FlowBuild, AGraphIsRefusedForTheSakeOfOneNodeThatItNames) {
    using enum ErrorKind;
    const auto with = [](const auto& change) {
        auto command = graph_of({"a", "b"});
        command.flow_id = flow_id(1);
        change(command.nodes[1].execution);
        return command;
    };
    expect_refused(with([](CreateExecution& c) { c.lane_id = ""; }), invalid_input, "nodes[1] 'b'");
    expect_refused(with([](CreateExecution& c) { c.input_payload.assign(1'048'577, 'x'); }), payload_too_large,
                   "nodes[1] 'b'");
    expect_refused(with([](CreateExecution& c) { c.idempotency_key = "key"; }), invalid_input, "nodes[1] 'b'");
    expect_refused(with([](CreateExecution& c) {
                       const auto partition =
                           static_cast<std::uint16_t>((flow_partition(flow_id(1)) + 1) % flow_partitions);
                       c.execution_id = ExecutionId{partition, Uuid{{1}}};
                   }),
                   invalid_input, "partition_mismatch");
    submit({"a", "b"});  // lanes that are new are registered whatever becomes of the graph
    const ExecutionId taken = create_beside(flow_id(1));
    expect_refused(with([&](CreateExecution& c) { c.execution_id = taken; }), execution_already_in_flow, "'b'");
    create({.lane_id = "closed"});
    value_of(set_lane("closed", LaneState::disabled));
    expect_refused(with([](CreateExecution& c) { c.lane_id = "closed"; }), invalid_input, "'b'");
}

TEST_P(FlowBuild, TwoNodesCannotBeOneExecution) {
    auto command = graph_of({"a", "b"});
    command.flow_id = flow_id(1);
    const ExecutionId same = flow_execution_id(flow_id(1), Uuid{{1}});
    command.nodes[0].execution.execution_id = same;
    command.nodes[1].execution.execution_id = same;
    expect_refused(command, ErrorKind::invalid_input, "'b'");
}

TEST_P(FlowBuild, AGraphThatIsSubmittedAgainIsTheSameFlow) {
    auto command = graph_of({"a", "b"}, {{.from = "a", .to = "b"}});
    command.flow_id = flow_id(1);
    const auto first = value_of(run(command));
    EXPECT_FALSE(first.already_there);
    expect_no_change([&] {
        const auto again = value_of(run(command));
        EXPECT_TRUE(again.already_there);
        EXPECT_EQ(again.members, first.members);
    });
    auto another = command;
    another.flow_kind = "another";
    expect_refused(another, ErrorKind::flow_already_exists);
    auto larger = command;
    larger.nodes.push_back({.name = "c", .execution = {.lane_id = "a"}, .policy = {}});
    expect_refused(larger, ErrorKind::flow_already_exists);
}

TEST_P(FlowBuild, AGraphOfAThousandNodesIsNoCycle) {
    SubmitFlow command;
    for (int i = 0; i < 1500; ++i) {
        const std::string name = std::to_string(i);
        command.nodes.push_back({.name = name, .execution = {}, .policy = {}});
        if (i > 0) command.edges.push_back({.from = std::to_string(i - 1), .to = name});
    }
    const auto submitted = value_of(run(command));
    EXPECT_THAT(submitted.members, SizeIs(1500));
    EXPECT_EQ(fields_of(flow_row(submitted.flow_id)).edge_count, 1499);
    command.edges.push_back({.from = "1499", .to = "0"});
    expect_refused(command, ErrorKind::cycle_detected);
}

}  // namespace
}  // namespace flowfabric::test
