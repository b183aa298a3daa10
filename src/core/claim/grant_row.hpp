#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/rows/side_row.hpp"

namespace flowfabric {

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
    static constexpr RowLock lock = RowLock::covered_by_parent;
    static constexpr DueColumn due{.name = "grant_expiry", .column = "expires_at_ms"};
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
    std::optional<std::int64_t> due_at_ms() const { return expires_at_ms; }

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

}  // namespace flowfabric
