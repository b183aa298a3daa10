#pragma once

#include <string>

#include "flowfabric/result.hpp"

namespace flowfabric::cli {

// An argument's text: as given, from a file (`@FILE`) or from standard input (`-`).
Result<std::string> read_text_argument(const std::string& argument);

}  // namespace flowfabric::cli
