#include "core/suspension/suspension.hpp"
#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {

// A waitpoint that was created ahead and never used is closed.
ReconcilerSpec pending_wp_expiry() {
    return {.name = "pending_wp_expiry",
            .due = &due_rows<WaitpointRow>,
            .interval_ms = 5000,
            .look = look_for_due<due_rows<WaitpointRow>, expire_waitpoints>};
}

}  // namespace flowfabric
