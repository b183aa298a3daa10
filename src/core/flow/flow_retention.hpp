#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/command/command.hpp"
#include "core/flow/flow_summary.hpp"

// When flows go: all members with the flow, once the last of them is old enough. Each flow is noted in
// ff_flow_retention_due from its beginning, with the earliest time at which that can be, or at which a change of the
// setting is to be seen; the reconciler that finds the note due counts the members and removes the flow, or notes a
// later time. Only a flow whose members have all ended, and of which one is kept for ever, loses its note: when the
// setting changes, its members lead back to it, and so does a replay.
namespace flowfabric {

// A flow that is new, or of which a member starts again.
void note_flow(const FlowKey& key, DecisionContext& context);
// A flow that is to be looked at then …
void note_flow_at(const FlowKey& key, std::int64_t at_ms, DecisionContext& context);
// … or soon, since something is on its way.
std::int64_t in_a_short_while(std::int64_t now_ms);

// When a flow that looks like this is to be looked at again, or removed if that time has come; nothing: when something
// leads to it. `retention_ms` 0: members without a time of their own are kept for ever.
std::optional<std::int64_t> removal_time(const FlowTally& flow, std::uint64_t retention_ms, std::int64_t now_ms);

bool is_being_removed(const FlowKey& key, const WorkingSet& set);

// Begins to remove a flow whose time has come, or notes when it will have. The members are counted by a reader; what
// has happened to the flow since then shows on its row. Its pieces go in transactions of bounded size: edges, then
// members with their groups, then the flow.
Command remove_flow(FlowTally tally);
Command remove_edges(const FlowKey& flow, std::vector<EdgeId> edges);
Command remove_member(const ExecutionId& id, const FlowId& flow_id);
// The flow itself, with whatever is left of it.
Command finish_removal(const FlowKey& flow);

}  // namespace flowfabric
