#pragma once

#include <optional>
#include <string>

#include "flowfabric/result.hpp"

namespace flowfabric::cli {

// What the variable holds, or the file that the other variable names, without white space around it; nothing when
// neither is set. An error names the variable, never the secret.
Result<std::optional<std::string>> secret_of_environment(const std::string& variable, const std::string& file_variable);

// Empty when it is not set.
std::string environment(const char* name);

}  // namespace flowfabric::cli
