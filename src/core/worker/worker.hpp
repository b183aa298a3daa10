#pragma once

#include <cstdint>

#include "core/command/command.hpp"
#include "core/worker/worker_rows.hpp"

// The registry of workers. A registration that has lapsed counts as none, swept or not.
namespace flowfabric {

// Whether the last heartbeat is older than the registration lasts.
bool has_lapsed(const WorkerRow& row, std::int64_t now_ms);
// Removes the registration if it has lapsed once its row is locked.
Command sweep_worker(WorkerKey worker);

}  // namespace flowfabric
