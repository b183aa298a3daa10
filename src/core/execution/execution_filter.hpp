#pragma once

#include <optional>
#include <string>
#include <utility>

#include "core/flow/flow_rows.hpp"
#include "core/rows/execution_row.hpp"

namespace flowfabric {

// The executions that a reconciler serves; empty: all.
struct ExecutionFilter {
    std::optional<std::string> namespace_name;
    std::optional<std::pair<std::string, std::string>> tag;  // any tag of the execution, and its value

    bool empty() const { return !namespace_name && !tag; }
    bool admits(const ExecutionRow& row) const;
    bool admits(const FlowRow& row) const;
};

}  // namespace flowfabric
