#pragma once

#include "core/rows/execution_row.hpp"

namespace flowfabric::postgres {

// What the claim index goes by: the class whose workers may claim the execution, or 0 while something else than time or
// other executions holds it back.
inline std::optional<std::int32_t> claim_class_of(const ExecutionRow& row) {
    switch (row.vector.eligibility_state) {
        case EligibilityState::eligible_now:
            return row.class_id;
        case EligibilityState::blocked_by_budget:
        case EligibilityState::blocked_by_quota:
        case EligibilityState::blocked_by_route:
        case EligibilityState::blocked_by_lane_state:
        case EligibilityState::blocked_by_operator:
            return 0;
        case EligibilityState::blocked_by_dependencies:
        case EligibilityState::not_eligible_until_time:
        case EligibilityState::not_applicable:
            return std::nullopt;
    }
    return std::nullopt;
}

// As visit_execution_columns(), and what is stored besides.
template <class Row, class Visitor>
void visit_stored_columns(Row& row, Visitor&& visit) {
    visit_execution_columns(row, visit);
    auto claim_class = claim_class_of(row);
    visit("claim_class", claim_class, ColumnUse::hot);
}

}  // namespace flowfabric::postgres
