#include "core/claim/grant.hpp"
#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {

// A grant that was not redeemed in time is removed.
ReconcilerSpec grant_sweep() {
    return {.name = "grant_sweep",
            .due = &due_rows<GrantRow>,
            .interval_ms = 5000,
            .look = look_for_due<due_rows<GrantRow>, lapse_grant>};
}

}  // namespace flowfabric
