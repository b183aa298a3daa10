#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/side_row.hpp"

// Rows of the tables beside the executions. Each type names its table, its key and its columns, the key's first; every
// store finds, writes and removes rows by that alone.
//
// Rows that an execution owns are loaded with it, when it says that it has some, and are covered by its lock; they go
// when it goes. Other rows are locked themselves.
namespace flowfabric {

// ---- lanes ------------------------------------------------------------------------------------------------------

struct LaneKey {
    std::string lane_id;

    auto operator<=>(const LaneKey&) const = default;
};

template <Is<LaneKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("lane_id", key.lane_id);
}

struct LaneRow {
    static constexpr std::string_view table = "ff_lane_registry";
    static constexpr RowLock lock = RowLock::itself;
    using Key = LaneKey;

    LaneKey key;
    std::int64_t registered_at_ms = 0;
    std::string registered_by;
    LaneState lane_state = LaneState::active;
    std::optional<std::int64_t> state_changed_at_ms;  // absent: active since it was registered

    bool operator==(const LaneRow&) const = default;
};

template <Is<LaneRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("registered_at_ms", row.registered_at_ms);
    visit("registered_by", row.registered_by);
    visit("lane_state", row.lane_state);
    visit("state_changed_at_ms", row.state_changed_at_ms);
}

// ---- consumers of events ----------------------------------------------------------------------------------------

struct ConsumerKey {
    Channel channel = Channel::lease;
    std::string name;

    auto operator<=>(const ConsumerKey&) const = default;
};

template <Is<ConsumerKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("channel", key.channel);
    visit("consumer", key.name);
}

// A reader of events that is known by name. Retention waits for it.
struct ConsumerRow {
    static constexpr std::string_view table = "ff_event_consumer";
    static constexpr RowLock lock = RowLock::another;
    using Key = ConsumerKey;

    ConsumerKey key;
    std::int64_t event_id = 0;  // everything up to it is acknowledged
    std::int64_t registered_at_ms = 0;
    std::int64_t acknowledged_at_ms = 0;

    bool operator==(const ConsumerRow&) const = default;
};

template <Is<ConsumerRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("event_id", row.event_id);
    visit("registered_at_ms", row.registered_at_ms);
    visit("acknowledged_at_ms", row.acknowledged_at_ms);
}

// ---- workers ----------------------------------------------------------------------------------------------------

struct WorkerKey {
    std::uint16_t partition = 0;
    std::string namespace_name;
    std::string worker_instance_id;

    auto operator<=>(const WorkerKey&) const = default;
};

template <Is<WorkerKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("partition_key", key.partition);
    visit("namespace", key.namespace_name);
    visit("worker_instance_id", key.worker_instance_id);
}

// A worker that said it is there; it is alive for `liveness_ttl_ms` after its last heartbeat.
struct WorkerRow {
    static constexpr std::string_view table = "ff_worker_registry";
    static constexpr RowLock lock = RowLock::itself;
    using Key = WorkerKey;

    WorkerKey key;
    std::string worker_id;
    TextList lanes;                // sorted
    std::string capabilities_csv;  // sorted
    std::int64_t last_heartbeat_ms = 0;
    std::int64_t liveness_ttl_ms = 0;
    std::int64_t registered_at_ms = 0;

    bool operator==(const WorkerRow&) const = default;
};

template <Is<WorkerRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("worker_id", row.worker_id);
    visit("lanes", row.lanes);
    visit("capabilities_csv", row.capabilities_csv);
    visit("last_heartbeat_ms", row.last_heartbeat_ms);
    visit("liveness_ttl_ms", row.liveness_ttl_ms);
    visit("registered_at_ms", row.registered_at_ms);
}

struct WorkerEventKey {
    WorkerKey worker;
    std::int64_t event_at_ms = 0;
    WorkerEventKind event_kind = WorkerEventKind::registered;

    auto operator<=>(const WorkerEventKey&) const = default;
};

template <Is<WorkerEventKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit_columns(key.worker, visit);
    visit("event_at_ms", key.event_at_ms);
    visit("event_kind", key.event_kind);
}

// What became of a registration. Never loaded, removed by age.
struct WorkerEventRow {
    static constexpr std::string_view table = "ff_worker_registry_event";
    static constexpr RowLock lock = RowLock::another;
    static constexpr bool put_unseen = true;
    using Key = WorkerEventKey;

    WorkerEventKey key;
    std::optional<std::string> reason;

    bool operator==(const WorkerEventRow&) const = default;
};

template <Is<WorkerEventRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("reason", row.reason);
}

// ---- grants -----------------------------------------------------------------------------------------------------

struct GrantRowKey {
    std::uint16_t partition = 0;
    Binary grant_id;  // SHA-256 of the grant key that its worker holds

    auto operator<=>(const GrantRowKey&) const = default;
};

template <Is<GrantRowKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("partition_key", key.partition);
    visit("grant_id", key.grant_id);
}

// One worker's permission to claim one execution, for a short time.
struct GrantRow {
    static constexpr std::string_view table = "ff_claim_grant";
    static constexpr RowLock lock = RowLock::another;
    using Key = GrantRowKey;

    GrantRowKey key;
    Uuid execution_uuid;
    GrantKind kind = GrantKind::claim;
    std::string worker_id;
    std::string worker_instance_id;
    std::optional<std::string> lane_id;
    std::optional<std::string> capability_hash;
    Json worker_capabilities{"[]"};
    std::optional<std::string> route_snapshot_json;
    std::optional<std::string> admission_summary;
    std::int64_t grant_ttl_ms = 0;
    std::int64_t issued_at_ms = 0;
    std::int64_t expires_at_ms = 0;

    static bool has_some(const ExecutionRow& row) { return row.grant_until_ms.has_value(); }
    ExecutionId owner() const { return {key.partition, execution_uuid}; }

    bool operator==(const GrantRow&) const = default;
};

template <Is<GrantRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("execution_id", row.execution_uuid);
    visit("kind", row.kind);
    visit("worker_id", row.worker_id);
    visit("worker_instance_id", row.worker_instance_id);
    visit("lane_id", row.lane_id);
    visit("capability_hash", row.capability_hash);
    visit("worker_capabilities", row.worker_capabilities);
    visit("route_snapshot_json", row.route_snapshot_json);
    visit("admission_summary", row.admission_summary);
    visit("grant_ttl_ms", row.grant_ttl_ms);
    visit("issued_at_ms", row.issued_at_ms);
    visit("expires_at_ms", row.expires_at_ms);
}

// ---- signing keys -----------------------------------------------------------------------------------------------

struct SigningKeyId {
    std::string kid;

    auto operator<=>(const SigningKeyId&) const = default;
};

template <Is<SigningKeyId> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("kid", key.kid);
}

// What signs waitpoint tokens and grants. One key is active; a retired one verifies until it expires.
struct SigningKeyRow {
    static constexpr std::string_view table = "ff_waitpoint_hmac";
    static constexpr RowLock lock = RowLock::another;
    using Key = SigningKeyId;

    SigningKeyId key;
    Binary secret;  // as core/signing.hpp seals it
    std::int64_t rotated_at_ms = 0;
    bool active = true;
    std::optional<std::int64_t> expires_at_ms;

    bool operator==(const SigningKeyRow&) const = default;
};

template <Is<SigningKeyRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("secret", row.secret);
    visit("rotated_at_ms", row.rotated_at_ms);
    visit("active", row.active);
    visit("expires_at_ms", row.expires_at_ms);
}

// ---- settings ---------------------------------------------------------------------------------------------------

struct SettingKey {
    std::string name;

    auto operator<=>(const SettingKey&) const = default;
};

template <Is<SettingKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("name", key.name);
}

// A setting (core/store_settings.hpp) that was set.
struct SettingRow {
    static constexpr std::string_view table = "ff_setting";
    static constexpr RowLock lock = RowLock::itself;
    using Key = SettingKey;

    SettingKey key;
    std::string value;
    std::int64_t revision = 0;  // counts its changes
    std::int64_t updated_at_ms = 0;

    bool operator==(const SettingRow&) const = default;
};

template <Is<SettingRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("value", row.value);
    visit("revision", row.revision);
    visit("updated_at_ms", row.updated_at_ms);
}

// ---- retention --------------------------------------------------------------------------------------------------

// An ended execution that goes at another time than most.
struct RetentionRow {
    static constexpr std::string_view table = "ff_retention_due";
    static constexpr RowLock lock = RowLock::another;
    static constexpr bool put_unseen = true;
    using Key = ExecutionKey;

    ExecutionKey key;
    std::int64_t remove_at_ms = 0;

    static bool has_some(const ExecutionRow&) { return false; }
    ExecutionId owner() const { return key.id; }

    bool operator==(const RetentionRow&) const = default;
};

template <Is<RetentionRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("remove_at_ms", row.remove_at_ms);
}
}  // namespace flowfabric
