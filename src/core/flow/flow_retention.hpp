#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/command/command.hpp"
#include "core/flow/flow_summary.hpp"

// When flows are removed: with all their members, once the last of them is old enough. Each flow has a note in
// ff_flow_retention_due from its creation on, with the earliest time at which it can be removed, or at which a change
// of the setting takes effect. The reconciler that finds the note due counts the members and removes the flow, or notes
// a later time. A flow loses its note only when all members have ended and one of them is kept for ever: a change of
// the setting finds the flow by its members, and so does a replay.
namespace flowfabric {

// Notes a flow that is new, or has a member that starts again.
void note_flow(const FlowKey& key, DecisionContext& context);
// Sets the time of the next look at the flow.
void note_flow_at(const FlowKey& key, std::int64_t at_ms, DecisionContext& context);
// When to look again at a flow on which work is under way.
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
