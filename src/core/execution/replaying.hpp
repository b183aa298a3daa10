#pragma once

#include "core/command/command.hpp"

namespace flowfabric {

Command replay_execution(const ExecutionId& id);

}  // namespace flowfabric
