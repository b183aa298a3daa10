#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {

// A grant that nobody redeemed in time is gone.
ReconcilerSpec grant_sweep() {
    return {.name = "grant_sweep",
            .timer = Timer::grant_expiry,
            .interval_ms = 5000,
            .look = look_for_due<Timer::grant_expiry>};
}

}  // namespace flowfabric
