#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {

// A lease whose holder fell silent becomes reclaimable work.
ReconcilerSpec lease_expiry() {
    return {.timer = Timer::lease_expiry, .interval_ms = 1500};
}

}  // namespace flowfabric
