#include "support/flow_invariants.hpp"

#include <algorithm>
#include <set>

#include "core/edge_group.hpp"
#include "core/flow_fields.hpp"
#include "support/complaints.hpp"

namespace flowfabric::test {
namespace {

// Executions whose last end is not dispatched.
std::set<ExecutionId> undispatched(const Dump& dump) {
    std::set<ExecutionId> ids;
    for (const CompletionEvent& event : dump.completion_events) {
        if (event.flow_id && !event.dispatched_at_ms) ids.insert(event.execution_id);
    }
    return ids;
}

void check_group(const Dump& dump, const EdgeGroupRow& group, const Complaints& complaints) {
    std::int32_t open = 0;
    std::int32_t satisfied = 0;
    std::int32_t impossible = 0;
    for (const auto& [key, edge] : dump.of<EdgeRow>()) {
        if (edge.group() != group.key || edge.generation != group.generation || !edge.dependency_state) continue;
        open += edge.dependency_state == DependencyState::unsatisfied ? 1 : 0;
        satisfied += edge.dependency_state == DependencyState::satisfied ? 1 : 0;
        impossible += edge.dependency_state == DependencyState::impossible ? 1 : 0;
    }
    complaints.require(group.running_count == open && group.success_count == satisfied &&
                           group.fail_count + group.skip_count == impossible,
                       "its counters are not its edges'");
    complaints.require(counts_of(group).consistent(), "has more resolved edges than edges");
    const GroupState now = evaluate(group_policy(group.policy), counts_of(group));
    complaints.require(group.group_state != GroupState::pending || now == GroupState::pending,
                       "is decided and pending");

    const auto child = dump.executions.find(group.key.execution());
    if (child == dump.executions.end()) return;
    const ExecutionRow& row = child->second.row;
    const bool held = row.deps_blocked && row.vector.lifecycle_phase == LifecyclePhase::runnable;
    complaints.require(!held || group.group_state == GroupState::pending, "is decided and its child still waits");
}

}  // namespace

void check_flows(const Dump& dump, std::vector<std::string>& violations) {
    const auto on_their_way = undispatched(dump);
    for (const auto& [key, group] : dump.of<EdgeGroupRow>()) {
        check_group(dump, group, Complaints(violations, "group of " + key.execution().to_string()));
    }
    for (const auto& [key, edge] : dump.of<EdgeRow>()) {
        if (edge.dependency_state != DependencyState::unsatisfied) continue;
        const ExecutionId from{key.flow.partition, edge.upstream};
        const auto upstream = dump.executions.find(from);
        const bool ended = upstream == dump.executions.end() ||
                           upstream->second.row.vector.lifecycle_phase == LifecyclePhase::terminal;
        Complaints(violations, "edge " + key.edge_id.to_string())
            .require(!ended || on_their_way.contains(from), "waits for an execution that has ended");
    }
    for (const auto& [key, flow] : dump.of<FlowRow>()) {
        const Complaints complaints(violations, "flow " + key.flow_id.to_string());
        std::int64_t members = 0;
        std::int64_t open = 0;
        for (const auto& [id, stored] : dump.executions) {
            if (stored.row.flow_id != key.flow_id) continue;
            ++members;
            const bool ended = stored.row.vector.lifecycle_phase == LifecyclePhase::terminal;
            open += !ended || on_their_way.contains(id) ? 1 : 0;
        }
        complaints.require(fields_of(flow).node_count == members, "has another number of members");
        complaints.require(flow.open_members == open, "does not know how many of its members are open");
        complaints.require(!flow.sealed || flow.public_flow_state != FlowState::open || open > 0,
                           "is open although its members have ended");
    }
}

}  // namespace flowfabric::test
