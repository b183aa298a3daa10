#include "core/claim/claim_request.hpp"

#include <algorithm>

#include "core/base/partition.hpp"
#include "core/execution/retry.hpp"

namespace flowfabric {
namespace {

// One lease after the other: its handle's kind, its execution's partition and UUID, its own UUID.
constexpr std::size_t uuid_bytes = 16;
constexpr std::size_t lease_bytes = 1 + 2 + 2 * uuid_bytes;

void append(Bytes& bytes, const Uuid& uuid) {
    for (const auto byte : uuid.bytes) bytes.push_back(static_cast<char>(byte));
}

Uuid uuid_at(std::string_view bytes, std::size_t at) {
    Uuid uuid;
    std::ranges::transform(bytes.substr(at, uuid_bytes), uuid.bytes.begin(),
                           [](char c) { return static_cast<std::uint8_t>(c); });
    return uuid;
}

TakenLease lease_at(std::string_view bytes) {
    const auto number = [&](std::size_t at) { return static_cast<unsigned>(static_cast<std::uint8_t>(bytes[at])); };
    const auto partition = static_cast<std::uint16_t>(number(1) << 8U | number(2));
    return {.kind = static_cast<HandleKind>(number(0)),
            .execution_id = {partition, uuid_at(bytes, 3)},
            .lease_id = LeaseId{uuid_at(bytes, 3 + uuid_bytes)}};
}

}  // namespace

std::optional<ClaimRequestKey> request_key(const Claim& claim) {
    if (claim.request_id.empty()) return std::nullopt;
    return ClaimRequestKey{worker_partition(claim.worker_instance_id), claim.worker_instance_id, claim.request_id};
}

std::vector<TakenLease> taken_by(const ClaimRequestRow& request, std::int64_t now_ms) {
    std::vector<TakenLease> leases;
    if (request.expires_at_ms <= now_ms) return leases;
    const std::string_view bytes = request.leases.bytes;
    for (std::size_t at = 0; at + lease_bytes <= bytes.size(); at += lease_bytes) {
        leases.push_back(lease_at(bytes.substr(at, lease_bytes)));
    }
    return leases;
}

bool is_held(const TakenLease& lease, const ExecutionRow& row, std::int64_t now_ms) {
    return row.vector.ownership_state == OwnershipState::leased && row.lease_id == lease.lease_id &&
           row.lease_expires_at_ms > now_ms;
}

void keep_request(const Claim& claim, const Claimed& taken, WorkingSet& set) {
    auto key = request_key(claim);
    if (!key || taken.executions.empty()) return;
    ClaimRequestRow request{
        .key = *std::move(key), .leases = {}, .expires_at_ms = saturating_add(set.now_ms, claim.lease_ttl_ms)};
    request.leases.bytes.reserve(taken.executions.size() * lease_bytes);
    for (const ClaimedExecution& execution : taken.executions) {
        const std::uint16_t partition = execution.execution_id.partition;
        request.leases.bytes.push_back(static_cast<char>(execution.handle.kind));
        request.leases.bytes.push_back(static_cast<char>(partition >> 8U));
        request.leases.bytes.push_back(static_cast<char>(partition & 0xffU));
        append(request.leases.bytes, execution.execution_id.uuid);
        append(request.leases.bytes, execution.lease_id.uuid);
    }
    set.side.of<ClaimRequestRow>().put(std::move(request));
}

}  // namespace flowfabric
