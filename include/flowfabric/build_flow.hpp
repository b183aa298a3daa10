#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "flowfabric/field.hpp"
#include "flowfabric/flow_state.hpp"
#include "flowfabric/ids.hpp"
#include "flowfabric/lease_ref.hpp"
#include "flowfabric/limits.hpp"
#include "flowfabric/state.hpp"

// Building a flow piece by piece, and adding children to it from within.
namespace flowfabric {

struct FlowCreated {
    static constexpr std::string_view type_name = "FlowCreated";

    FlowId flow_id;
    bool already_there = false;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flow_id", &FlowCreated::flow_id, field::optional, "The flow's id, a UUID.");
        visit("already_there", &FlowCreated::already_there, field::optional, "True: an earlier call created it.");
    }

    bool operator==(const FlowCreated&) const = default;
};

struct CreateFlow {
    using Answer = FlowCreated;
    static constexpr std::string_view type_name = "CreateFlow";
    static constexpr Operation operation{"create_flow", "Creates a flow without members."};

    std::optional<FlowId> flow_id;
    std::string flow_kind;
    std::string namespace_name = "default";
    std::string idempotency_key;
    std::optional<std::string> request_digest;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flow_id", &CreateFlow::flow_id, field::optional,
              "The flow's id; absent: it follows from the idempotency key, or is minted.");
        visit("flow_kind", &CreateFlow::flow_kind, field::required(field::text(max_label_bytes)),
              "What kind of flow it is.");
        visit("namespace", &CreateFlow::namespace_name, field::identity, "The namespace that it belongs to.");
        visit("idempotency_key", &CreateFlow::idempotency_key, field::text(max_idempotency_key_bytes),
              "Under the same key of a namespace there is only one flow; empty: none.");
        visit("request_digest", &CreateFlow::request_digest, field::line(max_label_bytes),
              "Tells requests for one flow apart: one with another digest is refused, one with the same gets the first "
              "answer.");
    }
};

struct MemberAdded {
    static constexpr std::string_view type_name = "MemberAdded";

    ExecutionId execution_id;
    std::uint32_t node_count = 0;
    bool already_there = false;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &MemberAdded::execution_id, field::optional, "The member's execution id.");
        visit("node_count", &MemberAdded::node_count, field::optional, "How many members the flow has now.");
        visit("already_there", &MemberAdded::already_there, field::optional, "True: it was a member before.");
    }

    bool operator==(const MemberAdded&) const = default;
};

struct AddExecutionToFlow {
    using Answer = MemberAdded;
    static constexpr std::string_view type_name = "AddExecutionToFlow";
    static constexpr Operation operation{"add_execution_to_flow", "Makes an execution a member of a flow."};

    FlowId flow_id;
    ExecutionId execution_id;
    std::optional<LeaseRef> lease;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flow_id", &AddExecutionToFlow::flow_id, field::required(), "The flow's id, a UUID.");
        visit("execution_id", &AddExecutionToFlow::execution_id, field::required(),
              "The execution, on the flow's partition.");
        visit("lease", &AddExecutionToFlow::lease, field::optional,
              "The lease of a live member, which alone may add to a sealed flow.");
    }
};

struct EdgeStaged {
    static constexpr std::string_view type_name = "EdgeStaged";

    EdgeId edge_id;
    std::int64_t graph_revision = 0;
    bool already_there = false;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("edge_id", &EdgeStaged::edge_id, field::optional, "The edge's id, a UUID.");
        visit("graph_revision", &EdgeStaged::graph_revision, field::optional, "The graph's revision now.");
        visit("already_there", &EdgeStaged::already_there, field::optional, "True: an earlier call staged it.");
    }

    bool operator==(const EdgeStaged&) const = default;
};

struct StageDependencyEdge {
    using Answer = EdgeStaged;
    static constexpr std::string_view type_name = "StageDependencyEdge";
    static constexpr Operation operation{"stage_dependency_edge",
                                         "Adds an edge to a flow's graph; nothing waits for it yet."};

    FlowId flow_id;
    EdgeId edge_id;
    ExecutionId upstream;
    ExecutionId downstream;
    DependencyKind dependency_kind = DependencyKind::success_only;
    std::optional<std::string> data_passing_ref;
    std::int64_t expected_graph_revision = 0;
    std::optional<LeaseRef> lease;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flow_id", &StageDependencyEdge::flow_id, field::required(), "The flow's id, a UUID.");
        visit("edge_id", &StageDependencyEdge::edge_id, field::required(), "The new edge's id.");
        visit("upstream_execution_id", &StageDependencyEdge::upstream, field::required(),
              "The member that comes first.");
        visit("downstream_execution_id", &StageDependencyEdge::downstream, field::required(),
              "The member that will wait for it.");
        visit("dependency_kind", &StageDependencyEdge::dependency_kind, field::optional,
              "What the edge asks of its upstream.");
        visit("data_passing_ref", &StageDependencyEdge::data_passing_ref, field::text(max_label_bytes),
              "Set: the upstream's result becomes the downstream's input.");
        visit("expected_graph_revision", &StageDependencyEdge::expected_graph_revision, field::required(),
              "The graph's revision as the caller knows it; another one is refused.");
        visit("lease", &StageDependencyEdge::lease, field::optional,
              "The lease of a live member, which alone may add to a sealed flow.");
    }
};

struct DependencyApplied {
    static constexpr std::string_view type_name = "DependencyApplied";

    std::uint32_t unsatisfied_count = 0;
    bool already_there = false;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("unsatisfied_count", &DependencyApplied::unsatisfied_count, field::optional,
              "How many edges the downstream execution waits for now.");
        visit("already_there", &DependencyApplied::already_there, field::optional, "True: an earlier call applied it.");
    }

    bool operator==(const DependencyApplied&) const = default;
};

struct ApplyDependencyToChild {
    using Answer = DependencyApplied;
    static constexpr std::string_view type_name = "ApplyDependencyToChild";
    static constexpr Operation operation{"apply_dependency_to_child",
                                         "Makes the downstream execution of a staged edge wait for its upstream one."};

    FlowId flow_id;
    EdgeId edge_id;
    ExecutionId upstream;
    ExecutionId downstream;
    std::optional<LeaseRef> lease;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flow_id", &ApplyDependencyToChild::flow_id, field::required(), "The flow's id, a UUID.");
        visit("edge_id", &ApplyDependencyToChild::edge_id, field::required(), "The staged edge.");
        visit("upstream_execution_id", &ApplyDependencyToChild::upstream, field::required(),
              "The edge's upstream execution.");
        visit("downstream_execution_id", &ApplyDependencyToChild::downstream, field::required(),
              "The edge's downstream execution.");
        visit("lease", &ApplyDependencyToChild::lease, field::optional,
              "The downstream execution's own lease: it adds children to wait for.");
    }
};

struct GroupPolicySet {
    static constexpr std::string_view type_name = "GroupPolicySet";

    bool already_there = false;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("already_there", &GroupPolicySet::already_there, field::optional, "True: the group had this policy.");
    }

    bool operator==(const GroupPolicySet&) const = default;
};

struct SetEdgeGroupPolicy {
    using Answer = GroupPolicySet;
    static constexpr std::string_view type_name = "SetEdgeGroupPolicy";
    static constexpr Operation operation{
        "set_edge_group_policy", "Says when the edges into an execution are satisfied, before the first of them."};

    FlowId flow_id;
    ExecutionId downstream;
    GroupPolicy policy;
    std::optional<std::uint32_t> expected_edges;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flow_id", &SetEdgeGroupPolicy::flow_id, field::required(), "The flow's id, a UUID.");
        visit("downstream_execution_id", &SetEdgeGroupPolicy::downstream, field::required(),
              "The execution that the edges lead to.");
        visit("policy", &SetEdgeGroupPolicy::policy, field::required(), "When the group is satisfied.");
        visit("expected_edges", &SetEdgeGroupPolicy::expected_edges, field::between(1, max_group_edges),
              "Fixes the number of edges before any of them exists.");
    }
};

struct FlowSealed {
    static constexpr std::string_view type_name = "FlowSealed";

    bool already_there = false;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("already_there", &FlowSealed::already_there, field::optional, "True: it was sealed before.");
    }

    bool operator==(const FlowSealed&) const = default;
};

// Fixes the number of edges of every group; the flow then ends with its last member.
struct SealFlow {
    using Answer = FlowSealed;
    static constexpr std::string_view type_name = "SealFlow";
    static constexpr Operation operation{"seal_flow", "Says that a flow's graph is complete."};

    FlowId flow_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flow_id", &SealFlow::flow_id, field::required(), "The flow's id, a UUID.");
    }
};

struct FlowTagSet {
    static constexpr std::string_view type_name = "FlowTagSet";

    bool operator==(const FlowTagSet&) const = default;
};

struct SetFlowTag {
    using Answer = FlowTagSet;
    static constexpr std::string_view type_name = "SetFlowTag";
    static constexpr Operation operation{"set_flow_tag", "Adds a tag to a flow, or replaces it."};

    FlowId flow_id;
    std::string key;
    std::string value;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flow_id", &SetFlowTag::flow_id, field::required(), "The flow's id, a UUID.");
        visit("key", &SetFlowTag::key, field::required(field::tag_key), "The tag's key: owner.name in a-z, 0-9 and _.");
        visit("value", &SetFlowTag::value, field::required(field::text(max_tag_bytes)), "The tag's value.");
    }
};

// ---- waiting for children ---------------------------------------------------------------------------------------

struct WaitingChildren {
    static constexpr std::string_view type_name = "WaitingChildren";

    PublicState public_state = PublicState::waiting_children;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("public_state", &WaitingChildren::public_state, field::optional,
              "waiting_children, or where it goes when there is nothing to wait for.");
    }

    bool operator==(const WaitingChildren&) const = default;
};

// Waits for the edges that the worker added to its own execution.
struct WaitChildren {
    using Answer = WaitingChildren;
    static constexpr std::string_view type_name = "WaitChildren";
    static constexpr Operation operation{
        "wait_children", "Gives the lease back until the execution's edges are decided; the same attempt goes on."};

    LeaseRef lease;
    std::optional<FlowId> flow_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lease", &WaitChildren::lease, field::required(), "The lease that is given back.");
        visit("flow_id", &WaitChildren::flow_id, field::optional, "The flow that the execution is a member of.");
    }
};

}  // namespace flowfabric
