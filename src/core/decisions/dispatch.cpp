#include <algorithm>

#include "core/flow.hpp"
#include "core/transition.hpp"

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

void pass_data(const std::vector<Resolution>& resolutions, const ExecutionId& child, WorkingSet& set) {
    for (const Resolution& resolution : resolutions) {
        if (resolution.outcome != TerminalOutcome::success) continue;
        std::string ref = fields_of(resolution.edge).data_passing_ref;
        if (ref.empty()) continue;
        set.input_copies.push_back({resolution.upstream, child, std::move(ref), resolution.edge.key.edge_id});
    }
}

}  // namespace

Result<Answer> decide(const ResolveEdges& command, BatchRows& rows, DecisionContext& context) {
    auto& edges = context.set.side.of<EdgeRow>();
    auto& groups = context.set.side.of<EdgeGroupRow>();
    const EdgeGroupRow* stored = groups.find(command.group());
    const auto resolutions = resolutions_of(command, context.set);
    if (stored == nullptr || resolutions.empty()) return Answer{EdgesResolved{}};

    EdgeGroupRow group = *stored;
    for (const Resolution& resolution : resolutions) {
        if (resolution.edge.generation == group.generation) count_resolution(group, resolution.outcome);
    }
    if (!counts_of(group).consistent()) {
        return EngineError{.kind = ErrorKind::internal,
                           .detail = "invariant_violation: more edges resolved than the group of " +
                                     command.execution_id.to_string() + " has"};
    }
    const GroupPolicy policy = group_policy(group.policy);
    const bool was_pending = group.group_state == GroupState::pending;
    if (was_pending) group.group_state = evaluate(policy, counts_of(group));
    const bool fires = was_pending && group.group_state != GroupState::pending;
    if (fires && cancels_siblings(policy) && !command.with_siblings) {
        return Answer{EdgesResolved{EdgesResolved::Outcome::wants_siblings}};
    }

    for (const Resolution& resolution : resolutions) edges.put(resolution.edge);
    ExecutionEntry* child = rows.find(command.execution_id);
    const bool child_lives = child != nullptr && child->row.vector.lifecycle_phase != LifecyclePhase::terminal;
    const bool passes = policy.kind == GroupKind::all_of || fires;
    if (child_lives && passes) pass_data(resolutions, command.execution_id, context.set);
    if (fires) {
        auto siblings = cancels_siblings(policy) ? siblings_in(edges.rows(), group) : std::vector<std::string>{};
        fire(group, child, std::move(siblings), context);
    }
    groups.put(std::move(group));
    return Answer{EdgesResolved{}};
}

Result<Answer> decide(const FinishDispatch& command, BatchRows& rows, DecisionContext& context) {
    if (!rows.is_undispatched(command.event_id)) return Answer{DispatchFinished{}};
    const bool open = std::ranges::any_of(command.edges, [&](const EdgeId& id) {
        const EdgeRow* edge = context.set.side.of<EdgeRow>().find({command.flow, id});
        return edge != nullptr && edge->dependency_state == DependencyState::unsatisfied;
    });
    if (open || command.more) return Answer{DispatchFinished{.done = false}};
    context.set.dispatched.push_back(command.event_id);
    const FlowRow* flow = context.set.side.of<FlowRow>().find(command.flow);
    if (flow == nullptr) return Answer{DispatchFinished{}};
    FlowRow changed = *flow;
    count_off(changed, command.failed, context.set.now_ms);
    context.set.side.of<FlowRow>().put(std::move(changed));
    return Answer{DispatchFinished{}};
}

Result<Answer> decide(const DrainSiblings& command, BatchRows&, DecisionContext& context) {
    context.set.side.of<SiblingWorkRow>().erase(command.group);
    const EdgeGroupRow* stored = context.set.side.of<EdgeGroupRow>().find(command.group);
    if (stored == nullptr || !stored->cancel_siblings_pending_flag) return Answer{DispatchFinished{}};
    EdgeGroupRow group = *stored;
    group.cancel_siblings_pending_flag = false;
    group.cancel_siblings_pending_members.values.clear();
    context.set.side.of<EdgeGroupRow>().put(std::move(group));
    return Answer{DispatchFinished{}};
}

}  // namespace flowfabric
