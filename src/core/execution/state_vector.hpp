#pragma once

#include "flowfabric/state.hpp"

// The state vector: which combinations may exist, and the public state that each of them shows.
namespace flowfabric {

PublicState derive_public_state(const StateVector& vector);
bool is_legal(const StateVector& vector);

// The legal vectors by their codes in the specification; public_state is derived.
StateVector waiting_vector(AttemptState attempt);                         // W
StateVector delayed_vector(BlockingReason reason, AttemptState attempt);  // DL
StateVector dependency_vector(AttemptState attempt);                      // BD
StateVector active_vector();
StateVector suspended_vector(BlockingReason reason);                      // A
StateVector lease_expired_vector();                                       // X
StateVector lease_revoked_vector();                                       // R
StateVector terminal_vector(TerminalOutcome outcome, bool ever_claimed);  // T

}  // namespace flowfabric
