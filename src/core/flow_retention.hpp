#pragma once

#include <optional>

#include "core/decisions.hpp"
#include "core/flow_summary.hpp"

// When flows go: all members with the flow, once the last of them is old enough. Each flow is noted in
// ff_flow_retention_due from its beginning, with the earliest time at which that can be; whoever finds it due counts
// its members and removes it, or notes a later time.
namespace flowfabric {

// A new flow.
void note_flow(const FlowKey& key, DecisionContext& context);

// When a flow that looks like this is to be looked at again, or removed if that time has come; nothing: when something
// leads to it. `retention_ms` 0: members without a time of their own are kept for ever.
std::optional<std::int64_t> removal_time(const FlowTally& flow, std::uint64_t retention_ms, std::int64_t now_ms);

}  // namespace flowfabric
