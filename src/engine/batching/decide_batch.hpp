#pragma once

#include "engine/batching/batch.hpp"

// The middle of load, decide, save: the commands of a batch, one after the other, on the rows that were loaded for it.
namespace flowfabric {

// Every command of the batch, in order, each on the results of those before it; then what has become claimable is
// handed over. Pure; may be called from any thread.
BatchDecision decide_batch(const Batch& batch, Loaded loaded, const Settings& settings);
using DecideBatch = BatchDecision (*)(const Batch&, Loaded, const Settings&);

}  // namespace flowfabric
