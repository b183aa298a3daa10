#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {

// A lease whose holder fell silent becomes reclaimable work.
ReconcilerSpec lease_expiry() {
    return {.name = "lease_expiry",
            .kind = DueKind::lease_check,
            .interval_ms = 1500,
            .command_for = [](const ExecutionId& id) { return Command{ExpireLease{id}}; }};
}

}  // namespace flowfabric
