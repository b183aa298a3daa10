#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/execution/held_lease.hpp"
#include "core/execution/transition.hpp"

namespace flowfabric {

enum class OverrideRule : std::uint8_t { never, operator_may_override };

// The ladder that every operation on a lease climbs: does the caller hold this execution's live lease? A lease that
// has lapsed unnoticed is expired here, in the caller's own transaction, and the caller is told so.
std::optional<EngineError> refuse_by_fence(Transition& transition, const HeldLease& lease, OverrideRule rule);
// Its first step alone: whether the caller names a lease at all.
std::optional<EngineError> refuse_without_fence(const HeldLease& lease);

// Whether the row's last attempt is the one the caller speaks of: the sign of a repeated call.
bool names_last_attempt(const ExecutionRow& row, const HeldLease& lease);
// Whether the row stands as this very call of the lease's holder left it when it gave the lease back.
bool is_repeated_release(const EngineError& refusal, const ExecutionRow& row, const HeldLease& lease,
                         std::string_view call);

// `kind`, because of the state that the execution is in.
EngineError refused_in_state(ErrorKind kind, const ExecutionRow& row);
EngineError execution_not_found(const ExecutionId& id);
EngineError execution_not_active(const ExecutionRow& row);

}  // namespace flowfabric
