#pragma once

#include "flowfabric/state.hpp"
#include "flowfabric/stream.hpp"

namespace flowfabric {

// A way in which an attempt ends: what its history says, and what those learn who follow its stream.
struct AttemptEnding {
    AttemptOutcome outcome = AttemptOutcome::ended_success;
    StreamEnd stream = StreamEnd::attempt_success;
};

// All of them.
namespace attempt_ending {

inline constexpr AttemptEnding success{AttemptOutcome::ended_success, StreamEnd::attempt_success};
inline constexpr AttemptEnding failure{AttemptOutcome::ended_failure, StreamEnd::attempt_failure};
inline constexpr AttemptEnding time_limit{AttemptOutcome::ended_failure, StreamEnd::expired};
inline constexpr AttemptEnding cancellation{AttemptOutcome::ended_cancelled, StreamEnd::attempt_cancelled};
inline constexpr AttemptEnding suspension_timeout{AttemptOutcome::ended_failure, StreamEnd::suspension_timeout};
inline constexpr AttemptEnding cancelling_timeout{AttemptOutcome::ended_cancelled, StreamEnd::suspension_timeout};
inline constexpr AttemptEnding dependency{AttemptOutcome::ended_cancelled, StreamEnd::dependency_impossible};
// Its lease was lost before, and with it went the stream: by the worker's silence, or by an operator.
inline constexpr AttemptEnding silence{AttemptOutcome::interrupted_reclaimed, StreamEnd::lease_expired};
inline constexpr AttemptEnding revocation{AttemptOutcome::interrupted_reclaimed, StreamEnd::attempt_interrupted};

}  // namespace attempt_ending
}  // namespace flowfabric
