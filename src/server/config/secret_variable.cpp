#include "server/config/secret_variable.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <system_error>

namespace flowfabric::server {
namespace {

std::string trimmed(std::string_view text) {
    constexpr std::string_view space = " \t\r\n";
    text.remove_prefix(std::min(text.find_first_not_of(space), text.size()));
    return std::string(text.substr(0, text.find_last_not_of(space) + 1));
}

Result<std::string> secret_in_file(const std::string& variable, const std::string& path) {
    std::array<char, 4096> buffer{};
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    file.read(buffer.data(), buffer.size());
    if (!file.eof() || file.bad()) {
        const std::string why = errno == 0 ? "too long for a secret" : std::generic_category().message(errno);
        return invalid_input(variable, path + ": " + why);
    }
    std::string text = trimmed({buffer.data(), static_cast<std::size_t>(file.gcount())});
    if (text.empty()) return invalid_input(variable, path + ": is empty");
    return text;
}

}  // namespace

std::optional<std::string> variable_of_process(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Result<std::optional<Secret>> secret_of_environment(const std::string& variable, const Variables& environment) {
    const std::string file_variable = variable + "_FILE";
    const std::optional<std::string> value = environment(variable);
    const std::optional<std::string> path = environment(file_variable);
    const bool names_file = path && !path->empty();
    if (names_file && value && !value->empty()) {
        return invalid_input(file_variable, variable + " is set as well: set one of them");
    }
    if (names_file) {
        auto text = secret_in_file(file_variable, *path);
        if (!text) return text.error();
        return std::optional(Secret{file_variable, *std::move(text)});
    }
    if (value) return std::optional(Secret{variable, trimmed(*value)});
    if (path) return std::optional(Secret{file_variable, ""});
    return std::optional<Secret>();
}

}  // namespace flowfabric::server
