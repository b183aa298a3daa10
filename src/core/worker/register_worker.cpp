#include <algorithm>

#include "core/base/names.hpp"
#include "core/command/admission.hpp"
#include "core/worker/on_worker.hpp"
#include "core/worker/worker_mode.hpp"

namespace flowfabric {
namespace {

class RegisterWorkerBody final : public OnWorker {
  public:
    // The row has all but its times.
    explicit RegisterWorkerBody(WorkerRow row) : OnWorker(row.key), row_(std::move(row)) {}

    CommandTraits traits() const override {
        return {.name = "register_worker", .urgency = Urgency::bulk, .on_tables = true};
    }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(worker(), row_, row_.lanes.values); }
    void name_rows(NamedRows& rows) const override {
        OnWorker::name_rows(rows);
        name_modes(rows, worker().namespace_name, row_.worker_id, worker().worker_instance_id);
    }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        WorkingSet& set = context.set;
        WorkerRow row = row_;
        const WorkerRow* alive = find_alive_worker(set, row.key);
        if (alive != nullptr && alive->worker_id != row.worker_id) {
            return invalid_input("worker_instance_id", "instance_id reassigned");
        }
        const bool refreshed = alive != nullptr;
        row.last_heartbeat_ms = set.now_ms;
        row.registered_at_ms = refreshed ? alive->registered_at_ms : set.now_ms;
        if (!refreshed) record_worker_event(set, row.key, WorkerEventKind::registered);
        const WorkerRegistered answer{
            .refreshed = refreshed,
            .next_expiry_ms = expiry_of(row),
            .mode = mode_of(set, row.key.namespace_name, row.worker_id, row.key.worker_instance_id)};
        set.side.of<WorkerRow>().put(std::move(row));
        return Answer::of<WorkerRegistered>(answer);
    }

  private:
    WorkerRow row_;
};

}  // namespace

template <>
Result<Command> admit(RegisterWorker command, const Settings&, const IdSource&) {
    auto key = worker_key_of(std::move(command.namespace_name), std::move(command.worker_instance_id));
    if (!key) return key.error();
    Checks check;
    check(check_identity("worker_id", command.worker_id));
    check(check_lanes(command.lanes));
    check(check_ttl(command.liveness_ttl_ms, "liveness_ttl_ms"));
    if (check.fault()) return *check.fault();
    auto capabilities = normalise_capabilities("worker", std::move(command.capabilities));
    if (!capabilities) return capabilities.error();
    std::ranges::sort(command.lanes);
    command.lanes.erase(std::ranges::unique(command.lanes).begin(), command.lanes.end());
    return Command::make<RegisterWorkerBody>(
        WorkerRow{.key = std::move(*key),
                  .worker_id = std::move(command.worker_id),
                  .lanes = {std::move(command.lanes)},
                  .capabilities_csv = csv_of(*capabilities),
                  .liveness_ttl_ms = static_cast<std::int64_t>(command.liveness_ttl_ms)});
}

}  // namespace flowfabric
