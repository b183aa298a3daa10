#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/rows/side_row.hpp"

namespace flowfabric {

struct ClaimRequestKey {
    std::uint16_t partition = 0;
    std::string worker_instance_id;
    std::string request_id;

    auto operator<=>(const ClaimRequestKey&) const = default;
};

template <Is<ClaimRequestKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("partition_key", key.partition);
    visit("worker_instance_id", key.worker_instance_id);
    visit("request_id", key.request_id);
}

// What a claim with a request id has taken (core/claim/claim_request.hpp).
struct ClaimRequestRow {
    static constexpr std::string_view table = "ff_claim_request";
    static constexpr RowLock lock = RowLock::itself;
    using Key = ClaimRequestKey;

    ClaimRequestKey key;
    Binary leases;
    std::int64_t expires_at_ms = 0;

    bool operator==(const ClaimRequestRow&) const = default;
};

template <Is<ClaimRequestRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("leases", row.leases);
    visit("expires_at_ms", row.expires_at_ms);
}

}  // namespace flowfabric
