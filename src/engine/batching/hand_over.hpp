#pragma once

#include "core/command/decision.hpp"
#include "engine/batching/batch.hpp"

// Work that a batch makes claimable reaches the claims that wait for it in the same transaction.
namespace flowfabric {

// Called once every command is decided. Work goes in claim order: first to the batch's waiting claims, then to its own
// claims that have found nothing, to each as much as it asks for. `rows` are the decision's, and tell lane states. If
// nothing claimable is left the decision announces no work.
void hand_over(const Batch& batch, const BatchRows& rows, const Settings& settings, BatchDecision& decision);

}  // namespace flowfabric
