#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/command/command.hpp"
#include "core/command/contents.hpp"
#include "flowfabric/worker.hpp"

// Commands that are about one worker.
namespace flowfabric {

class OnWorker : public CommandBody {
  public:
    explicit OnWorker(WorkerKey worker) : worker_(std::move(worker)) {}

    std::span<const ExecutionId> executions() const final { return {}; }
    void name_rows(NamedRows& rows) const override { rows.side.of<WorkerRow>().keys.push_back(worker_); }
    std::string subject() const final { return "worker " + worker_.worker_instance_id; }

  protected:
    const WorkerKey& worker() const { return worker_; }

  private:
    WorkerKey worker_;
};

Result<WorkerKey> worker_key_of(std::string namespace_name, std::string worker_instance_id);

std::int64_t expiry_of(const WorkerRow& row);
// Null: it is not registered, or has lapsed.
const WorkerRow* find_alive_worker(const WorkingSet& set, const WorkerKey& key);
// Its registration ends, and with it what was asked of this process alone.
void forget_worker(WorkingSet& set, const WorkerKey& key);
void record_worker_event(WorkingSet& set, const WorkerKey& worker, WorkerEventKind kind,
                         std::optional<std::string> reason = {});

}  // namespace flowfabric
