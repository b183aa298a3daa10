#include <map>
#include <set>

#include "core/edge_group.hpp"
#include "flowfabric/submit_flow.hpp"
#include "runtime/simulation.hpp"
#include "store/memory/backend.hpp"
#include "support/fixture.hpp"
#include "support/invariants.hpp"
#include "support/random.hpp"

// Random graphs, random ends, crashes between any two store calls: in the end everything has ended as a plain model of
// the rules says.
namespace flowfabric::test {
namespace {

struct Graph {
    SubmitFlow command;
    std::vector<std::vector<std::size_t>> upstream;  // by node
};

GroupPolicy random_policy(Random& random, std::size_t edges) {
    GroupPolicy policy;
    policy.kind = static_cast<GroupKind>(random.below(3));
    policy.on_satisfied = random.chance(50) ? OnSatisfied::cancel_remaining : OnSatisfied::let_run;
    policy.k = 1 + static_cast<std::uint32_t>(random.below(edges));
    return policy;
}

// Edges lead from a node to later ones, so there is no cycle.
Graph random_graph(Random& random) {
    Graph graph;
    const std::size_t nodes = 1 + random.below(random.chance(10) ? 200 : 20);
    graph.upstream.resize(nodes);
    graph.command.flow_kind = "random";
    for (std::size_t i = 0; i < nodes; ++i) {
        for (std::size_t from = 0; from < i; ++from) {
            if (!random.chance(nodes > 30 ? 3 : 25)) continue;
            graph.upstream[i].push_back(from);
            graph.command.edges.push_back({.from = std::to_string(from), .to = std::to_string(i)});
        }
        FlowNode node{.name = std::to_string(i), .execution = {}, .policy = {}};
        if (!graph.upstream[i].empty()) node.policy = random_policy(random, graph.upstream[i].size());
        graph.command.nodes.push_back(std::move(node));
    }
    return graph;
}

// What the ends of the others make of a node's group, whatever their order was.
GroupState expected_state(const GroupPolicy& policy, const std::vector<std::size_t>& upstream,
                          const std::vector<TerminalOutcome>& outcomes) {
    GroupCounts counts{.n = static_cast<std::int32_t>(upstream.size()), .n_fixed = true};
    for (const std::size_t from : upstream) {
        counts.succeeded += outcomes[from] == TerminalOutcome::success ? 1 : 0;
        counts.failed +=
            outcomes[from] == TerminalOutcome::failed || outcomes[from] == TerminalOutcome::cancelled ? 1 : 0;
        counts.skipped += outcomes[from] == TerminalOutcome::skipped ? 1 : 0;
    }
    return evaluate(policy, counts);
}

class World {
  public:
    explicit World(std::uint64_t seed)
        : random_(seed),
          clock_(std::make_shared<TestClock>(1'000'000)),
          backend_(memory::make_backend({.clock = clock_})),
          engine_(backend_, {.seed = seed, .writers = 2}) {}

    void run() {
        const Graph graph = random_graph(random_);
        const auto members = submit(graph.command);
        while (step(members)) {
        }
        check(graph, members);
    }

  private:
    std::vector<ExecutionId> submit(const SubmitFlow& graph) {
        std::optional<FlowSubmitted> submitted;
        SubmitFlow command = graph;
        command.flow_id = FlowId{};
        while (!submitted) {
            if (auto answer = engine_.run(command)) submitted = *answer;
        }
        return submitted->members;
    }

    // A worker takes something and ends it, and then the engine may die at any point. False: nothing can be claimed.
    bool step(const std::vector<ExecutionId>&) {
        auto claimed = engine_.run(claim_by("w"));
        if (!claimed) return true;
        if (!claimed->executions.empty()) {
            const Handle handle = claimed->executions.front().handle;
            if (random_.chance(70)) {
                engine_.submit(Complete{.lease = handle}, [](const Result<Answer>&) {});
            } else {
                engine_.submit(Fail{.lease = handle, .reason = "lost", .category = "permanent"},
                               [](const Result<Answer>&) {});
            }
        }
        if (random_.chance(30)) {
            for (auto steps = random_.below(6); steps > 0; --steps) engine_.step();
            engine_.crash();
            recover();
            return true;
        }
        engine_.settle();
        if (!claimed->executions.empty()) return true;
        recover();
        const auto again = engine_.run(claim_by("w"));
        if (!again || again->executions.empty()) return false;
        value_of(engine_.run(Complete{.lease = again->executions.front().handle}));
        engine_.settle();
        return true;
    }

    // Time passes and the reconcilers find what a crash left undone.
    void recover() {
        clock_->advance(60'000);
        for (int i = 0; i < 4; ++i) engine_.reconcile();
        engine_.settle();
    }

    void check(const Graph& graph, const std::vector<ExecutionId>& members) {
        const Dump dump = test::dump(*backend_);
        expect_invariants(dump);
        std::vector<TerminalOutcome> outcomes;
        for (const ExecutionId& id : members) outcomes.push_back(dump.executions.at(id).row.vector.terminal_outcome);
        for (std::size_t i = 0; i < members.size(); ++i) {
            const std::string node = "node " + std::to_string(i);
            EXPECT_NE(outcomes[i], TerminalOutcome::none) << node << " has not ended";
            if (graph.upstream[i].empty()) {
                EXPECT_NE(outcomes[i], TerminalOutcome::skipped) << node;
                continue;
            }
            const auto group = dump.of<EdgeGroupRow>().find({{members[i].partition, FlowId{}}, members[i].uuid});
            ASSERT_NE(group, dump.of<EdgeGroupRow>().end());
            const GroupState expected = expected_state(graph.command.nodes[i].policy, graph.upstream[i], outcomes);
            EXPECT_EQ(group->second.group_state, expected) << node;
            const bool skipped = outcomes[i] == TerminalOutcome::skipped;
            const bool cancelled = outcomes[i] == TerminalOutcome::cancelled;
            EXPECT_TRUE(skipped == (expected == GroupState::impossible) || cancelled) << node;
        }
    }

    Random random_;
    std::shared_ptr<TestClock> clock_;
    std::shared_ptr<Backend> backend_;
    Simulation engine_;
};

TEST(RandomGraphs, EndAsTheirRulesSay) {
    for (const std::uint64_t seed : seeds(300)) {
        SCOPED_TRACE("FF_SEED=" + std::to_string(seed));
        World(seed).run();
        if (::testing::Test::HasFailure()) return;
    }
}

}  // namespace
}  // namespace flowfabric::test
