#pragma once

#include "core/rows/working_set.hpp"
#include "store/port.hpp"
#include "store/postgres/sql/execution_updates.hpp"
#include "store/postgres/wire/connection.hpp"

namespace flowfabric::postgres {

// Sends what a batch changes, one statement per table and kind of change, in the one lock order; the marker, and
// COMMIT. Tells which of the results read_ends_of_members() is to read, if one does.
std::optional<std::size_t> send_changes(Connection& connection, WriteForms& forms, const WorkingSet& changes,
                                        ExecutionUpdates& updates, const Marker& marker);

std::vector<Undispatched> read_ends_of_members(const Rows& ids, const WorkingSet& changes);

}  // namespace flowfabric::postgres
