#pragma once

#include <string>
#include <vector>

#include "support/dump.hpp"

namespace flowfabric::test {

// A group's counters are its edges' states, it is decided as its policy says, its child follows it, and nobody waits
// for an execution whose end has been dispatched.
void check_flows(const Dump& dump, std::vector<std::string>& violations);

// Of what happened to flows since an earlier dump of the same store: a group fires once for each set of edges, an edge
// is resolved once, and what a replay did not reopen stays as it is.
std::vector<std::string> flow_violations_between(const Dump& before, const Dump& after);

}  // namespace flowfabric::test
