#pragma once

#include <vector>

#include "core/rows.hpp"
#include "flowfabric/views.hpp"

namespace flowfabric {

ExecutionView view_of(const ExecutionRow& row);
// History and, last, the open attempt, if there is one.
std::vector<AttemptView> attempts_of(const std::vector<AttemptRow>& ended, const ExecutionRow& row);

}  // namespace flowfabric
