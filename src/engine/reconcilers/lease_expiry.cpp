#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {

// A lease whose holder fell silent becomes reclaimable work.
ReconcilerSpec lease_expiry() {
    return {.name = "lease_expiry",
            .timer = Timer::lease_expiry,
            .interval_ms = 1500,
            .look = look_for_due<Timer::lease_expiry>};
}

}  // namespace flowfabric
