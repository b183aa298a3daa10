#pragma once

#include "core/execution/transition.hpp"
#include "flowfabric/commands.hpp"
#include "flowfabric/result.hpp"

// What a failed attempt leads to, reported by its worker or found by a reconciler.
namespace flowfabric {

struct AttemptFailure {
    std::string reason;
    std::string category;
    bool timed_out = false;  // its time limit ended it, not its worker
};

// Ends the attempt and its lease; then tries again if the policy allows it, else ends the execution.
Result<Failed> fail_attempt(Transition& transition, AttemptFailure failure);

// Ends a lease that is past its end: by the attempt's time limit if that came first, else by its own expiry. False:
// neither has passed.
Result<bool> end_overdue_lease(Transition& transition);

}  // namespace flowfabric
