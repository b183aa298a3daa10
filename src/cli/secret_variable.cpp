#include "cli/secret_variable.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <system_error>

namespace flowfabric::cli {
namespace {

std::string trimmed(std::string_view text) {
    constexpr std::string_view space = " \t\r\n";
    text.remove_prefix(std::min(text.find_first_not_of(space), text.size()));
    return std::string(text.substr(0, text.find_last_not_of(space) + 1));
}

}  // namespace

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

Result<std::optional<std::string>> secret_of_environment(const std::string& variable,
                                                         const std::string& file_variable) {
    const std::string value = environment(variable.c_str());
    const std::string path = environment(file_variable.c_str());
    if (!value.empty() && !path.empty()) {
        return invalid_input(file_variable, variable + " is set as well: set one of them");
    }
    if (!value.empty()) return std::optional(trimmed(value));
    if (path.empty()) return std::optional<std::string>();

    std::array<char, 4096> buffer{};
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    file.read(buffer.data(), buffer.size());
    if (!file.eof() || file.bad()) {
        const std::string why = errno == 0 ? "too long for a secret" : std::generic_category().message(errno);
        return invalid_input(file_variable, path + ": " + why);
    }
    auto text = trimmed({buffer.data(), static_cast<std::size_t>(file.gcount())});
    if (text.empty()) return invalid_input(file_variable, path + ": is empty");
    return std::optional(std::move(text));
}

}  // namespace flowfabric::cli
