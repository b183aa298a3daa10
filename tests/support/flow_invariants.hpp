#pragma once

#include <string>
#include <vector>

#include "support/dump.hpp"

namespace flowfabric::test {

// A group's counters are its edges' states, it is decided as its policy says, its child follows it, and nobody waits
// for an execution whose end has been dispatched.
void check_flows(const Dump& dump, std::vector<std::string>& violations);

}  // namespace flowfabric::test
