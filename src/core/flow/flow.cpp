#include "core/flow/flow.hpp"

#include "core/execution/creation.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/transition.hpp"
#include "core/signing/key_id.hpp"

namespace flowfabric {

EngineError flow_not_found(const FlowKey& key) {
    return {.kind = ErrorKind::flow_not_found, .detail = key.flow_id.to_string()};
}

EngineError flow_already_terminal(const FlowRow& row) {
    return {.kind = ErrorKind::flow_already_terminal,
            .detail = row.key.flow_id.to_string() + " is " + std::string(to_string(row.public_flow_state))};
}

EngineError flow_already_exists(const FlowKey& key, const FlowFields& stored) {
    return {.kind = ErrorKind::flow_already_exists,
            .detail = key.flow_id.to_string() + " is a flow of kind '" + stored.flow_kind + "' in namespace '" +
                      stored.namespace_name + "'"};
}

bool same_flow(const FlowFields& stored, const FlowFields& wanted) {
    return stored.flow_kind == wanted.flow_kind && stored.namespace_name == wanted.namespace_name;
}

FlowId id_of_new_flow(const std::optional<FlowId>& given, const std::string& namespace_name,
                      const std::string& idempotency_key, const IdSource& ids) {
    if (given) return *given;
    if (idempotency_key.empty()) return FlowId{ids.at(0)};
    return FlowId{id_under_key("flow", namespace_name, idempotency_key)};
}

Result<bool> is_same_request(const FlowKey& key, const FlowFields& stored, const FlowFields& wanted) {
    if (!wanted.request_digest || !stored.request_digest) return false;
    if (wanted.request_digest == stored.request_digest) return true;
    return idempotency_conflict("flow " + key.flow_id.to_string());
}

EngineError execution_not_in_flow(const ExecutionId& id) {
    return {.kind = ErrorKind::execution_not_in_flow, .detail = id.to_string()};
}

Result<FlowRow> find_flow(const FlowKey& key, const WorkingSet& set) {
    const FlowRow* row = set.side.of<FlowRow>().find(key);
    if (row == nullptr) return flow_not_found(key);
    return *row;
}

Result<FlowRow> find_open_flow(const FlowKey& key, const WorkingSet& set) {
    auto flow = find_flow(key, set);
    if (flow && flow->public_flow_state != FlowState::open) return flow_already_terminal(*flow);
    return flow;
}

Result<ExecutionEntry*> find_member(const ExecutionId& id, const FlowKey& flow, BatchRows& rows) {
    ExecutionEntry* entry = rows.find(id);
    if (entry == nullptr) return execution_not_found(id);
    if (entry->row.flow_id == flow.flow_id) return entry;
    return execution_not_in_flow(id);
}

std::optional<EngineError> refuse_sealed(const FlowRow& flow, const std::optional<HeldLease>& by, BatchRows& rows,
                                         DecisionContext& context) {
    if (!flow.sealed) return std::nullopt;
    EngineError sealed{.kind = ErrorKind::flow_sealed, .detail = flow.key.flow_id.to_string()};
    if (!by) return sealed;
    ExecutionEntry* member = rows.find(by->execution_id);
    if (member == nullptr) return execution_not_found(by->execution_id);
    if (member->row.flow_id != flow.key.flow_id) return sealed;
    Transition transition(*member, context.set);
    return refuse_by_fence(transition, *by, OverrideRule::never);
}

void touch_flow(FlowRow flow, FlowFields fields, DecisionContext& context) {
    fields.last_mutation_at_ms = context.set.now_ms;
    flow.summarised = false;
    flow.raw_fields = json_of(fields);
    context.set.side.of<FlowRow>().put(std::move(flow));
}

bool is_held(const ExecutionRow& row) {
    return row.deps_blocked && row.vector.lifecycle_phase == LifecyclePhase::runnable;
}

std::string hold_detail(const EdgeGroupRow& group) {
    return std::to_string(group.running_count) + " of " + std::to_string(group.n) + " dependencies open";
}

std::vector<std::string> siblings_in(const RowTable<EdgeRow>& edges, const EdgeGroupRow& group) {
    const auto open = [&](const EdgeRow& edge) {
        return edge.group() == group.key && edge.generation == group.generation &&
               edge.dependency_state == DependencyState::unsatisfied;
    };
    std::vector<std::string> siblings;
    for (const EdgeRow& edge : edges.where(open)) {
        siblings.push_back(ExecutionId{group.key.flow.partition, edge.upstream}.to_string());
    }
    return siblings;
}

void fire(EdgeGroupRow& group, ExecutionEntry* child, std::vector<std::string> siblings, DecisionContext& context) {
    const bool satisfied = group.group_state == GroupState::satisfied;
    if (!siblings.empty()) {
        group.cancel_siblings_pending_flag = true;
        group.cancel_siblings_pending_members.values = std::move(siblings);
        group.sibling_reason = satisfied ? "sibling_quorum_satisfied" : "sibling_quorum_impossible";
        context.set.side.of<SiblingWorkRow>().put({.key = group.key, .enqueued_at_ms = context.set.now_ms});
    }
    if (child != nullptr) settle_child(group, *child, context);
}

EdgeGroupRow next_generation(const EdgeGroupRow& group) {
    EdgeGroupRow next;
    next.key = group.key;
    next.policy = group.policy;
    next.k_target = group.k_target;
    next.generation = group.generation + 1;
    return next;
}

void settle_child(const EdgeGroupRow& group, ExecutionEntry& child, DecisionContext& context) {
    if (!is_held(child.row)) return;
    Transition transition(child, context.set);
    if (group.group_state == GroupState::satisfied) transition.release_dependencies();
    if (group.group_state == GroupState::impossible) transition.skip();
}

void reconsider(EdgeGroupRow& group, ExecutionEntry& child, DecisionContext& context) {
    const GroupPolicy policy = group_policy(group.policy);
    // All edges so far had succeeded when another one was added.
    const bool reopened =
        policy.kind == GroupKind::all_of && group.group_state == GroupState::satisfied && group.success_count < group.n;
    if (reopened) group.group_state = GroupState::pending;
    if (group.group_state != GroupState::pending) return settle_child(group, child, context);
    group.group_state = evaluate(policy, counts_of(group));
    if (group.group_state == GroupState::pending) return;
    std::vector<std::string> siblings;
    if (cancels_siblings(policy)) siblings = siblings_in(context.set.side.of<EdgeRow>(), group);
    fire(group, &child, std::move(siblings), context);
}

void fix_groups(const FlowKey& flow, BatchRows& rows, DecisionContext& context) {
    auto& groups = context.set.side.of<EdgeGroupRow>();
    const std::vector<EdgeGroupRow> found = groups.rows();
    for (EdgeGroupRow group : found) {
        const bool fixed = group.n_fixed && group.n == applied_edges(group);
        if (group.flow() != flow || fixed) continue;
        fix_edges(group);
        ExecutionEntry* child = rows.find(group.key.execution());
        if (child != nullptr) reconsider(group, *child, context);
        groups.put(std::move(group));
    }
}

bool drop_if_empty(const FlowKey& flow, WorkingSet& set) {
    const auto left = [&](const CancelMemberRow& member) { return member.flow() == flow; };
    const bool drops =
        !set.side.of<CancelMemberRow>().any(left) && set.side.of<CancelBacklogRow>().find(flow) != nullptr;
    if (drops) set.side.of<CancelBacklogRow>().erase(flow);
    return drops;
}

void end_if_done(FlowRow& flow, std::int64_t now_ms) {
    if (!flow.sealed || flow.open_members > 0 || flow.public_flow_state != FlowState::open) return;
    flow.public_flow_state = flow.failed_members > 0 ? FlowState::failed : FlowState::completed;
    flow.terminal_at_ms = now_ms;
}

void count_off(FlowRow& flow, bool failed, std::int64_t now_ms) {
    --flow.open_members;
    flow.summarised = false;
    if (failed) ++flow.failed_members;
    end_if_done(flow, now_ms);
}

}  // namespace flowfabric
