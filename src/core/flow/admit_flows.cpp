#include <algorithm>
#include <unordered_set>

#include "core/base/names.hpp"
#include "core/base/partition.hpp"
#include "core/base/tags.hpp"
#include "core/command/admission.hpp"
#include "core/flow/edge_group.hpp"
#include "core/flow/flow_fields.hpp"
#include "core/flow/flow_graph.hpp"

namespace flowfabric {
namespace {

FlowKey key_of(const FlowId& flow_id) {
    return {flow_partition(flow_id), flow_id};
}

// The ids of a flow's members and edges follow from its own, so that a repeated submission names the same ones.
IdSource ids_within(const FlowId& flow_id) {
    const auto& bytes = flow_id.uuid.bytes;
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        high = high << 8U | bytes[i];
        low = low << 8U | bytes[8 + i];
    }
    return {static_cast<std::int64_t>(high >> 16U), mix64(high), mix64(~low)};
}

Result<void> check_member_partition(std::string_view field, const FlowKey& flow, const ExecutionId& id) {
    if (id.partition == flow.partition) return {};
    return invalid_input(field, "partition_mismatch: " + id.to_string() + " is not on the flow's partition " +
                                    std::to_string(flow.partition));
}

Result<void> check_ref(std::string_view field, const std::optional<std::string>& ref) {
    return ref ? check_text(field, *ref, max_label_bytes) : Result<void>{};
}

Result<void> check_count(std::string_view field, std::size_t count, std::size_t limit) {
    if (count <= limit) return {};
    return invalid_input(field, std::to_string(count) + ", at most " + std::to_string(limit) +
                                    " at once: create the flow and add the others in pieces");
}

Result<std::optional<HeldLease>> lease_of(const std::optional<LeaseRef>& ref, const Settings& settings) {
    if (!ref) return std::optional<HeldLease>{};
    auto lease = held_lease(*ref, Source::lease_holder, settings);
    if (!lease) return lease.error();
    return std::optional(*lease);
}

Result<AdmittedCreate> member_of(const FlowKey& flow, std::size_t index, FlowNode& node, const Settings& settings,
                                 const IdSource& ids) {
    CreateExecution& create = node.execution;
    if (!create.idempotency_key.empty()) {
        return in_node(index, node.name, invalid_input("idempotency_key", "belongs to the flow: give it a flow_id"));
    }
    const bool minted = !create.execution_id;
    if (minted) create.execution_id = flow_execution_id(flow.flow_id, ids.at(static_cast<std::uint32_t>(index)));
    if (auto checked = check_member_partition("execution_id", flow, *create.execution_id); !checked) {
        return in_node(index, node.name, checked.error());
    }
    auto admitted = admit(std::move(create), settings, ids);
    if (!admitted) return in_node(index, node.name, std::move(admitted).error());
    AdmittedCreate member = std::get<AdmittedCreate>(std::move(*admitted));
    member.minted = minted;
    member.row.flow_id = flow.flow_id;
    return member;
}

FlowRow flow_row(const FlowKey& key, const FlowFields& fields) {
    FlowRow row;
    row.key = key;
    row.raw_fields = json_of(fields);
    return row;
}

}  // namespace

Result<Command> admit(CreateFlow command, const Settings&, const IdSource& ids) {
    Checks check;
    check(check_text("flow_kind", command.flow_kind, max_label_bytes));
    check(check_identity("namespace", command.namespace_name));
    if (check.fault()) return *check.fault();
    const FlowKey key = key_of(command.flow_id.value_or(FlowId{ids.at(0)}));
    return Command{AdmittedFlow{flow_row(
        key, {.flow_kind = std::move(command.flow_kind), .namespace_name = std::move(command.namespace_name)})}};
}

Result<Command> admit(SubmitFlow command, const Settings& settings, const IdSource& ids) {
    Checks check;
    check(check_text("flow_kind", command.flow_kind, max_label_bytes));
    check(check_identity("namespace", command.namespace_name));
    check.require(!command.nodes.empty(), "nodes", "must not be empty");
    check(check_count("nodes", command.nodes.size(), max_submitted_nodes));
    check(check_count("edges", command.edges.size(), max_submitted_edges));
    check(check_tags(command.tags));
    for (std::size_t i = 0; i < command.edges.size() && !check.fault(); ++i) {
        const std::string field = "edges[" + std::to_string(i) + "]";
        check(check_text(field + ".dependency_kind", command.edges[i].dependency_kind, max_label_bytes));
        check(check_ref(field + ".data_passing_ref", command.edges[i].data_passing_ref));
    }
    if (check.fault()) return *check.fault();
    auto graph = check_graph(command.nodes, command.edges);
    if (!graph) return graph.error();

    const FlowKey key = key_of(command.flow_id.value_or(FlowId{ids.at(0)}));
    const IdSource within = ids_within(key.flow_id);
    AdmittedGraph admitted;
    admitted.row = flow_row(key, {.flow_kind = std::move(command.flow_kind),
                                  .namespace_name = std::move(command.namespace_name),
                                  .node_count = static_cast<std::int64_t>(command.nodes.size()),
                                  .edge_count = static_cast<std::int64_t>(command.edges.size())});
    admitted.row.tags = json_of(command.tags);
    admitted.row.sealed = true;
    admitted.row.open_members = static_cast<std::int32_t>(command.nodes.size());
    admitted.members.reserve(command.nodes.size());
    std::unordered_set<ExecutionId> given;
    for (std::size_t i = 0; i < command.nodes.size(); ++i) {
        auto member = member_of(key, i, command.nodes[i], settings, within);
        if (!member) return member.error();
        if (!given.insert(member->row.id).second) {
            return in_node(i, command.nodes[i].name,
                           invalid_input("execution_id", member->row.id.to_string() + " is there twice"));
        }
        admitted.members.push_back(std::move(*member));
        admitted.names.push_back(std::move(command.nodes[i].name));
    }
    // Of several edges that pass data to one node the highest wins, so the order of the ids is that of the edges.
    std::vector<EdgeId> edge_ids;
    edge_ids.reserve(command.edges.size());
    for (std::size_t i = 0; i < command.edges.size(); ++i) {
        edge_ids.push_back(EdgeId{within.at(static_cast<std::uint32_t>(command.nodes.size() + i))});
    }
    std::ranges::sort(edge_ids);
    std::vector<std::int32_t> incoming(command.nodes.size());
    admitted.edges.reserve(command.edges.size());
    for (std::size_t i = 0; i < command.edges.size(); ++i) {
        FlowEdge& edge = command.edges[i];
        const auto [from, to] = (*graph)[i];
        ++incoming[to];
        EdgeRow row;
        row.key = {key, edge_ids[i]};
        row.upstream = admitted.members[from].row.id.uuid;
        row.downstream = admitted.members[to].row.id.uuid;
        row.policy = json_of(EdgeFields{.dependency_kind = std::move(edge.dependency_kind),
                                        .data_passing_ref = edge.data_passing_ref.value_or(""),
                                        .edge_state = EdgeState::applied});
        row.dependency_state = DependencyState::unsatisfied;
        admitted.edges.push_back(std::move(row));
    }
    for (std::size_t i = 0; i < command.nodes.size(); ++i) {
        if (incoming[i] == 0) continue;
        AdmittedCreate& member = admitted.members[i];
        member.row.deps_blocked = true;
        EdgeGroupRow group;
        group.key = {key, member.row.id.uuid};
        group.policy = policy_json(command.nodes[i].policy);
        group.k_target = k_target_of(command.nodes[i].policy);
        group.n = group.running_count = incoming[i];
        group.n_fixed = true;
        admitted.groups.push_back(std::move(group));
    }
    return Command{std::move(admitted)};
}

Result<Command> admit(const AddExecutionToFlow& command, const Settings& settings, const IdSource&) {
    const FlowKey flow = key_of(command.flow_id);
    if (auto checked = check_member_partition("execution_id", flow, command.execution_id); !checked) {
        return checked.error();
    }
    auto by = lease_of(command.lease, settings);
    if (!by) return by.error();
    return Command{AdmittedMember{flow, command.execution_id, *by}};
}

Result<Command> admit(StageDependencyEdge command, const Settings& settings, const IdSource&) {
    const FlowKey flow = key_of(command.flow_id);
    if (command.upstream == command.downstream) {
        return EngineError{.kind = ErrorKind::self_referencing_edge, .detail = command.edge_id.to_string()};
    }
    Checks check;
    check(check_member_partition("upstream", flow, command.upstream));
    check(check_member_partition("downstream", flow, command.downstream));
    check(check_text("dependency_kind", command.dependency_kind, max_label_bytes));
    check(check_ref("data_passing_ref", command.data_passing_ref));
    if (check.fault()) return *check.fault();
    auto by = lease_of(command.lease, settings);
    if (!by) return by.error();
    EdgeRow row;
    row.key = {flow, command.edge_id};
    row.upstream = command.upstream.uuid;
    row.downstream = command.downstream.uuid;
    row.policy = json_of(EdgeFields{.dependency_kind = std::move(command.dependency_kind),
                                    .data_passing_ref = command.data_passing_ref.value_or("")});
    return Command{AdmittedEdge{std::move(row), command.expected_graph_revision, *by}};
}

Result<Command> admit(const ApplyDependencyToChild& command, const Settings& settings, const IdSource&) {
    const FlowKey flow = key_of(command.flow_id);
    Checks check;
    check(check_member_partition("upstream", flow, command.upstream));
    check(check_member_partition("downstream", flow, command.downstream));
    if (check.fault()) return *check.fault();
    auto by = lease_of(command.lease, settings);
    if (!by) return by.error();
    return Command{AdmittedDependency{{flow, command.edge_id}, command.upstream, command.downstream, *by}};
}

Result<Command> admit(const SetEdgeGroupPolicy& command, const Settings&, const IdSource&) {
    const FlowKey flow = key_of(command.flow_id);
    const std::uint32_t needed = command.policy.kind == GroupKind::quorum ? command.policy.k : 1;
    Checks check;
    check(check_member_partition("downstream", flow, command.downstream));
    check(check_policy("policy", command.policy));
    check.require(!command.expected_edges || *command.expected_edges >= 1, "expected_edges", "must be at least 1");
    check.require(!command.expected_edges || *command.expected_edges <= max_group_edges, "expected_edges",
                  "is too large");
    check.require(!command.expected_edges || needed <= *command.expected_edges, "policy.k",
                  "is larger than expected_edges");
    if (check.fault()) return *check.fault();
    return Command{AdmittedGroupPolicy{{flow, command.downstream.uuid}, command.policy, command.expected_edges}};
}

Result<Command> admit(const SealFlow& command, const Settings&, const IdSource&) {
    return Command{AdmittedSeal{key_of(command.flow_id)}};
}

Result<Command> admit(SetFlowTag command, const Settings&, const IdSource&) {
    if (auto checked = check_tag_key(command.key); !checked) return checked.error();
    if (auto checked = check_text("value", command.value, max_tag_bytes); !checked) return checked.error();
    return Command{AdmittedFlowTag{key_of(command.flow_id), std::move(command.key), std::move(command.value)}};
}

Result<Command> admit(CancelFlow command, const Settings& settings, const IdSource&) {
    Checks check;
    check(check_text("reason", command.reason, max_reason_bytes));
    check(check_text("requester", command.requester, max_label_bytes));
    check.require(is_known(command.policy), "policy", "no such policy");
    if (check.fault()) return *check.fault();
    if (command.grace_ms > static_cast<std::uint64_t>(max_grace_ms)) {
        return EngineError{.kind = ErrorKind::invalid_grace_ms, .detail = "grace_ms: must be below 2^53"};
    }
    return Command{AdmittedFlowCancel{key_of(command.flow_id), command.policy, std::move(command.reason),
                                      std::move(command.requester), command.grace_ms, settings.cancelled_with_flow}};
}

Result<Command> admit(const AckCancelMember& command, const Settings&, const IdSource&) {
    return Command{AdmittedMemberAck{{key_of(command.flow_id), command.execution_id.to_string()}}};
}

Result<Command> admit(const WaitChildren& command, const Settings& settings, const IdSource&) {
    auto lease = held_lease(command.lease, Source::lease_holder, settings);
    if (!lease) return lease.error();
    return Command{AdmittedChildWait{*lease, command.flow_id}};
}

}  // namespace flowfabric
