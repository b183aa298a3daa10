#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {

// A delay or backoff that is over puts its execution back in the queue.
ReconcilerSpec delayed_promotion() {
    return {.name = "delayed_promotion",
            .kind = DueKind::delayed,
            .interval_ms = 750,
            .command_for = [](const ExecutionId& id) { return Command{PromoteDelayed{id}}; }};
}

}  // namespace flowfabric
