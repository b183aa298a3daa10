#include "core/worker/worker.hpp"
#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {
namespace {

// The registry is no larger than the fleet; reading all of it spares heartbeats an index.
StoreResult<Findings> look_for_lapsed_workers(StoreReader& reader, const LookArguments& arguments) {
    const auto now = reader.now();
    if (!now) return now.error();
    const auto workers = reader.all<WorkerRow>();
    if (!workers) return workers.error();
    Findings found{.now_ms = *now};
    for (const WorkerRow& worker : *workers) {
        if (!has_lapsed(worker, *now)) continue;
        found.more = found.commands.size() == arguments.batch;
        if (found.more) break;
        found.commands.push_back(sweep_worker(worker.key));
    }
    return found;
}

}  // namespace

// A worker that has fallen silent is not listed any more.
ReconcilerSpec worker_registry_ttl_sweep() {
    return {.name = "worker_registry_ttl_sweep", .interval_ms = 30'000, .look = look_for_lapsed_workers};
}

}  // namespace flowfabric
