#include <algorithm>
#include <array>
#include <thread>

#include "concurrency/engine_test.hpp"
#include "core/base/partition.hpp"
#include "flowfabric/submit_flow.hpp"
#include "runtime/simulation/simulation.hpp"

// Two engines work on one flow at the same moment: edges are counted once, groups fire once, nobody waits for ever.
namespace flowfabric::test {
namespace {

class FlowRaces : public EngineTest {
  protected:
    static constexpr int rounds = 20;

    void SetUp() override {
        EngineTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        open();
        open();
    }
    Engine& open(EngineOptions options = {}) {
        engines_.push_back(&EngineTest::open(std::move(options)));
        return *engines_.back();
    }
    Engine& first() { return *engines_[0]; }
    Engine& second() { return *engines_[1]; }
    Engine& engine_of(int thread) { return *engines_[static_cast<std::size_t>(thread) % engines_.size()]; }

    // The last of two threads to start is the first to run: the racers take turns at being it.
    template <class One, class Other>
    static void race(int round, const One& one, const Other& other) {
        on_threads(2, [&](int thread) {
            if (thread == round % 2) {
                one();
            } else {
                other();
            }
        });
    }

    // Every node on a lane of its own.
    FlowSubmitted submit(const std::vector<std::string>& names, std::vector<FlowEdge> edges = {},
                         const std::map<std::string, GroupPolicy>& policies = {}) {
        SubmitFlow command;
        command.flow_kind = "race";
        for (const std::string& name : names) {
            FlowNode node{.name = name, .execution = {.lane_id = name}, .policy = {}};
            if (const auto policy = policies.find(name); policy != policies.end()) node.policy = policy->second;
            command.nodes.push_back(std::move(node));
        }
        command.edges = std::move(edges);
        return value_of(first().submit_flow(std::move(command)));
    }
    FlowId create_flow() { return value_of(first().create_flow({.flow_kind = "race"})).flow_id; }
    ExecutionId member(const FlowId& flow, const std::string& lane) {
        const Uuid uuid{{0x77, static_cast<std::uint8_t>(++created_ >> 8U), static_cast<std::uint8_t>(created_)}};
        const ExecutionId id =
            value_of(first().create_execution({.execution_id = flow_execution_id(flow, uuid), .lane_id = lane}))
                .execution_id;
        value_of(first().add_execution_to_flow({.flow_id = flow, .execution_id = id}));
        return id;
    }
    StageDependencyEdge staging(const FlowId& flow, const ExecutionId& from, const ExecutionId& to) {
        StageDependencyEdge command{.flow_id = flow, .upstream = from, .downstream = to};
        command.edge_id.uuid.bytes = {static_cast<std::uint8_t>(++edges_ >> 8U), static_cast<std::uint8_t>(edges_)};
        command.expected_graph_revision = value_of(first().describe_flow(flow))->graph_revision;
        return command;
    }
    static ApplyDependencyToChild applying(const StageDependencyEdge& edge) {
        return {
            .flow_id = edge.flow_id, .edge_id = edge.edge_id, .upstream = edge.upstream, .downstream = edge.downstream};
    }
    static Claim claim_on(const std::string& lane, std::uint64_t max_wait_ms = 0) {
        Claim command = claim_by("w1");
        command.lanes = {lane};
        command.max_wait_ms = max_wait_ms;
        return command;
    }
    // Waits until there is something on the lane.
    static ClaimedExecution take(Engine& engine, const std::string& lane) {
        return value_of(engine.claim(claim_on(lane, 100'000))).executions.at(0);
    }
    PublicState state(const ExecutionId& id) { return value_of(second().read_execution_state(id)).value(); }
    FlowPhase state(const FlowId& id) { return value_of(second().describe_flow(id)).value().state; }
    // What must come about by itself; how soon is nobody's promise.
    template <class Condition>
    static void await(const Condition& condition) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
        while (!condition()) {
            if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("it never came about");
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }
    // What an engine did that died before it could dispatch it.
    std::unique_ptr<Simulation> doomed_engine() {
        // Members of a flow that it cancels are listed, and nobody else has them in hand.
        Settings settings;
        settings.cancelled_with_flow = 0;
        return std::make_unique<Simulation>(store().open_backend(),
                                            SimulationOptions{.seed = ++doomed_, .settings = std::move(settings)});
    }
    // Looks for what others have left undone all the time.
    static EngineOptions eager() {
        EngineOptions options;
        for (const char* name : {"dependency", "edge_cancel_dispatcher", "cancel_reconciler"}) {
            options.reconcilers[name].interval = std::chrono::milliseconds(20);
        }
        return options;
    }
    static std::size_t ends_of(const Dump& stored, const ExecutionId& id) {
        return static_cast<std::size_t>(std::ranges::count_if(
            stored.completion_events, [&](const CompletionEvent& event) { return event.execution_id == id; }));
    }
    static EdgeGroupRow group_of(const Dump& stored, const FlowId& flow, const ExecutionId& id) {
        return stored.of<EdgeGroupRow>().at({{id.partition, flow}, id.uuid});
    }

  private:
    std::vector<Engine*> engines_;
    unsigned created_ = 0;
    unsigned edges_ = 0;
    std::uint64_t doomed_ = 1000;
};
INSTANTIATE_TEST_SUITE_P(Stores, FlowRaces, all_stores(), name_of_param);

// ---- ends that meet ---------------------------------------------------------------------------------------------

TEST_P(FlowRaces, TwoUpstreamsThatEndAtOnceFireTheirChildOnce) {
    std::map<FlowId, ExecutionId> children;
    for (int round = 0; round < rounds; ++round) {
        const GroupPolicy policy{.kind = round % 2 == 0 ? GroupKind::all_of : GroupKind::quorum, .k = 2};
        const auto flow =
            submit({"a", "b", "c"}, {{.from = "a", .to = "c"}, {.from = "b", .to = "c"}}, {{"c", policy}});
        const ClaimedExecution a = take(first(), "a");
        const ClaimedExecution b = take(second(), "b");
        race(
            round, [&] { value_of(first().complete({.lease = a.handle})); },
            [&] { value_of(second().complete({.lease = b.handle})); });
        const ClaimedExecution child = take(second(), "c");
        EXPECT_EQ(child.execution_id, flow.members[2]);
        EXPECT_EQ(child.lease_epoch, LeaseEpoch{1}) << "round " << round;
        value_of(second().complete({.lease = child.handle}));
        await([&] { return state(flow.flow_id) == FlowPhase::completed; });
        children[flow.flow_id] = flow.members[2];
    }
    close_all();
    const Dump stored = snapshot();
    for (const auto& [flow, child] : children) {
        EXPECT_EQ(group_of(stored, flow, child).success_count, 2);
        EXPECT_EQ(ends_of(stored, child), 1U);
    }
}

TEST_P(FlowRaces, OfTwoThatAnAnyOfWaitsForOneIsCancelledOrBothSucceed) {
    for (int round = 0; round < rounds; ++round) {
        const auto flow = submit({"a", "b", "c"}, {{.from = "a", .to = "c"}, {.from = "b", .to = "c"}},
                                 {{"c", {.kind = GroupKind::any_of}}});
        const ClaimedExecution a = take(first(), "a");
        const ClaimedExecution b = take(second(), "b");
        std::array<bool, 2> completed{};
        race(
            round, [&] { completed[0] = first().complete({.lease = a.handle}).has_value(); },
            [&] { completed[1] = second().complete({.lease = b.handle}).has_value(); });
        EXPECT_TRUE(completed[0] || completed[1]) << "round " << round;
        value_of(first().complete({.lease = take(first(), "c").handle}));
        await([&] { return state(flow.flow_id) == FlowPhase::completed; });
        for (const std::size_t i : {0U, 1U}) {
            EXPECT_EQ(state(flow.members[i]), completed[i] ? PublicState::completed : PublicState::cancelled);
        }
    }
}

TEST_P(FlowRaces, OneEndThatTwoEnginesDispatchCountsOnce) {
    const auto doomed = doomed_engine();
    std::vector<FlowSubmitted> flows;
    flows.reserve(rounds);
    for (int i = 0; i < rounds; ++i) {
        flows.push_back(submit({"a", "b", "c"}, {{.from = "a", .to = "c"}, {.from = "b", .to = "c"}}));
    }
    Claim claim = claim_on("a");
    claim.max_count = rounds;
    for (const ClaimedExecution& one : value_of(doomed->run(claim)).executions) {
        value_of(doomed->run(Complete{.lease = one.handle}));
        doomed->crash();
    }
    open(eager());
    open(eager());
    for (int i = 0; i < rounds; ++i) value_of(first().complete({.lease = take(first(), "b").handle}));
    for (int i = 0; i < rounds; ++i) value_of(second().complete({.lease = take(second(), "c").handle}));
    for (const FlowSubmitted& flow : flows) {
        await([&] { return state(flow.flow_id) == FlowPhase::completed; });
    }
    close_all();
    const Dump stored = snapshot();
    for (const FlowSubmitted& flow : flows) {
        EXPECT_EQ(group_of(stored, flow.flow_id, flow.members[2]).success_count, 2);
        EXPECT_EQ(stored.of<FlowRow>().at({flow_partition(flow.flow_id), flow.flow_id}).open_members, 0);
    }
}

TEST_P(FlowRaces, AGraphOutlivesTheEngineThatRanIt) {
    SubmitFlow command;
    constexpr int length = 12;
    constexpr int width = 4;
    for (int i = 0; i < length; ++i) {
        for (int j = 0; j < width; ++j) {
            const std::string name = std::to_string(i) + "." + std::to_string(j);
            command.nodes.push_back({.name = name, .execution = {}, .policy = {}});
            for (int k = 0; i > 0 && k < width; ++k) {
                command.edges.push_back({.from = std::to_string(i - 1) + "." + std::to_string(k), .to = name});
            }
        }
    }
    const FlowSubmitted flow = value_of(first().submit_flow(std::move(command)));
    close_all();
    const auto work = [](Engine& engine) {
        Claim claim = claim_by("w1");
        claim.max_count = 3;
        claim.max_wait_ms = 50;
        claim.lease_ttl_ms = 1000;  // of one that dies with what it took
        std::vector<Pending<Complete>> pending;
        for (const ClaimedExecution& one : value_of(engine.claim(std::move(claim))).executions) {
            pending.push_back(start(engine, Complete{.lease = one.handle}));
        }
        return pending;
    };
    // One engine after the other, each gone while its last completions are on their way.
    for (int turn = 0; turn < 6; ++turn) {
        auto engine = store().open_engine(eager());
        for (int i = 0; i < turn; ++i) {
            for (auto& one : work(*engine)) one.wait();
        }
        work(*engine);
        engine.reset();
    }
    const auto last = store().open_engine(eager());
    await([&] {
        for (auto& one : work(*last)) one.wait();
        return value_of(last->describe_flow(flow.flow_id)).value().state == FlowPhase::completed;
    });
    const Dump stored = snapshot();
    for (const ExecutionId& id : flow.members) EXPECT_EQ(ends_of(stored, id), 1U);
}

// ---- against a cancel of the flow -------------------------------------------------------------------------------

TEST_P(FlowRaces, ACompletionAgainstTheCancelOfItsFlowHasOneWinner) {
    std::vector<ExecutionId> members;
    for (int round = 0; round < rounds; ++round) {
        const auto flow = submit({"a", "b"}, {{.from = "a", .to = "b"}});
        const ClaimedExecution a = take(first(), "a");
        std::optional<Result<Completed>> completed;
        race(
            round, [&] { completed = first().complete({.lease = a.handle}); },
            [&] { value_of(second().cancel_flow({.flow_id = flow.flow_id, .max_wait_ms = 120'000})); });
        EXPECT_EQ(state(flow.members[0]), *completed ? PublicState::completed : PublicState::cancelled);
        if (!*completed) expect_error(*completed, ErrorKind::execution_not_active);
        await([&] { return state(flow.members[1]) != PublicState::waiting_children; });
        const PublicState child = state(flow.members[1]);
        EXPECT_TRUE(child == PublicState::cancelled || child == PublicState::skipped) << "round " << round;
        EXPECT_EQ(state(flow.flow_id), FlowPhase::cancelled);
        members.insert(members.end(), flow.members.begin(), flow.members.end());
    }
    close_all();
    const Dump stored = snapshot();
    for (const ExecutionId& id : members) EXPECT_EQ(ends_of(stored, id), 1U) << id.to_string();
    EXPECT_TRUE(stored.of<CancelBacklogRow>().empty());
}

TEST_P(FlowRaces, AClaimAgainstTheCancelOfWhatIsPendingIsCancelledIfItWasListed) {
    for (int round = 0; round < rounds; ++round) {
        const auto flow = submit({"a"});
        std::optional<Result<Claimed>> claimed;
        std::optional<Result<FlowCancelled>> cancelled;
        race(
            round, [&] { claimed = first().claim(claim_on("a")); },
            [&] {
                cancelled = second().cancel_flow(
                    {.flow_id = flow.flow_id, .policy = CancellationPolicy::cancel_pending, .max_wait_ms = 120'000});
            });
        const auto held = value_of(*claimed).executions;
        const bool listed = !value_of(*cancelled).members.empty();
        EXPECT_TRUE(listed || !held.empty()) << "round " << round;
        EXPECT_EQ(state(flow.members[0]), listed ? PublicState::cancelled : PublicState::active) << "round " << round;
        if (held.empty()) continue;
        const auto completed = first().complete({.lease = held.front().handle});
        EXPECT_NE(completed.has_value(), listed) << "round " << round;
    }
}

TEST_P(FlowRaces, TwoCancelsOfOneFlowAreOne) {
    for (int round = 0; round < rounds; ++round) {
        const auto flow = submit({"a", "b"});
        const std::array policies{CancellationPolicy::cancel_all, CancellationPolicy::cancel_pending};
        std::array<std::optional<Result<FlowCancelled>>, 2> answers;
        on_threads(2, [&](int thread) {
            const auto i = static_cast<std::size_t>(thread);
            answers[i] = engine_of(thread).cancel_flow(
                {.flow_id = flow.flow_id, .policy = policies[i], .reason = std::to_string(i)});
        });
        const std::array given{value_of(*answers[0]), value_of(*answers[1])};
        ASSERT_NE(given[0].already_terminal, given[1].already_terminal) << "round " << round;
        const std::size_t winner = given[0].already_terminal ? 1 : 0;
        EXPECT_EQ(given[winner].policy, policies[winner]);
        FlowCancelled expected = given[winner];
        expected.already_terminal = true;
        EXPECT_EQ(given[1 - winner], expected) << "round " << round;
        for (const ExecutionId& id : flow.members) {
            await([&] { return state(id) == PublicState::cancelled; });
        }
    }
    close_all();
    EXPECT_EQ(snapshot().operator_events.size(), static_cast<std::size_t>(rounds));
}

TEST_P(FlowRaces, TwoAcknowledgementsOfTheLastTwoRemoveTheHeader) {
    for (int round = 0; round < rounds; ++round) {
        const auto flow = submit({"a", "b"});
        const auto doomed = doomed_engine();
        value_of(doomed->run(CancelFlow{.flow_id = flow.flow_id, .grace_ms = 1'000'000'000}));
        doomed->crash();
        on_threads(2, [&](int thread) {
            value_of(engine_of(thread).ack_cancel_member(
                {.flow_id = flow.flow_id, .execution_id = flow.members[static_cast<std::size_t>(thread)]}));
        });
        const Dump stored = snapshot();
        EXPECT_TRUE(stored.of<CancelMemberRow>().empty()) << "round " << round;
        EXPECT_TRUE(stored.of<CancelBacklogRow>().empty()) << "round " << round;
    }
}

// ---- against the growth of the graph ----------------------------------------------------------------------------

TEST_P(FlowRaces, AnEdgeThatIsAppliedWhileItsUpstreamEndsNeverWaitsForEver) {
    for (int round = 0; round < rounds; ++round) {
        const FlowId flow = create_flow();
        const ExecutionId a = member(flow, "a");
        const ExecutionId b = member(flow, "b");
        const auto edge = staging(flow, a, b);
        value_of(first().stage_dependency_edge(edge));
        const ClaimedExecution held = take(first(), "a");
        race(
            round, [&] { value_of(first().complete({.lease = held.handle})); },
            [&] { value_of(second().apply_dependency_to_child(applying(edge))); });
        const ClaimedExecution child = take(second(), "b");
        EXPECT_EQ(child.execution_id, b);
        value_of(second().complete({.lease = child.handle}));
    }
}

TEST_P(FlowRaces, OfTwoStagesThatExpectOneRevisionOneWins) {
    const FlowId flow = create_flow();
    const ExecutionId a = member(flow, "a");
    std::size_t staged = 0;
    for (int round = 0; round < rounds; ++round) {
        const std::array children{member(flow, "b"), member(flow, "b")};
        const std::array commands{staging(flow, a, children[0]), staging(flow, a, children[1])};
        std::array<std::optional<Result<EdgeStaged>>, 2> answers;
        on_threads(2, [&](int thread) {
            const auto i = static_cast<std::size_t>(thread);
            answers[i] = engine_of(thread).stage_dependency_edge(commands[i]);
        });
        ASSERT_NE(answers[0]->has_value(), answers[1]->has_value()) << "round " << round;
        const std::size_t loser = answers[0]->has_value() ? 1 : 0;
        expect_error(*answers[loser], ErrorKind::stale_graph_revision);
        ++staged;
    }
    EXPECT_EQ(value_of(first().describe_flow(flow)).value().edge_count, staged);
}

TEST_P(FlowRaces, ASealAgainstTheLastLossSkipsTheChild) {
    for (int round = 0; round < rounds; ++round) {
        const FlowId flow = create_flow();
        const ExecutionId a = member(flow, "a");
        const ExecutionId b = member(flow, "b");
        value_of(first().set_edge_group_policy(
            {.flow_id = flow, .downstream = b, .policy = {.kind = GroupKind::any_of}, .expected_edges = {}}));
        const auto edge = staging(flow, a, b);
        value_of(first().stage_dependency_edge(edge));
        value_of(first().apply_dependency_to_child(applying(edge)));
        const ClaimedExecution held = take(first(), "a");
        race(
            round, [&] { value_of(first().fail({.lease = held.handle, .reason = "lost", .category = "permanent"})); },
            [&] { value_of(second().seal_flow({flow})); });
        await([&] { return state(flow) == FlowPhase::failed; });
        EXPECT_EQ(state(b), PublicState::skipped) << "round " << round;
    }
}

TEST_P(FlowRaces, AParentThatWaitsWhileItsLastChildEndsGoesOn) {
    for (int round = 0; round < rounds; ++round) {
        const FlowId flow = create_flow();
        member(flow, "parent");
        const ClaimedExecution parent = take(first(), "parent");
        const ExecutionId child = member(flow, "child");
        auto edge = staging(flow, child, parent.execution_id);
        value_of(first().stage_dependency_edge(edge));
        auto applied = applying(edge);
        applied.lease = parent.handle;
        value_of(first().apply_dependency_to_child(applied));
        const ClaimedExecution held = take(second(), "child");
        race(
            round, [&] { value_of(first().wait_children({.lease = parent.handle, .flow_id = flow})); },
            [&] { value_of(second().complete({.lease = held.handle})); });
        const ClaimedExecution resumed = take(second(), "parent");
        EXPECT_EQ(resumed.attempt_id, parent.attempt_id) << "round " << round;
        EXPECT_EQ(resumed.lease_epoch, LeaseEpoch{2}) << "round " << round;
        value_of(second().complete({.lease = resumed.handle}));
    }
}

}  // namespace
}  // namespace flowfabric::test
