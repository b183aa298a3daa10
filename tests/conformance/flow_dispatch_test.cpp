#include <algorithm>

#include "conformance/flowing.hpp"

// What the ends of a flow's members do to the others.
namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using enum LeaseEventType;

class FlowDispatch : public Flowing {
  protected:
    void expect_cancelled_as_sibling(const ExecutionId& id, const std::string& reason) {
        EXPECT_EQ(state(id), PublicState::cancelled);
        EXPECT_EQ(row(id).cancellation_reason, reason);
        EXPECT_EQ(row(id).cancelled_by, "flow_cascade");
        EXPECT_THAT(outcomes(id), ElementsAre(TerminalOutcome::cancelled));
        EXPECT_THAT(operator_events(id), IsEmpty());
    }
    std::uint64_t processed_by(std::string_view reconciler) {
        const auto all = engine().reconcilers();
        return std::ranges::find(all, reconciler, &ReconcilerView::name)->processed;
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, FlowDispatch, all_stores(), name_of_param);

TEST_P(FlowDispatch, AChainRunsStepByStepAndEndsItsFlow) {
    submit({"a", "b", "c"}, {{.from = "a", .to = "b"}, {.from = "b", .to = "c"}});
    EXPECT_EQ(state(at("a")), PublicState::waiting);
    EXPECT_EQ(state(at("b")), PublicState::waiting_children);
    succeed(at("a"));
    EXPECT_EQ(state(at("b")), PublicState::waiting);
    EXPECT_EQ(state(at("c")), PublicState::waiting_children);
    succeed(at("b"));
    EXPECT_EQ(flow_state(), FlowState::open);
    succeed(at("c"));
    EXPECT_EQ(flow_state(), FlowState::completed);
    EXPECT_EQ(flow_row().open_members, 0);
    EXPECT_EQ(flow_row().terminal_at_ms, now());
    EXPECT_EQ(undispatched(), 0U);
}

// ---- all_of -----------------------------------------------------------------------------------------------------

TEST_P(FlowDispatch, AllOfWaitsForTheLastInAnyOrder) {
    std::vector<std::string> order{"a", "b", "c"};
    do {
        submit({"a", "b", "c", "d"}, fan_in({"a", "b", "c"}, "d"));
        for (const std::string& name : order) {
            EXPECT_EQ(state(at("d")), PublicState::waiting_children) << "before " << name;
            succeed(at(name));
        }
        EXPECT_EQ(state(at("d")), PublicState::waiting);
        EXPECT_EQ(group_of(at("d")).group_state, GroupState::satisfied);
        EXPECT_EQ(group_of(at("d")).success_count, 3);
        succeed(at("d"));
    } while (std::ranges::next_permutation(order).found);
}

TEST_P(FlowDispatch, TheFirstOfThreeDoesNotFireAGraphThatWasSubmittedAtOnce) {
    submit({"a", "b", "c", "d"}, fan_in({"a", "b", "c"}, "d"));
    succeed(at("a"));
    EXPECT_EQ(state(at("d")), PublicState::waiting_children);
    EXPECT_EQ(group_of(at("d")).n, 3);
}

TEST_P(FlowDispatch, OneLossSkipsAnAllOf) {
    submit({"a", "b", "c"}, fan_in({"a", "b"}, "c"));
    lose(at("a"));
    EXPECT_EQ(state(at("c")), PublicState::skipped);
    EXPECT_THAT(outcomes(at("c")), ElementsAre(TerminalOutcome::skipped));
    EXPECT_EQ(row(at("c")).vector.attempt_state, AttemptState::none);
    EXPECT_EQ(row(at("c")).terminal_at_ms, now());
    EXPECT_EQ(state(at("b")), PublicState::waiting);
    succeed(at("b"));
    EXPECT_EQ(flow_state(), FlowState::failed);
    EXPECT_EQ(group_of(at("c")).success_count, 1);
    EXPECT_EQ(group_of(at("c")).fail_count, 1);
}

TEST_P(FlowDispatch, ASkipTravelsDownAChain) {
    submit({"a", "b", "c", "d", "e"},
           {{.from = "a", .to = "b"}, {.from = "b", .to = "c"}, {.from = "c", .to = "d"}, {.from = "d", .to = "e"}});
    lose(at("a"));
    for (const char* name : {"b", "c", "d", "e"}) {
        EXPECT_EQ(state(at(name)), PublicState::skipped);
        EXPECT_THAT(outcomes(at(name)), ElementsAre(TerminalOutcome::skipped));
    }
    EXPECT_EQ(group_of(at("b")).fail_count, 1);
    EXPECT_EQ(group_of(at("c")).skip_count, 1);
    EXPECT_EQ(flow_state(), FlowState::failed);
}

// ---- whatever the end -------------------------------------------------------------------------------------------

TEST_P(FlowDispatch, EveryEndButSuccessLosesTheEdge) {
    auto command =
        graph_of({"failed", "by operator", "by holder", "expired", "skipper", "skipped", "f", "o", "h", "e", "s"},
                 {{.from = "failed", .to = "f"},
                  {.from = "by operator", .to = "o"},
                  {.from = "by holder", .to = "h"},
                  {.from = "expired", .to = "e"},
                  {.from = "skipper", .to = "skipped"},
                  {.from = "skipped", .to = "s"}});
    command.nodes[3].execution.execution_deadline_at_ms = now() + 1000;
    submit(std::move(command));
    lose(at("failed"));
    lose(at("skipper"));
    cancel_one(at("by operator"));
    value_of(cancel(take(at("by holder")).handle));
    engine().settle();
    advance(1000);
    reconcile();
    engine().settle();
    EXPECT_EQ(state(at("expired")), PublicState::expired);
    for (const char* name : {"f", "o", "h", "e", "s"}) {
        EXPECT_EQ(state(at(name)), PublicState::skipped) << name;
        EXPECT_EQ(group_of(at(name)).group_state, GroupState::impossible) << name;
        EXPECT_THAT(outcomes(at(name)), ElementsAre(TerminalOutcome::skipped)) << name;
    }
    EXPECT_EQ(flow_state(), FlowState::failed);
}

TEST_P(FlowDispatch, AFailureThatIsRetriedIsNoEnd) {
    auto command = graph_of({"a", "b"}, {{.from = "a", .to = "b"}});
    command.nodes[0].execution.policy = retries(1, 0);
    submit(std::move(command));
    fail_with_retry(take(at("a")).handle);
    engine().settle();
    EXPECT_EQ(state(at("b")), PublicState::waiting_children);
    reconcile();
    succeed(at("a"));
    EXPECT_EQ(state(at("b")), PublicState::waiting);
}

TEST_P(FlowDispatch, AnUpstreamThatWasCancelledAsASiblingLosesAnEdgeThatIsAppliedLater) {
    create_flow();
    const ExecutionId a = member();
    const ExecutionId b = member();
    const ExecutionId child = member();
    const ExecutionId late = member();
    value_of(run(policy_for(child, any_policy())));
    connect(edge_id(1), a, child);
    connect(edge_id(2), b, child);
    succeed(a);
    expect_cancelled_as_sibling(b, "sibling_quorum_satisfied");
    connect(edge_id(3), b, late);
    EXPECT_EQ(state(late), PublicState::skipped);
}

// ---- any_of and quorum ------------------------------------------------------------------------------------------

TEST_P(FlowDispatch, AnyOfFiresOnceAndCancelsTheRest) {
    submit({"a", "b", "c", "d"}, fan_in({"a", "b", "c"}, "d"), {{"d", any_policy()}});
    succeed(at("a"));
    EXPECT_EQ(state(at("d")), PublicState::waiting);
    for (const char* sibling : {"b", "c"}) expect_cancelled_as_sibling(at(sibling), "sibling_quorum_satisfied");
    EXPECT_THAT(snapshot().of<SiblingWorkRow>(), IsEmpty());
    EXPECT_FALSE(group_of(at("d")).cancel_siblings_pending_flag);
    EXPECT_THAT(group_of(at("d")).cancel_siblings_pending_members.values, IsEmpty());
    succeed(at("d"));
    EXPECT_EQ(flow_state(), FlowState::completed) << "those that nobody needed do not make it fail";
}

TEST_P(FlowDispatch, AnyOfIsImpossibleWhenAllAreLost) {
    submit({"a", "b", "d"}, fan_in({"a", "b"}, "d"), {{"d", any_policy()}});
    lose(at("a"));
    EXPECT_EQ(state(at("d")), PublicState::waiting_children);
    cancel_one(at("b"));
    EXPECT_EQ(state(at("d")), PublicState::skipped);
}

TEST_P(FlowDispatch, ASiblingThatRunsLosesItsLease) {
    submit({"a", "b", "d"}, fan_in({"a", "b"}, "d"), {{"d", any_policy()}});
    const ClaimedExecution held = take(at("b"));
    succeed(at("a"));
    expect_cancelled_as_sibling(at("b"), "sibling_quorum_satisfied");
    EXPECT_EQ(row(at("b")).lease_epoch, held.lease_epoch.value + 1);
    EXPECT_THAT(lease_event_types(at("b")), ElementsAre(acquired, revoked));
    EXPECT_EQ(lease_events(at("b")).back().revoked_by, "backend");
    EXPECT_THAT(attempts(at("b")), ::testing::SizeIs(1));
    expect_error(complete(held.handle), ErrorKind::execution_not_active);
}

TEST_P(FlowDispatch, ASiblingThatIsSuspendedIsClosed) {
    submit({"a", "b", "d"}, fan_in({"a", "b"}, "d"), {{"d", any_policy()}});
    value_of(run(SeedWaitpointHmacSecret{"k1", std::string(64, 'a')}));
    Suspend command{.lease = take(at("b")).handle};
    command.waitpoints.emplace_back(FreshWaitpoint{std::nullopt, "k"});
    command.resume_condition = {Single{"k", Wildcard{}}};
    value_of(run(std::move(command)));
    succeed(at("a"));
    expect_cancelled_as_sibling(at("b"), "sibling_quorum_satisfied");
    EXPECT_TRUE(snapshot().of<SuspensionRow>().at({at("b")}).closed_at_ms);
    EXPECT_THAT(lease_event_types(at("b")), ElementsAre(acquired, released)) << "there was no live lease to revoke";
}

TEST_P(FlowDispatch, ASiblingThatAnotherGroupNeedsRunsOn) {
    submit({"a", "b", "d", "e"}, {{.from = "a", .to = "d"}, {.from = "b", .to = "d"}, {.from = "b", .to = "e"}},
           {{"d", any_policy()}});
    succeed(at("a"));
    EXPECT_EQ(state(at("b")), PublicState::waiting);
    EXPECT_THAT(snapshot().of<SiblingWorkRow>(), IsEmpty());
    succeed(at("b"));
    EXPECT_EQ(state(at("e")), PublicState::waiting);
}

TEST_P(FlowDispatch, ASiblingThatOnlyDecidedGroupsWantedIsCancelled) {
    submit({"a", "b", "c", "d", "e"},
           {{.from = "a", .to = "d"}, {.from = "b", .to = "d"}, {.from = "b", .to = "e"}, {.from = "c", .to = "e"}},
           {{"d", any_policy()}});
    lose(at("c"));
    EXPECT_EQ(state(at("e")), PublicState::skipped);
    succeed(at("a"));
    expect_cancelled_as_sibling(at("b"), "sibling_quorum_satisfied");
}

TEST_P(FlowDispatch, LetRunLeavesTheRestAlone) {
    submit({"a", "b", "d"}, fan_in({"a", "b"}, "d"), {{"d", any_policy(OnSatisfied::let_run)}});
    succeed(at("a"));
    EXPECT_EQ(state(at("d")), PublicState::waiting);
    EXPECT_EQ(state(at("b")), PublicState::waiting);
    value_of(complete(take(at("d")).handle));
    succeed(at("b"));
    EXPECT_EQ(state(at("d")), PublicState::completed);
    EXPECT_EQ(flow_state(), FlowState::completed);
}

TEST_P(FlowDispatch, AQuorumOfThreeInFiveIsSatisfiedByTheThird) {
    submit({"a", "b", "c", "d", "e", "z"}, fan_in({"a", "b", "c", "d", "e"}, "z"), {{"z", quorum_policy(3)}});
    succeed(at("a"));
    lose(at("b"));
    succeed(at("c"));
    EXPECT_EQ(state(at("z")), PublicState::waiting_children);
    succeed(at("d"));
    EXPECT_EQ(state(at("z")), PublicState::waiting);
    expect_cancelled_as_sibling(at("e"), "sibling_quorum_satisfied");
}

TEST_P(FlowDispatch, AQuorumIsImpossibleOnceTooManyAreLost) {
    for (const auto on_satisfied : {OnSatisfied::cancel_remaining, OnSatisfied::let_run}) {
        submit({"a", "b", "c", "d", "e", "z"}, fan_in({"a", "b", "c", "d", "e"}, "z"),
               {{"z", quorum_policy(3, on_satisfied)}});
        lose(at("a"));
        lose(at("b"));
        EXPECT_EQ(state(at("z")), PublicState::waiting_children);
        lose(at("c"));
        EXPECT_EQ(state(at("z")), PublicState::skipped);
        for (const char* survivor : {"d", "e"}) {
            if (on_satisfied == OnSatisfied::let_run) {
                EXPECT_EQ(state(at(survivor)), PublicState::waiting);
                succeed(at(survivor));
            } else {
                expect_cancelled_as_sibling(at(survivor), "sibling_quorum_impossible");
            }
        }
        EXPECT_EQ(flow_state(), FlowState::failed);
    }
}

// ---- once fired -------------------------------------------------------------------------------------------------

TEST_P(FlowDispatch, ADecidedGroupOnlyCounts) {
    submit({"a", "b", "c", "d"}, fan_in({"a", "b", "c"}, "d"), {{"d", any_policy(OnSatisfied::let_run)}});
    succeed(at("a"));
    const ClaimedExecution held = take(at("d"));
    const ExecutionRow before = row(at("d"));
    lose(at("b"));
    succeed(at("c"));
    EXPECT_EQ(row(at("d")), before) << "it keeps its lease";
    EXPECT_EQ(group_of(at("d")).group_state, GroupState::satisfied);
    EXPECT_EQ(group_of(at("d")).success_count, 2);
    EXPECT_EQ(group_of(at("d")).fail_count, 1);
    EXPECT_EQ(group_of(at("d")).running_count, 0);
    value_of(complete(held.handle));
    engine().settle();
    EXPECT_EQ(flow_state(), FlowState::failed);
}

TEST_P(FlowDispatch, AChildThatIsDelayedIsNotTouchedByALateSuccess) {
    submit({"a", "b", "d"}, fan_in({"a", "b"}, "d"), {{"d", any_policy(OnSatisfied::let_run)}});
    succeed(at("a"));
    value_of(delay(take(at("d")).handle, now() + 5000));
    succeed(at("b"));
    EXPECT_EQ(state(at("d")), PublicState::delayed);
}

TEST_P(FlowDispatch, AChildThatEndedOnItsOwnStaysAsItIs) {
    submit({"a", "b", "c"}, {{.from = "a", .to = "b"}, {.from = "b", .to = "c"}});
    cancel_one(at("b"));
    EXPECT_EQ(state(at("c")), PublicState::skipped);
    succeed(at("a"));
    EXPECT_EQ(state(at("b")), PublicState::cancelled);
    EXPECT_THAT(outcomes(at("b")), ElementsAre(TerminalOutcome::cancelled));
    EXPECT_EQ(group_of(at("b")).success_count, 1);
    EXPECT_EQ(flow_state(), FlowState::failed);
}

TEST_P(FlowDispatch, AReplayedUpstreamDoesNotCountTwice) {
    submit({"a", "b", "c"}, fan_in({"a", "b"}, "c"));
    succeed(at("a"));
    value_of(run(ReplayExecution{.execution_id = at("a")}));
    succeed(at("a"));
    EXPECT_EQ(group_of(at("c")).success_count, 1);
    EXPECT_EQ(state(at("c")), PublicState::waiting_children);
    succeed(at("b"));
    EXPECT_EQ(group_of(at("c")).success_count, 2);
    EXPECT_EQ(state(at("c")), PublicState::waiting);
}

// ---- what a crash leaves ----------------------------------------------------------------------------------------

TEST_P(FlowDispatch, WhatACrashLeftUndoneIsFoundByTheReconciler) {
    submit({"a", "b", "c"}, {{.from = "a", .to = "b"}, {.from = "b", .to = "c"}});
    value_of(complete(take(at("a")).handle));
    engine().crash();
    EXPECT_EQ(state(at("b")), PublicState::waiting_children);
    EXPECT_EQ(undispatched(), 1U);
    recover();
    EXPECT_EQ(state(at("b")), PublicState::waiting);
    EXPECT_EQ(undispatched(), 0U);
}

TEST_P(FlowDispatch, ACrashBetweenAnyTwoStepsCountsEveryEdgeOnce) {
    for (int steps = 0; steps < 24; ++steps) {
        submit({"a", "b", "c", "d", "e"},
               {{.from = "a", .to = "c"}, {.from = "b", .to = "c"}, {.from = "a", .to = "d"}, {.from = "d", .to = "e"}},
               {{"c", any_policy()}});
        value_of(fail(take(at("a")).handle, "permanent"));
        for (int i = 0; i < steps; ++i) engine().step();
        engine().crash();
        recover();
        EXPECT_EQ(state(at("d")), PublicState::skipped) << "after " << steps << " steps";
        EXPECT_EQ(state(at("e")), PublicState::skipped) << "after " << steps << " steps";
        EXPECT_EQ(group_of(at("c")).fail_count, 1) << "after " << steps << " steps";
        EXPECT_EQ(group_of(at("c")).running_count, 1) << "after " << steps << " steps";
        value_of(complete(take(at("b")).handle));
        for (int i = 0; i < steps; ++i) engine().step();
        engine().crash();
        recover();
        EXPECT_EQ(group_of(at("c")).success_count, 1) << "after " << steps << " steps";
        succeed(at("c"));
        EXPECT_EQ(flow_state(), FlowState::failed) << "after " << steps << " steps";
        EXPECT_EQ(undispatched(), 0U);
    }
}

TEST_P(FlowDispatch, SiblingsThatACrashSparedAreCancelledByTheReconciler) {
    for (int steps = 0; steps < 16; ++steps) {
        submit({"a", "b", "c", "d"}, fan_in({"a", "b", "c"}, "d"), {{"d", any_policy()}});
        value_of(complete(take(at("a")).handle));
        for (int i = 0; i < steps; ++i) engine().step();
        engine().crash();
        recover();
        for (const char* sibling : {"b", "c"}) expect_cancelled_as_sibling(at(sibling), "sibling_quorum_satisfied");
        EXPECT_THAT(snapshot().of<SiblingWorkRow>(), IsEmpty());
        EXPECT_FALSE(group_of(at("d")).cancel_siblings_pending_flag);
        succeed(at("d"));
    }
}

TEST_P(FlowDispatch, ReconcilersOfFlowsCountWhatTheyHaveDone) {
    submit({"a", "b"}, fan_in({"a"}, "b"));
    value_of(complete(take(at("a")).handle));
    engine().crash();
    EXPECT_EQ(processed_by("dependency"), 0U);
    recover();
    EXPECT_GE(processed_by("dependency"), 2U) << "the edge, and the end";

    submit({"a", "b", "c"}, fan_in({"a", "b"}, "c"), {{"c", any_policy()}});
    value_of(complete(take(at("a")).handle));
    while (snapshot().of<SiblingWorkRow>().empty()) ASSERT_TRUE(engine().step());
    engine().crash();
    recover();
    EXPECT_EQ(processed_by("edge_cancel_dispatcher"), 1U);

    submit({"a", "b"});
    const auto doomed = engine_cancelling(0);
    value_of(doomed->run(CancelFlow{.flow_id = flow_, .reason = "enough", .grace_ms = 1000}));
    doomed->crash();
    advance(1000);
    reconcile();
    reconcile();
    EXPECT_EQ(processed_by("cancel_reconciler"), 3U) << "each member, and the list";
    EXPECT_EQ(state(at("b")), PublicState::cancelled);
    recover();

    const auto before = engine().reconcilers();
    reconcile();
    for (const char* idle : {"dependency", "edge_cancel_dispatcher", "cancel_reconciler"}) {
        EXPECT_EQ(processed_by(idle), std::ranges::find(before, idle, &ReconcilerView::name)->processed) << idle;
    }
}

TEST_P(FlowDispatch, TwoEnginesThatFindTheSameEndCountItOnce) {
    submit({"a", "b", "c"}, fan_in({"a", "b"}, "c"));
    value_of(complete(take(at("a")).handle));
    engine().crash();
    advance(2000);
    const auto other = another_engine();
    reconcile();
    other->reconcile();
    EXPECT_EQ(group_of(at("c")).success_count, 1);
    EXPECT_EQ(group_of(at("c")).running_count, 1);
    EXPECT_EQ(flow_row().open_members, 2);
}

}  // namespace
}  // namespace flowfabric::test
