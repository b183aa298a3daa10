#include "support/flow_invariants.hpp"

#include <algorithm>
#include <set>

#include "core/flow/edge_group.hpp"
#include "core/flow/flow_fields.hpp"
#include "support/complaints.hpp"

namespace flowfabric::test {
namespace {

// Executions with ends that are not dispatched: once for each, as one that was replayed may have several.
std::multiset<ExecutionId> undispatched(const Dump& dump) {
    std::multiset<ExecutionId> ids;
    for (const CompletionEvent& event : dump.completion_events) {
        if (event.flow_id && !event.dispatched_at_ms) ids.insert(event.execution_id);
    }
    return ids;
}

// Piece by piece.
bool is_removed(const FlowKey& key, const Dump& dump) {
    const auto flow = dump.of<FlowRow>().find(key);
    return flow != dump.of<FlowRow>().end() && fields_of(flow->second).removing;
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

// Whether the row may have gone back since, because an operator had its execution replayed or retention removed it.
bool was_reopened(const ExecutionId& id, const Dump& before, const Dump& after) {
    const auto then = before.executions.find(id);
    const auto now = after.executions.find(id);
    return then == before.executions.end() || now == after.executions.end() ||
           then->second.row.replay_count != now->second.row.replay_count;
}

void check_group_history(const EdgeGroupRow& then, const EdgeGroupRow& now, const Complaints& complaints) {
    complaints.require(then.generation <= now.generation, "its generation went down");
    const bool has_edges = then.running_count + then.success_count + then.fail_count + then.skip_count > 0;
    if (then.generation != now.generation || !has_edges) return;
    complaints.require(then.policy == now.policy, "its policy changed");
    complaints.require(!then.n_fixed || now.n_fixed, "its number of edges is open again");
    complaints.require(then.success_count <= now.success_count && then.fail_count <= now.fail_count &&
                           then.skip_count <= now.skip_count,
                       "an edge was counted off and is open again");
    // An open all_of that was satisfied so far takes more edges.
    const bool may_reopen = !then.n_fixed && then.group_state == GroupState::satisfied;
    complaints.require(then.group_state == GroupState::pending || then.group_state == now.group_state || may_reopen,
                       "was decided and has changed its mind");
}

void check_flow_history(const FlowRow& then, const FlowRow& now, const Complaints& complaints) {
    complaints.require(then.graph_revision <= now.graph_revision, "its revision went down");
    complaints.require(!then.sealed || now.sealed, "was sealed");
    const bool cancelled = then.public_flow_state == FlowState::cancelled;
    complaints.require(!cancelled || now.public_flow_state == FlowState::cancelled, "was cancelled");
}

}  // namespace

std::vector<std::string> flow_violations_between(const Dump& before, const Dump& after) {
    std::vector<std::string> found;
    for (const auto& [key, then] : before.of<FlowRow>()) {
        const auto now = after.of<FlowRow>().find(key);
        if (now == after.of<FlowRow>().end()) continue;
        check_flow_history(then, now->second, Complaints(found, "flow " + key.flow_id.to_string()));
    }
    for (const auto& [key, then] : before.of<EdgeGroupRow>()) {
        const auto now = after.of<EdgeGroupRow>().find(key);
        if (now == after.of<EdgeGroupRow>().end() || was_reopened(key.execution(), before, after)) continue;
        check_group_history(then, now->second, Complaints(found, "group of " + key.execution().to_string()));
    }
    for (const auto& [key, then] : before.of<EdgeRow>()) {
        const auto now = after.of<EdgeRow>().find(key);
        const bool open = !then.dependency_state || then.dependency_state == DependencyState::unsatisfied;
        if (open || now == after.of<EdgeRow>().end() || was_reopened(then.group().execution(), before, after)) continue;
        Complaints(found, "edge " + key.edge_id.to_string())
            .require(then.dependency_state == now->second.dependency_state, "was resolved and has changed");
    }
    return found;
}

void check_flows(const Dump& dump, std::vector<std::string>& violations) {
    const auto on_their_way = undispatched(dump);
    for (const auto& [key, group] : dump.of<EdgeGroupRow>()) {
        if (is_removed(key.flow, dump)) continue;
        check_group(dump, group, Complaints(violations, "group of " + key.execution().to_string()));
    }
    for (const auto& [id, stored] : dump.executions) {
        if (!stored.row.flow_id) continue;
        Complaints(violations, id.to_string())
            .require(dump.of<FlowRow>().contains({id.partition, *stored.row.flow_id}), "has outlived its flow");
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
            open += static_cast<std::int64_t>(on_their_way.count(id)) + (ended ? 0 : 1);
        }
        complaints.require(is_removed(key, dump) || fields_of(flow).node_count == members,
                           "has another number of members");
        complaints.require(flow.open_members == open, "does not know how many of its members are open");
        complaints.require(!flow.sealed || flow.public_flow_state != FlowState::open || open > 0,
                           "is open although its members have ended");
    }
}

}  // namespace flowfabric::test
