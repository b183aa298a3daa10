#pragma once

#include <string>
#include <string_view>

#include "core/command/command.hpp"
#include "core/execution/transition.hpp"

namespace flowfabric {

// The `revoked_by` of a lease that a cancellation by this source revokes.
std::string_view revoker_of(std::string_view source);

enum class CancelledBy : std::uint8_t { owner, others };

// Ends an execution that has not ended: a live lease is given back by its owner or revoked, a lapsed one closed as what
// it is, the attempt ends, and what the execution waited for is closed.
void cancel(Transition& transition, const std::string& reason, const std::string& source, CancellationCause cause,
            CancelledBy by);

// The command that cancels the execution, whatever holds it.
Command cancel_for_operator(const ExecutionId& id, std::string reason);

// Cancels a member on behalf of its flow, unless it has ended or is removed.
void cancel_for_flow(ExecutionEntry* member, const std::string& reason, CancellationCause cause, WorkingSet& set);

}  // namespace flowfabric
