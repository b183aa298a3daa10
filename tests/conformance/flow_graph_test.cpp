#include "conformance/flowing.hpp"

// The members and edges of whole flows, as callers read them.
namespace flowfabric::test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class FlowGraphReads : public Flowing {
  protected:
    FlowMemberPage members(const ListFlowMembers& query) {
        auto page = value_of(api().list_flow_members(query));
        if (!page) throw std::runtime_error("there is no such flow");
        return std::move(*page);
    }
    FlowEdgePage edges(const ListFlowEdges& query) {
        auto page = value_of(api().list_flow_edges(query));
        if (!page) throw std::runtime_error("there is no such flow");
        return std::move(*page);
    }
    std::map<std::string, PublicState> states_by_name() {
        std::map<std::string, PublicState> states;
        for (const ExecutionSummary& member : members({.flow_id = flow_, .after = {}}).members) {
            states.emplace(member.node_name.value_or("none"), member.public_state);
        }
        return states;
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, FlowGraphReads, all_stores(), name_of_param);

TEST_P(FlowGraphReads, MembersHaveTheNamesOfTheirNodesAndTheirStates) {
    submit({"fetch", "parse", "store"}, {{.from = "fetch", .to = "parse"}, {.from = "parse", .to = "store"}});
    using enum PublicState;
    EXPECT_EQ(states_by_name(), (std::map<std::string, PublicState>{
                                    {"fetch", waiting}, {"parse", waiting_children}, {"store", waiting_children}}));
    succeed(at("fetch"));
    lose(at("parse"));
    EXPECT_EQ(states_by_name(),
              (std::map<std::string, PublicState>{{"fetch", completed}, {"parse", failed}, {"store", skipped}}));
    for (const ExecutionSummary& member : members({.flow_id = flow_, .after = {}}).members) {
        EXPECT_EQ(member.execution_id, at(member.node_name.value()));
        EXPECT_EQ(member.lane_id, member.node_name.value());
        EXPECT_EQ(member.flow_id, flow_);
    }
}

TEST_P(FlowGraphReads, AMemberThatWasAddedLaterHasNoName) {
    create_flow();
    const ExecutionId id = member();
    const auto page = members({.flow_id = flow_, .after = {}});
    ASSERT_THAT(page.members, SizeIs(1));
    EXPECT_EQ(page.members[0].execution_id, id);
    EXPECT_EQ(page.members[0].node_name, std::nullopt);
}

TEST_P(FlowGraphReads, MembersAndEdgesComeInPagesThatMeet) {
    submit({"a", "b", "c", "d", "e"},
           {{.from = "a", .to = "e"}, {.from = "b", .to = "e"}, {.from = "c", .to = "e"}, {.from = "d", .to = "e"}});
    const FlowId shown = flow_;
    submit({"another flow's"});
    const auto whole = members({.flow_id = shown, .after = {}});
    EXPECT_THAT(whole.members, SizeIs(5));
    EXPECT_EQ(whole.next, std::nullopt);
    ListFlowMembers by_two{.flow_id = shown, .after = {}, .limit = 2};
    std::vector<ExecutionSummary> met;
    for (int i = 0; i < 3; ++i) {
        const auto page = members(by_two);
        met.insert(met.end(), page.members.begin(), page.members.end());
        by_two.after = page.next;
        EXPECT_EQ(page.next.has_value(), i < 2);
    }
    EXPECT_EQ(met, whole.members);
    EXPECT_TRUE(std::ranges::is_sorted(met, {}, &ExecutionSummary::execution_id));

    const auto all_edges = edges({.flow_id = shown, .after = {}});
    EXPECT_THAT(all_edges.edges, SizeIs(4));
    const auto first = edges({.flow_id = shown, .after = {}, .limit = 3});
    const auto rest = edges({.flow_id = shown, .after = first.next, .limit = 3});
    EXPECT_THAT(first.edges, SizeIs(3));
    EXPECT_EQ(rest.edges, std::vector(all_edges.edges.begin() + 3, all_edges.edges.end()));
    EXPECT_EQ(rest.next, std::nullopt);
    EXPECT_EQ(members({.flow_id = shown, .after = {}, .limit = 0}), FlowMemberPage{});
    EXPECT_EQ(edges({.flow_id = shown, .after = {}, .limit = 0}), FlowEdgePage{});
}

TEST_P(FlowGraphReads, AGraphIsItsPartsInOneAnswer) {
    submit({"a", "b", "c"}, fan_in({"a", "b"}, "c"), {{"c", any_policy()}});
    succeed(at("a"));
    const FlowGraph graph = value_of(api().get_flow_graph(flow_)).value();
    EXPECT_EQ(graph.flow, value_of(api().describe_flow(flow_)));
    EXPECT_EQ(graph.members, members({.flow_id = flow_, .after = {}}).members);
    EXPECT_EQ(graph.edges, edges({.flow_id = flow_, .after = {}}).edges);
    EXPECT_THAT(graph.members, SizeIs(3));
    EXPECT_THAT(graph.edges, SizeIs(2));
}

TEST_P(FlowGraphReads, AnUnknownFlowIsNothingAndAnEmptyOneIsEmpty) {
    EXPECT_FALSE(value_of(api().list_flow_members({.flow_id = flow_id(9), .after = {}})));
    EXPECT_FALSE(value_of(api().list_flow_edges({.flow_id = flow_id(9), .after = {}})));
    EXPECT_FALSE(value_of(api().get_flow_graph(flow_id(9))));
    create_flow();
    EXPECT_THAT(members({.flow_id = flow_, .after = {}}).members, IsEmpty());
    EXPECT_THAT(edges({.flow_id = flow_, .after = {}}).edges, IsEmpty());
    EXPECT_THAT(value_of(api().get_flow_graph(flow_)).value().members, IsEmpty());
}

TEST_P(FlowGraphReads, ACursorOfAnotherFlowsPartitionIsRefused) {
    create_flow();
    ExecutionId elsewhere = member();
    elsewhere.partition ^= 1U;
    expect_error(api().list_flow_members({.flow_id = flow_, .after = elsewhere}), ErrorKind::invalid_input, "cursor");
}

TEST_P(FlowGraphReads, ANodesNameIsTextOfALimitedLength) {
    for (const std::string& name :
         {std::string(), std::string("a\0b", 3), std::string("\xFF"), std::string(max_label_bytes + 1, 'n')}) {
        expect_refused(graph_of({"a", name}), ErrorKind::invalid_input, "nodes[1].name");
    }
    auto command = graph_of({"a"});
    command.nodes[0].name = "gr\xC3\xBCn " + std::string(max_label_bytes - 6, 'n');
    const std::string name = command.nodes[0].name;
    submit(std::move(command));
    EXPECT_EQ(members({.flow_id = flow_, .after = {}}).members.at(0).node_name, name);
}

}  // namespace
}  // namespace flowfabric::test
