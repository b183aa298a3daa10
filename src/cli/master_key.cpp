#include "cli/master_key.hpp"

#include <algorithm>
#include <cctype>

#include "cli/secret_variable.hpp"

namespace flowfabric::cli {

Result<std::optional<std::string>> master_key_of_environment() {
    constexpr std::size_t digits = 64;
    auto key = secret_of_environment(master_key_variable);
    if (!key) return key.error();
    if (!*key) return std::optional<std::string>();
    const auto is_digit = [](unsigned char c) { return std::isxdigit(c) != 0; };
    if ((*key)->text.size() != digits || !std::ranges::all_of((*key)->text, is_digit)) {
        return invalid_input((*key)->under, "must hold 64 hex digits");
    }
    return std::optional(std::move((*key)->text));
}

}  // namespace flowfabric::cli
