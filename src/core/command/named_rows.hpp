#pragma once

#include <cstdint>
#include <vector>

#include "core/execution/idempotency_row.hpp"
#include "core/rows/side_tables.hpp"

namespace flowfabric {

// What flows lead to.
struct FlowRowsWanted {
    std::vector<FlowKey> members_of;       // tell the members of these flows, as they stand
    std::vector<FlowKey> live_members_of;  // lock members that have not ended and that no other transaction holds …
    std::uint32_t live_members = 0;        // … up to this many of them in all, and tell the others
    std::vector<FlowKey> children_of;      // lock the executions whose groups in these are pending
    std::vector<std::int64_t> ends;        // lock completion events to be dispatched
};

// The rows that the commands of a batch name to be loaded. Lists are sorted and free of repeats once the batch is
// complete.
struct NamedRows {
    std::vector<IdempotencyKey> idempotency_keys;
    std::vector<ExecutionId> executions;
    std::vector<ExecutionId> signals_of;  // of these the signals that they accepted, as far as an answer gives them
    // Lanes are named to be changed. The channels of consumers are trimmed no further before the transaction ends.
    SideRowsWanted side;
    std::vector<std::int64_t> submissions;
    FlowRowsWanted flows;
};

}  // namespace flowfabric
