#include <algorithm>
#include <unordered_set>

#include "core/base/names.hpp"
#include "core/base/tags.hpp"
#include "core/base/trace_context.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/execution/creation.hpp"
#include "core/flow/flow.hpp"
#include "core/flow/flow_graph.hpp"
#include "core/flow/flow_retention.hpp"
#include "core/flow/on_flow.hpp"
#include "core/lane/lane.hpp"
#include "flowfabric/submit_flow.hpp"

namespace flowfabric {
namespace {

struct AdmittedGraph {
    FlowRow row;
    std::vector<AdmittedCreate> members;
    std::vector<EdgeRow> edges;  // applied, with everything but their times
    std::vector<EdgeGroupRow> groups;
};

// Only ids that the caller gave can be taken.
std::vector<ExecutionId> given_ids(const std::vector<AdmittedCreate>& members) {
    std::vector<ExecutionId> given;
    for (const AdmittedCreate& member : members) {
        if (!member.minted) given.push_back(member.row.id);
    }
    return given;
}

class SubmitFlowBody final : public OnFlow {
  public:
    explicit SubmitFlowBody(AdmittedGraph graph)
        : OnFlow(graph.row.key, given_ids(graph.members)), graph_(std::move(graph)) {}

    CommandTraits traits() const override { return {.name = "submit_flow", .urgency = Urgency::bulk}; }
    std::size_t bytes() const override {
        std::size_t bytes = sizeof(*this) + contents_of(graph_.row, graph_.edges, graph_.groups);
        for (const AdmittedCreate& member : graph_.members) {
            bytes += sizeof(member) + contents_of(member.row, member.input, member.refusal, member.idempotency);
        }
        return bytes;
    }
    std::size_t rows() const override { return graph_.members.size() + graph_.edges.size() + graph_.groups.size(); }
    std::span<AdmittedCreate> creations() override { return graph_.members; }

    Result<Answer> decide(BatchRows& rows, DecisionContext& context) const override {
        FlowSubmitted answer{.flow_id = flow().flow_id};
        answer.members.reserve(graph_.members.size());
        for (const AdmittedCreate& member : graph_.members) answer.members.push_back(member.row.id);

        const FlowFields fields = fields_of(graph_.row);
        if (const FlowRow* existing = context.set.side.of<FlowRow>().find(flow())) {
            const FlowFields stored = fields_of(*existing);
            const auto repeated = is_same_request(flow(), stored, fields);
            if (!repeated) return repeated.error();
            const bool same = same_flow(stored, fields) && stored.node_count == fields.node_count &&
                              stored.edge_count == fields.edge_count && existing->sealed;
            if (!same) return flow_already_exists(flow(), stored);
            answer.already_there = !*repeated;
            return Answer::of<FlowSubmitted>(std::move(answer));
        }
        if (auto refusal = refuse_members(rows)) return *refusal;
        for (const AdmittedCreate& member : graph_.members) {
            auto created = decide_create(member, {}, context);
            if (!created) return created.error();
            rows.insert(std::move(*created->inserted));
        }
        FlowRow row = graph_.row;
        row.created_at_ms = context.set.now_ms;
        note_flow(row.key, context);
        touch_flow(std::move(row), fields, context);
        put_edges(context);
        return Answer::of<FlowSubmitted>(std::move(answer));
    }

  private:
    std::optional<EngineError> refuse_members(BatchRows& rows) const {
        for (std::size_t i = 0; i < graph_.members.size(); ++i) {
            const ExecutionRow& member = graph_.members[i].row;
            if (rows.find(member.id) != nullptr) {
                return in_node(i, *member.node_name,
                               {.kind = ErrorKind::execution_already_in_flow,
                                .detail = member.id.to_string() + " exists already"});
            }
            if (const LaneState state = rows.lane_state(member.lane_id); !accepts_work(state)) {
                return in_node(i, *member.node_name, lane_not_accepting(member.lane_id, state));
            }
        }
        return std::nullopt;
    }

    void put_edges(DecisionContext& context) const {
        for (EdgeRow edge : graph_.edges) {
            EdgeFields fields = fields_of(edge);
            fields.created_at_ms = fields.staged_at_ms = context.set.now_ms;
            fields.applied_at_ms = context.set.now_ms;
            edge.policy = json_of(fields);
            context.set.side.of<EdgeRow>().put(std::move(edge));
        }
        for (const EdgeGroupRow& group : graph_.groups) context.set.side.of<EdgeGroupRow>().put(group);
    }

    AdmittedGraph graph_;
};

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

Result<void> check_count(std::string_view field, std::size_t count, std::size_t limit) {
    if (count <= limit) return {};
    return invalid_input(field, std::to_string(count) + ", at most " + std::to_string(limit) +
                                    " at once: create the flow and add the others in pieces");
}

std::optional<EngineError> check_submission(const SubmitFlow& command) {
    Checks check;
    check(check_text("flow_kind", command.flow_kind, max_label_bytes));
    check(check_identity("namespace", command.namespace_name));
    check.require(!command.nodes.empty(), "nodes", "must not be empty");
    check(check_count("nodes", command.nodes.size(), max_submitted_nodes));
    check(check_count("edges", command.edges.size(), max_submitted_edges));
    check(check_tags(command.tags));
    check(check_text("idempotency_key", command.idempotency_key, max_idempotency_key_bytes));
    if (command.request_digest) check(check_line("request_digest", *command.request_digest, max_label_bytes));
    check(check_trace(command.traceparent, command.tracestate));
    for (std::size_t i = 0; i < command.edges.size() && !check.fault(); ++i) {
        const std::string field = "edges[" + std::to_string(i) + "]";
        check(check_data_passing_ref(field + ".data_passing_ref", command.edges[i].data_passing_ref));
    }
    return check.fault();
}

Result<AdmittedCreate> admit_member(const FlowKey& flow, std::size_t index, FlowNode& node, const Settings& settings,
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
    auto member = admit_creation(std::move(create), settings, ids);
    if (!member) return in_node(index, node.name, std::move(member).error());
    member->minted = minted;
    member->row.flow_id = flow.flow_id;
    member->row.node_name = node.name;
    return member;
}

}  // namespace

template <>
Result<Command> admit(SubmitFlow command, const Settings& settings, const IdSource& ids) {
    if (auto fault = check_submission(command)) return *fault;
    auto graph = check_graph(command.nodes, command.edges);
    if (!graph) return graph.error();

    const FlowKey key = key_of(id_of_new_flow(command.flow_id, command.namespace_name, command.idempotency_key, ids));
    const IdSource within = ids_within(key.flow_id);
    AdmittedGraph admitted;
    admitted.row = new_flow_row(key, {.flow_kind = std::move(command.flow_kind),
                                      .namespace_name = std::move(command.namespace_name),
                                      .node_count = static_cast<std::int64_t>(command.nodes.size()),
                                      .edge_count = static_cast<std::int64_t>(command.edges.size()),
                                      .request_digest = std::move(command.request_digest)});
    admitted.row.tags = json_of(command.tags);
    admitted.row.sealed = true;
    admitted.row.open_members = static_cast<std::int32_t>(command.nodes.size());
    admitted.members.reserve(command.nodes.size());
    std::unordered_set<ExecutionId> given;
    for (std::size_t i = 0; i < command.nodes.size(); ++i) {
        CreateExecution& execution = command.nodes[i].execution;
        if (!execution.traceparent && command.traceparent) {
            execution.traceparent = command.traceparent;
            execution.tracestate = command.tracestate;
        }
        auto member = admit_member(key, i, command.nodes[i], settings, within);
        if (!member) return member.error();
        if (!given.insert(member->row.id).second) {
            return in_node(i, command.nodes[i].name,
                           invalid_input("execution_id", member->row.id.to_string() + " is there twice"));
        }
        admitted.members.push_back(std::move(*member));
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
        row.policy = json_of(EdgeFields{.dependency_kind = std::string(to_string(edge.dependency_kind)),
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
    return Command::make<SubmitFlowBody>(std::move(admitted));
}

}  // namespace flowfabric
