#pragma once

#include <cstdint>

#include "core/side_rows.hpp"
#include "flowfabric/views.hpp"

namespace flowfabric {

// Why an execution does not run, or where it stands if it does: every predicate that holds at `now_ms`.
// `lane` is the execution's lane, as registered.
Explanation explain(const ExecutionRow& row, const LaneRow& lane, std::int64_t now_ms);

}  // namespace flowfabric
