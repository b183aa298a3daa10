#include "core/command/decisions.hpp"
#include "core/execution/retry.hpp"

// The registry of workers. A registration that has lapsed counts as none, swept or not.
namespace flowfabric {
namespace {

std::int64_t expiry_of(const WorkerRow& row) {
    return saturating_add(row.last_heartbeat_ms, static_cast<std::uint64_t>(row.liveness_ttl_ms));
}

const WorkerRow* find_alive(const WorkingSet& set, const WorkerKey& key) {
    const WorkerRow* row = set.side.of<WorkerRow>().find(key);
    return row != nullptr && expiry_of(*row) > set.now_ms ? row : nullptr;
}

void record(WorkingSet& set, const WorkerKey& worker, WorkerEventKind kind, std::optional<std::string> reason = {}) {
    set.side.of<WorkerEventRow>().put({.key = {worker, set.now_ms, kind}, .reason = std::move(reason)});
}

}  // namespace

bool has_lapsed(const WorkerRow& row, std::int64_t now_ms) {
    return expiry_of(row) <= now_ms;
}

Result<Answer> decide(const AdmittedWorker& command, DecisionContext& context) {
    WorkingSet& set = context.set;
    WorkerRow row = command.row;
    const WorkerRow* alive = find_alive(set, row.key);
    if (alive != nullptr && alive->worker_id != row.worker_id) {
        return invalid_input("worker_instance_id", "instance_id reassigned");
    }
    const bool refreshed = alive != nullptr;
    row.last_heartbeat_ms = set.now_ms;
    row.registered_at_ms = refreshed ? alive->registered_at_ms : set.now_ms;
    if (!refreshed) record(set, row.key, WorkerEventKind::registered);
    const WorkerRegistered answer{.refreshed = refreshed, .next_expiry_ms = expiry_of(row)};
    set.side.of<WorkerRow>().put(std::move(row));
    return Answer{answer};
}

Result<Answer> decide(const AdmittedHeartbeat& command, DecisionContext& context) {
    WorkingSet& set = context.set;
    const WorkerRow* alive = find_alive(set, command.worker);
    if (alive == nullptr) return Answer{Heartbeat{NotRegistered{}}};
    WorkerRow row = *alive;
    row.last_heartbeat_ms = set.now_ms;
    const WorkerAlive answer{expiry_of(row)};
    set.side.of<WorkerRow>().put(std::move(row));
    return Answer{Heartbeat{answer}};
}

Result<Answer> decide(const AdmittedWorkerDeath& command, DecisionContext& context) {
    WorkingSet& set = context.set;
    if (find_alive(set, command.worker) == nullptr) return Answer{WorkerDeath{NotRegistered{}}};
    set.side.of<WorkerRow>().erase(command.worker);
    record(set, command.worker, WorkerEventKind::marked_dead, command.reason);
    return Answer{WorkerDeath{WorkerMarkedDead{}}};
}

Result<Answer> decide(const SweepWorker& command, DecisionContext& context) {
    WorkingSet& set = context.set;
    const WorkerRow* row = set.side.of<WorkerRow>().find(command.worker);
    if (row == nullptr || !has_lapsed(*row, set.now_ms)) return Answer{TimerFired{.changed = false}};
    set.side.of<WorkerRow>().erase(command.worker);
    record(set, command.worker, WorkerEventKind::ttl_swept);
    return Answer{TimerFired{.changed = true}};
}

}  // namespace flowfabric
