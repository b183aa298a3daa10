#include "core/suspension/suspension.hpp"
#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {

// A suspension that reaches its deadline ends by its timeout behavior.
ReconcilerSpec suspension_timeout() {
    return {.name = "suspension_timeout",
            .due = &due_rows<SuspensionRow>,
            .interval_ms = 2000,
            .look = look_for_due<due_rows<SuspensionRow>, time_out_suspension>};
}

}  // namespace flowfabric
