#pragma once

#include <cstdint>

#include "core/command/command.hpp"
#include "core/execution/transition.hpp"
#include "core/signing/signing.hpp"
#include "flowfabric/grant.hpp"

// A grant is one worker's permission to claim one execution. The execution's state stays as it is; other claims pass
// the execution over while the grant lives.
namespace flowfabric {

// Removes the execution's lapsed grants, at the request of their timer.
Command lapse_grant(const ExecutionId& execution_id);

bool has_live_grant(const ExecutionRow& row, std::int64_t now_ms);

// Whether a worker has lost the execution. A lease that lapsed unnoticed is ended first.
Result<bool> can_be_reclaimed(Transition& transition);
NotReclaimable not_reclaimable(const ExecutionRow& row);

// Gives the worker that the request names the one grant that the execution can have. Lapsed ones go.
ClaimGrant issue_grant(Transition& transition, WorkingSet& set, GrantKind kind, const GrantRequest& request,
                       const SigningKey& key);

// An error of this kind that names the execution.
EngineError refused_execution(ErrorKind kind, const ExecutionRow& row);

}  // namespace flowfabric
