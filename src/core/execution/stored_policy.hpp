#pragma once

#include <optional>
#include <string>

#include "core/rows/execution_row.hpp"
#include "flowfabric/result.hpp"

namespace flowfabric {

// The policy that the execution was created with; an error if what is stored is damaged.
Result<std::optional<ExecutionPolicy>> stored_policy(const ExecutionRow& row);

// The same, and nothing where it is damaged.
std::optional<ExecutionPolicy> sound_policy(const ExecutionRow& row);

// What is wrong with it, if anything is.
std::optional<std::string> damage_in_policy(const ExecutionRow& row);

}  // namespace flowfabric
