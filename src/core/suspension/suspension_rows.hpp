#pragma once

#include "core/rows/execution_row.hpp"
#include "core/rows/side_row.hpp"

// The rows of suspensions: one for the suspension itself, one per waitpoint, one per signal. An execution that has open
// waitpoints or is suspended says so, and they are loaded with it; what is closed stays on record and is not.
namespace flowfabric {

inline bool has_open_waitpoints(const ExecutionRow& row) {
    return row.has_waitpoints || row.vector.lifecycle_phase == LifecyclePhase::suspended;
}

struct SuspensionRow {
    static constexpr std::string_view table = "ff_suspension_current";
    static constexpr RowLock lock = RowLock::covered_by_parent;
    static constexpr bool blind_upsert = true;
    static constexpr DueColumn due{.name = "suspension_timeout", .column = "timeout_at_ms"};
    using Key = ExecutionKey;

    ExecutionKey key;
    SuspensionId suspension_id;
    std::int32_t attempt_index = 0;
    std::int64_t suspended_at_ms = 0;
    std::optional<std::int64_t> timeout_at_ms;  // of an open one
    SuspensionReason reason_code = SuspensionReason::waiting_for_signal;
    Json condition;
    Json satisfied_set{"[]"};  // the ids of the signals that ended it
    std::optional<TimeoutBehavior> timeout_behavior;
    Json resume_policy{"{}"};
    SuspensionRequester requested_by = SuspensionRequester::worker;
    std::optional<std::string> continuation_pointer;
    std::optional<std::int64_t> satisfied_at_ms;
    std::optional<SignalId> closer_signal_id;
    std::optional<std::int64_t> closed_at_ms;
    std::optional<WaitpointCloseReason> close_reason;

    static bool has_some(const ExecutionRow& row) { return has_open_waitpoints(row); }
    ExecutionId owner() const { return key.id; }
    std::optional<std::int64_t> due_at_ms() const { return timeout_at_ms; }

    bool operator==(const SuspensionRow&) const = default;
};

template <Is<SuspensionRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("suspension_id", row.suspension_id);
    visit("attempt_index", row.attempt_index);
    visit("suspended_at_ms", row.suspended_at_ms);
    visit("timeout_at_ms", row.timeout_at_ms);
    visit("reason_code", row.reason_code);
    visit("condition", row.condition);
    visit("satisfied_set", row.satisfied_set);
    visit("timeout_behavior", row.timeout_behavior);
    visit("resume_policy", row.resume_policy);
    visit("requested_by", row.requested_by);
    visit("continuation_pointer", row.continuation_pointer);
    visit("satisfied_at_ms", row.satisfied_at_ms);
    visit("closer_signal_id", row.closer_signal_id);
    visit("closed_at_ms", row.closed_at_ms);
    visit("close_reason", row.close_reason);
}

struct WaitpointKey {
    std::uint16_t partition = 0;
    WaitpointId waitpoint_id;

    auto operator<=>(const WaitpointKey&) const = default;
};

template <Is<WaitpointKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("partition_key", key.partition);
    visit("waitpoint_id", key.waitpoint_id);
}

struct WaitpointRow {
    static constexpr std::string_view table = "ff_waitpoint_pending";
    static constexpr RowLock lock = RowLock::covered_by_parent;
    static constexpr std::string_view loaded_where = "state <> 'closed'";
    static constexpr DueColumn due{.name = "waitpoint_expiry", .column = "expires_at_ms", .where = "state = 'pending'"};
    using Key = WaitpointKey;

    WaitpointKey key;
    Uuid execution_uuid;
    std::optional<SuspensionId> suspension_id;  // absent while it is pending
    std::int32_t attempt_index = 0;
    std::string waitpoint_key;
    WaitpointState state = WaitpointState::pending;
    std::string token_kid;
    std::string token_fingerprint;
    TextList required_signal_names;
    std::int64_t created_at_ms = 0;
    std::optional<std::int64_t> activated_at_ms;
    std::optional<std::int64_t> expires_at_ms;
    std::optional<std::int64_t> closed_at_ms;
    std::optional<WaitpointCloseReason> close_reason;
    std::int32_t signal_count = 0;
    std::int32_t matched_signal_count = 0;
    std::optional<std::int64_t> last_signal_at_ms;

    static bool has_some(const ExecutionRow& row) { return has_open_waitpoints(row); }
    bool is_loaded() const { return state != WaitpointState::closed; }
    ExecutionId owner() const { return {key.partition, execution_uuid}; }
    std::optional<std::int64_t> due_at_ms() const {
        return state == WaitpointState::pending ? expires_at_ms : std::nullopt;
    }

    bool operator==(const WaitpointRow&) const = default;
};

template <Is<WaitpointRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("execution_id", row.execution_uuid);
    visit("suspension_id", row.suspension_id);
    visit("attempt_index", row.attempt_index);
    visit("waitpoint_key", row.waitpoint_key);
    visit("state", row.state);
    visit("token_kid", row.token_kid);
    visit("token_fingerprint", row.token_fingerprint);
    visit("required_signal_names", row.required_signal_names);
    visit("created_at_ms", row.created_at_ms);
    visit("activated_at_ms", row.activated_at_ms);
    visit("expires_at_ms", row.expires_at_ms);
    visit("closed_at_ms", row.closed_at_ms);
    visit("close_reason", row.close_reason);
    visit("signal_count", row.signal_count);
    visit("matched_signal_count", row.matched_signal_count);
    visit("last_signal_at_ms", row.last_signal_at_ms);
}

struct SignalKey {
    ExecutionId execution_id;
    std::int32_t seq = 0;  // in order of acceptance

    auto operator<=>(const SignalKey&) const = default;
};

template <Is<SignalKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("partition_key", key.execution_id.partition);
    visit("execution_id", key.execution_id.uuid);
    visit("seq", key.seq);
}

// What an execution does between two replays: signals of an earlier run are no answer in the present one.
struct RunKey {
    ExecutionId execution_id;
    std::int32_t replay_count = 0;

    auto operator<=>(const RunKey&) const = default;
};

template <Is<RunKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("partition_key", key.execution_id.partition);
    visit("execution_id", key.execution_id.uuid);
    visit("replay_count", key.replay_count);
}

// An accepted signal. It stays with its execution, for every claim to come.
struct SignalRow {
    static constexpr std::string_view table = "ff_signal";
    static constexpr RowLock lock = RowLock::covered_by_parent;
    static constexpr std::string_view loaded_where = "live";
    using Key = SignalKey;

    SignalKey key;
    SignalId signal_id;
    WaitpointId waitpoint_id;
    std::string waitpoint_key;
    std::string signal_name;
    std::string signal_category;
    std::string source_type;
    std::string source_identity;
    std::optional<std::string> correlation_id;
    std::optional<std::string> idempotency_key;
    std::string payload_encoding;
    SignalScope target_scope = SignalScope::waitpoint;
    std::optional<std::int64_t> created_at_ms;
    std::int64_t accepted_at_ms = 0;
    SignalEffect observed_effect = SignalEffect::no_op;
    bool matched = false;
    bool live = true;                           // its waitpoint is open: it counts for a condition
    std::optional<SuspensionId> suspension_id;  // absent while, or if ever, its waitpoint was no suspension's
    bool satisfied = false;                     // one of those that satisfied its suspension's condition
    std::int32_t replay_count = 0;              // of the execution when it was accepted

    static bool has_some(const ExecutionRow& row) { return has_open_waitpoints(row); }
    bool is_loaded() const { return live; }
    ExecutionId owner() const { return key.execution_id; }

    bool operator==(const SignalRow&) const = default;
};

template <Is<SignalRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("signal_id", row.signal_id);
    visit("waitpoint_id", row.waitpoint_id);
    visit("waitpoint_key", row.waitpoint_key);
    visit("signal_name", row.signal_name);
    visit("signal_category", row.signal_category);
    visit("source_type", row.source_type);
    visit("source_identity", row.source_identity);
    visit("correlation_id", row.correlation_id);
    visit("idempotency_key", row.idempotency_key);
    visit("payload_encoding", row.payload_encoding);
    visit("target_scope", row.target_scope);
    visit("created_at_ms", row.created_at_ms);
    visit("accepted_at_ms", row.accepted_at_ms);
    visit("observed_effect", row.observed_effect);
    visit("matched", row.matched);
    visit("live", row.live);
    visit("suspension_id", row.suspension_id);
    visit("satisfied", row.satisfied);
    visit("replay_count", row.replay_count);
}

// Apart from its signal, because conditions are evaluated without it.
struct SignalPayloadRow {
    static constexpr std::string_view table = "ff_signal_payload";
    static constexpr RowLock lock = RowLock::covered_by_parent;
    using Key = SignalKey;

    SignalKey key;
    Binary payload;

    static bool has_some(const ExecutionRow&) { return false; }
    ExecutionId owner() const { return key.execution_id; }

    bool operator==(const SignalPayloadRow&) const = default;
};

template <Is<SignalPayloadRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("payload", row.payload);
}

struct SignalDedupKey {
    WaitpointKey waitpoint;
    std::string idempotency_key;

    auto operator<=>(const SignalDedupKey&) const = default;
};

template <Is<SignalDedupKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit_columns(key.waitpoint, visit);
    visit("idempotency_key", key.idempotency_key);
}

struct SignalDedupRow {
    static constexpr std::string_view table = "ff_signal_dedup";
    static constexpr RowLock lock = RowLock::covered_by_parent;
    using Key = SignalDedupKey;

    SignalDedupKey key;
    Uuid execution_uuid;
    SignalId signal_id;
    std::int64_t expires_at_ms = 0;

    static bool has_some(const ExecutionRow&) { return false; }
    ExecutionId owner() const { return {key.waitpoint.partition, execution_uuid}; }

    bool operator==(const SignalDedupRow&) const = default;
};

template <Is<SignalDedupRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("execution_id", row.execution_uuid);
    visit("signal_id", row.signal_id);
    visit("expires_at_ms", row.expires_at_ms);
}

struct SuspendDedupKey {
    ExecutionId execution_id;
    std::string idempotency_key;

    auto operator<=>(const SuspendDedupKey&) const = default;
};

template <Is<SuspendDedupKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("partition_key", key.execution_id.partition);
    visit("execution_id", key.execution_id.uuid);
    visit("idempotency_key", key.idempotency_key);
}

// What a suspend answered, without its tokens: those are signed again for a repeat. It is there while its suspension is
// open, and for the rest of the execution's life once that was satisfied.
struct SuspendDedupRow {
    static constexpr std::string_view table = "ff_suspend_dedup";
    static constexpr RowLock lock = RowLock::covered_by_parent;
    static constexpr std::string_view loaded_where = "satisfied_at_ms IS NULL";
    using Key = SuspendDedupKey;

    SuspendDedupKey key;
    Json outcome_json;
    std::int64_t created_at_ms = 0;
    std::int64_t expires_at_ms = 0;
    std::optional<std::int64_t> satisfied_at_ms;
    std::int32_t replay_count = 0;  // of the execution when it suspended

    static bool has_some(const ExecutionRow& row) { return has_open_waitpoints(row); }
    bool is_loaded() const { return !satisfied_at_ms; }
    ExecutionId owner() const { return key.execution_id; }

    bool operator==(const SuspendDedupRow&) const = default;
};

template <Is<SuspendDedupRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("outcome_json", row.outcome_json);
    visit("created_at_ms", row.created_at_ms);
    visit("expires_at_ms", row.expires_at_ms);
    visit("satisfied_at_ms", row.satisfied_at_ms);
    visit("replay_count", row.replay_count);
}

}  // namespace flowfabric
