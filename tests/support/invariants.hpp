#pragma once

#include <string>
#include <vector>

#include "store/port.hpp"
#include "support/dump.hpp"

// What must hold of a store's contents whatever happened to it. Each violation is a sentence that names the execution.
namespace flowfabric::test {

// Of one state: legal vectors, columns that fit them, dense attempts, and an event log that is a legal path to here.
std::vector<std::string> violations(const Dump& dump);

// Of what happened since an earlier dump of the same store: nothing that is final changed, nothing went backwards.
std::vector<std::string> violations_between(const Dump& before, const Dump& after);

void expect_invariants(Backend& backend);
void expect_invariants(const Dump& dump);

}  // namespace flowfabric::test
