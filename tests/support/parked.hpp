#pragma once

#include "flowfabric/commands.hpp"

namespace flowfabric::test {

// An execution that waits for a signal, and what its worker was told.
struct Parked {
    ExecutionId id;
    ClaimedExecution claimed;
    SuspensionDetails details;

    const SuspendedWaitpoint& at(std::size_t i = 0) const {
        return i == 0 ? details.primary : details.additional.at(i - 1);
    }
};

// Of one that waits no more, until a worker goes on with it.
inline constexpr StateVector resumable_vector{.lifecycle_phase = LifecyclePhase::runnable,
                                              .ownership_state = OwnershipState::unowned,
                                              .eligibility_state = EligibilityState::eligible_now,
                                              .blocking_reason = BlockingReason::waiting_for_worker,
                                              .terminal_outcome = TerminalOutcome::none,
                                              .attempt_state = AttemptState::attempt_interrupted,
                                              .public_state = PublicState::resumable};

}  // namespace flowfabric::test
