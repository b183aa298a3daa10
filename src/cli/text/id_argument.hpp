#pragma once

#include <string>

#include "flowfabric/client.hpp"

namespace flowfabric::cli {

// The id on a command line. A bare UUID is looked up; an id of the other kind is recognised, with the command that
// shows it.
Result<ExecutionId> execution_argument(Client& client, const std::string& text);
Result<FlowId> flow_argument(const std::string& text);

}  // namespace flowfabric::cli
