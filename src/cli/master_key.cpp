#include "cli/master_key.hpp"

#include <algorithm>
#include <cctype>

#include "cli/secret_variable.hpp"

namespace flowfabric::cli {

Result<std::optional<std::string>> master_key_of_environment() {
    constexpr std::size_t digits = 64;
    auto key = secret_of_environment(master_key_variable, master_key_file_variable);
    if (!key || !*key) return key;
    const auto is_digit = [](unsigned char c) { return std::isxdigit(c) != 0; };
    if ((*key)->size() != digits || !std::ranges::all_of(**key, is_digit)) {
        const bool in_file = environment(master_key_variable).empty();
        return invalid_input(in_file ? master_key_file_variable : master_key_variable, "must hold 64 hex digits");
    }
    return key;
}

}  // namespace flowfabric::cli
