#include "conformance/flowing.hpp"

namespace flowfabric::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class FlowRetention : public Flowing {
  protected:
    void SetUp() override {
        Flowing::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        keeper_ = another_engine({.overrides = {.execution_retention_ms = static_cast<std::uint64_t>(day)}});
        trim();
    }
    void TearDown() override {
        keeper_.reset();
        Flowing::TearDown();
    }

    Simulation& keeper() { return *keeper_; }
    // As often as a flow of a few members needs to go, and once more.
    void trim() {
        for (int i = 0; i < 5; ++i) keeper().reconcile();
    }
    std::size_t members() { return snapshot().executions.size(); }

    static ExecutionPolicy kept_for(std::int64_t ms) {
        ExecutionPolicy policy;
        policy.stream_policy.emplace().retention_ttl_ms = static_cast<std::uint64_t>(ms);
        return policy;
    }

    void expect_nothing_left() {
        const Dump left = snapshot();
        EXPECT_THAT(left.executions, IsEmpty());
        EXPECT_THAT(left.of<FlowRow>(), IsEmpty());
        EXPECT_THAT(left.of<FlowSummaryRow>(), IsEmpty());
        EXPECT_THAT(left.of<FlowRetentionRow>(), IsEmpty());
        EXPECT_THAT(left.of<RetentionRow>(), IsEmpty());
        EXPECT_THAT(left.of<EdgeRow>(), IsEmpty());
        EXPECT_THAT(left.of<EdgeGroupRow>(), IsEmpty());
        EXPECT_THAT(left.of<SiblingWorkRow>(), IsEmpty());
        EXPECT_THAT(left.of<CancelBacklogRow>(), IsEmpty());
        EXPECT_THAT(left.of<CancelMemberRow>(), IsEmpty());
        EXPECT_EQ(value_of(api().describe_flow(flow_)), std::nullopt);
        EXPECT_EQ(value_of(api().get_flow_summary(flow_)), std::nullopt);
    }
    void expect_all_kept(std::size_t count) {
        EXPECT_THAT(snapshot().executions, SizeIs(count));
        EXPECT_FALSE(fields_of(flow_row()).removing);
    }

  private:
    std::unique_ptr<Simulation> keeper_;
};
INSTANTIATE_TEST_SUITE_P(Stores, FlowRetention, all_stores(), name_of_param);

TEST_P(FlowRetention, AFlowGoesAsAWholeWhateverBecameOfItsMembers) {
    SubmitFlow graph = graph_of({"succeeds", "fails", "is cancelled", "expires", "is skipped", "has input"},
                                {{.from = "fails", .to = "is skipped"},
                                 {.from = "succeeds", .to = "has input", .data_passing_ref = "from above"}});
    graph.nodes[3].execution.execution_deadline_at_ms = now() + 10;
    submit(std::move(graph));
    succeed(at("succeeds"), "result");
    EXPECT_THAT(snapshot().executions.at(at("has input")).flow_inputs, SizeIs(1));
    succeed(at("has input"));
    lose(at("fails"));
    cancel_one(at("is cancelled"));
    advance(10);
    reconcile();
    EXPECT_EQ(state(at("is skipped")), PublicState::skipped);
    EXPECT_EQ(state(at("expires")), PublicState::expired);
    EXPECT_THAT(snapshot().of<FlowSummaryRow>(), SizeIs(1));

    advance(day - 1);
    trim();
    expect_all_kept(6);
    advance(1);
    trim();
    expect_nothing_left();
    EXPECT_EQ(value_of(api().get_execution_input(at("has input"))), std::nullopt);
    EXPECT_THAT(snapshot().completion_events, SizeIs(6)) << "outboxes have their own retention";
    expect_no_change([&] { trim(); });
}

TEST_P(FlowRetention, NothingGoesBeforeTheYoungestIsOldEnough) {
    submit({"a", "b", "c"}, {{.from = "a", .to = "b"}});
    succeed(at("a"));
    advance(hour);
    succeed(at("b"));
    advance(hour);
    succeed(at("c"));
    for (int i = 0; i < 23; ++i) {
        advance(hour);
        trim();
    }
    expect_all_kept(3);
    advance(hour);
    trim();
    expect_nothing_left();
}

TEST_P(FlowRetention, ALiveMemberKeepsAll) {
    submit({"brief", "lasting"});
    succeed(at("brief"));
    for (int i = 0; i < 10; ++i) {
        advance(day);
        trim();
    }
    expect_all_kept(2);
    succeed(at("lasting"));
    advance(day - 1);
    trim();
    expect_all_kept(2);
    advance(1);
    trim();
    expect_nothing_left();
}

TEST_P(FlowRetention, AReplayedMemberKeepsItsFlow) {
    submit({"a", "b"});
    succeed(at("a"));
    lose(at("b"));
    advance(day - 1);
    value_of(run(ReplayExecution{at("b")}));
    advance(day);
    trim();
    expect_all_kept(2);
    succeed(at("b"));
    advance(day - 1);
    trim();
    expect_all_kept(2);
    advance(1);
    trim();
    expect_nothing_left();
}

TEST_P(FlowRetention, AMemberWithALongerTimeOfItsOwnKeepsItsFlow) {
    SubmitFlow graph = graph_of({"ordinary", "lasting"});
    graph.nodes[1].execution.policy = kept_for(3 * day);
    submit(std::move(graph));
    succeed(at("lasting"));
    succeed(at("ordinary"));
    advance(3 * day - 1);
    trim();
    expect_all_kept(2);
    advance(1);
    trim();
    expect_nothing_left();
}

TEST_P(FlowRetention, MembersThatAreKeptBrieflyGoWhenTheLastOfThemMay) {
    SubmitFlow graph = graph_of({"a", "b"});
    graph.nodes[0].execution.policy = kept_for(1000);
    graph.nodes[1].execution.policy = kept_for(5000);
    submit(std::move(graph));
    succeed(at("a"));
    succeed(at("b"));
    advance(1000);
    trim();
    expect_all_kept(2);
    advance(3999);
    trim();
    expect_all_kept(2);
    advance(1);
    trim();
    expect_nothing_left();
}

TEST_P(FlowRetention, AMemberThatIsKeptForEverKeepsItsFlow) {
    SubmitFlow graph = graph_of({"ordinary", "eternal"});
    graph.nodes[1].execution.policy = kept_for(0);
    submit(std::move(graph));
    succeed(at("ordinary"));
    succeed(at("eternal"));
    advance(1000 * day);
    trim();
    expect_all_kept(2);
}

TEST_P(FlowRetention, AnUnsealedFlowGoesTooOnceItsMembersHaveEnded) {
    create_flow();
    const auto a = member();
    const auto b = member();
    connect(edge_id(1), a, b);
    value_of(run(staging(edge_id(2), a, member())));
    succeed(a);
    succeed(b);
    for (const auto& [id, stored] : snapshot().executions) {
        if (stored.row.vector.lifecycle_phase != LifecyclePhase::terminal) cancel_one(id);
    }
    advance(day);
    trim();
    expect_nothing_left();
}

TEST_P(FlowRetention, AnExecutionThatJoinedAfterItsEndGoesWithItsFlow) {
    create_flow();
    const auto id = create_beside(flow_);
    succeed(id);
    advance(hour);
    add(id);
    advance(day - hour);
    trim();
    expect_nothing_left();
}

TEST_P(FlowRetention, AFlowWithoutMembersGoesTooOnceNothingWasAddedForLong) {
    create_flow();
    advance(hour);
    seal();
    advance(day - 1);
    trim();
    EXPECT_FALSE(fields_of(flow_row()).removing);
    advance(1);
    trim();
    expect_nothing_left();
}

TEST_P(FlowRetention, ABacklogThatNobodyWorkedOffGoesToo) {
    submit({"a", "b"});
    const auto doomed = engine_cancelling(0);
    value_of(doomed->run(CancelFlow{
        .flow_id = flow_, .policy = CancellationPolicy::cancel_all, .reason = "enough", .grace_ms = 1ULL << 40U}));
    doomed->crash();
    succeed(at("a"));
    succeed(at("b"));
    EXPECT_THAT(snapshot().of<CancelMemberRow>(), SizeIs(2));
    EXPECT_THAT(snapshot().of<CancelBacklogRow>(), SizeIs(1));
    advance(day);
    trim();
    expect_nothing_left();
}

TEST_P(FlowRetention, WhatACrashInterruptsGoesOn) {
    std::vector<std::string> names;
    for (int i = 0; i < 20; ++i) names.push_back("node " + std::to_string(i));
    submit(names, fan_in({names.begin(), names.end() - 1}, names.back()));
    for (const std::string& name : names) succeed(at(name));
    advance(day);
    std::vector<std::size_t> rows;
    for (int i = 0; i < 4; ++i) {
        keeper().reconcile();
        keeper().crash();
        const Dump left = snapshot();
        rows.push_back(left.of<FlowRow>().size() + left.of<EdgeRow>().size() + left.executions.size());
        if (!left.of<FlowRow>().empty()) {
            EXPECT_TRUE(fields_of(flow_row()).removing);
        }
    }
    EXPECT_THAT(rows, ElementsAre(40, 21, 1, 0));
    trim();
    expect_nothing_left();
}

TEST_P(FlowRetention, NobodyJoinsAFlowThatIsBeingRemoved) {
    create_flow();
    const auto a = member();
    const auto b = member();
    stage(edge_id(1), a, b);
    succeed(a);
    lose(b);
    advance(day);
    keeper().reconcile();
    ASSERT_TRUE(fields_of(flow_row()).removing);
    EXPECT_EQ(value_of(api().describe_flow(flow_))->state, FlowPhase::failed);
    const auto late = create_beside(flow_);
    expect_refused(AddExecutionToFlow{.flow_id = flow_, .execution_id = late}, ErrorKind::flow_already_terminal);
    expect_refused(staging(edge_id(2), a, b), ErrorKind::flow_already_terminal);
    expect_refused(applying(edge_id(1), a, b), ErrorKind::flow_already_terminal);
    expect_refused(SealFlow{flow_}, ErrorKind::flow_already_terminal);
    expect_refused(ReplayExecution{b}, ErrorKind::replay_not_allowed);
    trim();
    EXPECT_THAT(snapshot().of<FlowRow>(), IsEmpty());
    EXPECT_THAT(snapshot().executions, SizeIs(1));
}

TEST_P(FlowRetention, AWideFlowGoesInSeveralTransactions) {
    SubmitFlow graph;
    graph.flow_kind = "wide";
    for (int i = 0; i < 1200; ++i) {
        graph.nodes.push_back({.name = std::to_string(i), .execution = {}, .policy = {}});
        if (i > 0) graph.edges.push_back({.from = std::to_string(i), .to = "0"});
    }
    submit(std::move(graph));
    cancel_flow(CancellationPolicy::cancel_all);
    advance(day);
    std::vector<std::size_t> edges;
    std::vector<std::size_t> executions;
    for (int i = 0; i < 8; ++i) {
        keeper().reconcile();
        const Dump left = snapshot();
        edges.push_back(left.of<EdgeRow>().size());
        executions.push_back(left.executions.size());
    }
    EXPECT_THAT(edges, ElementsAre(1199, 699, 199, 0, 0, 0, 0, 0));
    EXPECT_THAT(executions, ElementsAre(1200, 1200, 1200, 1200, 700, 200, 0, 0));
    expect_nothing_left();
}

TEST_P(FlowRetention, OtherFlowsAreLeftAlone) {
    submit({"old"});
    const FlowId old = flow_;
    succeed(at("old"));
    advance(hour);
    submit({"young", "child"}, {{.from = "young", .to = "child"}});
    succeed(at("young"));
    succeed(at("child"));
    advance(day - hour);
    trim();
    EXPECT_EQ(value_of(api().describe_flow(old)), std::nullopt);
    expect_all_kept(2);
    EXPECT_THAT(snapshot().of<EdgeRow>(), SizeIs(1));
    advance(hour);
    trim();
    expect_nothing_left();
}

TEST_P(FlowRetention, TwoEnginesRemoveAFlowTogether) {
    submit({"a", "b", "c"}, {{.from = "a", .to = "b"}, {.from = "a", .to = "c"}});
    for (const auto* name : {"a", "b", "c"}) succeed(at(name));
    advance(day);
    auto other = another_engine({.overrides = {.execution_retention_ms = static_cast<std::uint64_t>(day)}});
    for (int i = 0; i < 4; ++i) {
        keeper().reconcile();
        other->reconcile();
    }
    expect_nothing_left();
}

// ---- when the setting changes -----------------------------------------------------------------------------------

// With an engine that has no retention of its own.
class FlowRetentionSetting : public FlowRetention {
  protected:
    void SetUp() override {
        FlowRetention::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        obedient_ = obedient_engine();
        keep_for("0");
    }
    void TearDown() override {
        obedient_.reset();
        FlowRetention::TearDown();
    }

    void keep_for(const std::string& duration) {
        value_of(run(SetSetting{.name = "execution_retention", .value = duration}));
        pass(1);
    }
    void pass(std::int64_t ms) {
        advance(ms);
        for (int i = 0; i < 5; ++i) obedient_->reconcile();
    }

  private:
    std::unique_ptr<Simulation> obedient_;
};
INSTANTIATE_TEST_SUITE_P(Stores, FlowRetentionSetting, all_stores(), name_of_param);

TEST_P(FlowRetentionSetting, AFlowWithALiveMemberGoesAfterItsEndAlthoughAllWasKeptForEver) {
    submit({"brief", "lasting"});
    succeed(at("brief"));
    pass(2 * day);
    EXPECT_THAT(snapshot().of<FlowRetentionRow>(), SizeIs(1));
    keep_for("1h");
    expect_all_kept(2);
    succeed(at("lasting"));
    pass(hour - 1);
    expect_all_kept(2);
    pass(1);
    expect_nothing_left();
}

// No member had ended when the setting changed, so none leads to the flow.
TEST_P(FlowRetentionSetting, AFlowWhoseOnlyMemberLivesGoesWithinADay) {
    submit({"lasting"});
    pass(2 * day);
    keep_for("1h");
    succeed(at("lasting"));
    pass(day);
    expect_nothing_left();
}

TEST_P(FlowRetentionSetting, AFlowThatHasStartedAgainGoesWithinADay) {
    submit({"replayed"});
    succeed(at("replayed"));
    pass(2 * day);
    EXPECT_THAT(snapshot().of<FlowRetentionRow>(), IsEmpty());
    value_of(run(ReplayExecution{at("replayed")}));
    keep_for("1h");
    succeed(at("replayed"));
    pass(day);
    expect_nothing_left();
}

TEST_P(FlowRetentionSetting, AFlowWithoutMembersGoesWithinADayWhetherItHasEndedOrNot) {
    create_flow(1);
    create_flow(2);
    seal();
    pass(2 * day);
    keep_for("1h");
    pass(day);
    expect_nothing_left();
}

TEST_P(FlowRetentionSetting, AFlowThatEndedWhileAllWasKeptForEverGoesAtOnceOrWhenItIsOldEnough) {
    submit({"old"});
    succeed(at("old"));
    pass(2 * day);
    submit({"young"});
    succeed(at("young"));
    EXPECT_EQ(members(), 2U);
    keep_for("1h");
    expect_all_kept(1);
    pass(hour - 2);
    expect_all_kept(1);
    pass(1);
    expect_nothing_left();
}

TEST_P(FlowRetention, WhatWasKeptForEverIsFoundWhenThatChanges) {
    submit({"a", "b"}, {{.from = "a", .to = "b"}});
    succeed(at("a"));
    succeed(at("b"));
    advance(2 * day);
    reconcile();
    reconcile();
    EXPECT_THAT(snapshot().of<FlowRetentionRow>(), IsEmpty()) << "an engine that keeps everything does not look again";
    auto forgetful = another_engine({.overrides = {.execution_retention_ms = 0}});
    for (int i = 0; i < 3; ++i) forgetful->reconcile();
    EXPECT_THAT(snapshot().of<ConsumerRow>(), IsEmpty()) << "retention is off";
    trim();
    trim();
    expect_nothing_left();
}

}  // namespace
}  // namespace flowfabric::test
