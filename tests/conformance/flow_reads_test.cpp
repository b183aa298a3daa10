#include "conformance/flowing.hpp"

// What callers read about flows and edges, and the flows' tags.
namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using Direction = ListEdges::Direction;

class FlowReads : public Flowing {
  protected:
    FlowSnapshot described() {
        auto found = value_of(api().describe_flow(flow_));
        if (!found) throw std::runtime_error("there is no such flow");
        return std::move(*found);
    }
    std::vector<EdgeSnapshot> edges_of(const ExecutionId& id, Direction direction) {
        return value_of(api().list_edges({.flow_id = flow_, .execution_id = id, .direction = direction}));
    }
    FlowEligibility eligibility(const ExecutionId& id) { return value_of(api().evaluate_flow_eligibility(id)); }
};
INSTANTIATE_TEST_SUITE_P(Stores, FlowReads, all_stores(), name_of_param);

// ---- describe_flow ----------------------------------------------------------------------------------------------

TEST_P(FlowReads, AFlowTellsAllAboutItself) {
    auto command =
        graph_of({"a", "b", "c", "d"}, fan_in({"a", "b", "c"}, "d"), {{"d", quorum_policy(2, OnSatisfied::let_run)}});
    command.namespace_name = "n";
    command.tags = {{"app.team", "blue"}};
    submit(std::move(command));
    const std::int64_t created_at = now();
    advance(10);
    succeed(at("a"));
    lose(at("b"));
    const FlowSnapshot flow = described();
    EXPECT_EQ(flow.flow_id, flow_);
    EXPECT_EQ(flow.flow_kind, "test");
    EXPECT_EQ(flow.namespace_name, "n");
    EXPECT_TRUE(flow.sealed);
    EXPECT_EQ(flow.node_count, 4U);
    EXPECT_EQ(flow.edge_count, 3U);
    EXPECT_EQ(flow.created_at_ms, created_at);
    EXPECT_EQ(flow.last_mutation_at_ms, created_at);
    EXPECT_FALSE(flow.cancelled_at_ms || flow.cancel_reason || flow.cancellation_policy);
    EXPECT_EQ(flow.tags, (std::map<std::string, std::string>{{"app.team", "blue"}}));
    EXPECT_THAT(flow.edge_groups, ElementsAre(GroupSnapshot{.downstream = at("d"),
                                                            .policy = quorum_policy(2, OnSatisfied::let_run),
                                                            .total = 3,
                                                            .satisfied = 1,
                                                            .failed = 1,
                                                            .skipped = 0,
                                                            .running = 1,
                                                            .state = GroupState::pending}));
    succeed(at("c"));
    EXPECT_EQ(described().edge_groups[0].state, GroupState::satisfied);
}

TEST_P(FlowReads, GroupsStandInTheOrderOfTheirExecutions) {
    submit({"a", "b", "c", "d", "e"},
           {{.from = "a", .to = "e"}, {.from = "a", .to = "c"}, {.from = "a", .to = "b"}, {.from = "a", .to = "d"}});
    std::vector<ExecutionId> ids;
    for (const GroupSnapshot& group : described().edge_groups) ids.push_back(group.downstream);
    EXPECT_THAT(ids, SizeIs(4));
    EXPECT_TRUE(std::ranges::is_sorted(ids));
}

TEST_P(FlowReads, ACancelledFlowTellsWhy) {
    submit({"a"});
    advance(5);
    cancel_flow(CancellationPolicy::cancel_pending);
    const FlowSnapshot flow = described();
    EXPECT_EQ(flow.state, FlowPhase::cancelled);
    EXPECT_EQ(flow.cancelled_at_ms, now());
    EXPECT_EQ(flow.cancel_reason, "enough");
    EXPECT_EQ(flow.cancellation_policy, CancellationPolicy::cancel_pending);
}

TEST_P(FlowReads, AnOpenFlowLooksLikeItsMembers) {
    create_flow();
    EXPECT_EQ(described().state, FlowPhase::open);
    const ExecutionId a = member();
    const ExecutionId b = member();
    EXPECT_EQ(described().state, FlowPhase::open);
    connect(edge_id(1), a, b);
    EXPECT_EQ(described().state, FlowPhase::blocked) << "one waits for another";
    const ClaimedExecution held = take(a);
    EXPECT_EQ(described().state, FlowPhase::running);
    value_of(complete(held.handle));
    engine().settle();
    EXPECT_EQ(described().state, FlowPhase::open);
    value_of(delay(take(b).handle, now() + 1000));
    EXPECT_EQ(described().state, FlowPhase::blocked) << "one is delayed";
    advance(1000);
    reconcile();
    succeed(b);
    EXPECT_EQ(described().state, FlowPhase::completed);
    EXPECT_EQ(flow_state(), FlowState::open) << "on its row";
    lose(member());
    EXPECT_EQ(described().state, FlowPhase::failed);
}

TEST_P(FlowReads, WhatIsUnknownIsNothing) {
    create_flow();
    const ExecutionId alone = create();
    EXPECT_FALSE(value_of(api().describe_flow(flow_id(9))));
    EXPECT_FALSE(value_of(api().describe_edge(flow_, edge_id(1))));
    EXPECT_FALSE(value_of(api().describe_edge(flow_id(9), edge_id(1))));
    EXPECT_FALSE(value_of(api().get_flow_tag(flow_id(9), "app.team")));
    EXPECT_FALSE(value_of(api().get_flow_tag(flow_, "app.team")));
    EXPECT_FALSE(value_of(api().resolve_execution_flow_id(alone)));
    EXPECT_FALSE(value_of(api().resolve_execution_flow_id({alone.partition, Uuid{{9}}})));
    for (const Direction direction : {Direction::incoming, Direction::outgoing}) {
        EXPECT_THAT(edges_of(alone, direction), IsEmpty());
        EXPECT_THAT(value_of(api().list_edges({flow_id(9), alone, direction})), IsEmpty());
    }
}

TEST_P(FlowReads, AnExecutionHasNoEdgesInAnotherFlow) {
    submit({"a", "b", "c"}, {{.from = "a", .to = "b"}, {.from = "b", .to = "c"}});
    for (const Direction direction : {Direction::incoming, Direction::outgoing}) {
        EXPECT_EQ(edges_of(at("b"), direction).size(), 1U);
        EXPECT_THAT(value_of(api().list_edges({neighbour_of(flow_), at("b"), direction})), IsEmpty());
    }
}

TEST_P(FlowReads, AMemberNamesItsFlow) {
    submit({"a"});
    EXPECT_EQ(value_of(api().resolve_execution_flow_id(at("a"))), flow_);
}

// ---- list_flows -------------------------------------------------------------------------------------------------

TEST_P(FlowReads, MembersThatWaitForOthersAreListedAsLongAsTheyDo) {
    const auto waiting = [&] {
        std::vector<ExecutionId> ids;
        for (const auto& one : value_of(api().list_executions({.state = PublicState::waiting_children})).executions) {
            ids.push_back(one.execution_id);
        }
        return ids;
    };
    submit({"a", "b", "c", "lone"}, {{.from = "a", .to = "b"}, {.from = "b", .to = "c"}});
    EXPECT_THAT(waiting(), UnorderedElementsAre(at("b"), at("c")));
    succeed(at("lone"));
    reconcile();
    EXPECT_THAT(waiting(), UnorderedElementsAre(at("b"), at("c")));
    succeed(at("a"));
    EXPECT_THAT(waiting(), ElementsAre(at("c")));
    lose(at("b"));
    reconcile();
    EXPECT_THAT(waiting(), IsEmpty());
    value_of(run(ReplayExecution{.execution_id = at("b")}));
    value_of(run(ReplayExecution{.execution_id = at("c")}));
    EXPECT_THAT(waiting(), ElementsAre(at("c")));

    cancel_flow(CancellationPolicy::cancel_flow_only);
    reconcile();
    EXPECT_THAT(waiting(), ElementsAre(at("c")));
    cancel_one(at("c"));
    EXPECT_THAT(waiting(), IsEmpty());
}

TEST_P(FlowReads, FlowsAreListedByIdPageByPage) {
    const std::uint16_t partition = flow_partition(flow_id(1));
    std::vector<FlowId> expected{flow_id(1)};
    while (expected.size() < 5) expected.push_back(neighbour_of(expected.back()));
    for (auto id = expected.rbegin(); id != expected.rend(); ++id) value_of(run(CreateFlow{.flow_id = *id}));
    value_of(run(CreateFlow{.flow_id = FlowId{Uuid{{0x55}}}}));
    value_of(run(CancelFlow{.flow_id = expected[1]}));

    std::vector<FlowSummary> listed;
    ListFlows query{.partition = partition, .after = {}, .limit = 2};
    for (;;) {
        const FlowPage page = value_of(api().list_flows(query));
        listed.insert(listed.end(), page.flows.begin(), page.flows.end());
        if (!page.next) break;
        EXPECT_THAT(page.flows, SizeIs(2));
        EXPECT_EQ(page.next, listed.back().flow_id);
        query.after = page.next;
    }
    ASSERT_EQ(listed.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto status = i == 1 ? FlowStatus::cancelled : FlowStatus::active;
        EXPECT_EQ(listed[i], (FlowSummary{expected[i], now(), status}));
    }
    EXPECT_EQ(value_of(api().list_flows({.partition = partition, .after = {}, .limit = 0})), FlowPage{});
    EXPECT_FALSE(value_of(api().list_flows({.partition = partition, .after = {}, .limit = 5})).next);
    EXPECT_THAT(value_of(api().list_flows({.partition = partition, .after = {}, .limit = 4'000'000'000U})).flows,
                SizeIs(5));
    expect_error(api().list_flows({.partition = 256}), ErrorKind::invalid_input, "partition");
}

TEST_P(FlowReads, FlowsOfAllPartitionsAreListedByPartitionAndId) {
    std::vector<FlowId> expected;
    for (std::uint8_t i = 1; i <= 7; ++i) {
        expected.push_back(flow_id(i));
        value_of(run(CreateFlow{.flow_id = flow_id(i), .namespace_name = i % 3 == 0 ? "bank" : "shop"}));
    }
    const auto place = [](const FlowId& id) { return std::pair(flow_partition(id), id); };
    std::ranges::sort(expected, {}, place);
    const auto listed = [&](ListFlows query) {
        std::vector<FlowId> ids;
        for (query.limit = 2;;) {
            const FlowPage page = value_of(api().list_flows(query));
            EXPECT_LE(page.flows.size(), 2U);
            for (const FlowSummary& flow : page.flows) ids.push_back(flow.flow_id);
            if (!page.next) return ids;
            query.after = page.next;
        }
    };
    EXPECT_EQ(listed({}), expected);
    EXPECT_THAT(listed({.partition = flow_partition(flow_id(4))}), ElementsAre(flow_id(4)));
    EXPECT_THAT(listed({.namespace_name = "bank"}), UnorderedElementsAre(flow_id(3), flow_id(6)));
    EXPECT_THAT(listed({.partition = flow_partition(flow_id(4)), .namespace_name = "bank"}), IsEmpty());
    EXPECT_THAT(listed({.namespace_name = "depot"}), IsEmpty());
    expect_error(api().list_flows({.namespace_name = ""}), ErrorKind::invalid_input, "namespace");
}

// ---- edges ------------------------------------------------------------------------------------------------------

TEST_P(FlowReads, AnEdgeTellsAllAboutItself) {
    create_flow();
    const ExecutionId a = member();
    const ExecutionId b = member();
    auto command = staging(edge_id(1), a, b);
    command.data_passing_ref = "ref";
    value_of(run(command));
    EdgeSnapshot expected{.edge_id = edge_id(1),
                          .flow_id = flow_,
                          .upstream = a,
                          .downstream = b,
                          .dependency_kind = "success_only",
                          .satisfaction_condition = "all_required",
                          .data_passing_ref = "ref",
                          .edge_state = EdgeState::pending,
                          .dependency_state = {},
                          .created_at_ms = now(),
                          .created_by = "engine"};
    EXPECT_EQ(value_of(api().describe_edge(flow_, edge_id(1))), expected);
    advance(5);
    apply(edge_id(1), a, b);
    expected.edge_state = EdgeState::applied;
    expected.dependency_state = DependencyState::unsatisfied;
    EXPECT_EQ(value_of(api().describe_edge(flow_, edge_id(1))), expected);
    succeed(a);
    expected.dependency_state = DependencyState::satisfied;
    EXPECT_EQ(value_of(api().describe_edge(flow_, edge_id(1))), expected);
    EXPECT_THAT(edges_of(b, Direction::incoming), ElementsAre(expected));
    EXPECT_THAT(edges_of(a, Direction::outgoing), ElementsAre(expected));
    EXPECT_THAT(edges_of(a, Direction::incoming), IsEmpty());
    EXPECT_THAT(edges_of(b, Direction::outgoing), IsEmpty());
}

TEST_P(FlowReads, EdgesAreListedByTheirIds) {
    create_flow();
    const ExecutionId a = member();
    const ExecutionId b = member();
    const ExecutionId c = member();
    stage(edge_id(3), a, c);
    stage(edge_id(1), b, c);
    stage(edge_id(2), a, b);
    const auto ids_of = [&](const ExecutionId& id, Direction direction) {
        std::vector<EdgeId> ids;
        for (const EdgeSnapshot& edge : edges_of(id, direction)) ids.push_back(edge.edge_id);
        return ids;
    };
    EXPECT_THAT(ids_of(c, Direction::incoming), ElementsAre(edge_id(1), edge_id(3)));
    EXPECT_THAT(ids_of(a, Direction::outgoing), ElementsAre(edge_id(2), edge_id(3)));
    for (const auto& [direction, id, first, second] : {std::tuple(Direction::incoming, c, edge_id(1), edge_id(3)),
                                                       std::tuple(Direction::outgoing, a, edge_id(2), edge_id(3))}) {
        ListEdges query{.flow_id = flow_, .execution_id = id, .direction = direction, .after = {}, .limit = 1};
        auto page = value_of(api().read(query));
        ASSERT_THAT(page.edges, SizeIs(1));
        EXPECT_EQ(page.edges.front().edge_id, first);
        EXPECT_EQ(page.next, first);
        query.after = page.next;
        page = value_of(api().read(query));
        ASSERT_THAT(page.edges, SizeIs(1));
        EXPECT_EQ(page.edges.front().edge_id, second);
        EXPECT_FALSE(page.next);
        query.limit = 0;
        EXPECT_EQ(value_of(api().read(query)), FlowEdgePage{});
    }
}

// ---- evaluate_flow_eligibility ----------------------------------------------------------------------------------

TEST_P(FlowReads, EligibilityFollowsAMemberThroughItsLife) {
    create_flow();
    const ExecutionId a = member();
    const ExecutionId b = member();
    EXPECT_EQ(eligibility({a.partition, Uuid{{9}}}), FlowEligibility::not_found);
    EXPECT_EQ(eligibility(b), FlowEligibility::eligible);
    connect(edge_id(1), a, b);
    EXPECT_EQ(eligibility(b), FlowEligibility::blocked_by_dependencies);
    const ClaimedExecution held = take(a);
    EXPECT_EQ(eligibility(a), FlowEligibility::not_runnable);
    expect_no_change([&] { eligibility(b); });
    value_of(complete(held.handle));
    engine().settle();
    EXPECT_EQ(eligibility(a), FlowEligibility::terminal);
    EXPECT_EQ(eligibility(b), FlowEligibility::eligible);
}

TEST_P(FlowReads, AChildIsImpossibleAsSoonAsItsUpstreamIsLostWhateverTheWay) {
    auto command = graph_of({"failed", "cancelled", "expired", "f", "c", "e", "ff"}, {{.from = "failed", .to = "f"},
                                                                                      {.from = "cancelled", .to = "c"},
                                                                                      {.from = "expired", .to = "e"},
                                                                                      {.from = "f", .to = "ff"}});
    command.nodes[2].execution.execution_deadline_at_ms = now() + 1000;
    submit(std::move(command));
    const auto before_its_dispatch = [&](const std::string& child) {
        EXPECT_EQ(eligibility(at(child)), FlowEligibility::impossible) << child;
        engine().crash();
        recover();
        EXPECT_EQ(eligibility(at(child)), FlowEligibility::terminal) << child;
    };
    value_of(fail(take(at("failed")).handle, "permanent"));
    before_its_dispatch("f");
    EXPECT_EQ(eligibility(at("ff")), FlowEligibility::terminal);
    value_of(cancel_by("operator_override", at("cancelled")));
    before_its_dispatch("c");
    EXPECT_EQ(state(at("expired")), PublicState::expired) << "meanwhile";
    EXPECT_EQ(eligibility(at("e")), FlowEligibility::terminal);
}

TEST_P(FlowReads, ALossThatItsGroupCanBearIsNotImpossible) {
    submit({"a", "b", "c"}, fan_in({"a", "b"}, "c"), {{"c", any_policy()}});
    lose(at("a"));
    EXPECT_EQ(eligibility(at("c")), FlowEligibility::blocked_by_dependencies);
}

// ---- tags -------------------------------------------------------------------------------------------------------

TEST_P(FlowReads, ATagIsSetAndSetAgain) {
    create_flow();
    value_of(run(SetFlowTag{flow_, "app.team", "blue"}));
    EXPECT_EQ(value_of(api().get_flow_tag(flow_, "app.team")), "blue");
    value_of(run(SetFlowTag{flow_, "app.team", "gr\xC3\xBCn"}));
    value_of(run(SetFlowTag{flow_, "app.flow_kind", ""}));
    expect_no_change([&] { value_of(run(SetFlowTag{flow_, "app.flow_kind", ""})); });
    EXPECT_EQ(described().tags,
              (std::map<std::string, std::string>{{"app.team", "gr\xC3\xBCn"}, {"app.flow_kind", ""}}));
    EXPECT_EQ(described().flow_kind, "test") << "tags are apart from what the engine keeps";
}

TEST_P(FlowReads, ATagNeedsAKeyWithANamespaceAndAFlow) {
    create_flow();
    for (const std::string& key : {std::string(), std::string("plain"), std::string("App.team"), std::string("app."),
                                   std::string("app..x"), std::string(".x"), std::string("1a.b"), std::string("a.b c"),
                                   std::string("a.b\0", 4), "a." + std::string(3000, 'k')}) {
        expect_refused(SetFlowTag{flow_, key, "v"}, ErrorKind::invalid_input, "tags.");
        expect_error(api().get_flow_tag(flow_, key), ErrorKind::invalid_input, "tags.");
    }
    expect_refused(SetFlowTag{flow_id(9), "app.team", "v"}, ErrorKind::flow_not_found, flow_id(9).to_string());
}

TEST_P(FlowReads, AFlowThatHasEndedCanStillBeTagged) {
    submit({"a"});
    cancel_flow(CancellationPolicy::cancel_all);
    value_of(run(SetFlowTag{flow_, "app.note", "postmortem"}));
    EXPECT_EQ(value_of(api().get_flow_tag(flow_, "app.note")), "postmortem");
}

}  // namespace
}  // namespace flowfabric::test
