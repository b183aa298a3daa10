#include <algorithm>
#include <set>

#include "core/execution/cancelling.hpp"
#include "core/flow/flow.hpp"

// What the end of a flow's member does to the executions that wait for it.
namespace flowfabric {
namespace {

// An edge that this command resolves.
struct Resolution {
    EdgeRow edge;
    TerminalOutcome outcome = TerminalOutcome::none;
    ExecutionId upstream;
};

std::vector<Resolution> resolutions_of(const ResolveEdges& command, const WorkingSet& set) {
    std::vector<Resolution> resolutions;
    for (const ResolveEdges::Ended& ended : command.ended) {
        const EdgeRow* edge = set.side.of<EdgeRow>().find({command.group().flow, ended.edge_id});
        if (edge == nullptr || edge->dependency_state != DependencyState::unsatisfied) continue;
        Resolution resolution{*edge, ended.outcome, ended.upstream};
        resolution.edge.dependency_state = resolution_of(ended.outcome);
        resolutions.push_back(std::move(resolution));
    }
    return resolutions;
}

// Counts the edges one after the other: which of them decides the group, if one does.
const Resolution* count(const std::vector<Resolution>& resolutions, const GroupPolicy& policy, EdgeGroupRow& group) {
    const Resolution* deciding = nullptr;
    for (const Resolution& resolution : resolutions) {
        if (resolution.edge.generation != group.generation) continue;
        count_resolution(group, resolution.outcome);
        if (group.group_state != GroupState::pending) continue;
        group.group_state = evaluate(policy, counts_of(group));
        if (group.group_state != GroupState::pending) deciding = &resolution;
    }
    return deciding;
}

void pass_data(const Resolution& resolution, const ExecutionId& child, WorkingSet& set) {
    if (resolution.outcome != TerminalOutcome::success) return;
    std::string ref = fields_of(resolution.edge).data_passing_ref;
    if (ref.empty()) return;
    set.input_copies.push_back({resolution.upstream, child, std::move(ref), resolution.edge.key.edge_id});
}

}  // namespace

Result<Answer> decide(const ResolveEdges& command, BatchRows& rows, DecisionContext& context) {
    auto& edges = context.set.side.of<EdgeRow>();
    auto& groups = context.set.side.of<EdgeGroupRow>();
    const EdgeGroupRow* stored = groups.find(command.group());
    const auto resolutions = resolutions_of(command, context.set);
    if (stored == nullptr || resolutions.empty()) return Answer{EdgesResolved{}};

    EdgeGroupRow group = *stored;
    const GroupPolicy policy = group_policy(group.policy);
    const Resolution* deciding = count(resolutions, policy, group);
    if (!counts_of(group).consistent()) {
        return EngineError{.kind = ErrorKind::internal,
                           .detail = "invariant_violation: more edges resolved than the group of " +
                                     command.execution_id.to_string() + " has"};
    }
    if (deciding != nullptr && cancels_siblings(policy) && !command.with_siblings) return Answer{MoreRows{}};

    for (const Resolution& resolution : resolutions) edges.put(resolution.edge);
    ExecutionEntry* child = rows.find(command.execution_id);
    const bool child_lives = child != nullptr && child->row.vector.lifecycle_phase != LifecyclePhase::terminal;
    for (const Resolution& resolution : resolutions) {
        const bool passes = policy.kind == GroupKind::all_of || &resolution == deciding;
        if (child_lives && passes) pass_data(resolution, command.execution_id, context.set);
    }
    if (deciding != nullptr) {
        auto siblings = cancels_siblings(policy) ? siblings_in(edges, group) : std::vector<std::string>{};
        fire(group, child, std::move(siblings), context);
    }
    groups.put(std::move(group));
    return Answer{EdgesResolved{.changed = true}};
}

Result<Answer> decide(const FinishDispatch& command, BatchRows& rows, DecisionContext& context) {
    if (!rows.is_undispatched(command.event_id)) return Answer{DispatchFinished{}};
    const bool open = std::ranges::any_of(command.edges, [&](const EdgeId& id) {
        const EdgeRow* edge = context.set.side.of<EdgeRow>().find({command.flow, id});
        return edge != nullptr && edge->dependency_state == DependencyState::unsatisfied;
    });
    if (open || command.more) return Answer{DispatchFinished{.done = false}};
    const FlowRow* flow = context.set.side.of<FlowRow>().find(command.flow);
    context.set.dispatched.push_back(command.event_id);
    if (flow == nullptr) return Answer{DispatchFinished{.changed = true}};
    context.set.side.of<FlowRow>().change(command.flow, [&](FlowRow& counted) {
        count_off(counted, fails_flow(command.outcome, command.cause), context.set.now_ms);
    });
    return Answer{DispatchFinished{.changed = true}};
}

Result<Answer> decide(const DrainSiblings& command, BatchRows& rows, DecisionContext& context) {
    const EdgeGroupRow* stored = context.set.side.of<EdgeGroupRow>().find(command.group);
    if (stored == nullptr || !stored->cancel_siblings_pending_flag) {
        const bool noted = context.set.side.of<SiblingWorkRow>().find(command.group) != nullptr;
        context.set.side.of<SiblingWorkRow>().erase(command.group);
        return Answer{DispatchFinished{.changed = noted}};
    }
    EdgeGroupRow group = *stored;
    std::vector<std::string>& pending = group.cancel_siblings_pending_members.values;
    std::set<std::string> handled;
    for (const ExecutionId& id : command.spared) handled.insert(id.to_string());
    for (const ExecutionId& id : command.unneeded) {
        // A later generation of the group has siblings of its own.
        if (!handled.insert(id.to_string()).second || std::ranges::find(pending, id.to_string()) == pending.end())
            continue;
        cancel_for_flow(rows.find(id), group.sibling_reason.value_or("sibling_quorum_satisfied"),
                        CancellationCause::sibling, context.set);
    }
    const auto taken_off = std::erase_if(pending, [&](const std::string& id) { return handled.contains(id); });
    if (pending.empty()) {
        group.cancel_siblings_pending_flag = false;
        context.set.side.of<SiblingWorkRow>().erase(command.group);
    }
    const bool changed = taken_off > 0 || pending.empty();
    context.set.side.of<EdgeGroupRow>().put(std::move(group));
    return Answer{DispatchFinished{.changed = changed}};
}

}  // namespace flowfabric
