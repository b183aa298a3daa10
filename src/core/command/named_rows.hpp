#pragma once

#include <cstdint>
#include <vector>

#include "core/execution/idempotency_row.hpp"
#include "core/rows/side_tables.hpp"

namespace flowfabric {

// What flows lead to.
struct FlowRowsWanted {
    std::vector<FlowKey> members_of;       // return the members of these flows, without locks
    std::vector<FlowKey> live_members_of;  // lock live members that no other transaction holds
    std::uint32_t live_members = 0;        // how many live members to lock in all; the others are only returned
    std::vector<FlowKey> children_of;      // lock the executions that wait for a pending group of these flows
    std::vector<std::int64_t> ends;        // lock completion events to be dispatched
};

// The rows that the commands of a batch name to be loaded. Lists are sorted and free of repeats once the batch is
// complete.
struct NamedRows {
    std::vector<IdempotencyKey> idempotency_keys;
    std::vector<ExecutionId> executions;
    std::vector<ExecutionId> inputs_of;   // some of these: their input as well
    std::vector<ExecutionId> signals_of;  // of these the signals that they accepted, as far as an answer gives them
    // Lanes are named to be changed. The channels of consumers are trimmed no further before the transaction ends.
    SideRowsWanted side;
    std::vector<std::int64_t> submissions;
    FlowRowsWanted flows;
};

}  // namespace flowfabric
