#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "conformance/api_test.hpp"
#include "core/base/partition.hpp"
#include "core/flow/flow_fields.hpp"
#include "flowfabric/submit_flow.hpp"

// What the tests of flows share.
namespace flowfabric::test {

inline FlowId flow_id(std::uint8_t number) {
    FlowId id;
    id.uuid.bytes[15] = number;
    return id;
}

// The next flow that shares its partition.
inline FlowId neighbour_of(FlowId id) {
    const std::uint16_t partition = flow_partition(id);
    auto& bytes = id.uuid.bytes;
    do {
        if (++bytes[15] == 0 && ++bytes[14] == 0) ++bytes[13];
    } while (flow_partition(id) != partition);
    return id;
}

inline EdgeId edge_id(std::uint8_t number) {
    EdgeId id;
    id.uuid.bytes[15] = number;
    return id;
}

inline GroupPolicy any_policy(OnSatisfied on_satisfied = OnSatisfied::cancel_remaining) {
    return {.kind = GroupKind::any_of, .on_satisfied = on_satisfied};
}

inline GroupPolicy quorum_policy(std::uint32_t k, OnSatisfied on_satisfied = OnSatisfied::cancel_remaining) {
    return {.kind = GroupKind::quorum, .k = k, .on_satisfied = on_satisfied};
}

// Every node on a lane of its own name, so that a test picks whom it claims.
inline SubmitFlow graph_of(const std::vector<std::string>& names, std::vector<FlowEdge> edges = {},
                           const std::map<std::string, GroupPolicy>& policies = {}) {
    SubmitFlow command;
    command.flow_kind = "test";
    for (const std::string& name : names) {
        FlowNode node{.name = name, .execution = {.lane_id = name, .input_payload = "own"}, .policy = {}};
        if (const auto policy = policies.find(name); policy != policies.end()) node.policy = policy->second;
        command.nodes.push_back(std::move(node));
    }
    command.edges = std::move(edges);
    return command;
}

// From each of `names` to `to`.
inline std::vector<FlowEdge> fan_in(const std::vector<std::string>& names, const std::string& to) {
    std::vector<FlowEdge> edges;
    for (const std::string& name : names) edges.push_back({.from = name, .to = to});
    return edges;
}

class Flowing : public ApiTest {
  protected:
    // ---- at once ----

    void submit(SubmitFlow command) {
        const auto names = command.nodes;
        const auto submitted = value_of(run(std::move(command)));
        flow_ = submitted.flow_id;
        for (std::size_t i = 0; i < names.size(); ++i) members_[names[i].name] = submitted.members[i];
        engine().settle();
    }
    void submit(const std::vector<std::string>& names, std::vector<FlowEdge> edges = {},
                const std::map<std::string, GroupPolicy>& policies = {}) {
        submit(graph_of(names, std::move(edges), policies));
    }
    const ExecutionId& at(const std::string& name) { return members_.at(name); }

    // ---- piece by piece: every member on a lane of its own ----

    FlowId create_flow(std::uint8_t number = 1) {
        flow_ = value_of(run(CreateFlow{.flow_id = flow_id(number), .flow_kind = "test"})).flow_id;
        return flow_;
    }
    ExecutionId create_beside(const FlowId& flow, CreateExecution command = {}) {
        Uuid uuid{{0x77}};
        uuid.bytes[15] = ++created_;
        command.execution_id = flow_execution_id(flow, uuid);
        command.lane_id = "lane " + std::to_string(created_);
        return create(std::move(command));
    }
    MemberAdded add(const ExecutionId& id) {
        return value_of(run(AddExecutionToFlow{.flow_id = flow_, .execution_id = id}));
    }
    ExecutionId member(CreateExecution command = {}) {
        const ExecutionId id = create_beside(flow_, std::move(command));
        add(id);
        return id;
    }
    StageDependencyEdge staging(const EdgeId& edge, const ExecutionId& from, const ExecutionId& to) {
        return {.flow_id = flow_,
                .edge_id = edge,
                .upstream = from,
                .downstream = to,
                .expected_graph_revision = flow_row().graph_revision};
    }
    EdgeStaged stage(const EdgeId& edge, const ExecutionId& from, const ExecutionId& to) {
        return value_of(run(staging(edge, from, to)));
    }
    ApplyDependencyToChild applying(const EdgeId& edge, const ExecutionId& from, const ExecutionId& to) {
        return {.flow_id = flow_, .edge_id = edge, .upstream = from, .downstream = to};
    }
    DependencyApplied apply(const EdgeId& edge, const ExecutionId& from, const ExecutionId& to) {
        const auto applied = value_of(run(applying(edge, from, to)));
        engine().settle();
        return applied;
    }
    DependencyApplied connect(const EdgeId& edge, const ExecutionId& from, const ExecutionId& to) {
        stage(edge, from, to);
        return apply(edge, from, to);
    }
    SetEdgeGroupPolicy policy_for(const ExecutionId& downstream, const GroupPolicy& policy,
                                  std::optional<std::uint32_t> expected_edges = {}) {
        return {.flow_id = flow_, .downstream = downstream, .policy = policy, .expected_edges = expected_edges};
    }
    void seal() {
        EXPECT_FALSE(value_of(run(SealFlow{flow_})).already_there);
        engine().settle();
    }

    // ---- what becomes of members ----

    Claim claim_of(const ExecutionId& id) {
        Claim command = claim_by("w1");
        command.lanes = {row(id).lane_id};
        return command;
    }
    ClaimedExecution take(const ExecutionId& id) { return claim(claim_of(id)); }
    bool claimable(const ExecutionId& id) { return row(id).vector.eligibility_state == EligibilityState::eligible_now; }
    void succeed(const ExecutionId& id, std::optional<Bytes> result = {}) {
        value_of(complete(take(id).handle, std::move(result)));
        engine().settle();
    }
    void lose(const ExecutionId& id) {
        value_of(fail(take(id).handle, "permanent"));
        engine().settle();
    }
    void cancel_one(const ExecutionId& id) {
        value_of(cancel_by("operator_override", id));
        engine().settle();
    }
    FlowCancelled cancel_flow(CancellationPolicy policy, const std::string& reason = "enough") {
        auto answer = value_of(run(CancelFlow{.flow_id = flow_, .policy = policy, .reason = reason}));
        engine().settle();
        return answer;
    }
    // An engine that cancels this many members with their flow and lists the others.
    std::unique_ptr<Simulation> engine_cancelling(std::uint32_t with_flow) {
        Settings settings;
        settings.cancelled_with_flow = with_flow;
        return another_engine(std::move(settings));
    }
    // Time passes until the reconcilers of flows see what a dead engine left undone.
    void recover() {
        advance(2000);
        for (int i = 0; i < 4; ++i) reconcile();
        engine().settle();
    }

    // ---- what is stored ----

    FlowRow flow_row(const FlowId& flow) { return snapshot().of<FlowRow>().at({flow_partition(flow), flow}); }
    FlowRow flow_row() { return flow_row(flow_); }
    FlowState flow_state() { return flow_row().public_flow_state; }
    EdgeGroupRow group_of(const ExecutionId& id) {
        return snapshot().of<EdgeGroupRow>().at({{id.partition, flow_}, id.uuid});
    }
    bool has_group(const ExecutionId& id) {
        return snapshot().of<EdgeGroupRow>().contains({{id.partition, flow_}, id.uuid});
    }
    EdgeRow edge_row(const EdgeId& edge) { return snapshot().of<EdgeRow>().at({{flow_partition(flow_), flow_}, edge}); }
    std::size_t undispatched() {
        const auto events = snapshot().completion_events;
        return static_cast<std::size_t>(std::ranges::count_if(
            events, [](const CompletionEvent& event) { return event.flow_id && !event.dispatched_at_ms; }));
    }

    template <class C>
    void expect_refused(C command, ErrorKind kind, std::string_view in_detail = "") {
        expect_no_change([&] { expect_error(run(std::move(command)), kind, in_detail); });
    }

    FlowId flow_;  // the last one made

  private:
    std::map<std::string, ExecutionId> members_;
    std::uint8_t created_ = 0;
};

}  // namespace flowfabric::test
