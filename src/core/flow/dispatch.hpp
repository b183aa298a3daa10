#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/command/command.hpp"
#include "core/flow/flow_rows.hpp"

// The commands by which the engine carries the end of a flow's member on: to the executions that wait for it, to
// siblings that are needed no more, and from a cancelled flow to its members.
namespace flowfabric {

struct EdgesResolved {
    bool changed = false;  // some edge was open

    bool operator==(const EdgesResolved&) const = default;
};

struct DispatchFinished {
    bool done = true;      // false: an edge is still open
    bool changed = false;  // something was left to do

    bool operator==(const DispatchFinished&) const = default;
};

// Upstream executions of one child have ended. Answers EdgesResolved, the others DispatchFinished.
struct ResolveEdges {
    struct Ended {
        EdgeId edge_id;
        ExecutionId upstream;
        TerminalOutcome outcome = TerminalOutcome::none;
    };

    ExecutionId execution_id;  // the child
    FlowId flow_id;
    std::vector<Ended> ended;
};
Command resolve_edges(ResolveEdges resolution);

// All edges from a member that has ended are resolved.
struct FinishDispatch {
    FlowKey flow;
    std::int64_t event_id = 0;
    TerminalOutcome outcome = TerminalOutcome::none;
    std::optional<CancellationCause> cause;
    std::vector<EdgeId> edges;  // that were not resolved when it was last looked
    bool more = false;          // there were more than could be looked at
};
Command finish_dispatch(FinishDispatch finish);

// Upstream executions that a decided group does not need any more are cancelled, unless another group needs them.
struct DrainSiblings {
    GroupKey group;
    std::vector<ExecutionId> unneeded;
    std::vector<ExecutionId> spared;
};
Command drain_siblings(DrainSiblings drain);

// Members of a cancelled flow are cancelled and acknowledged.
Command cancel_members(const FlowKey& flow, std::vector<ExecutionId> members, std::string reason);
// No member is left to cancel.
Command drop_backlog(const FlowKey& flow);

}  // namespace flowfabric
