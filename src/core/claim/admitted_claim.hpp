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

// Takes one candidate for a claim as its n-th execution. Nothing: the candidate is not to be had.
std::optional<ClaimedExecution> decide_claim(const AdmittedClaim& command, std::uint32_t n, ExecutionEntry& candidate,
                                             DecisionContext& context);

}  // namespace flowfabric
