#include "core/stream/stream.hpp"
#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {

// The frames of a stream that were all best-effort go some time after the last of them.
ReconcilerSpec stream_retention() {
    return {.name = "stream_retention",
            .due = &due_rows<StreamMetaRow>,
            .interval_ms = 60'000,
            .look = look_for_due<due_rows<StreamMetaRow>, expire_streams>};
}

}  // namespace flowfabric
