#include "conformance/flowing.hpp"

// A running member that adds children to wait for, gives its lease back, and goes on when they have ended.
namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using enum LeaseEventType;

class FlowWaitChildren : public Flowing {
  protected:
    void SetUp() override {
        Flowing::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        create_flow();
        parent = member();
    }
    void start() { held = take(parent); }
    ApplyDependencyToChild own(const EdgeId& edge, const ExecutionId& child) {
        auto command = applying(edge, child, parent);
        command.lease = held.handle;
        return command;
    }
    // A new member that the parent is to wait for.
    ExecutionId spawn(std::uint8_t number) {
        const ExecutionId child = create_beside(flow_);
        value_of(run(AddExecutionToFlow{.flow_id = flow_, .execution_id = child, .lease = held.handle}));
        auto edge = staging(edge_id(number), child, parent);
        edge.lease = held.handle;
        value_of(run(edge));
        value_of(run(own(edge_id(number), child)));
        engine().settle();
        return child;
    }
    WaitChildren waiting() { return {.lease = held.handle, .flow_id = flow_}; }
    PublicState wait() {
        const auto answer = value_of(run(waiting()));
        engine().settle();
        return answer.public_state;
    }

    ExecutionId parent;
    ClaimedExecution held;
};
INSTANTIATE_TEST_SUITE_P(Stores, FlowWaitChildren, all_stores(), name_of_param);

TEST_P(FlowWaitChildren, TheSameAttemptGoesOnWhenAllChildrenHaveSucceeded) {
    start();
    const ExecutionId first = spawn(1);
    const ExecutionId second = spawn(2);
    EXPECT_EQ(state(parent), PublicState::active) << "nothing waits before it is asked to";
    EXPECT_EQ(wait(), PublicState::waiting_children);
    EXPECT_EQ(row(parent).vector.attempt_state, AttemptState::attempt_interrupted);
    EXPECT_EQ(row(parent).vector.blocking_reason, BlockingReason::waiting_for_children);
    EXPECT_EQ(row(parent).lease_epoch, held.lease_epoch.value);
    EXPECT_THAT(lease_event_types(parent), ElementsAre(acquired, released));
    EXPECT_EQ(lease_events(parent).back().reason, "waiting_children");
    succeed(first);
    EXPECT_EQ(state(parent), PublicState::waiting_children);
    succeed(second);
    EXPECT_EQ(state(parent), PublicState::resumable);
    const ClaimedExecution again = take(parent);
    EXPECT_EQ(again.attempt_index, held.attempt_index);
    EXPECT_EQ(again.attempt_id, held.attempt_id);
    value_of(complete(again.handle));
}

TEST_P(FlowWaitChildren, WithoutAChildItIsResumableAtOnce) {
    start();
    EXPECT_EQ(wait(), PublicState::resumable);
    EXPECT_EQ(take(parent).attempt_id, held.attempt_id);
}

TEST_P(FlowWaitChildren, OutsideAnyFlowItIsResumableAtOnce) {
    create();
    const ClaimedExecution alone = claim();
    EXPECT_EQ(value_of(run(WaitChildren{.lease = alone.handle})).public_state, PublicState::resumable);
    EXPECT_EQ(claim().attempt_id, alone.attempt_id);
}

TEST_P(FlowWaitChildren, ChildrenThatHaveEndedBeforeItWaitsDoNotParkIt) {
    start();
    succeed(spawn(1));
    succeed(spawn(2));
    EXPECT_EQ(state(parent), PublicState::active);
    EXPECT_EQ(wait(), PublicState::resumable);
}

TEST_P(FlowWaitChildren, AnEdgeFromAChildThatHasEndedResolvesAtOnce) {
    start();
    const ExecutionId child = member();
    succeed(child);
    stage(edge_id(1), child, parent);
    EXPECT_EQ(value_of(run(own(edge_id(1), child))), (DependencyApplied{0, false}));
    EXPECT_EQ(wait(), PublicState::resumable);
}

TEST_P(FlowWaitChildren, ALostChildSkipsTheParentWhenItWaits) {
    start();
    const ExecutionId child = spawn(1);
    const ExecutionId other = spawn(2);
    lose(child);
    EXPECT_EQ(state(parent), PublicState::active) << "not before it waits";
    value_of(renew(held.handle));
    EXPECT_EQ(wait(), PublicState::skipped);
    EXPECT_THAT(outcomes(parent), ElementsAre(TerminalOutcome::skipped));
    ASSERT_THAT(attempts(parent), SizeIs(1));
    EXPECT_EQ(state(other), PublicState::waiting);
}

TEST_P(FlowWaitChildren, AChildThatIsLostLaterSkipsTheWaitingParent) {
    start();
    const ExecutionId child = spawn(1);
    wait();
    lose(child);
    EXPECT_EQ(state(parent), PublicState::skipped);
    EXPECT_THAT(outcomes(parent), ElementsAre(TerminalOutcome::skipped));
    ASSERT_THAT(attempts(parent), SizeIs(1));
    EXPECT_EQ(attempts(parent)[0].outcome, AttemptOutcome::ended_cancelled);
}

TEST_P(FlowWaitChildren, WhatItWaitsForLaterIsASetOfItsOwn) {
    start();
    succeed(spawn(1));
    wait();
    held = take(parent);
    const ExecutionId second = spawn(2);
    EXPECT_EQ(group_of(parent).generation, 1);
    EXPECT_EQ(group_of(parent).n, 1);
    EXPECT_EQ(group_of(parent).success_count, 0);
    EXPECT_EQ(wait(), PublicState::waiting_children);
    succeed(second);
    EXPECT_EQ(state(parent), PublicState::resumable);
    held = take(parent);
    EXPECT_EQ(wait(), PublicState::resumable) << "nothing was added";
}

TEST_P(FlowWaitChildren, ItsChildrenAreApartFromWhatItWaitedForToStart) {
    const ExecutionId before = member();
    connect(edge_id(9), before, parent);
    succeed(before);
    start();
    const ExecutionId child = spawn(1);
    EXPECT_EQ(group_of(parent).generation, 1);
    EXPECT_EQ(group_of(parent).n, 1);
    EXPECT_EQ(wait(), PublicState::waiting_children);
    succeed(child);
    EXPECT_EQ(state(parent), PublicState::resumable);
}

TEST_P(FlowWaitChildren, ALateEndOfAnEarlierSetDoesNotCountForTheNext) {
    value_of(run(policy_for(parent, any_policy(OnSatisfied::let_run))));
    start();
    const ExecutionId quick = spawn(1);
    const ExecutionId slow = spawn(2);
    wait();
    succeed(quick);
    held = take(parent);
    const ExecutionId next = spawn(3);
    EXPECT_EQ(wait(), PublicState::waiting_children);
    succeed(slow);
    EXPECT_EQ(state(parent), PublicState::waiting_children);
    EXPECT_EQ(group_of(parent).success_count, 0);
    succeed(next);
    EXPECT_EQ(state(parent), PublicState::resumable);
}

TEST_P(FlowWaitChildren, ItsPolicyIsThatOfItsGroup) {
    value_of(run(policy_for(parent, any_policy())));
    start();
    const ExecutionId quick = spawn(1);
    const ExecutionId slow = spawn(2);
    EXPECT_EQ(wait(), PublicState::waiting_children);
    succeed(quick);
    EXPECT_EQ(state(parent), PublicState::resumable);
    EXPECT_EQ(state(slow), PublicState::cancelled);
    EXPECT_EQ(row(slow).cancellation_reason, "sibling_quorum_satisfied");
}

TEST_P(FlowWaitChildren, WaitingFixesTheNumberOfItsChildren) {
    value_of(run(policy_for(parent, any_policy())));
    start();
    const ExecutionId child = spawn(1);
    lose(child);
    EXPECT_EQ(state(parent), PublicState::active);
    EXPECT_EQ(wait(), PublicState::skipped) << "no more of them can come";
}

TEST_P(FlowWaitChildren, WhatWaitingMakesImpossibleNeedsItsChildrenNoMore) {
    value_of(run(policy_for(parent, quorum_policy(3))));
    start();
    const ExecutionId first = spawn(1);
    const ExecutionId second = spawn(2);
    EXPECT_EQ(wait(), PublicState::skipped);
    for (const ExecutionId& child : {first, second}) {
        EXPECT_EQ(state(child), PublicState::cancelled);
        EXPECT_EQ(row(child).cancellation_reason, "sibling_quorum_impossible");
    }
}

TEST_P(FlowWaitChildren, AGroupThatExpectsEdgesWhichNeverCameParksNobody) {
    value_of(run(policy_for(parent, {}, 2)));
    start();
    EXPECT_EQ(wait(), PublicState::resumable);
}

TEST_P(FlowWaitChildren, NobodyButItsOwnWorkerGivesChildrenToARunningExecution) {
    start();
    const ExecutionId child = member();
    const ExecutionId sibling = member();
    stage(edge_id(1), child, parent);
    const ClaimedExecution others = take(sibling);
    using enum ErrorKind;
    expect_refused(applying(edge_id(1), child, parent), active_attempt_exists);
    auto command = applying(edge_id(1), child, parent);
    command.lease = others.handle;
    expect_refused(command, active_attempt_exists);
    Fence wrong = fence_of(held);
    wrong.lease_epoch = LeaseEpoch{9};
    command.lease = wrong;
    expect_refused(command, stale_lease);
    value_of(run(own(edge_id(1), child)));
    expect_no_change([&] { EXPECT_TRUE(value_of(run(own(edge_id(1), child))).already_there); });
}

TEST_P(FlowWaitChildren, ASealedFlowGrowsUnderItsMembersLease) {
    seal();
    start();
    const ExecutionId child = spawn(1);
    EXPECT_EQ(wait(), PublicState::waiting_children);
    succeed(child);
    EXPECT_EQ(flow_state(), FlowState::open);
    succeed(parent);
    EXPECT_EQ(flow_state(), FlowState::completed);
}

TEST_P(FlowWaitChildren, ARepeatedCallIsAnsweredLikeTheFirst) {
    start();
    spawn(1);
    wait();
    expect_no_change([&] { EXPECT_EQ(value_of(run(waiting())).public_state, PublicState::waiting_children); });
}

TEST_P(FlowWaitChildren, TheFlowItNamesIsItsOwn) {
    start();
    expect_refused(WaitChildren{.lease = held.handle, .flow_id = flow_id(9)}, ErrorKind::invalid_input, "flow_id");
    EXPECT_EQ(value_of(run(WaitChildren{.lease = held.handle})).public_state, PublicState::resumable);
}

TEST_P(FlowWaitChildren, AnOperatorsCancelEndsTheWait) {
    start();
    const ExecutionId child = spawn(1);
    wait();
    cancel_one(parent);
    EXPECT_EQ(state(parent), PublicState::cancelled);
    succeed(child);
    EXPECT_EQ(state(parent), PublicState::cancelled);
    EXPECT_THAT(outcomes(parent), SizeIs(1));
}

}  // namespace
}  // namespace flowfabric::test
