#pragma once

#include <span>

#include "store/migration.hpp"

namespace flowfabric::postgres {

std::span<const Migration> migrations();

}  // namespace flowfabric::postgres
