#include "core/base/names.hpp"
#include "core/worker/on_worker.hpp"

namespace flowfabric {
namespace {

class MarkWorkerDeadBody final : public OnWorker {
  public:
    MarkWorkerDeadBody(WorkerKey worker, std::string reason)
        : OnWorker(std::move(worker)), reason_(std::move(reason)) {}

    CommandTraits traits() const override { return {.name = "mark_worker_dead", .on_tables = true}; }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(worker(), reason_); }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        WorkingSet& set = context.set;
        if (find_alive_worker(set, worker()) == nullptr) return Answer::of<WorkerDeath>(NotRegistered{});
        forget_worker(set, worker());
        record_worker_event(set, worker(), WorkerEventKind::marked_dead, reason_);
        return Answer::of<WorkerDeath>(WorkerMarkedDead{});
    }

  private:
    std::string reason_;
};

}  // namespace

template <>
Result<Command> admit(MarkWorkerDead command, const Settings&, const IdSource&) {
    auto key = worker_key_of(std::move(command.namespace_name), std::move(command.worker_instance_id));
    if (!key) return key.error();
    if (auto checked = check_line("reason", command.reason, max_line_bytes); !checked) return checked.error();
    return Command::make<MarkWorkerDeadBody>(std::move(*key), std::move(command.reason));
}

}  // namespace flowfabric
