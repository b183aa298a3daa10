#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/command/decision.hpp"
#include "core/execution/transition.hpp"
#include "flowfabric/claim.hpp"

// How an execution comes into a worker's hands, by whichever door the worker came.
namespace flowfabric {

// What a claim asks for, beyond the lease.
struct TakeRequest {
    LeaseGrant lease;
    AttemptId fresh_attempt_id;
    std::optional<std::uint64_t> attempt_timeout_ms;  // absent: the execution's policy decides
    std::optional<std::string> reason;                // for the lease event
};

// A waiting row's lease: of its interrupted attempt, or of a new one.
HandleKind take_waiting(Transition& transition, const TakeRequest& request);
// From a worker that lost its lease, as a new attempt.
HandleKind take_over(Transition& transition, const TakeRequest& request);

// Whether it may be taken over once more; `fallback`: where its policy has no cap.
bool exceeds_reclaim_cap(const ExecutionRow& row, std::optional<std::uint32_t> fallback = {});
void fail_over_reclaim_cap(Transition& transition);

Handle handle_of(const ExecutionRow& row, HandleKind kind, std::uint64_t ttl_ms, BackendTag backend);
// With the signals that the execution has accepted.
LeasedExecution leased_execution(const ExecutionRow& row, HandleKind kind, std::uint64_t ttl_ms,
                                 const DecisionContext& context);

}  // namespace flowfabric
