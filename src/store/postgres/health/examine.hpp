#pragma once

#include <string>
#include <vector>

#include "flowfabric/views.hpp"

namespace flowfabric::postgres {

// How healthy the database is, as far as one session can tell. Changes nothing; throws Failure if it cannot connect.
std::vector<Finding> examine(const std::string& url);

}  // namespace flowfabric::postgres
