#include "flowfabric/submit_flow.hpp"
#include "support/fixture.hpp"

namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class FlowCancel : public StoreTest {
  protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        SubmitFlow command;
        command.flow_kind = "test";
        for (const char* name : {"done", "running", "waiting", "blocked"}) {
            command.nodes.push_back({.name = name, .execution = {.lane_id = name}, .policy = {}});
        }
        command.edges = {{.from = "waiting", .to = "blocked"}};
        const auto submitted = value_of(run(std::move(command)));
        flow = submitted.flow_id;
        done = submitted.members[0];
        running = submitted.members[1];
        waiting = submitted.members[2];
        blocked = submitted.members[3];
        value_of(complete(claim_on("done").handle));
        engine().settle();
        held = claim_on("running");
    }
    ClaimedExecution claim_on(const std::string& lane) {
        Claim command = claim_by("w1");
        command.lanes = {lane};
        return claim(std::move(command));
    }
    FlowCancelled cancel_flow(CancellationPolicy policy) {
        auto answer = value_of(run(CancelFlow{.flow_id = flow, .policy = policy, .reason = "enough"}));
        engine().settle();
        return answer;
    }
    std::size_t backlog() { return snapshot().of<CancelMemberRow>().size(); }

    FlowId flow;
    ExecutionId done, running, waiting, blocked;
    ClaimedExecution held;
};
INSTANTIATE_TEST_SUITE_P(Stores, FlowCancel, all_stores(), name_of_param);

TEST_P(FlowCancel, CancelAllEndsEveryoneWhoHasNotEnded) {
    const auto answer = cancel_flow(CancellationPolicy::cancel_all);
    EXPECT_THAT(answer.members, SizeIs(3));
    EXPECT_EQ(state(done), PublicState::completed);
    EXPECT_THAT(outcomes(done), ElementsAre(TerminalOutcome::success));
    for (const auto& id : {running, waiting, blocked}) {
        EXPECT_EQ(state(id), PublicState::cancelled);
        EXPECT_EQ(row(id).cancellation_reason, "enough");
        EXPECT_EQ(row(id).cancelled_by, "flow_cascade");
        EXPECT_THAT(outcomes(id), ElementsAre(TerminalOutcome::cancelled));
        EXPECT_THAT(operator_events(id), IsEmpty());
    }
    EXPECT_EQ(backlog(), 0U);
    EXPECT_THAT(snapshot().of<CancelBacklogRow>(), IsEmpty());
    EXPECT_EQ(snapshot().of<FlowRow>().begin()->second.public_flow_state, FlowState::cancelled);
}

TEST_P(FlowCancel, TheWorkerOfACancelledMemberCannotCompleteIt) {
    cancel_flow(CancellationPolicy::cancel_all);
    EXPECT_FALSE(complete(held.handle));
    EXPECT_EQ(state(running), PublicState::cancelled);
}

TEST_P(FlowCancel, CancelPendingLeavesRunningOnesAlone) {
    cancel_flow(CancellationPolicy::cancel_pending);
    EXPECT_EQ(state(running), PublicState::active);
    EXPECT_EQ(state(waiting), PublicState::cancelled);
    EXPECT_EQ(state(blocked), PublicState::cancelled);
}

TEST_P(FlowCancel, CancelFlowOnlyChangesNoMember) {
    cancel_flow(CancellationPolicy::cancel_flow_only);
    EXPECT_EQ(state(running), PublicState::active);
    EXPECT_EQ(state(waiting), PublicState::waiting);
    EXPECT_EQ(state(blocked), PublicState::waiting_children);
}

TEST_P(FlowCancel, ASecondCancelTellsOfTheFirst) {
    const auto first = cancel_flow(CancellationPolicy::cancel_pending);
    expect_no_change([&] {
        const auto again =
            value_of(run(CancelFlow{.flow_id = flow, .policy = CancellationPolicy::cancel_all, .reason = "other"}));
        EXPECT_TRUE(again.already_terminal);
        EXPECT_EQ(again.policy, CancellationPolicy::cancel_pending);
        EXPECT_EQ(again.reason, "enough");
        EXPECT_EQ(again.members, first.members);
    });
}

TEST_P(FlowCancel, AnUnknownFlowIsNotFound) {
    expect_error(run(CancelFlow{.flow_id = FlowId{}}), ErrorKind::flow_not_found);
    expect_error(run(AckCancelMember{.flow_id = FlowId{}, .execution_id = done}), ErrorKind::flow_not_found);
}

TEST_P(FlowCancel, WhatACrashLeftIsCancelledAfterTheGrace) {
    value_of(run(CancelFlow{.flow_id = flow, .reason = "enough", .grace_ms = 1000}));
    engine().crash();
    EXPECT_EQ(backlog(), 3U);
    reconcile();
    EXPECT_EQ(backlog(), 3U);
    advance(1001);
    for (int i = 0; i < 3; ++i) reconcile();
    engine().settle();
    for (const auto& id : {running, waiting, blocked}) EXPECT_EQ(state(id), PublicState::cancelled);
    EXPECT_EQ(backlog(), 0U);
    EXPECT_THAT(snapshot().of<CancelBacklogRow>(), IsEmpty());
}

}  // namespace
}  // namespace flowfabric::test
