#pragma once

#include <string>

#include "flowfabric/ids.hpp"

namespace flowfabric::cli {

// The id on a command line. One of the other kind is recognised, with the command that shows it.
Result<ExecutionId> execution_argument(const std::string& text);
Result<FlowId> flow_argument(const std::string& text);

}  // namespace flowfabric::cli
