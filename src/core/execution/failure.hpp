#pragma once

#include "core/execution/transition.hpp"
#include "flowfabric/commands.hpp"
#include "flowfabric/result.hpp"

// What becomes of an attempt that failed, whoever found out.
namespace flowfabric {

struct AttemptFailure {
    std::string reason;
    std::string category;
    bool timed_out = false;  // its time limit ended it, not its worker
};

// Ends the attempt and its lease; then tries again if the policy allows it, else ends the execution.
Result<Failed> fail_attempt(Transition& transition, AttemptFailure failure);

// Whoever holds a lease past its end has lost it: to the attempt's time limit, if that came first, else to the lease's
// own. False: nothing has ended.
Result<bool> end_overdue_lease(Transition& transition);

}  // namespace flowfabric
