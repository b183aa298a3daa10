#pragma once

#include <CLI/CLI.hpp>

#include "flowfabric/search.hpp"

namespace flowfabric::cli {

// The options that say which executions are meant. The criteria live as long as the command.
void add_criteria(CLI::App& command, ExecutionCriteria& criteria);

}  // namespace flowfabric::cli
