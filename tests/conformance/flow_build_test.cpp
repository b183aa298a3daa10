#include "core/partition.hpp"
#include "flowfabric/submit_flow.hpp"
#include "support/fixture.hpp"

// How flows are made: at once, and piece by piece.
namespace flowfabric::test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

FlowId flow_id(std::uint8_t number) {
    FlowId id;
    id.uuid.bytes[15] = number;
    return id;
}

EdgeId edge_id(std::uint8_t number) {
    EdgeId id;
    id.uuid.bytes[15] = number;
    return id;
}

class FlowBuild : public StoreTest {
  protected:
    ExecutionId on_partition(const FlowId& flow, CreateExecution command = {}) {
        command.execution_id = flow_execution_id(flow, next_uuid());
        return create(std::move(command));
    }
    Uuid next_uuid() {
        Uuid uuid;
        uuid.bytes[0] = 0x77;
        uuid.bytes[15] = ++uuids_;
        return uuid;
    }
    ExecutionId member(const FlowId& flow) {
        const auto id = on_partition(flow);
        value_of(run(AddExecutionToFlow{.flow_id = flow, .execution_id = id}));
        return id;
    }
    FlowRow flow_row() { return snapshot().of<FlowRow>().begin()->second; }
    std::int64_t revision() { return flow_row().graph_revision; }
    EdgeStaged stage(const FlowId& flow, const EdgeId& edge, const ExecutionId& from, const ExecutionId& to) {
        return value_of(run(stage_command(flow, edge, from, to)));
    }
    StageDependencyEdge stage_command(const FlowId& flow, const EdgeId& edge, const ExecutionId& from,
                                      const ExecutionId& to) {
        return {.flow_id = flow,
                .edge_id = edge,
                .upstream = from,
                .downstream = to,
                .expected_graph_revision = revision()};
    }
    Result<DependencyApplied> apply(const FlowId& flow, const EdgeId& edge, const ExecutionId& from,
                                    const ExecutionId& to) {
        auto applied =
            run(ApplyDependencyToChild{.flow_id = flow, .edge_id = edge, .upstream = from, .downstream = to});
        engine().settle();
        return applied;
    }
    void finish(const ExecutionId& id, bool well) {
        auto claimed = value_of(run(IssueGrantAndClaim{.execution_id = id}));
        if (well) {
            value_of(complete(claimed.handle));
        } else {
            value_of(fail(claimed.handle, "permanent"));
        }
        engine().settle();
    }

  private:
    std::uint8_t uuids_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Stores, FlowBuild, all_stores(), name_of_param);

SubmitFlow graph(const std::vector<std::string>& names, const std::vector<FlowEdge>& edges) {
    SubmitFlow command;
    command.flow_kind = "test";
    for (const std::string& name : names) command.nodes.push_back({.name = name, .execution = {}, .policy = {}});
    command.edges = edges;
    return command;
}

TEST_P(FlowBuild, AGraphThatIsNoneIsRefusedByNameAndNothingIsWritten) {
    const auto refuse = [&](const SubmitFlow& command, ErrorKind kind, std::string_view detail) {
        expect_no_change([&] { expect_error(run(command), kind, detail); });
    };
    refuse(graph({}, {}), ErrorKind::invalid_input, "nodes");
    refuse(graph({"a", "a"}, {}), ErrorKind::invalid_input, "'a' is there twice");
    refuse(graph({"a"}, {{.from = "a", .to = "b"}}), ErrorKind::invalid_input, "no node 'b'");
    refuse(graph({"a"}, {{.from = "a", .to = "a"}}), ErrorKind::self_referencing_edge, "edges[0]");
    refuse(graph({"a", "b"}, {{.from = "a", .to = "b"}, {.from = "a", .to = "b"}}), ErrorKind::invalid_input,
           "edges[1]");
    refuse(graph({"a", "b", "c"}, {{.from = "a", .to = "b"}, {.from = "b", .to = "c"}, {.from = "c", .to = "b"}}),
           ErrorKind::cycle_detected, "node '");
    auto quorum = graph({"a", "b"}, {{.from = "a", .to = "b"}});
    quorum.nodes[1].policy = {.kind = GroupKind::quorum, .k = 2};
    refuse(quorum, ErrorKind::invalid_input, "'b' has 1 incoming edges");
    auto elsewhere = graph({"a"}, {});
    elsewhere.flow_id = flow_id(1);
    elsewhere.nodes[0].execution.execution_id =
        ExecutionId{static_cast<std::uint16_t>((flow_partition(flow_id(1)) + 1) % flow_partitions), next_uuid()};
    refuse(elsewhere, ErrorKind::invalid_input, "partition_mismatch");
}

TEST_P(FlowBuild, AGraphThatIsSubmittedAgainIsTheSameFlow) {
    auto command = graph({"a", "b"}, {{.from = "a", .to = "b"}});
    command.flow_id = flow_id(1);
    const auto first = value_of(run(command));
    EXPECT_FALSE(first.already_there);
    expect_no_change([&] {
        const auto again = value_of(run(command));
        EXPECT_TRUE(again.already_there);
        EXPECT_EQ(again.members, first.members);
    });
    command.flow_kind = "another";
    expect_error(run(command), ErrorKind::flow_already_exists);
}

TEST_P(FlowBuild, CreatingAFlowTwiceIsOneFlow) {
    EXPECT_FALSE(value_of(run(CreateFlow{.flow_id = flow_id(1), .flow_kind = "k"})).already_there);
    EXPECT_TRUE(value_of(run(CreateFlow{.flow_id = flow_id(1), .flow_kind = "k"})).already_there);
    EXPECT_EQ(revision(), 0);
    expect_error(run(CreateFlow{.flow_id = flow_id(1), .flow_kind = "other"}), ErrorKind::flow_already_exists);
}

TEST_P(FlowBuild, AMemberCountsOnce) {
    value_of(run(CreateFlow{.flow_id = flow_id(1)}));
    const auto id = on_partition(flow_id(1));
    EXPECT_EQ(value_of(run(AddExecutionToFlow{.flow_id = flow_id(1), .execution_id = id})).node_count, 1U);
    EXPECT_EQ(revision(), 1);
    EXPECT_TRUE(value_of(run(AddExecutionToFlow{.flow_id = flow_id(1), .execution_id = id})).already_there);
    EXPECT_EQ(revision(), 1);
    expect_error(run(AddExecutionToFlow{.flow_id = flow_id(2), .execution_id = id}), ErrorKind::invalid_input);
}

TEST_P(FlowBuild, StagingNeedsMembersTheRevisionAndNoCycle) {
    const FlowId flow = flow_id(1);
    value_of(run(CreateFlow{.flow_id = flow}));
    const auto a = member(flow);
    const auto b = member(flow);
    const auto stranger = on_partition(flow);
    stage(flow, edge_id(1), a, b);
    expect_no_change([&] { EXPECT_TRUE(stage(flow, edge_id(1), a, b).already_there); });
    expect_no_change([&] {
        expect_error(run(stage_command(flow, edge_id(1), b, a)), ErrorKind::dependency_already_exists);
        expect_error(run(stage_command(flow, edge_id(2), b, a)), ErrorKind::cycle_detected);
        expect_error(run(stage_command(flow, edge_id(2), a, a)), ErrorKind::self_referencing_edge);
        expect_error(run(stage_command(flow, edge_id(2), a, stranger)), ErrorKind::execution_not_in_flow);
        auto stale = stage_command(flow, edge_id(2), a, b);
        stale.expected_graph_revision = 0;
        expect_error(run(stale), ErrorKind::stale_graph_revision);
    });
}

TEST_P(FlowBuild, AnAppliedEdgeBlocksItsChild) {
    const FlowId flow = flow_id(1);
    value_of(run(CreateFlow{.flow_id = flow}));
    const auto a = member(flow);
    const auto b = member(flow);
    stage(flow, edge_id(1), a, b);
    EXPECT_EQ(state(b), PublicState::waiting);
    EXPECT_EQ(value_of(apply(flow, edge_id(1), a, b)).unsatisfied_count, 1U);
    EXPECT_EQ(state(b), PublicState::waiting_children);
    expect_no_change([&] { EXPECT_TRUE(value_of(apply(flow, edge_id(1), a, b)).already_there); });
    finish(a, true);
    EXPECT_EQ(state(b), PublicState::waiting);
}

TEST_P(FlowBuild, AnEdgeFromAnEndedUpstreamResolvesAtOnce) {
    const FlowId flow = flow_id(1);
    value_of(run(CreateFlow{.flow_id = flow}));
    const auto well = member(flow);
    const auto badly = member(flow);
    const auto c = member(flow);
    const auto d = member(flow);
    finish(well, true);
    finish(badly, false);
    stage(flow, edge_id(1), well, c);
    value_of(apply(flow, edge_id(1), well, c));
    EXPECT_EQ(state(c), PublicState::waiting);
    stage(flow, edge_id(2), badly, d);
    value_of(apply(flow, edge_id(2), badly, d));
    EXPECT_EQ(state(d), PublicState::skipped);
}

TEST_P(FlowBuild, AnOpenAnyOfWaitsForTheSeal) {
    const FlowId flow = flow_id(1);
    value_of(run(CreateFlow{.flow_id = flow}));
    const auto a = member(flow);
    const auto b = member(flow);
    value_of(run(SetEdgeGroupPolicy{.flow_id = flow, .downstream = b, .policy = {.kind = GroupKind::any_of}}));
    stage(flow, edge_id(1), a, b);
    value_of(apply(flow, edge_id(1), a, b));
    finish(a, false);
    EXPECT_EQ(state(b), PublicState::waiting_children);
    value_of(run(SealFlow{flow}));
    engine().settle();
    EXPECT_EQ(state(b), PublicState::skipped);
    EXPECT_TRUE(flow_row().sealed);
    EXPECT_EQ(flow_row().public_flow_state, FlowState::failed);
}

TEST_P(FlowBuild, ASealedFlowTakesNothingMore) {
    const FlowId flow = flow_id(1);
    value_of(run(CreateFlow{.flow_id = flow}));
    member(flow);
    const auto late = on_partition(flow);
    value_of(run(SealFlow{flow}));
    EXPECT_TRUE(value_of(run(SealFlow{flow})).already_there);
    expect_error(run(AddExecutionToFlow{.flow_id = flow, .execution_id = late}), ErrorKind::flow_sealed);
}

}  // namespace
}  // namespace flowfabric::test
