#include <algorithm>
#include <map>
#include <set>

#include "core/base/partition.hpp"
#include "core/flow/flow_fields.hpp"
#include "flowfabric/submit_flow.hpp"
#include "runtime/simulation/simulation.hpp"
#include "support/fixture.hpp"
#include "support/invariants.hpp"
#include "support/random.hpp"
#include "support/watchdog.hpp"

// Random graphs, random ends, cancels, lost leases and missed deadlines, faults of the store and crashes of the engine
// between any two of its calls: in the end everything has ended as a plain model of the rules says.
namespace flowfabric::test {
namespace {

const FlowId the_flow = FlowId{Uuid{{0xF1}}};

// ---- the model --------------------------------------------------------------------------------------------------

// The rules of a group whose number of edges is fixed, said once more and in other words than the engine's.
struct Tally {
    std::size_t edges = 0;
    std::size_t won = 0;
    std::size_t lost = 0;

    GroupState under(const GroupPolicy& policy) const {
        const std::size_t needed = policy.kind == GroupKind::all_of   ? edges
                                   : policy.kind == GroupKind::any_of ? 1
                                                                      : policy.k;
        if (won >= needed) return GroupState::satisfied;
        return edges - lost < needed ? GroupState::impossible : GroupState::pending;
    }
};

struct Graph {
    SubmitFlow command;
    std::vector<std::vector<std::size_t>> upstream;    // by node
    std::vector<std::vector<std::size_t>> downstream;  // by node

    const GroupPolicy& policy(std::size_t node) const { return command.nodes[node].policy; }
    bool cancels_siblings(std::size_t node) const {
        return policy(node).kind != GroupKind::all_of && policy(node).on_satisfied == OnSatisfied::cancel_remaining;
    }
    // What those ends of others that are told make of a node's group.
    GroupState state_of(std::size_t node, const std::map<std::size_t, TerminalOutcome>& ends) const {
        Tally tally{.edges = upstream[node].size()};
        for (const std::size_t from : upstream[node]) {
            const auto end = ends.find(from);
            if (end == ends.end()) continue;
            ++(end->second == TerminalOutcome::success ? tally.won : tally.lost);
        }
        return tally.under(policy(node));
    }
};

GroupPolicy random_policy(Random& random, std::size_t edges) {
    GroupPolicy policy;
    policy.kind = static_cast<GroupKind>(random.below(3));
    policy.on_satisfied = random.chance(50) ? OnSatisfied::cancel_remaining : OnSatisfied::let_run;
    policy.k = 1 + static_cast<std::uint32_t>(random.below(edges));
    return policy;
}

CreateExecution random_execution(Random& random, std::int64_t now_ms) {
    CreateExecution command{.input_payload = "own"};
    if (random.chance(5)) command.delay_until_ms = now_ms + random.between(1, 200'000);
    if (random.chance(5)) command.execution_deadline_at_ms = now_ms + random.between(1, 600'000);
    if (random.chance(20)) command.policy = retries(2, 1000);
    return command;
}

// Edges lead from a node to later ones, so there is no cycle.
Graph random_graph(Random& random, std::size_t most_nodes, std::int64_t now_ms) {
    Graph graph;
    const std::size_t nodes = 1 + random.below(random.chance(10) ? most_nodes : 20);
    graph.upstream.resize(nodes);
    graph.downstream.resize(nodes);
    graph.command.flow_id = the_flow;
    graph.command.flow_kind = "random";
    for (std::size_t i = 0; i < nodes; ++i) {
        for (std::size_t from = 0; from < i; ++from) {
            if (!random.chance(nodes > 30 ? 3 : 25)) continue;
            graph.upstream[i].push_back(from);
            graph.downstream[from].push_back(i);
            FlowEdge edge{.from = std::to_string(from), .to = std::to_string(i)};
            if (random.chance(40)) edge.data_passing_ref = "from " + edge.from;
            graph.command.edges.push_back(std::move(edge));
        }
        FlowNode node{.name = std::to_string(i), .execution = random_execution(random, now_ms), .policy = {}};
        if (!graph.upstream[i].empty()) node.policy = random_policy(random, graph.upstream[i].size());
        graph.command.nodes.push_back(std::move(node));
    }
    return graph;
}

// ---- the world --------------------------------------------------------------------------------------------------

class World {
  public:
    World(StoreKind kind, std::uint64_t seed, std::size_t most_nodes)
        : random_(seed),
          fault_random_(~seed),
          fault_percent_(kind == StoreKind::memory && random_.chance(30) ? 1 + random_.below(10) : 0),
          store_(kind, [this](memory::FaultPoint point) { return fault_at(point); }),
          engine_(store_.backend(), {.seed = seed, .writers = 2, .settings = settings_of(seed)}),
          graph_(random_graph(random_, most_nodes, store_.clock().now_ms())) {}

    // All, some or none of the members are cancelled with the flow.
    static Settings settings_of(std::uint64_t seed) {
        Settings settings = plain({});
        settings.cancelled_with_flow = std::array{1000U, 5U, 0U}[seed % 3];
        return settings;
    }

    void run() {
        submit();
        const bool cancels_the_flow = random_.chance(25);
        std::size_t until_cancel = random_.below(2 * members_.size() + 1);
        while (step()) {
            if (random_.chance(10)) look();
            if (cancels_the_flow && until_cancel-- == 0) cancel_flow();
        }
        if (cancels_the_flow && !cancelled_by_) cancel_flow();
        fault_percent_ = 0;
        recover();
        while (step()) {
        }
        check();
    }

  private:
    memory::Fault fault_at(memory::FaultPoint point) {
        if (!fault_random_.chance(fault_percent_)) return memory::Fault::none;
        if (point == memory::FaultPoint::after_commit) return memory::Fault::disconnect;
        return fault_random_.chance(50) ? memory::Fault::contention : memory::Fault::disconnect;
    }

    void submit() {
        std::optional<FlowSubmitted> submitted;
        while (!submitted) {
            if (auto answer = engine_.run(graph_.command)) submitted = *answer;
        }
        members_ = submitted->members;
        for (std::size_t i = 0; i < members_.size(); ++i) nodes_[members_[i]] = i;
    }

    // A worker takes something and mostly ends it, somebody may cancel something, and then the engine may die at any
    // point. False: nothing is left that could be claimed.
    bool step() {
        auto claimed = engine_.run(claim_by("w"));
        if (!claimed) return true;
        const bool found = !claimed->executions.empty();
        if (found) work_on(claimed->executions.front());
        if (random_.chance(3)) cancel_one();
        if (random_.chance(30)) {
            for (auto steps = random_.below(12); steps > 0; --steps) engine_.step();
            engine_.crash();
            recover();
            return true;
        }
        engine_.settle();
        if (found) return true;
        recover();
        const auto again = engine_.run(claim_by("w"));
        if (!again) return true;
        if (again->executions.empty()) return has_timers();
        work_on(again->executions.front());
        engine_.settle();
        return true;
    }

    void work_on(const ClaimedExecution& claimed) {
        const std::size_t node = nodes_.at(claimed.execution_id);
        inputs_seen_[node].insert(claimed.input_payload);
        const std::uint64_t dice = random_.below(100);
        if (dice < 5) return;  // the worker dies, and its lease lapses
        if (dice < 70) {
            Complete complete{.lease = claimed.handle};
            if (random_.chance(80)) complete.result = "result of " + std::to_string(node);
            send(std::move(complete));
        } else {
            send(Fail{
                .lease = claimed.handle, .reason = "lost", .category = random_.chance(50) ? "permanent" : "transient"});
        }
    }

    void cancel_one() {
        const ExecutionId id = random_.pick(members_);
        cancelled_one_by_one_.insert(nodes_.at(id));
        send(CancelExecution{.execution = {.execution_id = id}, .reason = "one"});
    }

    void cancel_flow() {
        const auto policy = static_cast<CancellationPolicy>(random_.below(3));
        cancelled_by_ = policy;
        send(CancelFlow{.flow_id = the_flow, .policy = policy, .reason = "flow", .grace_ms = random_.below(30'000)});
        for (auto steps = random_.below(12); steps > 0; --steps) engine_.step();
        if (random_.chance(50)) engine_.crash();
        recover();
        // A crash may have come before it was stored.
        while (!engine_.run(CancelFlow{.flow_id = the_flow, .policy = policy, .reason = "flow", .grace_ms = 0})) {
        }
        recover();
    }

    template <class C>
    void send(C command) {
        engine_.submit(std::move(command), [](const Result<Answer>&) {});
    }

    // Time passes and the reconcilers find what a crash left undone.
    void recover() {
        store_.clock().advance(60'000);
        for (int i = 0; i < 4; ++i) engine_.reconcile();
        engine_.settle();
    }

    // Delays, backoffs and deadlines are still to come.
    bool has_timers() {
        return std::ranges::any_of(dump(*store_.backend()).executions, [](const auto& entry) {
            const ExecutionRow& row = entry.second.row;
            return row.vector.public_state == PublicState::delayed ||
                   row.vector.lifecycle_phase == LifecyclePhase::active;
        });
    }

    // What is final stays as it is.
    void look() {
        Dump now = dump(*store_.backend());
        expect_invariants(now);
        for (const std::string& violation : violations_between(last_, now)) ADD_FAILURE() << violation;
        last_ = std::move(now);
        if (fault_percent_ == 0) check_that_nobody_runs_in_vain();
    }

    // Whoever feeds none but decided groups that cancel the rest has ended. With faults that may take longer.
    void check_that_nobody_runs_in_vain() {
        for (std::size_t i = 0; i < members_.size(); ++i) {
            if (graph_.downstream[i].empty() || row(i).vector.lifecycle_phase == LifecyclePhase::terminal) continue;
            const bool wanted = std::ranges::any_of(graph_.downstream[i], [&](std::size_t to) {
                return !graph_.cancels_siblings(to) || group_of(to).group_state == GroupState::pending;
            });
            EXPECT_TRUE(wanted) << name(i) << " runs on and nobody waits for it";
        }
    }

    // ---- what must have become of it ----

    void check() {
        look();
        ends_.clear();
        for (std::size_t i = 0; i < members_.size(); ++i) {
            const TerminalOutcome outcome = row(i).vector.terminal_outcome;
            EXPECT_NE(outcome, TerminalOutcome::none) << name(i) << " has not ended";
            ends_[i] = outcome;
        }
        if (::testing::Test::HasFailure()) return;
        for (std::size_t i = 0; i < members_.size(); ++i) {
            check_group(i);
            check_cancel(i);
            check_input(i);
        }
        check_flow();
    }

    void check_group(std::size_t node) {
        const bool skipped = ends_[node] == TerminalOutcome::skipped;
        if (graph_.upstream[node].empty()) {
            EXPECT_FALSE(skipped) << name(node) << " waited for nobody";
            return;
        }
        const EdgeGroupRow& group = group_of(node);
        const GroupState expected = graph_.state_of(node, ends_);
        EXPECT_EQ(group.group_state, expected) << name(node);
        EXPECT_EQ(group.running_count, 0) << name(node);
        const bool ran = ends_[node] == TerminalOutcome::success || ends_[node] == TerminalOutcome::failed;
        EXPECT_FALSE(ran && expected != GroupState::satisfied) << name(node) << " ran although its group was not won";
        EXPECT_FALSE(skipped && expected != GroupState::impossible) << name(node) << " was skipped for nothing";
    }

    // Nobody is cancelled without a reason.
    void check_cancel(std::size_t node) {
        if (ends_[node] != TerminalOutcome::cancelled) return;
        const std::string reason = row(node).cancellation_reason.value_or("");
        if (reason == "one") {
            EXPECT_TRUE(cancelled_one_by_one_.contains(node)) << name(node);
        } else if (reason == "flow") {
            EXPECT_TRUE(cancelled_by_ && *cancelled_by_ != CancellationPolicy::cancel_flow_only) << name(node);
        } else {
            check_sibling(node, reason);
        }
    }

    // Every group that it feeds was decided before it was cancelled, and one of them says why.
    void check_sibling(std::size_t node, const std::string& reason) {
        std::map<std::size_t, TerminalOutcome> before;
        for (const CompletionEvent& event : last_.completion_events) {
            if (event.execution_id == members_[node]) break;
            before[nodes_.at(event.execution_id)] = *event.outcome.known();
        }
        bool asked_for = false;
        for (const std::size_t to : graph_.downstream[node]) {
            const GroupState decided = graph_.state_of(to, before);
            EXPECT_NE(decided, GroupState::pending) << name(node) << " was cancelled while " << name(to) << " waited";
            const std::string its_reason = "sibling_quorum_" + std::string(to_string(decided));
            asked_for = asked_for || (graph_.cancels_siblings(to) && reason == its_reason);
        }
        EXPECT_TRUE(asked_for) << name(node) << " was cancelled for no group's sake: " << reason;
    }

    // All that were won pass their result to an all_of, the last edge's being the input; of others one passes.
    void check_input(std::size_t node) {
        const bool ran = ends_[node] == TerminalOutcome::success || ends_[node] == TerminalOutcome::failed;
        if (!ran) return;
        const StoredExecution& stored = last_.executions.at(members_[node]);
        std::map<std::string, Bytes> passed;
        Bytes input = "own";
        for (const auto& [key, edge] : last_.of<EdgeRow>()) {
            if (edge.downstream != members_[node].uuid) continue;
            const std::string ref = fields_of(edge).data_passing_ref;
            const auto& result = last_.executions.at({key.flow.partition, edge.upstream}).result;
            if (ref.empty() || !result || edge.dependency_state != DependencyState::satisfied) continue;
            passed[ref] = *result;
            input = *result;
        }
        if (graph_.policy(node).kind == GroupKind::all_of) {
            EXPECT_EQ(stored.flow_inputs, passed) << name(node);
            EXPECT_EQ(stored.input, input) << name(node);
        } else {
            EXPECT_LE(stored.flow_inputs.size(), 1U) << name(node);
            for (const auto& [ref, bytes] : stored.flow_inputs) EXPECT_EQ(passed.at(ref), bytes) << name(node);
            EXPECT_EQ(stored.input, stored.flow_inputs.empty() ? "own" : stored.flow_inputs.begin()->second);
        }
        EXPECT_EQ(inputs_seen_[node], std::set{stored.input.value_or("")}) << name(node) << " saw another input";
    }

    void check_flow() {
        const FlowRow& flow = last_.of<FlowRow>().begin()->second;
        bool failed = false;
        for (const auto& [node, outcome] : ends_) {
            const bool victim = row(node).cancellation_cause == CancellationCause::sibling;
            failed = failed || outcome == TerminalOutcome::failed || outcome == TerminalOutcome::expired ||
                     (outcome == TerminalOutcome::cancelled && !victim);
        }
        const FlowState ended = failed ? FlowState::failed : FlowState::completed;
        // It may have ended before it was to be cancelled.
        if (flow.public_flow_state != FlowState::cancelled || !cancelled_by_) {
            EXPECT_EQ(flow.public_flow_state, ended);
        }
        EXPECT_EQ(flow.open_members, 0);
        EXPECT_TRUE(last_.of<SiblingWorkRow>().empty());
        EXPECT_TRUE(last_.of<CancelBacklogRow>().empty());
        EXPECT_TRUE(last_.of<CancelMemberRow>().empty());
        const auto open = [](const CompletionEvent& event) { return !event.dispatched_at_ms; };
        EXPECT_TRUE(std::ranges::none_of(last_.completion_events, open));
    }

    const EdgeGroupRow& group_of(std::size_t node) {
        return last_.of<EdgeGroupRow>().at({{members_[node].partition, the_flow}, members_[node].uuid});
    }
    const ExecutionRow& row(std::size_t node) { return last_.executions.at(members_[node]).row; }
    static std::string name(std::size_t node) { return "node " + std::to_string(node); }

    Random random_;
    Random fault_random_;
    std::uint64_t fault_percent_;
    TestStore store_;
    Simulation engine_;
    Graph graph_;
    std::vector<ExecutionId> members_;
    std::map<ExecutionId, std::size_t> nodes_;
    std::set<std::size_t> cancelled_one_by_one_;  // if the engine lived long enough
    std::optional<CancellationPolicy> cancelled_by_;
    std::map<std::size_t, std::set<Bytes>> inputs_seen_;  // by workers
    Dump last_;
    std::map<std::size_t, TerminalOutcome> ends_;
};

class RandomGraphs : public ::testing::TestWithParam<StoreKind> {};
INSTANTIATE_TEST_SUITE_P(Stores, RandomGraphs, all_stores(), name_of_param);

TEST_P(RandomGraphs, EndAsTheirRulesSay) {
    const Availability availability = availability_of(GetParam());
    if (!availability.available && availability.required) FAIL() << availability.message;
    if (!availability.available) GTEST_SKIP() << availability.message;
    const bool in_memory = GetParam() == StoreKind::memory;
    for (const std::uint64_t seed : seeds(in_memory ? 1000 : 12)) {
        tell_watchdog_of_progress();
        SCOPED_TRACE("FF_SEED=" + std::to_string(seed));
        World(GetParam(), seed, in_memory ? 200 : 40).run();
        if (HasFailure()) return;
    }
}

}  // namespace
}  // namespace flowfabric::test
