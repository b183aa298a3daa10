#pragma once

#include "core/working_set.hpp"
#include "store/port.hpp"
#include "store/postgres/connection.hpp"

namespace flowfabric::postgres {

// Sends what a batch changes, one statement per table and kind of change, in the one lock order; the marker, and
// COMMIT.
void send_changes(Connection& connection, const WorkingSet& changes, const Marker& marker);

}  // namespace flowfabric::postgres
