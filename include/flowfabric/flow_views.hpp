#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/field.hpp"
#include "flowfabric/flow_state.hpp"
#include "flowfabric/ids.hpp"
#include "flowfabric/state.hpp"

// Flows, their groups and their edges, as reads show them.
namespace flowfabric {

// ---- edges and groups -------------------------------------------------------------------------------------------

struct EdgeSnapshot {
    static constexpr std::string_view type_name = "EdgeSnapshot";

    EdgeId edge_id;
    FlowId flow_id;
    ExecutionId upstream;
    ExecutionId downstream;
    std::string dependency_kind = "success_only";
    std::string satisfaction_condition = "all_required";
    std::optional<std::string> data_passing_ref;
    EdgeState edge_state = EdgeState::pending;
    std::optional<DependencyState> dependency_state;
    std::int64_t created_at_ms = 0;
    std::string created_by = "engine";

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("edge_id", &EdgeSnapshot::edge_id, field::optional, "The edge's id, a UUID.");
        visit("flow_id", &EdgeSnapshot::flow_id, field::optional, "The flow that it belongs to.");
        visit("upstream_execution_id", &EdgeSnapshot::upstream, field::optional, "The execution that comes first.");
        visit("downstream_execution_id", &EdgeSnapshot::downstream, field::optional, "The execution that waits.");
        visit("dependency_kind", &EdgeSnapshot::dependency_kind, field::optional,
              "What the edge asks of its upstream.");
        visit("satisfaction_condition", &EdgeSnapshot::satisfaction_condition, field::optional,
              "How the edge counts in its group.");
        visit("data_passing_ref", &EdgeSnapshot::data_passing_ref, field::optional,
              "Set: the upstream's result becomes the downstream's input.");
        visit("edge_state", &EdgeSnapshot::edge_state, field::optional, "Whether the downstream waits for it yet.");
        visit("dependency_state", &EdgeSnapshot::dependency_state, field::optional,
              "How an applied edge was decided, if it was.");
        visit("created_at_ms", &EdgeSnapshot::created_at_ms, field::optional, "When it was added.");
        visit("created_by", &EdgeSnapshot::created_by, field::optional, "What added it.");
    }

    bool operator==(const EdgeSnapshot&) const = default;
};

struct GroupSnapshot {
    static constexpr std::string_view type_name = "GroupSnapshot";

    ExecutionId downstream;
    GroupPolicy policy;
    std::uint32_t total = 0;
    std::uint32_t satisfied = 0;
    std::uint32_t failed = 0;
    std::uint32_t skipped = 0;
    std::uint32_t running = 0;
    GroupState state = GroupState::pending;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("downstream_execution_id", &GroupSnapshot::downstream, field::optional, "The execution that waits.");
        visit("policy", &GroupSnapshot::policy, field::optional, "When the group is satisfied.");
        visit("total", &GroupSnapshot::total, field::optional, "How many edges it has.");
        visit("satisfied", &GroupSnapshot::satisfied, field::optional, "How many upstream executions have succeeded.");
        visit("failed", &GroupSnapshot::failed, field::optional, "How many have ended otherwise.");
        visit("skipped", &GroupSnapshot::skipped, field::optional, "How many were skipped.");
        visit("running", &GroupSnapshot::running, field::optional, "How many have not ended.");
        visit("state", &GroupSnapshot::state, field::optional, "How the group was decided, if it was.");
    }

    bool operator==(const GroupSnapshot&) const = default;
};

// ---- flows ------------------------------------------------------------------------------------------------------

struct FlowSnapshot {
    static constexpr std::string_view type_name = "FlowSnapshot";

    FlowId flow_id;
    std::string flow_kind;
    std::string namespace_name;
    FlowPhase state = FlowPhase::open;
    bool sealed = false;
    std::int64_t graph_revision = 0;
    std::uint32_t node_count = 0;
    std::uint32_t edge_count = 0;
    std::int64_t created_at_ms = 0;
    std::int64_t last_mutation_at_ms = 0;
    std::optional<std::int64_t> cancelled_at_ms;
    std::optional<std::string> cancel_reason;
    std::optional<CancellationPolicy> cancellation_policy;
    std::map<std::string, std::string> tags;
    std::vector<GroupSnapshot> edge_groups;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flow_id", &FlowSnapshot::flow_id, field::optional, "The flow's id, a UUID.");
        visit("flow_kind", &FlowSnapshot::flow_kind, field::optional, "What kind of flow it is.");
        visit("namespace", &FlowSnapshot::namespace_name, field::optional, "The namespace that it belongs to.");
        visit("state", &FlowSnapshot::state, field::optional, "Where it stands.");
        visit("sealed", &FlowSnapshot::sealed, field::optional, "Whether its graph is complete.");
        visit("graph_revision", &FlowSnapshot::graph_revision, field::optional,
              "One more with every member that is added and every edge that is staged.");
        visit("node_count", &FlowSnapshot::node_count, field::optional, "How many members it has.");
        visit("edge_count", &FlowSnapshot::edge_count, field::optional, "How many edges it has.");
        visit("created_at_ms", &FlowSnapshot::created_at_ms, field::optional, "When it was created.");
        visit("last_mutation_at_ms", &FlowSnapshot::last_mutation_at_ms, field::optional, "When it last changed.");
        visit("cancelled_at_ms", &FlowSnapshot::cancelled_at_ms, field::optional, "When it was cancelled.");
        visit("cancellation_reason", &FlowSnapshot::cancel_reason, field::optional, "Why it was cancelled.");
        visit("cancellation_policy", &FlowSnapshot::cancellation_policy, field::optional,
              "Which members were cancelled with it.");
        visit("tags", &FlowSnapshot::tags, field::optional, "Its tags by key.");
        visit("edge_groups", &FlowSnapshot::edge_groups, field::optional, "Its groups, by downstream execution.");
    }

    bool operator==(const FlowSnapshot&) const = default;
};

// Members by their public state; one that is resumable counts as waiting.
struct MemberCounts {
    static constexpr std::string_view type_name = "MemberCounts";

    std::uint32_t completed = 0;
    std::uint32_t failed = 0;
    std::uint32_t cancelled = 0;
    std::uint32_t expired = 0;
    std::uint32_t skipped = 0;
    std::uint32_t active = 0;
    std::uint32_t suspended = 0;
    std::uint32_t waiting = 0;
    std::uint32_t delayed = 0;
    std::uint32_t rate_limited = 0;
    std::uint32_t waiting_children = 0;

    std::uint32_t terminal() const { return completed + failed + cancelled + expired + skipped; }
    std::uint32_t total() const {
        return terminal() + active + suspended + waiting + delayed + rate_limited + waiting_children;
    }

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("completed", &MemberCounts::completed, field::optional, "Members that have succeeded.");
        visit("failed", &MemberCounts::failed, field::optional, "Members that have failed.");
        visit("cancelled", &MemberCounts::cancelled, field::optional, "Members that were cancelled.");
        visit("expired", &MemberCounts::expired, field::optional, "Members that have run out of time.");
        visit("skipped", &MemberCounts::skipped, field::optional, "Members that were skipped.");
        visit("active", &MemberCounts::active, field::optional, "Members that run.");
        visit("suspended", &MemberCounts::suspended, field::optional, "Members that are suspended.");
        visit("waiting", &MemberCounts::waiting, field::optional, "Members that wait for a worker.");
        visit("delayed", &MemberCounts::delayed, field::optional, "Members that wait for their time.");
        visit("rate_limited", &MemberCounts::rate_limited, field::optional, "Members that a limit holds back.");
        visit("waiting_children", &MemberCounts::waiting_children, field::optional,
              "Members that wait for other executions.");
    }

    bool operator==(const MemberCounts&) const = default;
};

// The members of a flow as they were last counted, for dashboards; describe_flow shows the present state.
struct FlowProjection {
    static constexpr std::string_view type_name = "FlowProjection";

    FlowId flow_id;
    MemberCounts members;
    FlowPhase state = FlowPhase::open;
    std::int64_t updated_at_ms = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flow_id", &FlowProjection::flow_id, field::optional, "The flow's id, a UUID.");
        visit("members", &FlowProjection::members, field::optional, "Its members by their state.");
        visit("state", &FlowProjection::state, field::optional, "Where it stands, as the members alone make it.");
        visit("updated_at_ms", &FlowProjection::updated_at_ms, field::optional,
              "When the counts last changed; counts since then came out the same.");
    }

    bool operator==(const FlowProjection&) const = default;
};

// ---- lists ------------------------------------------------------------------------------------------------------

struct FlowSummary {
    static constexpr std::string_view type_name = "FlowSummary";

    FlowId flow_id;
    std::int64_t created_at_ms = 0;
    FlowStatus status = FlowStatus::active;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flow_id", &FlowSummary::flow_id, field::optional, "The flow's id, a UUID.");
        visit("created_at_ms", &FlowSummary::created_at_ms, field::optional, "When it was created.");
        visit("status", &FlowSummary::status, field::optional, "Where it stands.");
    }

    bool operator==(const FlowSummary&) const = default;
};

}  // namespace flowfabric
