#include "core/execution/timers.hpp"
#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {

// An attempt that takes longer than it may has failed.
ReconcilerSpec attempt_timeout() {
    return {.name = "attempt_timeout",
            .due = &attempt_timeout_timer,
            .interval_ms = 2000,
            .look = look_for_due<attempt_timeout_timer, time_out_attempt>};
}

}  // namespace flowfabric
