#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {

// Ended executions that go at a time of their own.
ReconcilerSpec retention() {
    return {.name = "retention",
            .timer = Timer::retention,
            .interval_ms = 60'000,
            .batch = 500,
            .look = look_for_due<Timer::retention>};
}

}  // namespace flowfabric
