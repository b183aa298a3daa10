#include "core/execution/timers.hpp"
#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {

// A lease that was not renewed in time becomes reclaimable work.
ReconcilerSpec lease_expiry() {
    return {.name = "lease_expiry",
            .due = &lease_expiry_timer,
            .interval_ms = 1500,
            .look = look_for_due<lease_expiry_timer, expire_lease>};
}

}  // namespace flowfabric
