#pragma once

#include <cstdint>

#include "core/flow/flow_rows.hpp"
#include "core/lane/lane_row.hpp"
#include "flowfabric/views.hpp"

namespace flowfabric {

struct ExplainFacts {
    LaneRow lane;                       // as registered
    std::optional<EdgeGroupRow> group;  // that holds the execution
    std::vector<ExecutionId> open;      // that the group waits for
};

// Why an execution does not run, or where it stands if it does: every predicate that holds at `now_ms`.
Explanation explain(const ExecutionRow& row, const ExplainFacts& facts, std::int64_t now_ms);

}  // namespace flowfabric
