#pragma once

#include <string>
#include <vector>

#include "flowfabric/result.hpp"

namespace flowfabric {

// Creates the database roles ff_worker, ff_submitter and ff_reader where they are missing, gives them exactly the
// rights that they need in this store, and returns their names. For PostgreSQL, on a schema that is up to date, as its
// owner; later migrations keep the rights complete.
Result<std::vector<std::string>> create_roles(const std::string& store);

}  // namespace flowfabric
