#pragma once

#include "engine/batching/batch.hpp"

namespace flowfabric::test {

// Whether a decision with this error may have ended a lapsed grant or a lapsed waitpoint on the way. That of a lease is
// told by its event.
inline bool ends_what_has_lapsed(const EngineError& error) {
    return error.kind == ErrorKind::claim_grant_expired || error.kind == ErrorKind::waitpoint_closed;
}

// decide_batch, with an eye on what decisions promise: an error leaves the rows as they were. So the batch without its
// refused commands has the same effect, unless one of them ended what had lapsed; else the test fails.
BatchDecision decide_watching_refusals(const Batch& batch, Loaded loaded, const Settings& settings);

}  // namespace flowfabric::test
