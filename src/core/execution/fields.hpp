#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/rows/execution_row.hpp"

namespace flowfabric {

// The named columns of the row as text. An unknown name, like a column without a value, gives nothing.
std::map<std::string, std::optional<std::string>> fields_of(const ExecutionRow& row,
                                                            const std::vector<std::string>& names);

}  // namespace flowfabric
