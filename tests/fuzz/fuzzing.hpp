#pragma once

#include <functional>

#include "support/random.hpp"

namespace flowfabric::test {

// Calls it for FF_FUZZ_SECONDS, or until it fails, with one seed after the other. What it does follows from the seed,
// which a failure prints; FF_SEED=N begins with that one.
void fuzz(const std::function<void(Random&)>& take);

}  // namespace flowfabric::test
