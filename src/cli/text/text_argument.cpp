#include "cli/text/text_argument.hpp"

#include <cerrno>
#include <fstream>
#include <iostream>
#include <iterator>
#include <system_error>

namespace flowfabric::cli {
namespace {

std::string read_all(std::istream& stream) {
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace

Result<std::string> read_text_argument(const std::string& argument) {
    if (argument == "-") return read_all(std::cin);
    if (!argument.starts_with('@')) return argument;
    const auto path = argument.substr(1);
    std::ifstream file(path, std::ios::binary);
    if (!file) return invalid_input(path, std::generic_category().message(errno));
    try {
        return read_all(file);
    } catch (const std::ios_base::failure& error) {
        return invalid_input(path, error.code().message());
    }
}

}  // namespace flowfabric::cli
