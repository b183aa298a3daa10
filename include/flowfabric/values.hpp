#pragma once

#include <map>
#include <string>

namespace flowfabric {

using Bytes = std::string;
using Tags = std::map<std::string, std::string>;

}  // namespace flowfabric
