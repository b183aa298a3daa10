#pragma once

#include "core/base/partition.hpp"
#include "core/rows/execution_row.hpp"
#include "core/rows/side_row.hpp"
#include "flowfabric/flow.hpp"

// The rows of flows: one for the flow, one per edge, one per group of edges into one execution, and the lists of
// members that are still to be cancelled. Which executions are members is said by their own rows.
namespace flowfabric {

struct FlowKey {
    std::uint16_t partition = 0;
    FlowId flow_id;

    auto operator<=>(const FlowKey&) const = default;
};

template <Is<FlowKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("partition_key", key.partition);
    visit("flow_id", key.flow_id);
}

// A flow's partition follows from its id.
inline FlowKey key_of(const FlowId& flow_id) {
    return {flow_partition(flow_id), flow_id};
}

struct FlowRow {
    static constexpr std::string_view table = "ff_flow_core";
    static constexpr RowLock lock = RowLock::before_executions;
    using Key = FlowKey;

    FlowKey key;
    std::int64_t graph_revision = 0;
    FlowState public_flow_state = FlowState::open;
    std::int64_t created_at_ms = 0;
    std::optional<std::int64_t> terminal_at_ms;
    Json raw_fields{"{}"};  // see FlowFields
    Json tags{"{}"};
    bool sealed = false;
    std::int32_t open_members = 0;    // members without a dispatched end
    std::int32_t failed_members = 0;  // members with a dispatched failure, without siblings that were not needed
    bool summarised = false;          // its summary is as it will stay, unless something happens to the flow

    bool operator==(const FlowRow&) const = default;
};

template <Is<FlowRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("graph_revision", row.graph_revision);
    visit("public_flow_state", row.public_flow_state);
    visit("created_at_ms", row.created_at_ms);
    visit("terminal_at_ms", row.terminal_at_ms);
    visit("raw_fields", row.raw_fields);
    visit("tags", row.tags);
    visit("sealed", row.sealed);
    visit("open_members", row.open_members);
    visit("failed_members", row.failed_members);
    visit("summarised", row.summarised);
}

// Its members as they were when they were last counted. Nothing is decided by it.
struct FlowSummaryRow {
    static constexpr std::string_view table = "ff_flow_summary";
    static constexpr RowLock lock = RowLock::covered_by_parent;
    using Key = FlowKey;

    FlowKey key;
    std::int64_t total_members = 0;
    std::int32_t sampled_members = 0;  // all of them
    std::int32_t members_completed = 0;
    std::int32_t members_failed = 0;
    std::int32_t members_cancelled = 0;
    std::int32_t members_expired = 0;
    std::int32_t members_skipped = 0;
    std::int32_t members_active = 0;
    std::int32_t members_suspended = 0;
    std::int32_t members_waiting = 0;
    std::int32_t members_delayed = 0;
    std::int32_t members_rate_limited = 0;
    std::int32_t members_waiting_children = 0;
    FlowPhase public_flow_state = FlowPhase::open;
    std::int64_t last_summary_update_at_ms = 0;

    bool operator==(const FlowSummaryRow&) const = default;
};

template <Is<FlowSummaryRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("total_members", row.total_members);
    visit("sampled_members", row.sampled_members);
    visit("members_completed", row.members_completed);
    visit("members_failed", row.members_failed);
    visit("members_cancelled", row.members_cancelled);
    visit("members_expired", row.members_expired);
    visit("members_skipped", row.members_skipped);
    visit("members_active", row.members_active);
    visit("members_suspended", row.members_suspended);
    visit("members_waiting", row.members_waiting);
    visit("members_delayed", row.members_delayed);
    visit("members_rate_limited", row.members_rate_limited);
    visit("members_waiting_children", row.members_waiting_children);
    visit("public_flow_state", row.public_flow_state);
    visit("last_summary_update_at_ms", row.last_summary_update_at_ms);
}

// When to look whether the flow can go.
struct FlowRetentionRow {
    static constexpr std::string_view table = "ff_flow_retention_due";
    static constexpr RowLock lock = RowLock::covered_by_parent;
    static constexpr bool blind_upsert = true;
    static constexpr DueColumn due{.name = "flow_retention", .column = "remove_at_ms"};
    using Key = FlowKey;

    FlowKey key;
    std::int64_t remove_at_ms = 0;

    std::optional<std::int64_t> due_at_ms() const { return remove_at_ms; }

    bool operator==(const FlowRetentionRow&) const = default;
};

template <Is<FlowRetentionRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("remove_at_ms", row.remove_at_ms);
}

struct EdgeKey {
    FlowKey flow;
    EdgeId edge_id;

    auto operator<=>(const EdgeKey&) const = default;
};

template <Is<EdgeKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit_columns(key.flow, visit);
    visit("edge_id", key.edge_id);
}

// All edges into one execution.
struct GroupKey {
    FlowKey flow;
    Uuid downstream;

    ExecutionId execution() const { return {flow.partition, downstream}; }

    auto operator<=>(const GroupKey&) const = default;
};

template <Is<GroupKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit_columns(key.flow, visit);
    visit("downstream_eid", key.downstream);
}

// All edges out of one execution.
struct SourceKey {
    std::uint16_t partition = 0;
    Uuid upstream;

    auto operator<=>(const SourceKey&) const = default;
};

template <Is<SourceKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("partition_key", key.partition);
    visit("upstream_eid", key.upstream);
}

struct EdgeRow {
    static constexpr std::string_view table = "ff_edge";
    static constexpr RowLock lock = RowLock::covered_by_parent;
    using Key = EdgeKey;

    EdgeKey key;
    Uuid upstream;
    Uuid downstream;
    Json policy{"{}"};  // see EdgeFields
    std::int32_t policy_version = 0;
    std::optional<DependencyState> dependency_state;  // absent until it is applied
    std::int32_t generation = 0;                      // of its group

    FlowKey flow() const { return key.flow; }
    GroupKey group() const { return {key.flow, downstream}; }
    SourceKey source() const { return {key.flow.partition, upstream}; }

    bool operator==(const EdgeRow&) const = default;
};

template <Is<EdgeRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("upstream_eid", row.upstream);
    visit("downstream_eid", row.downstream);
    visit("policy", row.policy);
    visit("policy_version", row.policy_version);
    visit("dependency_state", row.dependency_state);
    visit("generation", row.generation);
}

struct EdgeGroupRow {
    static constexpr std::string_view table = "ff_edge_group";
    static constexpr RowLock lock = RowLock::before_executions;
    using Key = GroupKey;

    GroupKey key;
    Json policy{"{}"};
    std::optional<std::int32_t> k_target;  // of a quorum
    std::int32_t success_count = 0;
    std::int32_t fail_count = 0;
    std::int32_t skip_count = 0;
    std::int32_t running_count = 0;
    bool cancel_siblings_pending_flag = false;
    TextList cancel_siblings_pending_members;
    std::optional<std::string> sibling_reason;
    GroupState group_state = GroupState::pending;
    std::int32_t n = 0;
    bool n_fixed = false;
    std::int32_t generation = 0;

    FlowKey flow() const { return key.flow; }

    bool operator==(const EdgeGroupRow&) const = default;
};

template <Is<EdgeGroupRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("policy", row.policy);
    visit("k_target", row.k_target);
    visit("success_count", row.success_count);
    visit("fail_count", row.fail_count);
    visit("skip_count", row.skip_count);
    visit("running_count", row.running_count);
    visit("cancel_siblings_pending_flag", row.cancel_siblings_pending_flag);
    visit("cancel_siblings_pending_members", row.cancel_siblings_pending_members);
    visit("sibling_reason", row.sibling_reason);
    visit("group_state", row.group_state);
    visit("n", row.n);
    visit("n_fixed", row.n_fixed);
    visit("generation", row.generation);
}

// A decided group whose other upstream executions are to be cancelled.
struct SiblingWorkRow {
    static constexpr std::string_view table = "ff_pending_cancel_groups";
    static constexpr std::string_view queue_column = "enqueued_at_ms";
    static constexpr RowLock lock = RowLock::covered_by_parent;
    static constexpr bool blind_upsert = true;
    using Key = GroupKey;

    GroupKey key;
    std::int64_t enqueued_at_ms = 0;

    std::int64_t queued_at_ms() const { return enqueued_at_ms; }

    bool operator==(const SiblingWorkRow&) const = default;
};

template <Is<SiblingWorkRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("enqueued_at_ms", row.enqueued_at_ms);
}

// A cancelled flow, for as long as members of it are to be cancelled.
struct CancelBacklogRow {
    static constexpr std::string_view table = "ff_cancel_backlog";
    static constexpr std::string_view queue_column = "grace_until_ms";
    static constexpr RowLock lock = RowLock::covered_by_parent;
    using Key = FlowKey;

    FlowKey key;
    std::int64_t requested_at_ms = 0;
    std::optional<std::string> requester;
    std::optional<std::string> reason;
    std::int64_t grace_until_ms = 0;
    CancellationPolicy cancellation_policy = CancellationPolicy::cancel_all;
    std::string status = "pending";

    std::int64_t queued_at_ms() const { return grace_until_ms; }

    bool operator==(const CancelBacklogRow&) const = default;
};

template <Is<CancelBacklogRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("requested_at_ms", row.requested_at_ms);
    visit("requester", row.requester);
    visit("reason", row.reason);
    visit("grace_until_ms", row.grace_until_ms);
    visit("cancellation_policy", row.cancellation_policy);
    visit("status", row.status);
}

struct CancelMemberKey {
    FlowKey flow;
    std::string execution_id;  // with its partition

    auto operator<=>(const CancelMemberKey&) const = default;
};

template <Is<CancelMemberKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit_columns(key.flow, visit);
    visit("execution_id", key.execution_id);
}

// A member that is still to be cancelled.
struct CancelMemberRow {
    static constexpr std::string_view table = "ff_cancel_backlog_member";
    static constexpr RowLock lock = RowLock::covered_by_parent;
    using Key = CancelMemberKey;

    CancelMemberKey key;

    FlowKey flow() const { return key.flow; }

    bool operator==(const CancelMemberRow&) const = default;
};

template <Is<CancelMemberRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
}

}  // namespace flowfabric
