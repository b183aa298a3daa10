#pragma once

#include <vector>

#include "store/port.hpp"

namespace flowfabric {

// For every timer, how long the row that has waited longest has been due. The store's schema is ours.
std::vector<Finding> examine_lag(Backend& backend);

}  // namespace flowfabric
