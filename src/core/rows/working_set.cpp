#include "core/rows/working_set.hpp"

#include <algorithm>

namespace flowfabric {

bool WorkingSet::has_events() const {
    bool any = false;
    events.each([&](const auto& list) { any = any || !list.empty(); });
    return any;
}

bool WorkingSet::empty() const {
    const auto unchanged = [](const ExecutionEntry& entry) { return entry.change == RowChange::none; };
    return idempotency.empty() && attempts.empty() && !has_events() && !has_changes(side) && submissions.empty() &&
           dispatched.empty() && input_copies.empty() && std::ranges::all_of(executions, unchanged);
}

}  // namespace flowfabric
