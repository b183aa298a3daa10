#include <future>

#include <boost/json.hpp>

#include "conformance/flowing.hpp"

// How a flow is cancelled, and what becomes of its members.
namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using ::testing::UnorderedElementsAreArray;
using enum CancellationPolicy;
using enum LeaseEventType;

// A flow with a member in every state that matters.
class FlowCancel : public Flowing {
  protected:
    void SetUp() override {
        Flowing::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        value_of(run(SeedWaitpointHmacSecret{"k1", std::string(64, 'a')}));
        auto command = graph_of({"done", "running", "suspended", "waiting", "delayed", "blocked", "retrying"},
                                {{.from = "waiting", .to = "blocked"}});
        command.nodes[4].execution.delay_until_ms = now() + 600'000;
        command.nodes[6].execution.policy = retries(3, 600'000);
        submit(std::move(command));
        succeed(at("done"), "fine");
        suspend(at("suspended"));
        fail_with_retry(take(at("retrying")).handle);
        held = take(at("running"));
    }
    void suspend(const ExecutionId& id) {
        Suspend command{.lease = take(id).handle};
        command.waitpoints.emplace_back(FreshWaitpoint{std::nullopt, "k"});
        command.resume_condition = {Single{"k", Wildcard{}}};
        command.timeout_at_ms = now() + 100'000;
        command.timeout_behavior = TimeoutBehavior::fail;
        value_of(run(std::move(command)));
    }
    CancelFlow cancelling(CancellationPolicy policy = cancel_all) {
        return {.flow_id = flow_, .policy = policy, .reason = "enough", .requester = "someone", .grace_ms = 1000};
    }
    CancelFlow cancelling_within(std::uint64_t wait_ms) {
        CancelFlow command = cancelling();
        command.max_wait_ms = wait_ms;
        return command;
    }
    // The flow is cancelled, and the process dies on the spot.
    FlowCancelled cancel_and_die(CancellationPolicy policy = cancel_all, std::uint32_t with_flow = 0) {
        const auto doomed = engine_cancelling(with_flow);
        auto answer = value_of(doomed->run(cancelling(policy)));
        doomed->crash();
        return answer;
    }
    std::vector<ExecutionId> ids(const std::vector<std::string>& names) {
        std::vector<ExecutionId> found;
        for (const std::string& name : names) found.push_back(at(name));
        std::ranges::sort(found);
        return found;
    }
    void expect_cancelled(const ExecutionId& id) {
        EXPECT_EQ(state(id), PublicState::cancelled);
        EXPECT_EQ(row(id).cancellation_reason, "enough");
        EXPECT_EQ(row(id).cancelled_by, "flow_cascade");
        EXPECT_EQ(row(id).cancellation_cause, CancellationCause::flow);
        EXPECT_THAT(outcomes(id), ElementsAre(TerminalOutcome::cancelled));
        EXPECT_THAT(operator_events(id), IsEmpty());
    }
    std::size_t backlog() { return snapshot().of<CancelMemberRow>().size(); }
    bool has_backlog() { return !snapshot().of<CancelBacklogRow>().empty(); }

    const std::vector<std::string> pending{"waiting", "delayed", "blocked", "retrying"};
    const std::vector<std::string> living{"running", "suspended", "waiting", "delayed", "blocked", "retrying"};
    ClaimedExecution held;
};
INSTANTIATE_TEST_SUITE_P(Stores, FlowCancel, all_stores(), name_of_param);

// ---- the policies -----------------------------------------------------------------------------------------------

TEST_P(FlowCancel, CancelAllEndsEveryoneWhoHasNotEnded) {
    const ExecutionRow before = row(at("done"));
    const auto answer = cancel_flow(cancel_all);
    EXPECT_EQ(answer, (FlowCancelled{cancel_all, "enough", ids(living), false}));
    EXPECT_EQ(row(at("done")), before);
    EXPECT_THAT(outcomes(at("done")), ElementsAre(TerminalOutcome::success));
    for (const std::string& name : living) {
        SCOPED_TRACE(name);
        expect_cancelled(at(name));
    }
    EXPECT_EQ(backlog(), 0U);
    EXPECT_FALSE(has_backlog());
    EXPECT_EQ(flow_state(), FlowState::cancelled);
    EXPECT_EQ(flow_row().terminal_at_ms, now());
    EXPECT_EQ(undispatched(), 0U);
}

TEST_P(FlowCancel, MembersEndInTheTransactionOfTheirFlow) {
    const auto answer = cancel_and_die(cancel_all, 1000);
    EXPECT_EQ(answer.members, ids(living));
    EXPECT_FALSE(answer.members_pending);
    for (const std::string& name : living) {
        SCOPED_TRACE(name);
        expect_cancelled(at(name));
    }
    EXPECT_FALSE(has_backlog());
}

TEST_P(FlowCancel, MembersThatAreTooManyForOneTransactionAreListed) {
    const auto answer = cancel_and_die(cancel_all, 2);
    EXPECT_EQ(answer.members, ids(living));
    EXPECT_TRUE(answer.members_pending);
    EXPECT_EQ(
        std::ranges::count(living, PublicState::cancelled, [&](const std::string& name) { return state(at(name)); }),
        2);
    EXPECT_EQ(backlog(), 4U);
    auto again = answer;
    again.already_terminal = true;
    expect_no_change([&] { EXPECT_EQ(value_of(run(cancelling(cancel_pending))), again); });
    advance(1000);
    recover();
    for (const std::string& name : living) {
        SCOPED_TRACE(name);
        expect_cancelled(at(name));
    }
    EXPECT_FALSE(has_backlog());
    again.members_pending = false;
    EXPECT_EQ(value_of(run(cancelling())), again);
}

TEST_P(FlowCancel, WhatAnEarlierCommandOfTheBatchEndedIsNoneOfItsMembers) {
    std::optional<Result<Answer>> cancelled;
    engine().submit(Complete{.lease = held.handle}, [](const Result<Answer>& answer) { value_of(answer); });
    engine().submit(cancelling(), [&](Result<Answer> answer) { cancelled = std::move(answer); });
    engine().settle();
    EXPECT_EQ(answer_of<FlowCancelled>(*cancelled).members,
              ids({"suspended", "waiting", "delayed", "blocked", "retrying"}));
    EXPECT_EQ(state(at("running")), PublicState::completed);
    EXPECT_THAT(outcomes(at("running")), ElementsAre(TerminalOutcome::success));
}

TEST_P(FlowCancel, WhoJoinedInAnEarlierCommandOfTheBatchIsCancelledToo) {
    create_flow();
    const auto first = member();
    const auto second = create_beside(flow_);
    std::optional<Result<Answer>> cancelled;
    engine().submit(AddExecutionToFlow{.flow_id = flow_, .execution_id = second},
                    [](const Result<Answer>& answer) { value_of(answer); });
    engine().submit(cancelling(), [&](Result<Answer> answer) { cancelled = std::move(answer); });
    engine().settle();
    EXPECT_THAT(answer_of<FlowCancelled>(*cancelled).members, UnorderedElementsAre(first, second));
    expect_cancelled(second);
}

TEST_P(FlowCancel, AFlowThatWasSubmittedInTheSameBatchEndsWithAllItsMembers) {
    SubmitFlow graph = graph_of({"a", "b"}, {{.from = "a", .to = "b"}});
    graph.flow_id = flow_ = flow_id(9);
    std::optional<Result<Answer>> submitted;
    std::optional<Result<Answer>> cancelled;
    engine().submit(std::move(graph), [&](Result<Answer> answer) { submitted = std::move(answer); });
    engine().submit(cancelling(), [&](Result<Answer> answer) { cancelled = std::move(answer); });
    engine().settle();
    const auto members = answer_of<FlowSubmitted>(*submitted).members;
    EXPECT_THAT(answer_of<FlowCancelled>(*cancelled).members, UnorderedElementsAreArray(members));
    for (const ExecutionId& id : members) expect_cancelled(id);
}

TEST_P(FlowCancel, OnlyALiveLeaseIsRevoked) {
    cancel_flow(cancel_all);
    EXPECT_THAT(lease_event_types(at("running")), ElementsAre(acquired, revoked));
    EXPECT_EQ(lease_events(at("running")).back().revoked_by, "backend");
    EXPECT_EQ(row(at("running")).lease_epoch, held.lease_epoch.value + 1);
    EXPECT_THAT(lease_event_types(at("suspended")), ElementsAre(acquired, released));
    EXPECT_THAT(lease_event_types(at("waiting")), IsEmpty());
}

TEST_P(FlowCancel, CancelPendingLeavesRunningAndSuspendedOnesAlone) {
    const ExecutionRow running = row(at("running"));
    const ExecutionRow suspended = row(at("suspended"));
    EXPECT_EQ(cancel_flow(cancel_pending).members, ids(pending));
    for (const std::string& name : pending) {
        SCOPED_TRACE(name);
        expect_cancelled(at(name));
    }
    EXPECT_EQ(row(at("running")), running);
    EXPECT_EQ(row(at("suspended")), suspended);
    EXPECT_EQ(flow_state(), FlowState::cancelled);
    value_of(complete(held.handle));
    engine().settle();
    EXPECT_EQ(state(at("running")), PublicState::completed) << "it drains";
    EXPECT_EQ(flow_state(), FlowState::cancelled);
}

TEST_P(FlowCancel, WhatDrainsMayRetry) {
    create_flow();
    const ExecutionId id = member({.policy = retries(1, 0)});
    const ClaimedExecution first = take(id);
    EXPECT_THAT(cancel_flow(cancel_pending).members, IsEmpty());
    fail_with_retry(first.handle);
    reconcile();
    succeed(id);
    EXPECT_EQ(state(id), PublicState::completed);
}

TEST_P(FlowCancel, CancelFlowOnlyChangesNoMember) {
    std::map<std::string, ExecutionRow> before;
    for (const std::string& name : living) before[name] = row(at(name));
    EXPECT_THAT(cancel_flow(cancel_flow_only).members, IsEmpty());
    for (const std::string& name : living) EXPECT_EQ(row(at(name)), before[name]) << name;
    EXPECT_FALSE(has_backlog());
    EXPECT_EQ(flow_state(), FlowState::cancelled);
    succeed(at("waiting"));
    EXPECT_EQ(state(at("blocked")), PublicState::waiting) << "the graph goes on";
}

TEST_P(FlowCancel, OneOperatorEventTellsOfIt) {
    cancel_flow(cancel_pending);
    const auto events = snapshot().operator_events;
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_EQ(events[0].event_type, OperatorEventType::flow_cancel_requested);
    EXPECT_EQ(events[0].subject_kind, SubjectKind::flow);
    EXPECT_EQ(events[0].subject_id, flow_.uuid);
    const auto details = boost::json::parse(events[0].details.text);
    EXPECT_EQ(details.at("flow_id").as_string(), flow_.to_string());
    EXPECT_EQ(details.at("cancellation_policy").as_string(), "cancel_pending");
    EXPECT_EQ(details.at("reason").as_string(), "enough");
    EXPECT_EQ(details.at("member_count").to_number<int>(), 4);
}

// ---- members that go on -----------------------------------------------------------------------------------------

TEST_P(FlowCancel, TheWorkerOfACancelledMemberCannotCompleteIt) {
    cancel_flow(cancel_all);
    expect_no_change([&] { expect_error(complete(held.handle), ErrorKind::execution_not_active); });
    EXPECT_EQ(state(at("running")), PublicState::cancelled);
}

TEST_P(FlowCancel, TheDeadlineOfACancelledSuspensionIsNobodysConcern) {
    cancel_flow(cancel_all);
    EXPECT_TRUE(snapshot().of<SuspensionRow>().at({at("suspended")}).closed_at_ms);
    for (const auto& [key, waitpoint] : snapshot().of<WaitpointRow>()) {
        EXPECT_EQ(waitpoint.state, WaitpointState::closed);
    }
    const ExecutionRow before = row(at("suspended"));
    const std::size_t events = snapshot().signal_events.size() + snapshot().operator_events.size();
    advance(100'000);
    reconcile();
    expect_cancelled(at("suspended"));
    EXPECT_EQ(row(at("suspended")).last_mutation_at_ms, before.last_mutation_at_ms);
    EXPECT_EQ(snapshot().signal_events.size() + snapshot().operator_events.size(), events);
}

TEST_P(FlowCancel, AListedMemberThatIsClaimedMeanwhileIsCancelledLikeARunningOne) {
    cancel_and_die(cancel_pending);
    const ClaimedExecution late = take(at("waiting"));
    advance(1000);
    recover();
    expect_cancelled(at("waiting"));
    EXPECT_THAT(lease_event_types(at("waiting")), ElementsAre(acquired, revoked));
    expect_error(complete(late.handle), ErrorKind::execution_not_active);
    EXPECT_EQ(state(at("running")), PublicState::active);
}

TEST_P(FlowCancel, AListedMemberThatEndsMeanwhileStaysAsItEnded) {
    cancel_and_die(cancel_all);
    value_of(complete(held.handle));
    advance(1000);
    recover();
    EXPECT_EQ(state(at("running")), PublicState::completed);
    EXPECT_THAT(outcomes(at("running")), ElementsAre(TerminalOutcome::success));
    EXPECT_FALSE(has_backlog());
}

TEST_P(FlowCancel, AMemberOfACancelledFlowIsNotReplayed) {
    cancel_flow(cancel_all);
    expect_refused(ReplayExecution{.execution_id = at("done")}, ErrorKind::flow_already_terminal);
    expect_refused(ReplayExecution{.execution_id = at("waiting")}, ErrorKind::flow_already_terminal);
}

// ---- again ------------------------------------------------------------------------------------------------------

TEST_P(FlowCancel, ASecondCancelTellsOfTheFirst) {
    auto expected = cancel_flow(cancel_pending);
    expected.already_terminal = true;
    auto again = cancelling(cancel_all);
    again.reason = "other";
    expect_no_change([&] { EXPECT_EQ(value_of(run(again)), expected); });
}

TEST_P(FlowCancel, AFlowThatHasEndedIsNotCancelled) {
    submit({"a"});
    succeed(at("a"));
    expect_no_change([&] {
        const auto answer = value_of(run(cancelling()));
        EXPECT_TRUE(answer.already_terminal);
        EXPECT_THAT(answer.members, IsEmpty());
        EXPECT_FALSE(answer.reason);
    });
    EXPECT_EQ(flow_state(), FlowState::completed);
}

TEST_P(FlowCancel, AnUnknownFlowIsNotFound) {
    expect_refused(CancelFlow{.flow_id = flow_id(9)}, ErrorKind::flow_not_found, flow_id(9).to_string());
    expect_refused(AckCancelMember{.flow_id = flow_id(9), .execution_id = at("done")}, ErrorKind::flow_not_found);
    expect_error(api().cancel_flow({.flow_id = flow_id(9), .max_wait_ms = 10}), ErrorKind::flow_not_found);
}

TEST_P(FlowCancel, AGraceIsAnIntegerThatEveryClientCanHold) {
    auto command = cancelling();
    command.grace_ms = std::uint64_t{1} << 53U;
    expect_refused(command, ErrorKind::invalid_grace_ms, "grace_ms");
    command.grace_ms = (std::uint64_t{1} << 53U) - 1;
    value_of(run(command));
}

// ---- backlog and acknowledgements -------------------------------------------------------------------------------

TEST_P(FlowCancel, TheBacklogHoldsWhoIsStillToBeCancelled) {
    cancel_and_die(cancel_pending);
    const Dump stored = snapshot();
    const CancelBacklogRow& header = stored.of<CancelBacklogRow>().begin()->second;
    EXPECT_EQ(header.requested_at_ms, now());
    EXPECT_EQ(header.grace_until_ms, now() + 1000);
    EXPECT_EQ(header.reason, "enough");
    EXPECT_EQ(header.requester, "someone");
    EXPECT_EQ(header.cancellation_policy, cancel_pending);
    EXPECT_THAT(stored.of<CancelMemberRow>(), SizeIs(4));
}

TEST_P(FlowCancel, WhatACrashLeftIsCancelledAfterTheGrace) {
    cancel_and_die();
    EXPECT_EQ(backlog(), 6U);
    advance(999);
    reconcile();
    EXPECT_EQ(backlog(), 6U);
    advance(1);
    for (int i = 0; i < 3; ++i) reconcile();
    engine().settle();
    for (const std::string& name : living) {
        SCOPED_TRACE(name);
        expect_cancelled(at(name));
    }
    EXPECT_EQ(backlog(), 0U);
    EXPECT_FALSE(has_backlog());
}

TEST_P(FlowCancel, ACrashBetweenAnyTwoStepsLeavesNobodyAlive) {
    for (const std::uint32_t with_flow : {0U, 1U, 3U}) {
        const auto doomed = engine_cancelling(with_flow);
        for (int steps = 0; steps < 20; ++steps) {
            SCOPED_TRACE(std::to_string(with_flow) + " with the flow, " + std::to_string(steps) + " steps");
            submit({"a", "b", "c"}, fan_in({"a", "b"}, "c"));
            value_of(doomed->run(cancelling()));
            for (int i = 0; i < steps; ++i) doomed->step();
            doomed->crash();
            advance(1000);
            recover();
            for (const char* name : {"a", "b", "c"}) {
                EXPECT_EQ(row(at(name)).vector.lifecycle_phase, LifecyclePhase::terminal);
                EXPECT_THAT(outcomes(at(name)), SizeIs(1));
            }
            EXPECT_FALSE(has_backlog());
        }
    }
}

TEST_P(FlowCancel, TheLastAcknowledgementRemovesTheHeader) {
    cancel_and_die(cancel_pending);
    for (std::size_t i = 0; i < pending.size(); ++i) {
        EXPECT_TRUE(has_backlog());
        const AckCancelMember ack{.flow_id = flow_, .execution_id = at(pending[i])};
        value_of(run(ack));
        EXPECT_EQ(backlog(), pending.size() - 1 - i);
        expect_no_change([&] { value_of(run(ack)); });
    }
    EXPECT_FALSE(has_backlog());
    EXPECT_EQ(state(at("waiting")), PublicState::waiting) << "whoever acknowledges has cancelled it himself";
    EXPECT_THAT(snapshot().operator_events, SizeIs(1)) << "acknowledgements are silent";
}

TEST_P(FlowCancel, AStrangersAcknowledgementIsHarmless) {
    cancel_and_die(cancel_pending);
    expect_no_change([&] {
        value_of(run(AckCancelMember{.flow_id = flow_, .execution_id = at("running")}));
        value_of(run(AckCancelMember{.flow_id = flow_, .execution_id = flow_execution_id(flow_, Uuid{{9}})}));
    });
}

// ---- waiting for the members ------------------------------------------------------------------------------------

TEST_P(FlowCancel, ACallerMayWaitForTheMembers) {
    const auto answer = value_of(api().cancel_flow(cancelling_within(60'000)));
    EXPECT_EQ(answer.members, ids(living));
    for (const std::string& name : living) {
        SCOPED_TRACE(name);
        expect_cancelled(at(name));
    }
    EXPECT_FALSE(has_backlog());
}

TEST_P(FlowCancel, AWaitThatIsTooShortSaysSoAndTheMembersEndAllTheSame) {
    // Nobody dispatches what another engine has left before the grace is over.
    cancel_and_die();
    const auto waited = api().cancel_flow(cancelling_within(1));
    expect_error(waited, ErrorKind::timeout, "cancel_flow");
    advance(1000);
    recover();
    for (const std::string& name : living) {
        SCOPED_TRACE(name);
        expect_cancelled(at(name));
    }
}

TEST_P(FlowCancel, ASubmittedCancelThatWaitsHoldsUpNoThread) {
    cancel_and_die();
    std::promise<Result<FlowCancelled>> promise;
    auto answer = promise.get_future();
    api().submit(cancelling_within(60'000),
                 Completion<CancelFlow>([&](Result<FlowCancelled> given) { promise.set_value(std::move(given)); }));
    EXPECT_EQ(answer.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
    advance(1000);
    recover();
    const auto waited = value_of(answer.get());
    EXPECT_TRUE(waited.already_terminal);
    EXPECT_FALSE(waited.members_pending);
}

TEST_P(FlowCancel, AnEngineThatEndsAnswersACancelThatWaits) {
    cancel_and_die();
    std::promise<Result<FlowCancelled>> promise;
    auto answer = promise.get_future();
    api().submit(cancelling_within(60'000),
                 Completion<CancelFlow>([&](Result<FlowCancelled> given) { promise.set_value(std::move(given)); }));
    close_api();
    ASSERT_EQ(answer.wait_for(std::chrono::milliseconds(0)), std::future_status::ready);
    expect_error(answer.get(), ErrorKind::unavailable);
}

}  // namespace
}  // namespace flowfabric::test
