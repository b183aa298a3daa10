#pragma once

#include <cstdint>
#include <optional>

#include "core/base/id_source.hpp"
#include "core/command/decision.hpp"
#include "flowfabric/claim.hpp"

namespace flowfabric {

struct AdmittedClaim {
    Claim claim;  // lanes and capabilities sorted, without repeats
    IdSource ids;
};

// A claim takes a candidate as its n-th execution, if the candidate can still be claimed or reclaimed.
std::optional<ClaimedExecution> decide_claim(const AdmittedClaim& command, std::uint32_t n, ExecutionEntry& candidate,
                                             DecisionContext& context);

}  // namespace flowfabric
