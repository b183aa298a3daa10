#pragma once

#include <span>

#include "store/migration.hpp"

namespace flowfabric::sqlite {

std::span<const Migration> migrations();

}  // namespace flowfabric::sqlite
