#pragma once

#include <cstdint>

#include "core/command/command.hpp"
#include "core/execution/transition.hpp"
#include "flowfabric/grant.hpp"

// Grants: one worker's permission to claim one execution. Issuing one leaves the execution's state as it is; claims of
// others pass it over while the grant lives.
namespace flowfabric {

// What the timer of grants asks for: those that have lapsed are removed.
Command lapse_grant(const ExecutionId& execution_id);

bool has_live_grant(const ExecutionRow& row, std::int64_t now_ms);

// A lease that lapsed unnoticed is ended first. False: a worker holds it, or no worker has lost it.
Result<bool> can_be_reclaimed(Transition& transition);
NotReclaimable not_reclaimable(const ExecutionRow& row);

// `kind`, with the execution's id.
EngineError refused_execution(ErrorKind kind, const ExecutionRow& row);

}  // namespace flowfabric
