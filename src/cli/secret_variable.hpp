#pragma once

#include <optional>
#include <string>

#include "server/config/secret_variable.hpp"

namespace flowfabric::cli {

// Of this process; nothing also if it is empty.
Result<std::optional<server::Secret>> secret_of_environment(const std::string& variable);

// Empty when it is not set.
std::string environment(const char* name);

}  // namespace flowfabric::cli
