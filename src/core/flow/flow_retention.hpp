#pragma once

#include <optional>

#include "core/command/decisions.hpp"
#include "core/flow/flow_summary.hpp"

// When flows go: all members with the flow, once the last of them is old enough. Each flow is noted in
// ff_flow_retention_due from its beginning, with the earliest time at which that can be, or at which a change of the
// setting is to be seen; the reconciler that finds the note due counts the members and removes the flow, or notes a
// later time. Only a flow whose members have all ended, and of which one is kept for ever, loses its note: when the
// setting changes, its members lead back to it, and so does a replay.
namespace flowfabric {

// A flow that is new, or of which a member starts again.
void note_flow(const FlowKey& key, DecisionContext& context);

// When a flow that looks like this is to be looked at again, or removed if that time has come; nothing: when something
// leads to it. `retention_ms` 0: members without a time of their own are kept for ever.
std::optional<std::int64_t> removal_time(const FlowTally& flow, std::uint64_t retention_ms, std::int64_t now_ms);

}  // namespace flowfabric
