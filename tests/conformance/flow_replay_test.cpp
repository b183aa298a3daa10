#include "conformance/flowing.hpp"

// What becomes of a flow when one of its members starts again.
namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FlowReplay : public Flowing {
  protected:
    Result<Replayed> replay(const ExecutionId& id) {
        auto replayed = run(ReplayExecution{.execution_id = id});
        engine().settle();
        return replayed;
    }
    std::string told(const ExecutionId& id) { return operator_events(id).back().details.text; }
    std::string input_of(const ExecutionId& id) { return take(id).input_payload; }
};
INSTANTIATE_TEST_SUITE_P(Stores, FlowReplay, all_stores(), name_of_param);

TEST_P(FlowReplay, OfAMemberOpensAFinishedFlowUntilItHasEndedAgain) {
    submit({"a", "b"}, {{.from = "a", .to = "b"}});
    succeed(at("a"));
    lose(at("b"));
    ASSERT_EQ(flow_state(), FlowState::failed);

    EXPECT_EQ(value_of(replay(at("b"))), (Replayed{at("b"), PublicState::waiting}));
    EXPECT_EQ(told(at("b")), R"({"branch":"normal"})");
    EXPECT_EQ(flow_state(), FlowState::open);
    EXPECT_FALSE(flow_row().terminal_at_ms);
    EXPECT_EQ(flow_row().open_members, 1);
    succeed(at("b"));
    EXPECT_EQ(flow_state(), FlowState::completed);
    EXPECT_EQ(flow_row().failed_members, 0);
}

TEST_P(FlowReplay, OfAnUpstreamLeavesResolvedEdgesAlone) {
    submit({"a", "b"}, {{.from = "a", .to = "b"}});
    succeed(at("a"));
    value_of(replay(at("a")));
    EXPECT_EQ(state(at("b")), PublicState::waiting);
    lose(at("a"));
    EXPECT_EQ(state(at("b")), PublicState::waiting);
    EXPECT_EQ(group_of(at("b")).success_count, 1);
    EXPECT_EQ(group_of(at("b")).fail_count, 0);
    succeed(at("b"));
    EXPECT_EQ(flow_state(), FlowState::failed);
}

TEST_P(FlowReplay, OfASiblingBetweenItsEndAndTheDispatchOfItDoesNotFailTheFlow) {
    submit({"a", "b", "c"}, fan_in({"a", "b"}, "c"), {{"c", any_policy()}});
    value_of(complete(take(at("a")).handle));
    while (state(at("b")) != PublicState::cancelled) ASSERT_TRUE(engine().step());
    engine().crash();
    ASSERT_GT(undispatched(), 0U);
    value_of(replay(at("b")));
    recover();
    EXPECT_EQ(undispatched(), 0U);
    succeed(at("b"));
    succeed(at("c"));
    EXPECT_EQ(flow_row().failed_members, 0);
    EXPECT_EQ(flow_state(), FlowState::completed);
}

TEST_P(FlowReplay, OfASkippedMemberIsRefusedWhileItsUpstreamHasFailed) {
    submit({"a", "b"}, {{.from = "a", .to = "b"}});
    lose(at("a"));
    ASSERT_EQ(state(at("b")), PublicState::skipped);
    expect_refused(ReplayExecution{.execution_id = at("b")}, ErrorKind::replay_not_allowed, at("a").to_string());
}

TEST_P(FlowReplay, OfASkippedMemberWaitsForItsUpstreamThatWasReplayedBefore) {
    submit({"a", "b", "c"}, fan_in({"a", "b"}, "c"));
    succeed(at("a"));
    lose(at("b"));
    ASSERT_EQ(state(at("c")), PublicState::skipped);
    value_of(replay(at("b")));
    EXPECT_EQ(value_of(replay(at("c"))), (Replayed{at("c"), PublicState::waiting_children}));
    EXPECT_THAT(told(at("c")), HasSubstr(R"("branch":"skipped_flow_member","groups_reset":1)"));
    EXPECT_EQ(flow_row().open_members, 2);
    EXPECT_EQ(group_of(at("c")).success_count, 1) << "the satisfied edge still counts";
    EXPECT_EQ(group_of(at("c")).running_count, 1);
    EXPECT_EQ(group_of(at("c")).group_state, GroupState::pending);

    succeed(at("b"));
    EXPECT_EQ(state(at("c")), PublicState::waiting);
    succeed(at("c"));
    EXPECT_EQ(flow_state(), FlowState::completed);
    EXPECT_THAT(outcomes(at("c")), ElementsAre(TerminalOutcome::skipped, TerminalOutcome::success));
    EXPECT_EQ(group_of(at("c")).success_count, 2);
}

TEST_P(FlowReplay, OfASkippedMemberIsClaimableAtOnceIfItsUpstreamHasSucceededSince) {
    submit({"a", "b"}, {{.from = "a", .to = "b", .data_passing_ref = "result"}});
    lose(at("a"));
    value_of(replay(at("a")));
    succeed(at("a"), "second");
    EXPECT_EQ(state(at("b")), PublicState::skipped);
    EXPECT_EQ(value_of(replay(at("b"))), (Replayed{at("b"), PublicState::waiting}));
    EXPECT_EQ(input_of(at("b")), "second");
}

TEST_P(FlowReplay, BringsWhatOthersPassedWhileTheMemberWasSkipped) {
    auto edges = fan_in({"a", "b"}, "c");
    edges[1].data_passing_ref = "result";
    submit({"a", "b", "c"}, edges);
    lose(at("a"));
    succeed(at("b"), "late");
    value_of(replay(at("a")));
    value_of(replay(at("c")));
    succeed(at("a"));
    EXPECT_EQ(input_of(at("c")), "late");
}

TEST_P(FlowReplay, OfASkippedMemberWithAQuorum) {
    submit({"a", "b", "c", "d"}, fan_in({"a", "b", "c"}, "d"), {{"d", quorum_policy(2, OnSatisfied::let_run)}});
    lose(at("a"));
    lose(at("b"));
    ASSERT_EQ(state(at("d")), PublicState::skipped);
    succeed(at("c"));
    expect_error(replay(at("d")), ErrorKind::replay_not_allowed, "replay it first");
    value_of(replay(at("a")));
    EXPECT_EQ(value_of(replay(at("d"))).public_state, PublicState::waiting_children);
    succeed(at("a"));
    EXPECT_EQ(state(at("d")), PublicState::waiting);
}

TEST_P(FlowReplay, ACascadeIsReplayedFromItsRootDownwards) {
    submit({"a", "b", "c"}, {{.from = "a", .to = "b"}, {.from = "b", .to = "c"}});
    lose(at("a"));
    ASSERT_EQ(state(at("c")), PublicState::skipped);
    expect_error(replay(at("c")), ErrorKind::replay_not_allowed, at("b").to_string());
    for (const char* name : {"a", "b", "c"}) value_of(replay(at(name)));
    EXPECT_EQ(state(at("c")), PublicState::waiting_children);
    for (const char* name : {"a", "b", "c"}) succeed(at(name));
    EXPECT_EQ(flow_state(), FlowState::completed);
}

TEST_P(FlowReplay, OfAMemberOfACancelledFlowIsRefused) {
    submit({"a", "b"});
    lose(at("a"));
    cancel_flow(CancellationPolicy::cancel_all);
    for (const char* name : {"a", "b"}) {
        expect_refused(ReplayExecution{.execution_id = at(name)}, ErrorKind::flow_already_terminal, "cancelled");
    }
}

TEST_P(FlowReplay, OfASiblingThatNobodyNeededDoesNotMakeTheFlowFail) {
    submit({"a", "b", "c"}, fan_in({"a", "b"}, "c"), {{"c", any_policy()}});
    succeed(at("a"));
    ASSERT_EQ(state(at("b")), PublicState::cancelled);
    succeed(at("c"));
    ASSERT_EQ(flow_state(), FlowState::completed);
    value_of(replay(at("b")));
    EXPECT_EQ(flow_row().failed_members, 0);
    succeed(at("b"));
    EXPECT_EQ(flow_state(), FlowState::completed);
    EXPECT_EQ(group_of(at("c")).group_state, GroupState::satisfied);
}

TEST_P(FlowReplay, OfAMemberThatWasCancelledWhileItWaitedGoesStraightOn) {
    submit({"a", "b"}, {{.from = "a", .to = "b"}});
    cancel_one(at("b"));
    EXPECT_EQ(value_of(replay(at("b"))).public_state, PublicState::waiting);
    EXPECT_TRUE(claimable(at("b")));
}

TEST_P(FlowReplay, IsCappedLikeAnyOther) {
    submit({"a"});
    succeed(at("a"));
    for (int i = 0; i < 10; ++i) {
        value_of(replay(at("a")));
        succeed(at("a"));
    }
    expect_refused(ReplayExecution{.execution_id = at("a")}, ErrorKind::max_replays_exhausted, "10 times");
    EXPECT_EQ(flow_state(), FlowState::completed);
    EXPECT_EQ(flow_row().open_members, 0);
}

TEST_P(FlowReplay, OfASkippedMemberSeesARunningUpstream) {
    submit({"a", "b"}, {{.from = "a", .to = "b"}});
    lose(at("a"));
    value_of(replay(at("a")));
    const auto held = take(at("a"));
    EXPECT_EQ(value_of(replay(at("b"))).public_state, PublicState::waiting_children);
    value_of(complete(held.handle));
    engine().settle();
    EXPECT_EQ(state(at("b")), PublicState::waiting);
}

}  // namespace
}  // namespace flowfabric::test
