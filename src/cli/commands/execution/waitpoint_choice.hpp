#pragma once

#include <string>
#include <vector>

#include "flowfabric/client.hpp"

namespace flowfabric::cli {

// All waitpoints of the execution that are open.
Result<std::vector<WaitpointView>> open_waitpoints(Client& client, const ExecutionId& id);

// The one that is meant, by its key or its id; without a name the only one that there is.
Result<WaitpointView> choose_waitpoint(Client& client, const ExecutionId& id, const std::string& name);

}  // namespace flowfabric::cli
