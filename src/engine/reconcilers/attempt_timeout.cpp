#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {

// An attempt that takes longer than it may has failed.
ReconcilerSpec attempt_timeout() {
    return {.timer = Timer::attempt_timeout, .interval_ms = 2000};
}

}  // namespace flowfabric
