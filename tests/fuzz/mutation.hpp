#pragma once

#include <string>

#include "support/random.hpp"

namespace flowfabric::test {

// The input as something that a careless or hostile caller could send in its place: bytes and pieces lost, doubled,
// swapped or replaced, and what parsers stumble over put in.
std::string mutated(std::string input, Random& random);

}  // namespace flowfabric::test
