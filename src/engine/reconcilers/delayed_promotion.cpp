#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {

// A delay or backoff that is over puts its execution back in the queue.
ReconcilerSpec delayed_promotion() {
    return {.timer = Timer::delayed_promotion, .interval_ms = 750};
}

}  // namespace flowfabric
