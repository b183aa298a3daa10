#include "flowfabric/json_fault.hpp"

#include <algorithm>
#include <boost/json.hpp>

namespace flowfabric {
namespace {

// In characters, which are more than their bytes only in UTF-8's continuation bytes.
std::string place_of(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, offset);
    const auto line_start = before.rfind('\n') + 1;
    const auto column = 1 + std::ranges::count_if(before.substr(line_start), [](char c) {
                            return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
                        });
    std::string in_line = "column " + std::to_string(column);
    if (text.find('\n') == std::string_view::npos) return in_line;
    return "line " + std::to_string(1 + std::ranges::count(before, '\n')) + ", " + in_line;
}

}  // namespace

std::string json_fault(std::string_view text) {
    boost::json::parser parser;
    boost::system::error_code failure;
    const std::size_t read = parser.write_some(text.data(), text.size(), failure);
    if (!failure && read < text.size()) failure = boost::json::error::extra_data;
    if (!failure) return {};
    return place_of(text, read) + ": " + failure.message();
}

}  // namespace flowfabric
