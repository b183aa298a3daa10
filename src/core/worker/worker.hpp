#pragma once

#include <cstdint>

#include "core/command/command.hpp"
#include "core/worker/worker_rows.hpp"

// The registry of workers. A registration that has lapsed counts as none, swept or not.
namespace flowfabric {

// A worker that has not been heard of for too long …
bool has_lapsed(const WorkerRow& row, std::int64_t now_ms);
// … is taken off the list, unless it is back by then.
Command sweep_worker(WorkerKey worker);

}  // namespace flowfabric
