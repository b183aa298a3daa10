#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {

// An attempt that takes longer than it may has failed.
ReconcilerSpec attempt_timeout() {
    return {.name = "attempt_timeout",
            .timer = Timer::attempt_timeout,
            .interval_ms = 2000,
            .look = look_for_due<Timer::attempt_timeout>};
}

}  // namespace flowfabric
