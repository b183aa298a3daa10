#include "support/flow_mix.hpp"

#include <algorithm>

#include "core/base/partition.hpp"

namespace flowfabric::test {

Commands FlowMix::next(const Surroundings& around) {
    const std::uint64_t dice = random_.below(100);
    const bool any_grows = std::ranges::any_of(flows_, &Flow::grows);
    if (dice < 4 || flows_.empty() || (!any_grows && dice < 50)) {
        return CreateFlow{.flow_id = random_.chance(70) ? std::optional(some_id()) : std::nullopt,
                          .flow_kind = random_.pick<std::string>({"k", "k", "k", "l"}),
                          .namespace_name = random_.chance(90) ? "default" : "tenant"};
    }
    if (dice < 15) return submit(around);
    const bool grows = dice < 90;
    const Flow& flow = some_flow(any_grows && grows && random_.chance(90));
    return grows ? grow(flow, around) : direct(flow);
}

const FlowMix::Flow& FlowMix::some_flow(bool that_grows) {
    std::vector<const Flow*> candidates;
    for (const Flow& flow : flows_) {
        if (flow.grows || !that_grows) candidates.push_back(&flow);
    }
    return *random_.pick(candidates);
}

// Members, edges between them, and their application.
Commands FlowMix::grow(const Flow& flow, const Surroundings& around) {
    const std::uint64_t dice = random_.below(100);
    std::optional<LeaseRef> lease;
    if (around.lease && random_.chance(20)) lease = around.lease();
    if (dice < 25 || flow.members.size() < 2) {
        const std::uint16_t partition = flow_partition(flow.flow_id);
        std::vector<ExecutionId> near;
        for (const ExecutionId& id : around.created) {
            if (id.partition == partition && !flow_of_.contains(id)) near.push_back(id);
        }
        if (near.empty() || random_.chance(30)) {
            CreateExecution command = around.execution();
            command.execution_id = flow_execution_id(flow.flow_id, uuid());
            return command;
        }
        const bool any = random_.chance(5);
        return AddExecutionToFlow{.flow_id = flow.flow_id,
                                  .execution_id = any ? random_.pick(around.created) : random_.pick(near),
                                  .lease = std::move(lease)};
    }
    if (dice < 55) return stage(flow, std::move(lease));
    if (dice < 90) return apply(flow, std::move(lease));
    SetEdgeGroupPolicy command{.flow_id = flow.flow_id, .downstream = some_member(flow), .policy = policy()};
    if (random_.chance(30)) command.expected_edges = static_cast<std::uint32_t>(random_.below(4));
    return command;
}

Commands FlowMix::stage(const Flow& flow, std::optional<LeaseRef> lease) {
    // Mostly from earlier members to later ones, so that there is seldom a cycle.
    std::size_t from = random_.below(flow.members.size());
    std::size_t to = random_.below(flow.members.size());
    if (from > to && random_.chance(90)) std::swap(from, to);
    StageDependencyEdge command{.flow_id = flow.flow_id,
                                .edge_id = EdgeId{uuid()},
                                .upstream = flow.members[from],
                                .downstream = flow.members[to],
                                .expected_graph_revision = flow.graph_revision,
                                .lease = std::move(lease)};
    if (!flow.edges.empty() && random_.chance(10)) command.edge_id = random_.pick(flow.edges).edge_id;
    if (random_.chance(40)) command.data_passing_ref = "ref " + std::to_string(random_.below(3));
    if (random_.chance(5)) ++command.expected_graph_revision;
    return command;
}

Commands FlowMix::apply(const Flow& flow, std::optional<LeaseRef> lease) {
    if (flow.edges.empty()) return stage(flow, std::move(lease));
    const Edge& edge = random_.chance(60) ? flow.edges.back() : random_.pick(flow.edges);
    ApplyDependencyToChild command{.flow_id = flow.flow_id,
                                   .edge_id = edge.edge_id,
                                   .upstream = edge.upstream,
                                   .downstream = edge.downstream,
                                   .lease = std::move(lease)};
    if (random_.chance(5)) std::swap(command.upstream, command.downstream);
    return command;
}

// Seals, tags, cancels and acknowledgements.
Commands FlowMix::direct(const Flow& flow) {
    const std::uint64_t dice = random_.below(100);
    if (dice < 30) return SealFlow{flow.flow_id};
    if (dice < 50) {
        return SetFlowTag{flow.flow_id, random_.chance(90) ? "team.name" : "Team",
                          "tag " + std::to_string(random_.below(3))};
    }
    if (dice < 75) {
        return CancelFlow{.flow_id = random_.chance(95) ? flow.flow_id : FlowId{uuid()},
                          .policy = static_cast<CancellationPolicy>(random_.below(3)),
                          .reason = "no more",
                          .requester = "somebody",
                          .grace_ms = random_.pick<std::uint64_t>({0, 1000, std::uint64_t{1} << 60U})};
    }
    return AckCancelMember{.flow_id = flow.flow_id, .execution_id = some_member(flow)};
}

SubmitFlow FlowMix::submit(const Surroundings& around) {
    SubmitFlow command{.flow_id = random_.chance(30) ? std::optional(some_id()) : std::nullopt, .flow_kind = "k"};
    const std::size_t nodes = 1 + random_.below(5);
    for (std::size_t i = 0; i < nodes; ++i) {
        FlowNode node{.name = std::to_string(i), .execution = around.execution(), .policy = policy()};
        node.execution.execution_id.reset();
        if (random_.chance(95)) node.execution.idempotency_key.clear();
        std::uint32_t incoming = 0;
        for (std::size_t from = 0; from < i; ++from) {
            if (!random_.chance(50)) continue;
            ++incoming;
            FlowEdge edge{.from = std::to_string(from), .to = node.name};
            if (random_.chance(40)) edge.data_passing_ref = "ref " + std::to_string(random_.below(3));
            command.edges.push_back(std::move(edge));
        }
        if (random_.chance(95)) node.policy.k = std::clamp(node.policy.k, 1U, std::max(incoming, 1U));
        if (incoming == 0) node.policy = {};
        command.nodes.push_back(std::move(node));
    }
    if (random_.chance(3)) command.edges.push_back({.from = std::to_string(nodes - 1), .to = "0"});
    if (random_.chance(20)) command.tags["team.name"] = "blue";
    return command;
}

WaitChildren FlowMix::wait(LeaseRef lease, const ExecutionId& id) {
    WaitChildren command{.lease = std::move(lease)};
    if (const auto flow = flow_of_.find(id); flow != flow_of_.end()) command.flow_id = flow->second;
    if (random_.chance(5)) command.flow_id = some_id();
    return command;
}

void FlowMix::learn(const Commands& command, const Answer& answer) {
    if (const auto* created = answer.get_if<FlowCreated>()) {
        if (find(created->flow_id) == nullptr) flows_.push_back({.flow_id = created->flow_id});
    } else if (const auto* submitted = answer.get_if<FlowSubmitted>()) {
        if (find(submitted->flow_id) == nullptr) {
            flows_.push_back({.flow_id = submitted->flow_id, .members = submitted->members, .grows = false});
        }
        for (const ExecutionId& id : submitted->members) flow_of_[id] = submitted->flow_id;
    } else if (answer.get_if<FlowSealed>() != nullptr) {
        stop_growth(std::get<SealFlow>(command).flow_id);
    } else if (answer.get_if<FlowCancelled>() != nullptr) {
        stop_growth(std::get<CancelFlow>(command).flow_id);
    } else if (const auto* added = answer.get_if<MemberAdded>()) {
        const auto& sent = std::get<AddExecutionToFlow>(command);
        Flow* flow = find(sent.flow_id);
        if (flow == nullptr || added->already_there) return;
        ++flow->graph_revision;
        flow->members.push_back(added->execution_id);
        flow_of_[added->execution_id] = flow->flow_id;
    } else if (const auto* staged = answer.get_if<EdgeStaged>()) {
        const auto& sent = std::get<StageDependencyEdge>(command);
        Flow* flow = find(sent.flow_id);
        if (flow == nullptr) return;
        flow->graph_revision = staged->graph_revision;
        if (!staged->already_there) flow->edges.push_back({sent.edge_id, sent.upstream, sent.downstream});
    }
}

GroupPolicy FlowMix::policy() {
    return {.kind = static_cast<GroupKind>(random_.below(3)),
            .k = static_cast<std::uint32_t>(random_.below(4)),
            .on_satisfied = random_.chance(50) ? OnSatisfied::cancel_remaining : OnSatisfied::let_run};
}

// One of few, so that ids meet again.
FlowId FlowMix::some_id() {
    return FlowId{Uuid{{0xF1, static_cast<std::uint8_t>(random_.below(4))}}};
}

ExecutionId FlowMix::some_member(const Flow& flow) {
    if (flow.members.empty() || random_.chance(3)) return flow_execution_id(flow.flow_id, uuid());
    return random_.pick(flow.members);
}

Uuid FlowMix::uuid() {
    Uuid id;
    for (std::uint8_t& byte : id.bytes) byte = static_cast<std::uint8_t>(random_.below(256));
    return id;
}

void FlowMix::stop_growth(const FlowId& id) {
    if (Flow* flow = find(id)) flow->grows = false;
}

FlowMix::Flow* FlowMix::find(const FlowId& id) {
    const auto found = std::ranges::find(flows_, id, &Flow::flow_id);
    return found == flows_.end() ? nullptr : &*found;
}

}  // namespace flowfabric::test
