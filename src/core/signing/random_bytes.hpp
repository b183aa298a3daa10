#pragma once

#include <cstddef>

#include "flowfabric/result.hpp"
#include "flowfabric/values.hpp"

namespace flowfabric {

// For secrets: from the process's source, which cannot be guessed from anything that it gave before.
Result<Bytes> random_bytes(std::size_t count);

}  // namespace flowfabric
