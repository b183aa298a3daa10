#include "core/execution/timers.hpp"
#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {

// A delay or backoff that is over puts its execution back in the queue.
ReconcilerSpec delayed_promotion() {
    return {.name = "delayed_promotion",
            .due = &delayed_promotion_timer,
            .interval_ms = 750,
            .look = look_for_due<delayed_promotion_timer, promote_delayed>};
}

}  // namespace flowfabric
