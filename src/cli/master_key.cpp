#include "cli/master_key.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <system_error>

namespace flowfabric::cli {
namespace {

constexpr std::size_t digits = 64;

Result<std::optional<std::string>> checked(const char* variable, std::string_view text) {
    constexpr std::string_view space = " \t\r\n";
    text.remove_prefix(std::min(text.find_first_not_of(space), text.size()));
    text = text.substr(0, text.find_last_not_of(space) + 1);
    const auto is_digit = [](unsigned char c) { return std::isxdigit(c) != 0; };
    if (text.size() != digits || !std::ranges::all_of(text, is_digit)) {
        return invalid_input(variable, "must hold 64 hex digits");
    }
    return std::optional(std::string(text));
}

}  // namespace

Result<std::optional<std::string>> master_key_of_environment() {
    const auto value_of = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string_view(value == nullptr ? "" : value);
    };
    const auto key = value_of(master_key_variable);
    const std::string path(value_of(master_key_file_variable));
    if (!key.empty() && !path.empty()) {
        return invalid_input(master_key_file_variable, "FF_MASTER_KEY is set as well: set one of them");
    }
    if (!key.empty()) return checked(master_key_variable, key);
    if (path.empty()) return std::optional<std::string>();

    std::array<char, 4096> buffer{};
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    file.read(buffer.data(), buffer.size());
    if (!file.eof() || file.bad()) {
        const std::string why = errno == 0 ? "too long for a key" : std::generic_category().message(errno);
        return invalid_input(master_key_file_variable, path + ": " + why);
    }
    return checked(master_key_file_variable, {buffer.data(), static_cast<std::size_t>(file.gcount())});
}

}  // namespace flowfabric::cli
