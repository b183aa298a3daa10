#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/command/decision.hpp"
#include "core/execution/transition.hpp"
#include "flowfabric/claim.hpp"

// An execution is leased to a worker: the one way for claims, grants and operators alike.
namespace flowfabric {

// The lease that a claim asks for, and the attempt under it.
struct TakeRequest {
    LeaseGrant lease;
    AttemptId fresh_attempt_id;
    std::optional<std::uint64_t> attempt_timeout_ms;  // absent: the execution's policy decides
    std::optional<std::string> reason;                // for the lease event
};

// Leases a waiting execution: its interrupted attempt goes on, or a new one begins.
HandleKind take_waiting(Transition& transition, const TakeRequest& request);
// Leases an execution whose worker has lost its lease: a new attempt begins.
HandleKind take_over(Transition& transition, const TakeRequest& request);

// Whether the execution has been reclaimed as often as it may be. `fallback` counts if its policy has no cap.
bool exceeds_reclaim_cap(const ExecutionRow& row, std::optional<std::uint32_t> fallback = {});
void fail_over_reclaim_cap(Transition& transition);

Handle handle_of(const ExecutionRow& row, HandleKind kind, std::uint64_t ttl_ms, BackendTag backend);
// The answer for a row that was just leased, with the signals that the execution has accepted.
LeasedExecution leased_execution(const ExecutionRow& row, HandleKind kind, std::uint64_t ttl_ms,
                                 const DecisionContext& context);

}  // namespace flowfabric
