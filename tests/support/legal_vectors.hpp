#pragma once

#include "flowfabric/state.hpp"

namespace flowfabric::test {

// Whether the specification's table of legal vectors has this one, public state included. Written from the table, not
// from core/execution/state_vector.cpp, so that each checks the other.
bool is_in_table_of_legal_vectors(const StateVector& vector);

}  // namespace flowfabric::test
