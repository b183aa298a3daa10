#pragma once

#include "engine/batching/batch.hpp"
#include "flowfabric/observer.hpp"

namespace flowfabric {

// What an observer is told of a batch whose commands are answered.
ObservedBatch observed_batch(const Batch& batch, const BatchDecision& decision, std::chrono::milliseconds took,
                             bool names_attempts = false);

}  // namespace flowfabric
