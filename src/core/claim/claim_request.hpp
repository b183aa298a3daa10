#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/rows/working_set.hpp"
#include "flowfabric/claim.hpp"

// The same request of the same process gets the same leases again while they live, so that a reply that is lost costs
// no lease. A request none of whose leases lives any more is a new one.
namespace flowfabric {

// Nothing for a claim without a request id.
std::optional<ClaimRequestKey> request_key(const Claim& claim);

struct TakenLease {
    HandleKind kind = HandleKind::fresh;
    ExecutionId execution_id;
    LeaseId lease_id;

    bool operator==(const TakenLease&) const = default;
};

// None once the request has lapsed.
std::vector<TakenLease> taken_by(const ClaimRequestRow& request, std::int64_t now_ms);
bool is_held(const TakenLease& lease, const ExecutionRow& row, std::int64_t now_ms);

// Keeps what the claim has taken, if it has a request id.
void keep_request(const Claim& claim, const Claimed& taken, WorkingSet& set);

}  // namespace flowfabric
