#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/rows/side_row.hpp"

namespace flowfabric {

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
    static constexpr RowLock lock = RowLock::covered_by_parent;
    static constexpr bool blind_upsert = true;
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

// What an operator's word is about.
enum class WorkerScope : std::uint8_t { worker, instance };

template <>
inline constexpr std::array enum_names<WorkerScope> = std::to_array<std::string_view>({"worker", "instance"});

struct WorkerModeKey {
    std::uint16_t partition = 0;
    std::string namespace_name;
    WorkerScope scope = WorkerScope::worker;
    std::string name;

    auto operator<=>(const WorkerModeKey&) const = default;
};

template <Is<WorkerModeKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("partition_key", key.partition);
    visit("namespace", key.namespace_name);
    visit("scope", key.scope);
    visit("name", key.name);
}

// What an operator asks of a worker or of one process of it; no row: to run. The last word holds, so it is not locked.
struct WorkerModeRow {
    static constexpr std::string_view table = "ff_worker_mode";
    static constexpr RowLock lock = RowLock::covered_by_parent;
    static constexpr bool blind_upsert = true;
    using Key = WorkerModeKey;

    WorkerModeKey key;
    WorkerMode mode = WorkerMode::run;

    bool operator==(const WorkerModeRow&) const = default;
};

template <Is<WorkerModeRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("mode", row.mode);
}

}  // namespace flowfabric
