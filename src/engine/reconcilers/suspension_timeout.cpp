#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {

// A suspension that nobody ended in time ends as it was told to.
ReconcilerSpec suspension_timeout() {
    return {.name = "suspension_timeout",
            .timer = Timer::suspension_timeout,
            .interval_ms = 2000,
            .look = look_for_due<Timer::suspension_timeout>};
}

}  // namespace flowfabric
