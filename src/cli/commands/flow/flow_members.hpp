#pragma once

#include <vector>

#include "flowfabric/client.hpp"

namespace flowfabric::cli {

// All members of the flow, page by page.
Result<std::vector<ExecutionSummary>> members_of(Client& client, const FlowId& id);

}  // namespace flowfabric::cli
