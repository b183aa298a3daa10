#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "flowfabric/ids.hpp"
#include "flowfabric/lease_ref.hpp"
#include "flowfabric/state.hpp"

// Flows: graphs of executions. An edge makes its downstream execution wait for its upstream one; all edges into one
// execution are a group with one policy. Members live on their flow's partition.
namespace flowfabric {

// ---- vocabulary -------------------------------------------------------------------------------------------------

enum class FlowState : std::uint8_t { open, completed, failed, cancelled };

// As seen from outside: a flow whose graph may still grow has no end of its own, so its state follows its members'.
enum class FlowPhase : std::uint8_t { open, running, blocked, completed, failed, cancelled };

// As lists show it.
enum class FlowStatus : std::uint8_t { active, completed, failed, cancelled, unknown };

enum class GroupKind : std::uint8_t { all_of, any_of, quorum };
// What becomes of the upstream executions that a decided group no longer needs.
enum class OnSatisfied : std::uint8_t { cancel_remaining, let_run };
enum class GroupState : std::uint8_t { pending, satisfied, impossible };
enum class DependencyState : std::uint8_t { unsatisfied, satisfied, impossible };
enum class EdgeState : std::uint8_t { pending, applied };
enum class CancellationPolicy : std::uint8_t { cancel_flow_only, cancel_all, cancel_pending };

template <>
inline constexpr std::array enum_names<FlowState> =
    std::to_array<std::string_view>({"open", "completed", "failed", "cancelled"});

template <>
inline constexpr std::array enum_names<FlowPhase> =
    std::to_array<std::string_view>({"open", "running", "blocked", "completed", "failed", "cancelled"});

template <>
inline constexpr std::array enum_names<FlowStatus> =
    std::to_array<std::string_view>({"Active", "Completed", "Failed", "Cancelled", "Unknown"});

template <>
inline constexpr std::array enum_names<GroupKind> = std::to_array<std::string_view>({"all_of", "any_of", "quorum"});

template <>
inline constexpr std::array enum_names<OnSatisfied> = std::to_array<std::string_view>({"cancel_remaining", "let_run"});

template <>
inline constexpr std::array enum_names<GroupState> =
    std::to_array<std::string_view>({"pending", "satisfied", "impossible"});

template <>
inline constexpr std::array enum_names<DependencyState> =
    std::to_array<std::string_view>({"unsatisfied", "satisfied", "impossible"});

template <>
inline constexpr std::array enum_names<EdgeState> = std::to_array<std::string_view>({"pending", "applied"});

template <>
inline constexpr std::array enum_names<CancellationPolicy> =
    std::to_array<std::string_view>({"cancel_flow_only", "cancel_all", "cancel_pending"});

struct GroupPolicy {
    GroupKind kind = GroupKind::all_of;
    std::uint32_t k = 1;  // with quorum: how many have to succeed
    OnSatisfied on_satisfied = OnSatisfied::cancel_remaining;

    bool operator==(const GroupPolicy&) const = default;
};

struct EdgeSnapshot {
    EdgeId edge_id;
    FlowId flow_id;
    ExecutionId upstream;
    ExecutionId downstream;
    std::string dependency_kind = "success_only";
    std::string satisfaction_condition = "all_required";
    std::optional<std::string> data_passing_ref;
    EdgeState edge_state = EdgeState::pending;
    std::optional<DependencyState> dependency_state;  // of an applied edge
    std::int64_t created_at_ms = 0;
    std::string created_by = "engine";

    bool operator==(const EdgeSnapshot&) const = default;
};

struct GroupSnapshot {
    ExecutionId downstream;
    GroupPolicy policy;
    std::uint32_t total = 0;
    std::uint32_t satisfied = 0;
    std::uint32_t failed = 0;
    std::uint32_t skipped = 0;
    std::uint32_t running = 0;
    GroupState state = GroupState::pending;

    bool operator==(const GroupSnapshot&) const = default;
};

struct FlowSnapshot {
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
    std::vector<GroupSnapshot> edge_groups;  // by downstream execution

    bool operator==(const FlowSnapshot&) const = default;
};

struct FlowSummary {
    FlowId flow_id;
    std::int64_t created_at_ms = 0;
    FlowStatus status = FlowStatus::active;

    bool operator==(const FlowSummary&) const = default;
};

// Members by their public state; one that is resumable counts as waiting.
struct MemberCounts {
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

    bool operator==(const MemberCounts&) const = default;
};

// What a dashboard shows: the members as they were when they were last counted; describe_flow tells the present.
struct FlowProjection {
    FlowId flow_id;
    MemberCounts members;
    FlowPhase state = FlowPhase::open;  // as the members alone make it
    std::int64_t updated_at_ms = 0;     // counts since then came out the same

    bool operator==(const FlowProjection&) const = default;
};

struct FlowPage {
    std::vector<FlowSummary> flows;
    std::optional<FlowId> next_cursor;

    bool operator==(const FlowPage&) const = default;
};

struct FlowListQuery {
    std::uint16_t partition = 0;
    std::optional<FlowId> after;
    std::uint32_t limit = 100;
};

// Why a member does not run, as far as its flow is concerned.
enum class FlowEligibility : std::uint8_t {
    not_found,
    not_runnable,
    owned,
    terminal,
    impossible,
    blocked_by_dependencies,
    eligible,
};

template <>
inline constexpr std::array enum_names<FlowEligibility> = std::to_array<std::string_view>(
    {"not_found", "not_runnable", "owned", "terminal", "impossible", "blocked_by_dependencies", "eligible"});

struct EdgesOf {
    enum class Direction : std::uint8_t { outgoing, incoming };

    FlowId flow_id;
    ExecutionId execution_id;
    Direction direction = Direction::outgoing;
};

// ---- building a flow incrementally ------------------------------------------------------------------------------

struct FlowCreated {
    FlowId flow_id;
    bool already_there = false;

    bool operator==(const FlowCreated&) const = default;
};

struct CreateFlow {
    using Answer = FlowCreated;

    std::optional<FlowId> flow_id;  // absent: minted
    std::string flow_kind;
    std::string namespace_name = "default";
};

struct MemberAdded {
    ExecutionId execution_id;
    std::uint32_t node_count = 0;
    bool already_there = false;

    bool operator==(const MemberAdded&) const = default;
};

struct AddExecutionToFlow {
    using Answer = MemberAdded;

    FlowId flow_id;
    ExecutionId execution_id;
    std::optional<LeaseRef> lease;  // of a live member, which alone may add to a sealed flow
};

struct EdgeStaged {
    EdgeId edge_id;
    std::int64_t graph_revision = 0;
    bool already_there = false;

    bool operator==(const EdgeStaged&) const = default;
};

struct StageDependencyEdge {
    using Answer = EdgeStaged;

    FlowId flow_id;
    EdgeId edge_id;
    ExecutionId upstream;
    ExecutionId downstream;
    std::string dependency_kind = "success_only";
    std::optional<std::string> data_passing_ref;  // its upstream's result becomes the input of its downstream
    std::int64_t expected_graph_revision = 0;
    std::optional<LeaseRef> lease;
};

struct DependencyApplied {
    std::uint32_t unsatisfied_count = 0;
    bool already_there = false;

    bool operator==(const DependencyApplied&) const = default;
};

struct ApplyDependencyToChild {
    using Answer = DependencyApplied;

    FlowId flow_id;
    EdgeId edge_id;
    ExecutionId upstream;
    ExecutionId downstream;
    std::optional<LeaseRef> lease;  // the downstream execution's own: it adds children to wait for
};

struct GroupPolicySet {
    bool already_there = false;

    bool operator==(const GroupPolicySet&) const = default;
};

// Before the first edge of its group.
struct SetEdgeGroupPolicy {
    using Answer = GroupPolicySet;

    FlowId flow_id;
    ExecutionId downstream;
    GroupPolicy policy;
    std::optional<std::uint32_t> expected_edges;  // fixes their number before any of them exists
};

struct FlowSealed {
    bool already_there = false;

    bool operator==(const FlowSealed&) const = default;
};

// The graph is complete: every group knows how many edges it has, and the flow ends with its last member.
struct SealFlow {
    using Answer = FlowSealed;

    FlowId flow_id;
};

struct FlowTagSet {
    bool operator==(const FlowTagSet&) const = default;
};

struct SetFlowTag {
    using Answer = FlowTagSet;

    FlowId flow_id;
    std::string key;
    std::string value;
};

// ---- cancelling a flow ------------------------------------------------------------------------------------------

struct FlowCancelled {
    CancellationPolicy policy = CancellationPolicy::cancel_all;
    std::optional<std::string> reason;
    std::vector<ExecutionId> members;  // that were to be cancelled, in order of their ids
    bool already_terminal = false;     // by an earlier call, whose policy, reason and members these are
    bool members_pending = false;      // some of them are still to be cancelled

    bool operator==(const FlowCancelled&) const = default;
};

// Answers once the flow is cancelled, and with it up to 1,000 of its members; the others follow at once, and after a
// crash as soon as an engine runs.
struct CancelFlow {
    using Answer = FlowCancelled;

    FlowId flow_id;
    CancellationPolicy policy = CancellationPolicy::cancel_all;
    std::string reason;
    std::string requester;
    std::uint64_t grace_ms = 30'000;  // before the reconciler of any engine takes over
};

struct MemberAcknowledged {
    bool operator==(const MemberAcknowledged&) const = default;
};

struct AckCancelMember {
    using Answer = MemberAcknowledged;

    FlowId flow_id;
    ExecutionId execution_id;
};

// ---- waiting for children ---------------------------------------------------------------------------------------

struct WaitingChildren {
    PublicState public_state = PublicState::waiting_children;  // or where it goes when there is nothing to wait for

    bool operator==(const WaitingChildren&) const = default;
};

// Gives the lease back until the edges that the worker added to its own execution are decided; the same attempt goes
// on.
struct WaitChildren {
    using Answer = WaitingChildren;

    LeaseRef lease;
    std::optional<FlowId> flow_id;  // that the execution is a member of
};

}  // namespace flowfabric
