#include "cli/secret_variable.hpp"

namespace flowfabric::cli {

std::string environment(const char* name) {
    return server::variable_of_process(name).value_or("");
}

Result<std::optional<server::Secret>> secret_of_environment(const std::string& variable) {
    auto secret = server::secret_of_environment(variable, server::variable_of_process);
    if (secret && *secret && (*secret)->text.empty()) return std::optional<server::Secret>();
    return secret;
}

}  // namespace flowfabric::cli
