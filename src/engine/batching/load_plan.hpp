#pragma once

#include <vector>

#include "engine/batching/batch.hpp"
#include "store/port.hpp"

// Which rows a batch needs before it can be decided, and whether what was loaded will do.
namespace flowfabric {

// Whether the command can make work claimable. A batch with such a command takes waiting claims along.
bool can_release_work(const Command& command);

// The rows that the batch needs, each list in lock order and without repeats.
LoadRequest load_request(const Batch& batch);

// The executions that commands are about and that are neither loaded nor created by a command before them. What a timer
// finds gone is none of them.
std::vector<ExecutionId> missing_executions(const Batch& batch, const LoadRequest& request, const Loaded& loaded);

// Whether a lane has changed its state, or a setting its value, since the batch was routed, and it matters to one of
// its commands.
bool routes_have_changed(const Batch& batch, const Loaded& loaded);

}  // namespace flowfabric
