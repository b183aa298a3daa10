#pragma once

#include <string>

#include "flowfabric/views.hpp"

namespace flowfabric {

// What is left for data in the file system of this directory; its remedy names what has to grow.
Finding examine_free_space(const std::string& directory);

}  // namespace flowfabric
