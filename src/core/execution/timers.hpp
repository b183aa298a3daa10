#pragma once

#include "core/command/command.hpp"
#include "flowfabric/execution.hpp"

namespace flowfabric {

// Each of these leaves alone what is not due, once it is locked.
Command expire_lease(const ExecutionId& id);
Command promote_delayed(const ExecutionId& id);
Command time_out_attempt(const ExecutionId& id);
Command expire_execution(const ExecutionId& id);

// What the timer's reconciler asks for.
Command command_of(Timer timer, const ExecutionId& id);

}  // namespace flowfabric
