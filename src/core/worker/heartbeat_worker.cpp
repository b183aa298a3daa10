#include "core/worker/on_worker.hpp"
#include "core/worker/worker_mode.hpp"

namespace flowfabric {
namespace {

class HeartbeatWorkerBody final : public OnWorker {
  public:
    using OnWorker::OnWorker;

    CommandTraits traits() const override { return {.name = "heartbeat_worker", .on_tables = true}; }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(worker()); }

    // The worker that it is a process of is known once its row is.
    void name_rows(NamedRows& rows) const override {
        OnWorker::name_rows(rows);
        rows.side.of<WorkerModeRow>().all = true;
    }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        WorkingSet& set = context.set;
        const WorkerRow* alive = find_alive_worker(set, worker());
        if (alive == nullptr) return Answer::of<Heartbeat>(NotRegistered{});
        WorkerRow row = *alive;
        row.last_heartbeat_ms = set.now_ms;
        const WorkerAlive answer{
            .next_expiry_ms = expiry_of(row),
            .mode = mode_of(set, row.key.namespace_name, row.worker_id, row.key.worker_instance_id)};
        set.side.of<WorkerRow>().put(std::move(row));
        return Answer::of<Heartbeat>(answer);
    }
};

}  // namespace

template <>
Result<Command> admit(HeartbeatWorker command, const Settings&, const IdSource&) {
    auto key = worker_key_of(std::move(command.namespace_name), std::move(command.worker_instance_id));
    if (!key) return key.error();
    return Command::make<HeartbeatWorkerBody>(std::move(*key));
}

}  // namespace flowfabric
