#include "core/worker/worker.hpp"

#include "core/base/names.hpp"
#include "core/base/partition.hpp"
#include "core/command/admission.hpp"
#include "core/execution/retry.hpp"
#include "core/worker/on_worker.hpp"
#include "core/worker/worker_mode.hpp"

namespace flowfabric {

Result<WorkerKey> worker_key_of(std::string namespace_name, std::string worker_instance_id) {
    Checks check;
    check(check_identity("namespace", namespace_name));
    check(check_identity("worker_instance_id", worker_instance_id));
    if (check.fault()) return *check.fault();
    return WorkerKey{worker_partition(worker_instance_id), std::move(namespace_name), std::move(worker_instance_id)};
}

std::int64_t expiry_of(const WorkerRow& row) {
    return saturating_add(row.last_heartbeat_ms, static_cast<std::uint64_t>(row.liveness_ttl_ms));
}

bool has_lapsed(const WorkerRow& row, std::int64_t now_ms) {
    return expiry_of(row) <= now_ms;
}

const WorkerRow* find_alive_worker(const WorkingSet& set, const WorkerKey& key) {
    const WorkerRow* row = set.side.of<WorkerRow>().find(key);
    return row != nullptr && !has_lapsed(*row, set.now_ms) ? row : nullptr;
}

void forget_worker(WorkingSet& set, const WorkerKey& key) {
    set.side.of<WorkerRow>().erase(key);
    set.side.of<WorkerModeRow>().erase(
        worker_mode_key(WorkerScope::instance, key.namespace_name, key.worker_instance_id));
}

void record_worker_event(WorkingSet& set, const WorkerKey& worker, WorkerEventKind kind,
                         std::optional<std::string> reason) {
    set.side.of<WorkerEventRow>().put({.key = {worker, set.now_ms, kind}, .reason = std::move(reason)});
}

}  // namespace flowfabric
