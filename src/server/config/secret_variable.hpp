#pragma once

#include <functional>
#include <optional>
#include <string>

#include "flowfabric/result.hpp"

namespace flowfabric::server {

// What a variable of the environment holds; nothing if it is not set.
using Variables = std::function<std::optional<std::string>(const std::string& name)>;

// The environment of this process.
std::optional<std::string> variable_of_process(const std::string& name);

struct Secret {
    std::string under;  // the variable that gave it
    std::string text;   // without white space around it; empty: the variable is
};

// A secret is what VARIABLE holds or the file that VARIABLE_FILE names, and not both. Nothing when neither is set. An
// error names the variable, never the secret.
Result<std::optional<Secret>> secret_of_environment(const std::string& variable, const Variables& environment);

}  // namespace flowfabric::server
