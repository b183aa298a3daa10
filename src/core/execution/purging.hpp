#pragma once

#include "core/command/command.hpp"

namespace flowfabric {

Command purge_execution(const ExecutionId& id);

}  // namespace flowfabric
