#include <algorithm>

#include "core/base/names.hpp"
#include "core/base/tags.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/transition.hpp"
#include "core/flow/flow.hpp"
#include "core/flow/flow_graph.hpp"
#include "core/flow/flow_retention.hpp"

// How a flow comes to be: at once, or piece by piece.
namespace flowfabric {
namespace {

bool same_flow(const FlowFields& stored, const FlowFields& wanted) {
    return stored.flow_kind == wanted.flow_kind && stored.namespace_name == wanted.namespace_name;
}

EngineError flow_already_exists(const FlowKey& key, const FlowFields& stored) {
    return {.kind = ErrorKind::flow_already_exists,
            .detail = key.flow_id.to_string() + " is a flow of kind '" + stored.flow_kind + "' in namespace '" +
                      stored.namespace_name + "'"};
}

EngineError execution_not_in_flow(const ExecutionId& id) {
    return {.kind = ErrorKind::execution_not_in_flow, .detail = id.to_string()};
}

Result<ExecutionEntry*> find_member(const ExecutionId& id, const FlowKey& flow, BatchRows& rows) {
    ExecutionEntry* entry = rows.find(id);
    if (entry == nullptr) return execution_not_found(id);
    if (entry->row.flow_id == flow.flow_id) return entry;
    return execution_not_in_flow(id);
}

// Who was there before it was claimed for the first time, in this replay, can still be told to wait.
bool has_started(const ExecutionRow& row) {
    const AttemptState attempt = row.vector.attempt_state;
    const bool fresh =
        attempt == AttemptState::pending_first_attempt || attempt == AttemptState::pending_replay_attempt;
    return row.vector.lifecycle_phase != LifecyclePhase::runnable || !fresh;
}

bool closes_circle(const EdgeRow& added, const RowTable<EdgeRow>& edges) {
    std::vector<std::pair<Uuid, Uuid>> graph;
    for (const EdgeRow& edge : edges.where([&](const EdgeRow& edge) { return edge.flow() == added.flow(); })) {
        graph.emplace_back(edge.upstream, edge.downstream);
    }
    return reachable(graph, added.downstream, added.upstream);
}

}  // namespace

Result<Answer> decide(const AdmittedFlow& command, BatchRows&, DecisionContext& context) {
    auto& flows = context.set.side.of<FlowRow>();
    const FlowFields wanted = fields_of(command.row);
    if (const FlowRow* existing = flows.find(command.row.key)) {
        const FlowFields stored = fields_of(*existing);
        if (!same_flow(stored, wanted)) return flow_already_exists(command.row.key, stored);
        return Answer{FlowCreated{command.row.key.flow_id, true}};
    }
    FlowRow row = command.row;
    row.created_at_ms = context.set.now_ms;
    note_flow(row.key, context);
    touch_flow(std::move(row), wanted, context);
    return Answer{FlowCreated{command.row.key.flow_id}};
}

Result<Answer> decide(const AdmittedGraph& command, BatchRows& rows, DecisionContext& context) {
    FlowSubmitted answer{.flow_id = command.row.key.flow_id};
    answer.members.reserve(command.members.size());
    for (const AdmittedCreate& member : command.members) answer.members.push_back(member.row.id);

    const FlowFields fields = fields_of(command.row);
    if (const FlowRow* existing = context.set.side.of<FlowRow>().find(command.row.key)) {
        const FlowFields stored = fields_of(*existing);
        const bool same = same_flow(stored, fields) && stored.node_count == fields.node_count &&
                          stored.edge_count == fields.edge_count && existing->sealed;
        if (!same) return flow_already_exists(command.row.key, stored);
        answer.already_there = true;
        return Answer{std::move(answer)};
    }
    for (std::size_t i = 0; i < command.members.size(); ++i) {
        const ExecutionRow& member = command.members[i].row;
        if (rows.find(member.id) != nullptr) {
            return in_node(
                i, command.names[i],
                {.kind = ErrorKind::execution_already_in_flow, .detail = member.id.to_string() + " exists already"});
        }
        if (const LaneState state = rows.lane_state(member.lane_id); !accepts_work(state)) {
            return in_node(i, command.names[i], lane_not_accepting(member.lane_id, state));
        }
    }
    for (const AdmittedCreate& member : command.members) {
        auto created = decide_create(member, {}, context);
        if (!created) return created.error();
        rows.insert(std::move(*created->inserted));
    }
    FlowRow row = command.row;
    row.created_at_ms = context.set.now_ms;
    note_flow(row.key, context);
    touch_flow(std::move(row), fields, context);
    for (EdgeRow edge : command.edges) {
        EdgeFields edge_fields = fields_of(edge);
        edge_fields.created_at_ms = edge_fields.staged_at_ms = context.set.now_ms;
        edge_fields.applied_at_ms = context.set.now_ms;
        edge.policy = json_of(edge_fields);
        context.set.side.of<EdgeRow>().put(std::move(edge));
    }
    for (const EdgeGroupRow& group : command.groups) context.set.side.of<EdgeGroupRow>().put(group);
    return Answer{std::move(answer)};
}

Result<Answer> decide(const AdmittedMember& command, BatchRows& rows, DecisionContext& context) {
    auto flow = find_open_flow(command.flow, context.set);
    if (!flow) return flow.error();
    ExecutionEntry* entry = rows.find(command.execution_id);
    const bool member = entry != nullptr && entry->row.flow_id == command.flow.flow_id;
    if (!member) {
        if (auto refusal = refuse_sealed(*flow, command.by, rows, context)) return *refusal;
    }
    if (entry == nullptr) return execution_not_found(command.execution_id);
    FlowFields fields = fields_of(*flow);
    if (member) {
        return Answer{MemberAdded{command.execution_id, static_cast<std::uint32_t>(fields.node_count), true}};
    }
    if (entry->row.flow_id) {
        return EngineError{.kind = ErrorKind::execution_already_in_flow, .detail = entry->row.flow_id->to_string()};
    }
    Transition(*entry, context.set).join_flow(command.flow.flow_id);
    ++fields.node_count;
    ++flow->graph_revision;
    const bool ended = entry->row.vector.lifecycle_phase == LifecyclePhase::terminal;
    if (!ended) ++flow->open_members;
    if (fails_flow(entry->row.vector.terminal_outcome, entry->row.cancellation_cause)) ++flow->failed_members;
    touch_flow(std::move(*flow), fields, context);
    return Answer{MemberAdded{command.execution_id, static_cast<std::uint32_t>(fields.node_count)}};
}

Result<Answer> decide(const AdmittedEdge& command, BatchRows& rows, DecisionContext& context) {
    auto flow = find_open_flow(command.row.key.flow, context.set);
    if (!flow) return flow.error();
    auto& edges = context.set.side.of<EdgeRow>();
    if (const EdgeRow* existing = edges.find(command.row.key)) {
        const EdgeFields stored = fields_of(*existing);
        const EdgeFields wanted = fields_of(command.row);
        const bool same =
            existing->upstream == command.row.upstream && existing->downstream == command.row.downstream &&
            stored.dependency_kind == wanted.dependency_kind && stored.data_passing_ref == wanted.data_passing_ref;
        if (same) return Answer{EdgeStaged{command.row.key.edge_id, flow->graph_revision, true}};
        const std::uint16_t partition = command.row.key.flow.partition;
        return EngineError{.kind = ErrorKind::dependency_already_exists,
                           .detail = command.row.key.edge_id.to_string() + " leads from " +
                                     ExecutionId{partition, existing->upstream}.to_string() + " to " +
                                     ExecutionId{partition, existing->downstream}.to_string()};
    }
    if (auto refusal = refuse_sealed(*flow, command.by, rows, context)) return *refusal;
    if (flow->graph_revision != command.expected_graph_revision) {
        return EngineError{.kind = ErrorKind::stale_graph_revision,
                           .detail = "the graph's revision is " + std::to_string(flow->graph_revision)};
    }
    const std::uint16_t partition = command.row.key.flow.partition;
    for (const Uuid& end : {command.row.upstream, command.row.downstream}) {
        const ExecutionId id{partition, end};
        const bool member = rows.find(id) != nullptr && rows.find(id)->row.flow_id == command.row.key.flow.flow_id;
        if (!member) return execution_not_in_flow(id);
    }
    const bool leads_on = edges.any([&](const EdgeRow& edge) { return edge.source() == command.behind(); });
    if (leads_on && !command.with_graph) return Answer{MoreRows{}};
    if (leads_on && closes_circle(command.row, edges)) {
        return EngineError{.kind = ErrorKind::cycle_detected, .detail = command.row.key.edge_id.to_string()};
    }
    EdgeRow row = command.row;
    EdgeFields fields = fields_of(row);
    fields.created_at_ms = fields.staged_at_ms = context.set.now_ms;
    row.policy = json_of(fields);
    edges.put(std::move(row));
    FlowFields flow_fields = fields_of(*flow);
    ++flow_fields.edge_count;
    const std::int64_t revision = ++flow->graph_revision;
    touch_flow(std::move(*flow), flow_fields, context);
    return Answer{EdgeStaged{command.row.key.edge_id, revision}};
}

Result<Answer> decide(const AdmittedGroupPolicy& command, BatchRows& rows, DecisionContext& context) {
    auto flow = find_open_flow(command.group.flow, context.set);
    if (!flow) return flow.error();
    if (auto refusal = refuse_sealed(*flow, std::nullopt, rows, context)) return *refusal;
    if (auto member = find_member(command.group.execution(), command.group.flow, rows); !member) return member.error();
    auto& groups = context.set.side.of<EdgeGroupRow>();
    const EdgeGroupRow* existing = groups.find(command.group);
    const auto edges = static_cast<std::int32_t>(command.expected_edges.value_or(0));
    if (existing != nullptr && group_policy(existing->policy) == command.policy && existing->n == edges &&
        existing->n_fixed == command.expected_edges.has_value()) {
        return Answer{GroupPolicySet{true}};
    }
    const bool staged =
        context.set.side.of<EdgeRow>().any([&](const EdgeRow& edge) { return edge.group() == command.group; });
    if (staged) return invalid_input("policy", "edge_group_policy_already_fixed: an edge is staged");
    EdgeGroupRow group;
    group.key = command.group;
    group.policy = policy_json(command.policy);
    group.k_target = k_target_of(command.policy);
    group.n = edges;
    group.n_fixed = command.expected_edges.has_value();
    groups.put(std::move(group));
    return Answer{GroupPolicySet{}};
}

Result<Answer> decide(const AdmittedDependency& command, BatchRows& rows, DecisionContext& context) {
    auto flow = find_open_flow(command.edge.flow, context.set);
    if (!flow) return flow.error();
    auto& edges = context.set.side.of<EdgeRow>();
    const EdgeRow* staged = edges.find(command.edge);
    if (staged == nullptr) {
        return EngineError{.kind = ErrorKind::edge_not_found, .detail = command.edge.edge_id.to_string()};
    }
    const bool matches = staged->upstream == command.upstream.uuid && staged->downstream == command.downstream.uuid;
    if (!matches) return invalid_input("edge_id", "the edge is staged between other executions");

    auto& groups = context.set.side.of<EdgeGroupRow>();
    const EdgeGroupRow* existing = groups.find(command.group());
    EdgeGroupRow group = existing != nullptr ? *existing : EdgeGroupRow{.key = command.group()};
    if (existing == nullptr) group.policy = policy_json({});
    if (staged->dependency_state) {
        return Answer{DependencyApplied{static_cast<std::uint32_t>(group.running_count), true}};
    }
    if (auto refusal = refuse_sealed(*flow, command.by, rows, context)) return *refusal;
    auto child = find_member(command.downstream, command.edge.flow, rows);
    if (!child) return child.error();
    auto upstream = find_member(command.upstream, command.edge.flow, rows);
    if (!upstream) return upstream.error();
    ExecutionEntry& entry = **child;
    const bool own = command.by && command.by->execution_id == command.downstream;
    if (entry.row.vector.lifecycle_phase == LifecyclePhase::terminal) {
        return refused_in_state(ErrorKind::execution_terminal, entry.row);
    }
    if (has_started(entry.row) && !own) return refused_in_state(ErrorKind::active_attempt_exists, entry.row);
    if (has_started(entry.row)) {
        Transition transition(entry, context.set);
        if (auto refusal = refuse_by_fence(transition, *command.by, OverrideRule::never)) return *refusal;
        // Children of a running execution: a set of edges of their own, which nothing waits for yet.
        if (group.group_state != GroupState::pending || group.n_fixed) group = next_generation(group);
    } else if (group.n_fixed && applied_edges(group) >= group.n) {
        return invalid_input("edge_id", "the group has all of its " + std::to_string(group.n) + " edges");
    }

    EdgeRow edge = *staged;
    EdgeFields fields = fields_of(edge);
    fields.edge_state = EdgeState::applied;
    fields.applied_at_ms = context.set.now_ms;
    edge.policy = json_of(fields);
    edge.generation = group.generation;
    edge.dependency_state = DependencyState::unsatisfied;
    count_applied(group);
    const TerminalOutcome ended = (*upstream)->row.vector.terminal_outcome;
    if (ended != TerminalOutcome::none) {
        edge.dependency_state = resolution_of(ended);
        count_resolution(group, ended);
    }
    const GroupPolicy policy = group_policy(group.policy);
    const bool decides = group.group_state == GroupState::pending;
    const bool fires = decides && evaluate(policy, counts_of(group)) != GroupState::pending;
    if (fires && cancels_siblings(policy) && !command.with_siblings) return Answer{MoreRows{}};
    edges.put(std::move(edge));
    if (!has_started(entry.row)) Transition(entry, context.set).hold_for_dependencies(hold_detail(group));
    reconsider(group, entry, context);
    const bool passes = policy.kind == GroupKind::all_of || (decides && group.group_state == GroupState::satisfied);
    if (passes && ended == TerminalOutcome::success && !fields.data_passing_ref.empty()) {
        context.set.input_copies.push_back(
            {command.upstream, command.downstream, fields.data_passing_ref, command.edge.edge_id});
    }
    const auto open = static_cast<std::uint32_t>(group.running_count);
    groups.put(std::move(group));
    return Answer{DependencyApplied{open}};
}

Result<Answer> decide(const AdmittedSeal& command, BatchRows& rows, DecisionContext& context) {
    auto flow = find_open_flow(command.flow, context.set);
    if (!flow) return flow.error();
    if (flow->sealed) return Answer{FlowSealed{true}};
    fix_groups(command.flow, rows, context);
    flow->sealed = true;
    end_if_done(*flow, context.set.now_ms);
    const FlowFields fields = fields_of(*flow);
    touch_flow(std::move(*flow), fields, context);
    return Answer{FlowSealed{}};
}

Result<Answer> decide(const AdmittedFlowTag& command, BatchRows&, DecisionContext& context) {
    auto flow = find_flow(command.flow, context.set);
    if (!flow) return flow.error();
    Tags tags = tags_of(flow->tags);
    tags.insert_or_assign(command.key, command.value);
    if (auto checked = check_tags(tags); !checked) return checked.error();
    flow->tags = json_of(tags);
    context.set.side.of<FlowRow>().put(std::move(*flow));
    return Answer{FlowTagSet{}};
}

Result<Answer> decide(const AdmittedChildWait& command, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    const ExecutionRow& row = entry.row;
    constexpr std::string_view call = "waiting_children";
    if (auto refusal = refuse_by_fence(transition, command.lease, OverrideRule::operator_may_override)) {
        const bool repeat = refusal->kind == ErrorKind::execution_not_active &&
                            names_last_attempt(row, command.lease) && row.last_release == call;
        if (repeat) return Answer{WaitingChildren{row.vector.public_state}};
        return *refusal;
    }
    if (row.flow_id && !command.flow_id) return Answer{MoreRows{row.flow_id, {}}};
    if (row.flow_id && row.flow_id != command.flow_id) {
        return invalid_input("flow_id", "the execution is a member of " + row.flow_id->to_string());
    }
    transition.interrupt_attempt("children", call, std::string(call));
    transition.hold_for_dependencies({});
    auto& groups = context.set.side.of<EdgeGroupRow>();
    const EdgeGroupRow* stored = row.flow_id ? groups.find({{row.id.partition, *row.flow_id}, row.id.uuid}) : nullptr;
    // Without an edge nothing would ever wake it.
    if (stored == nullptr || applied_edges(*stored) == 0) {
        transition.release_dependencies();
        return Answer{WaitingChildren{row.vector.public_state}};
    }
    EdgeGroupRow group = *stored;
    fix_edges(group);
    transition.hold_for_dependencies(hold_detail(group));
    reconsider(group, entry, context);
    groups.put(std::move(group));
    return Answer{WaitingChildren{row.vector.public_state}};
}

}  // namespace flowfabric
