#pragma once

#include <string>
#include <vector>

#include "core/command/admitted.hpp"
#include "flowfabric/submit_flow.hpp"

// The commands on flows, past the front door (core/command/command.hpp). Those that only the engine gives come last.
namespace flowfabric {

// What a command turned out to need besides. Nothing is changed, and it is decided again with these at hand.
struct MoreRows {
    std::optional<FlowId> flow_id = {};
    std::vector<ExecutionId> executions = {};
    std::vector<std::int32_t> signals = {};  // seqs, with their payloads

    bool operator==(const MoreRows&) const = default;
};

struct AdmittedFlow {
    static constexpr CommandTraits traits{.name = "create_flow", .urgency = Urgency::bulk};

    FlowRow row;  // all but its times

    void needs(SideRowsWanted& wanted) const { wanted.of<FlowRow>().keys.push_back(row.key); }
};

struct AdmittedGraph {
    static constexpr CommandTraits traits{.name = "submit_flow", .urgency = Urgency::bulk};

    FlowRow row;
    std::vector<AdmittedCreate> members;
    std::vector<std::string> names;  // of the members
    std::vector<EdgeRow> edges;      // applied, with everything but their times
    std::vector<EdgeGroupRow> groups;

    std::size_t rows() const { return members.size() + edges.size() + groups.size(); }
    void needs(SideRowsWanted& wanted) const { wanted.of<FlowRow>().keys.push_back(row.key); }
    template <class Visit>
    void each_execution(Visit&& visit) const {
        for (const AdmittedCreate& member : members) {
            if (!member.minted) visit(member.row.id);
        }
    }
};

struct AdmittedMember {
    static constexpr CommandTraits traits{.name = "add_execution_to_flow", .urgency = Urgency::bulk};

    FlowKey flow;
    ExecutionId execution_id;
    std::optional<HeldLease> by;  // a member's worker

    void needs(SideRowsWanted& wanted) const { wanted.of<FlowRow>().keys.push_back(flow); }
    template <class Visit>
    void each_execution(Visit&& visit) const {
        visit(execution_id);
        if (by) visit(by->execution_id);
    }
};

struct AdmittedEdge {
    static constexpr CommandTraits traits{.name = "stage_dependency_edge", .urgency = Urgency::bulk};

    EdgeRow row;  // all but its times
    std::int64_t expected_graph_revision = 0;
    std::optional<HeldLease> by;
    bool with_graph = false;  // all edges of the flow are at hand, since this one may close a circle

    SourceKey behind() const { return {row.key.flow.partition, row.downstream}; }
    void needs(SideRowsWanted& wanted) const {
        wanted.of<FlowRow>().keys.push_back(row.key.flow);
        wanted.of<EdgeRow>().keys.push_back(row.key);
        wanted.of<EdgeRow>().sources.push_back(behind());
        if (with_graph) wanted.of<EdgeRow>().flows.push_back(row.key.flow);
    }
    void widen(const MoreRows&) { with_graph = true; }
    template <class Visit>
    void each_execution(Visit&& visit) const {
        visit(ExecutionId{row.key.flow.partition, row.upstream});
        visit(ExecutionId{row.key.flow.partition, row.downstream});
        if (by) visit(by->execution_id);
    }
};

struct AdmittedDependency {
    static constexpr CommandTraits traits{.name = "apply_dependency_to_child", .urgency = Urgency::bulk};

    EdgeKey edge;
    ExecutionId upstream;
    ExecutionId downstream;
    std::optional<HeldLease> by;
    bool with_siblings = false;  // as in ResolveEdges

    GroupKey group() const { return {edge.flow, downstream.uuid}; }
    void needs(SideRowsWanted& wanted) const {
        wanted.of<FlowRow>().keys.push_back(edge.flow);
        wanted.of<EdgeRow>().keys.push_back(edge);
        wanted.of<EdgeGroupRow>().keys.push_back(group());
        if (with_siblings) wanted.of<EdgeRow>().groups.push_back(group());
    }
    void widen(const MoreRows&) { with_siblings = true; }
    template <class Visit>
    void each_execution(Visit&& visit) const {
        visit(upstream);
        visit(downstream);
        if (by) visit(by->execution_id);
    }
};

struct AdmittedGroupPolicy {
    static constexpr CommandTraits traits{.name = "set_edge_group_policy", .urgency = Urgency::bulk};

    GroupKey group;
    GroupPolicy policy;
    std::optional<std::uint32_t> expected_edges;

    void needs(SideRowsWanted& wanted) const {
        wanted.of<FlowRow>().keys.push_back(group.flow);
        wanted.of<EdgeGroupRow>().keys.push_back(group);
        wanted.of<EdgeRow>().groups.push_back(group);
    }
    template <class Visit>
    void each_execution(Visit&& visit) const {
        visit(group.execution());
    }
};

struct AdmittedSeal {
    static constexpr CommandTraits traits{.name = "seal_flow", .urgency = Urgency::bulk};

    FlowKey flow;

    void needs(SideRowsWanted& wanted) const {
        wanted.of<FlowRow>().keys.push_back(flow);
        wanted.of<EdgeGroupRow>().flows.push_back(flow);
        wanted.of<EdgeRow>().flows.push_back(flow);
    }
    std::optional<FlowKey> children_of() const { return flow; }
};

struct AdmittedFlowTag {
    static constexpr CommandTraits traits{.name = "set_flow_tag", .urgency = Urgency::bulk};

    FlowKey flow;
    std::string key;
    std::string value;

    void needs(SideRowsWanted& wanted) const { wanted.of<FlowRow>().keys.push_back(flow); }
};

struct AdmittedFlowCancel {
    static constexpr CommandTraits traits{.name = "cancel_flow"};

    FlowKey flow;
    CancellationPolicy policy = CancellationPolicy::cancel_all;
    std::string reason;
    std::string requester;
    std::uint64_t grace_ms = 0;
    std::uint32_t members_at_once = 0;  // that it may cancel itself
    bool fixes_groups = false;          // nobody will seal it, and members that it leaves alone may wait for that

    void needs(SideRowsWanted& wanted) const {
        wanted.of<FlowRow>().keys.push_back(flow);
        wanted.of<CancelBacklogRow>().keys.push_back(flow);
        if (!fixes_groups) return;
        wanted.of<EdgeGroupRow>().flows.push_back(flow);
        wanted.of<EdgeRow>().flows.push_back(flow);
    }
    std::optional<FlowKey> live_members_of() const {
        return policy == CancellationPolicy::cancel_flow_only ? std::nullopt : std::optional(flow);
    }
    std::optional<FlowKey> children_of() const { return fixes_groups ? std::optional(flow) : std::nullopt; }
    void widen(const MoreRows&) { fixes_groups = true; }
};

struct AdmittedMemberAck {
    static constexpr CommandTraits traits{.name = "ack_cancel_member"};

    CancelMemberKey member;

    void needs(SideRowsWanted& wanted) const {
        wanted.of<FlowRow>().keys.push_back(member.flow);
        wanted.of<CancelBacklogRow>().keys.push_back(member.flow);
        wanted.of<CancelMemberRow>().flows.push_back(member.flow);
    }
};

struct AdmittedChildWait {
    static constexpr CommandTraits traits{.name = "wait_children"};

    HeldLease lease;
    std::optional<FlowId> flow_id;

    void needs(SideRowsWanted& wanted) const {
        if (!flow_id) return;
        const FlowKey flow{lease.execution_id.partition, *flow_id};
        wanted.of<EdgeGroupRow>().keys.push_back({flow, lease.execution_id.uuid});
        wanted.of<EdgeRow>().groups.push_back({flow, lease.execution_id.uuid});
    }
    void widen(const MoreRows& more) { flow_id = more.flow_id; }
};

struct AdmittedReplay {
    static constexpr CommandTraits traits{.name = "replay_execution"};

    ExecutionId execution_id;
    std::optional<FlowId> flow_id;      // that it is a member of
    std::vector<ExecutionId> upstream;  // that it waits for

    std::optional<GroupKey> group() const {
        if (!flow_id) return std::nullopt;
        return GroupKey{{execution_id.partition, *flow_id}, execution_id.uuid};
    }
    void needs(SideRowsWanted& wanted) const {
        if (!flow_id) return;
        wanted.of<FlowRow>().keys.push_back(group()->flow);
        wanted.of<EdgeGroupRow>().keys.push_back(*group());
        wanted.of<EdgeRow>().groups.push_back(*group());
    }
    template <class Visit>
    void each_execution(Visit&& visit) const {
        for (const ExecutionId& id : upstream) visit(id);
    }
    void widen(const MoreRows& more) {
        flow_id = more.flow_id;
        upstream = more.executions;
    }
};

// ---- by the engine itself ---------------------------------------------------------------------------------------

struct EdgesResolved {
    bool changed = false;  // some edge was open

    bool operator==(const EdgesResolved&) const = default;
};

struct DispatchFinished {
    bool done = true;      // false: an edge is still open
    bool changed = false;  // something was left to do

    bool operator==(const DispatchFinished&) const = default;
};

// Upstream executions of one child have ended.
struct ResolveEdges {
    static constexpr CommandTraits traits{.name = "resolve_dependency", .by_timer = true};

    struct Ended {
        EdgeId edge_id;
        ExecutionId upstream;
        TerminalOutcome outcome = TerminalOutcome::none;
    };

    ExecutionId execution_id;  // the child
    FlowId flow_id;
    std::vector<Ended> ended;
    bool with_siblings = false;  // all edges of the group are at hand, since it is decided now

    GroupKey group() const { return {{execution_id.partition, flow_id}, execution_id.uuid}; }
    std::size_t rows() const { return 2 + ended.size(); }
    void needs(SideRowsWanted& wanted) const {
        wanted.of<EdgeGroupRow>().keys.push_back(group());
        for (const Ended& edge : ended) wanted.of<EdgeRow>().keys.push_back({group().flow, edge.edge_id});
        if (with_siblings) wanted.of<EdgeRow>().groups.push_back(group());
    }
    void widen(const MoreRows&) { with_siblings = true; }
};

// All edges from a member that has ended are resolved.
struct FinishDispatch {
    static constexpr CommandTraits traits{.name = "finish_dispatch", .urgency = Urgency::bulk, .by_timer = true};

    FlowKey flow;
    std::int64_t event_id = 0;
    TerminalOutcome outcome = TerminalOutcome::none;
    std::optional<CancellationCause> cause;
    std::vector<EdgeId> edges;  // that were not resolved when it was last looked
    bool more = false;          // there were more than could be looked at

    void needs(SideRowsWanted& wanted) const {
        wanted.of<FlowRow>().keys.push_back(flow);
        for (const EdgeId& edge : edges) wanted.of<EdgeRow>().keys.push_back({flow, edge});
    }
};

// Upstream executions that a decided group does not need any more are cancelled, unless another group needs them.
struct DrainSiblings {
    static constexpr CommandTraits traits{.name = "drain_siblings", .urgency = Urgency::bulk, .by_timer = true};

    GroupKey group;
    std::vector<ExecutionId> unneeded;
    std::vector<ExecutionId> spared;

    void needs(SideRowsWanted& wanted) const {
        wanted.of<EdgeGroupRow>().keys.push_back(group);
        wanted.of<SiblingWorkRow>().keys.push_back(group);
    }
    template <class Visit>
    void each_execution(Visit&& visit) const {
        for (const ExecutionId& id : unneeded) visit(id);
    }
};

// Members of a cancelled flow are cancelled and acknowledged.
struct CancelMembers {
    static constexpr CommandTraits traits{.name = "cancel_members", .by_timer = true};

    FlowKey flow;
    std::vector<ExecutionId> members;
    std::string reason;

    template <class Visit>
    void each_execution(Visit&& visit) const {
        for (const ExecutionId& id : members) visit(id);
    }
};

// Nobody is left to cancel.
struct DropBacklog {
    static constexpr CommandTraits traits{.name = "drop_backlog", .by_timer = true};

    FlowKey flow;

    void needs(SideRowsWanted& wanted) const {
        wanted.of<CancelBacklogRow>().keys.push_back(flow);
        wanted.of<CancelMemberRow>().flows.push_back(flow);
    }
};

}  // namespace flowfabric
