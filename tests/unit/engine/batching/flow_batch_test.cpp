#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/execution/state_vector.hpp"
#include "core/flow/edge_group.hpp"
#include "core/flow/flow_fields.hpp"
#include "engine/batching/decide_batch.hpp"
#include "engine/batching/load_plan.hpp"
#include "flowfabric/build_flow.hpp"
#include "unit/engine/batching/batches.hpp"

// A flow that is built piece by piece: no piece reads what is there already, unless it must.
namespace flowfabric::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const FlowKey flow = key_of(FlowId{uuid_of(100)});

ExecutionId member_id(std::uint64_t number) {
    return {flow.partition, uuid_of(number)};
}

ExecutionRow member(std::uint64_t number) {
    ExecutionRow row = waiting_row(number);
    row.id = member_id(number);
    row.flow_id = flow.flow_id;
    return row;
}

EdgeRow edge(std::uint64_t from, std::uint64_t to) {
    return {.key = {flow, EdgeId{uuid_of(1'000 * from + to)}}, .upstream = uuid_of(from), .downstream = uuid_of(to)};
}

StageDependencyEdge staging(std::uint64_t from, std::uint64_t to, std::int64_t revision = 0) {
    return {.flow_id = flow.flow_id,
            .edge_id = edge(from, to).key.edge_id,
            .upstream = member_id(from),
            .downstream = member_id(to),
            .expected_graph_revision = revision};
}

ApplyDependencyToChild applying(std::uint64_t from, std::uint64_t to) {
    return {.flow_id = flow.flow_id,
            .edge_id = edge(from, to).key.edge_id,
            .upstream = member_id(from),
            .downstream = member_id(to)};
}

// As a store would: nothing that was not asked for.
class FlowBatch : public testing::Test {
  protected:
    BatchDecision decide(const Batch& batch) {
        const LoadRequest request = load_request(batch);
        Loaded loaded = loaded_with({member(1), member(2), member(3), member(4)});
        for (ExecutionRow& row : loaded.executions) {
            if (row.id == ended) row.vector = terminal_vector(TerminalOutcome::success, true);
        }
        FlowRow row;
        row.key = flow;
        loaded.side.of<FlowRow>().load(row);
        for (const EdgeGroupRow& group : groups) loaded.side.of<EdgeGroupRow>().load(group);
        const auto& wanted = request.side.of<EdgeRow>();
        for (const EdgeRow& edge : edges) {
            const bool asked_for = std::ranges::find(wanted.keys, edge.key) != wanted.keys.end() ||
                                   std::ranges::find(wanted.flows, edge.flow()) != wanted.flows.end() ||
                                   std::ranges::find(wanted.groups, edge.group()) != wanted.groups.end() ||
                                   std::ranges::find(wanted.sources, edge.source()) != wanted.sources.end();
            if (asked_for) loaded.side.of<EdgeRow>().load(edge);
        }
        return decide_batch(batch, std::move(loaded), {});
    }
    static std::optional<ErrorKind> error_of(const CommandVerdict& verdict) {
        EXPECT_EQ(verdict.verdict, Verdict::answered);
        return verdict.answer ? std::nullopt : std::optional(verdict.answer.error().kind);
    }
    // Decided again, as the batcher would.
    BatchDecision decide_wider(const Batch& batch, const BatchDecision& first) {
        EXPECT_EQ(first.verdicts[0].verdict, Verdict::wider);
        EXPECT_TRUE(first.set.empty());
        batch.commands[0].command->widen(first.verdicts[0].answer->as<MoreRows>());
        return decide(batch);
    }

    std::vector<EdgeRow> edges;
    std::vector<EdgeGroupRow> groups;
    ExecutionId ended;
};

TEST_F(FlowBatch, AnEdgeToAMemberWithNoneBehindItNeedsNoOtherEdge) {
    edges = {edge(1, 2), edge(2, 3)};
    const Batch batch = batch_of({staging(3, 4)});
    const SideRowsWanted asked = load_request(batch).side;
    const auto& wanted = asked.of<EdgeRow>();
    EXPECT_THAT(wanted.keys, ElementsAre(edge(3, 4).key));
    EXPECT_THAT(wanted.flows, IsEmpty());
    const auto decision = decide(batch);
    EXPECT_EQ(error_of(decision.verdicts[0]), std::nullopt);
    EXPECT_THAT(decision.set.side.of<EdgeRow>().puts(), SizeIs(1));
}

TEST_F(FlowBatch, AnEdgeToAMemberThatLeadsOnNeedsTheGraph) {
    edges = {edge(1, 2), edge(2, 3)};
    const Batch closes = batch_of({staging(3, 1)});
    EXPECT_EQ(error_of(decide_wider(closes, decide(closes)).verdicts[0]), ErrorKind::cycle_detected);
    const Batch shortens = batch_of({staging(4, 2)});
    const auto decision = decide_wider(shortens, decide(shortens));
    EXPECT_EQ(error_of(decision.verdicts[0]), std::nullopt);
    EXPECT_THAT(decision.set.side.of<EdgeRow>().puts(), SizeIs(1));
}

TEST_F(FlowBatch, AnEdgeOfTheSameBatchLeadsOnToo) {
    const auto decision = decide(batch_of({staging(1, 2), staging(2, 1, 1)}));
    EXPECT_EQ(error_of(decision.verdicts[0]), std::nullopt);
    EXPECT_EQ(decision.verdicts[1].verdict, Verdict::wider);
}

TEST_F(FlowBatch, AnAppliedEdgeNeedsNoOtherOfItsGroup) {
    edges = {edge(1, 4), edge(2, 4), edge(3, 4)};
    const Batch batch = batch_of({applying(1, 4)});
    EXPECT_THAT(load_request(batch).side.of<EdgeRow>().groups, IsEmpty());
    const auto decision = decide(batch);
    EXPECT_EQ(error_of(decision.verdicts[0]), std::nullopt);
    EXPECT_EQ(decision.verdicts[0].answer->as<DependencyApplied>(), (DependencyApplied{1, false}));
}

TEST_F(FlowBatch, AnAppliedEdgeThatDecidesItsGroupFindsTheSiblingsToCancel) {
    edges = {edge(1, 4), edge(2, 4), edge(3, 4)};
    edges[1].dependency_state = DependencyState::unsatisfied;
    EdgeGroupRow any_of{.key = edges[0].group(), .running_count = 1, .n = 1};
    any_of.policy = policy_json({.kind = GroupKind::any_of, .on_satisfied = OnSatisfied::cancel_remaining});
    groups = {any_of};
    ended = member_id(1);
    const Batch batch = batch_of({applying(1, 4)});
    const auto decision = decide_wider(batch, decide(batch));
    EXPECT_EQ(error_of(decision.verdicts[0]), std::nullopt);
    const auto changed = decision.set.side.of<EdgeGroupRow>().puts();
    ASSERT_THAT(changed, SizeIs(1));
    EXPECT_EQ(changed[0].group_state, GroupState::satisfied);
    EXPECT_THAT(changed[0].cancel_siblings_pending_members.values, ElementsAre(member_id(2).to_string()));
}

}  // namespace
}  // namespace flowfabric::test
