#include "conformance/flowing.hpp"
#include "conformance/suspending.hpp"
#include "conformance/with_key.hpp"

namespace flowfabric::test {
namespace {

using testing::SizeIs;

class FlowSummaries : public WithKey<Flowing> {
  protected:
    std::optional<FlowProjection> summary() { return value_of(api().get_flow_summary(flow_)); }
    FlowProjection projected() {
        reconcile();
        return summary().value();
    }
    FlowStatus listed() {
        for (const FlowSummary& flow : value_of(api().list_flows({.partition = flow_partition(flow_)})).flows) {
            if (flow.flow_id == flow_) return flow.status;
        }
        return FlowStatus::unknown;
    }
    FlowPhase described() { return value_of(api().describe_flow(flow_)).value().state; }
    void delay_for(const ExecutionId& id, std::int64_t ms) { value_of(delay(take(id).handle, now() + ms)); }
    void park(const ExecutionId& id) { value_of(run(until(take(id).handle, {OperatorOnly{}}, {fresh("a")}))); }
};
INSTANTIATE_TEST_SUITE_P(Stores, FlowSummaries, all_stores(), name_of_param);

TEST_P(FlowSummaries, MembersAreCountedByTheirState) {
    SubmitFlow graph =
        graph_of({"waits", "runs", "sleeps", "parked", "succeeds", "fails", "cancelled", "expires", "child", "skipped"},
                 {{.from = "waits", .to = "child"}, {.from = "fails", .to = "skipped"}});
    graph.nodes[7].execution.execution_deadline_at_ms = now() + 10;
    submit(std::move(graph));
    take(at("runs"));
    delay_for(at("sleeps"), 60'000);
    park(at("parked"));
    succeed(at("succeeds"));
    lose(at("fails"));
    cancel_one(at("cancelled"));
    advance(10);
    reconcile();

    const FlowProjection expected{.flow_id = flow_,
                                  .members = {.completed = 1,
                                              .failed = 1,
                                              .cancelled = 1,
                                              .expired = 1,
                                              .skipped = 1,
                                              .active = 1,
                                              .suspended = 1,
                                              .waiting = 1,
                                              .delayed = 1,
                                              .waiting_children = 1},
                                  .state = FlowPhase::running,
                                  .updated_at_ms = now()};
    EXPECT_EQ(projected(), expected);
    const auto stored = snapshot().of<FlowSummaryRow>().at({flow_partition(flow_), flow_});
    EXPECT_EQ(stored.total_members, 10);
    EXPECT_EQ(stored.sampled_members, 10);
}

TEST_P(FlowSummaries, AUsersReasonThatReadsLikeTheEnginesFailsTheFlowAsAnyOther) {
    for (const char* reason : {"not needed", "sibling_quorum_x by the user", "sibling_quorum_satisfied"}) {
        submit({"a", "b"});
        succeed(at("a"));
        value_of(cancel_by("operator_override", at("b"), reason));
        engine().settle();
        EXPECT_EQ(row(at("b")).cancellation_cause, CancellationCause::request) << reason;
        EXPECT_EQ(flow_state(), FlowState::failed) << reason;
        EXPECT_EQ(projected().state, FlowPhase::failed) << reason;
        EXPECT_EQ(listed(), FlowStatus::failed) << reason;
    }
    create_flow();
    const ExecutionId joins_ended = create_beside(flow_);
    value_of(cancel_by("operator_override", joins_ended, "sibling_quorum_x by the user"));
    add(joins_ended);
    EXPECT_EQ(flow_row().failed_members, 1);
}

TEST_P(FlowSummaries, SiblingsThatAQuorumCancelsDoNotFailTheFlow) {
    submit({"a", "b", "c", "d"}, fan_in({"a", "b", "c"}, "d"), {{"d", quorum_policy(1)}});
    succeed(at("a"));
    for (const char* sibling : {"b", "c"}) {
        EXPECT_EQ(row(at(sibling)).cancellation_cause, CancellationCause::sibling);
    }
    succeed(at("d"));
    EXPECT_EQ(flow_state(), FlowState::completed);
    EXPECT_EQ(projected().state, FlowPhase::completed);
    EXPECT_EQ(listed(), FlowStatus::completed);
}

TEST_P(FlowSummaries, TheStateFollowsTheMembers) {
    create_flow();
    const auto a = member();
    const auto b = member();
    EXPECT_EQ(projected().state, FlowPhase::open);
    connect(edge_id(1), a, b);
    EXPECT_EQ(projected().state, FlowPhase::blocked);
    const auto held = take(a);
    EXPECT_EQ(projected().state, FlowPhase::running);
    EXPECT_EQ(listed(), FlowStatus::active);
    value_of(complete(held.handle));
    engine().settle();
    EXPECT_EQ(projected().state, FlowPhase::open);
    succeed(b);
    EXPECT_EQ(projected().state, FlowPhase::completed);
    EXPECT_EQ(described(), FlowPhase::completed);
    EXPECT_EQ(listed(), FlowStatus::completed);
    lose(member());
    EXPECT_EQ(projected().state, FlowPhase::failed);
    EXPECT_EQ(described(), FlowPhase::failed);
    EXPECT_EQ(listed(), FlowStatus::failed);
}

TEST_P(FlowSummaries, ASiblingThatNobodyNeedsDoesNotFailItsFlow) {
    submit({"fast", "slow", "child"}, fan_in({"fast", "slow"}, "child"), {{"child", any_policy()}});
    succeed(at("fast"));
    succeed(at("child"));
    ASSERT_EQ(state(at("slow")), PublicState::cancelled);
    EXPECT_EQ(projected().state, FlowPhase::completed);
    EXPECT_EQ(described(), FlowPhase::completed);
    EXPECT_EQ(listed(), FlowStatus::completed);
    EXPECT_EQ(summary()->members.cancelled, 1U);
}

TEST_P(FlowSummaries, AMemberThatSomebodyCancelledFailsItsFlow) {
    submit({"a", "b"});
    succeed(at("a"));
    cancel_one(at("b"));
    EXPECT_EQ(projected().state, FlowPhase::failed);
    EXPECT_EQ(listed(), FlowStatus::failed);
}

TEST_P(FlowSummaries, ACancelledFlowIsListedAsSuch) {
    submit({"a", "b"});
    succeed(at("a"));
    cancel_flow(CancellationPolicy::cancel_all);
    EXPECT_EQ(listed(), FlowStatus::cancelled);
    EXPECT_EQ(described(), FlowPhase::cancelled);
    EXPECT_EQ(projected().state, FlowPhase::failed) << "the members alone count";
}

TEST_P(FlowSummaries, AFlowWithoutMembersHasNone) {
    create_flow();
    EXPECT_FALSE(value_of(api().project_flow_summary(flow_)).projected);
    reconcile();
    EXPECT_EQ(summary(), std::nullopt);
    EXPECT_EQ(listed(), FlowStatus::active);
    EXPECT_EQ(described(), FlowPhase::open);
    EXPECT_FALSE(value_of(api().project_flow_summary(flow_id(99))).projected);
    EXPECT_EQ(value_of(api().get_flow_summary(flow_id(99))), std::nullopt);
}

TEST_P(FlowSummaries, ItIsTakenOnRequestToo) {
    submit({"a"});
    EXPECT_EQ(summary(), std::nullopt);
    EXPECT_TRUE(value_of(api().project_flow_summary(flow_)).projected);
    EXPECT_EQ(summary()->members, (MemberCounts{.waiting = 1}));
    succeed(at("a"));
    EXPECT_EQ(summary()->members, (MemberCounts{.waiting = 1})) << "as it was counted";
    EXPECT_TRUE(value_of(api().project_flow_summary(flow_)).projected);
    EXPECT_EQ(summary()->members, (MemberCounts{.completed = 1}));
}

TEST_P(FlowSummaries, WhatHasNotChangedIsNotWritten) {
    submit({"a", "b"});
    const auto held = take(at("a"));
    reconcile();
    advance(15'000);
    value_of(renew(held.handle));
    expect_no_change([&] { reconcile(); });
}

TEST_P(FlowSummaries, AFinishedFlowIsCountedOnceMoreAndThenLeftAlone) {
    submit({"a"});
    reconcile();
    EXPECT_FALSE(flow_row().summarised);
    succeed(at("a"));
    EXPECT_EQ(projected().state, FlowPhase::completed);
    EXPECT_TRUE(flow_row().summarised);

    value_of(run(ReplayExecution{at("a")}));
    EXPECT_EQ(projected().members, (MemberCounts{.waiting = 1}));
    EXPECT_FALSE(flow_row().summarised);
    lose(at("a"));
    EXPECT_EQ(projected().members, (MemberCounts{.failed = 1}));
    EXPECT_TRUE(flow_row().summarised);
}

TEST_P(FlowSummaries, AnEndThatIsNotDispatchedKeepsAFlowInView) {
    submit({"a"});
    const auto held = take(at("a"));
    value_of(complete(held.handle));
    engine().crash();
    ASSERT_EQ(undispatched(), 1U);
    EXPECT_TRUE(value_of(api().project_flow_summary(flow_)).projected);
    EXPECT_EQ(summary()->state, FlowPhase::completed);
    EXPECT_FALSE(flow_row().summarised);
    recover();
    EXPECT_TRUE(flow_row().summarised);
}

TEST_P(FlowSummaries, MoreFlowsThanOneLookTakesGetTheirTurn) {
    for (int i = 0; i < 510; ++i) submit({"only"});
    reconcile();
    EXPECT_THAT(snapshot().of<FlowSummaryRow>(), SizeIs(500));
    reconcile();
    EXPECT_THAT(snapshot().of<FlowSummaryRow>(), SizeIs(510));
    flow_ = row(take(at("only")).execution_id).flow_id.value();
    reconcile();
    reconcile();
    EXPECT_EQ(summary()->state, FlowPhase::running) << "the round begins again";
}

}  // namespace
}  // namespace flowfabric::test
