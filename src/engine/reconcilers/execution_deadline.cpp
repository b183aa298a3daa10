#include "core/execution/timers.hpp"
#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {

// What is not done by its deadline has expired, wherever it stands.
ReconcilerSpec execution_deadline() {
    return {.name = "execution_deadline",
            .due = &execution_deadline_timer,
            .interval_ms = 5000,
            .look = look_for_due<execution_deadline_timer, expire_execution>};
}

}  // namespace flowfabric
