#pragma once

#include <string>
#include <string_view>

namespace flowfabric {

// What is wrong with a JSON text, and where: "line 2, column 14: syntax error"; of a text of one line only the column.
// Empty when nothing is.
std::string json_fault(std::string_view text);

}  // namespace flowfabric
