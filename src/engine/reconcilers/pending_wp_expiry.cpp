#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {

// A waitpoint that was created ahead and never used is closed.
ReconcilerSpec pending_wp_expiry() {
    return {.name = "pending_wp_expiry",
            .timer = Timer::waitpoint_expiry,
            .interval_ms = 5000,
            .look = look_for_due<Timer::waitpoint_expiry>};
}

}  // namespace flowfabric
