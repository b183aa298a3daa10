#include "core/worker/on_worker.hpp"
#include "core/worker/worker.hpp"
#include "flowfabric/execution.hpp"

namespace flowfabric {
namespace {

class SweepWorkerBody final : public OnWorker {
  public:
    using OnWorker::OnWorker;

    CommandTraits traits() const override {
        return {.name = "sweep_worker", .urgency = Urgency::bulk, .by_timer = true, .on_tables = true};
    }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(worker()); }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        WorkingSet& set = context.set;
        const WorkerRow* row = set.side.of<WorkerRow>().find(worker());
        if (row == nullptr || !has_lapsed(*row, set.now_ms)) return Answer::of<TimerFired>({.changed = false});
        forget_worker(set, worker());
        record_worker_event(set, worker(), WorkerEventKind::ttl_swept);
        return Answer::of<TimerFired>({.changed = true});
    }
};

}  // namespace

Command sweep_worker(WorkerKey worker) {
    return Command::make<SweepWorkerBody>(std::move(worker));
}

}  // namespace flowfabric
