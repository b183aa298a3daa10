#pragma once

#include <string_view>

#include "flowfabric/search.hpp"

namespace flowfabric {

// Refuses what is out of its limits; names are those of the criteria's fields behind the prefix.
Result<void> check_criteria(const ExecutionCriteria& criteria, const std::string& prefix = "");
bool is_empty(const ExecutionCriteria& criteria);
// Whether all holds for the execution but its tag, which no summary has.
bool matches(const ExecutionCriteria& criteria, const ExecutionSummary& execution);

}  // namespace flowfabric
