#include "core/rows/working_set.hpp"

#include <algorithm>

namespace flowfabric {

bool WorkingSet::has_events() const {
    return !lease_events.empty() || !completion_events.empty() || !signal_events.empty() || !operator_events.empty();
}

bool WorkingSet::empty() const {
    const auto unchanged = [](const ExecutionEntry& entry) { return entry.change == RowChange::none; };
    return idempotency.empty() && attempts.empty() && !has_events() && !has_changes(side) && submissions.empty() &&
           dispatched.empty() && input_copies.empty() && std::ranges::all_of(executions, unchanged);
}

}  // namespace flowfabric
