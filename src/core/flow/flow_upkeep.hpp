#pragma once

#include <vector>

#include "core/command/admitted.hpp"
#include "core/flow/flow_summary.hpp"

// The commands by which the engine counts the members of flows and removes flows that are old enough. Counts are taken
// by a reader; what has happened to the flow since then shows on its row.
namespace flowfabric {

struct ProjectFlowSummary {
    static constexpr CommandTraits traits{.name = "project_flow_summary", .urgency = Urgency::bulk, .by_timer = true};

    FlowTally flow;
    std::int64_t counted_at_ms = 0;

    const FlowKey& flow_key() const { return flow.row.key; }
    void needs(SideRowsWanted& wanted) const {
        wanted.of<FlowRow>().keys.push_back(flow_key());
        wanted.of<FlowSummaryRow>().keys.push_back(flow_key());
    }
};

// Begins to remove a flow whose time has come, or notes when it will have. Its pieces go in transactions of bounded
// size: edges, then members with their groups, then the flow.
struct RemoveFlow {
    static constexpr CommandTraits traits{.name = "remove_flow", .urgency = Urgency::bulk, .by_timer = true};

    FlowTally flow;

    const FlowKey& flow_key() const { return flow.row.key; }
    void needs(SideRowsWanted& wanted) const {
        wanted.of<FlowRow>().keys.push_back(flow_key());
        wanted.of<FlowRetentionRow>().keys.push_back(flow_key());
    }
};

struct RemoveEdges {
    static constexpr CommandTraits traits{.name = "remove_edges", .urgency = Urgency::bulk, .by_timer = true};

    FlowKey flow;
    std::vector<EdgeId> edges;

    const FlowKey& flow_key() const { return flow; }
    void needs(SideRowsWanted& wanted) const { wanted.of<FlowRow>().keys.push_back(flow); }
};

struct RemoveMember {
    static constexpr CommandTraits traits{.name = "remove_member", .urgency = Urgency::bulk, .by_timer = true};

    ExecutionId execution_id;
    FlowId flow_id;

    GroupKey group() const { return {{execution_id.partition, flow_id}, execution_id.uuid}; }
    void needs(SideRowsWanted& wanted) const {
        wanted.of<FlowRow>().keys.push_back(group().flow);
        wanted.of<FlowRetentionRow>().keys.push_back(group().flow);
        wanted.of<EdgeGroupRow>().keys.push_back(group());
    }
};

// The flow itself, with whatever is left of it.
struct FinishRemoval {
    static constexpr CommandTraits traits{.name = "finish_removal", .urgency = Urgency::bulk, .by_timer = true};

    FlowKey flow;

    const FlowKey& flow_key() const { return flow; }
    FlowKey members_of() const { return flow; }
    void needs(SideRowsWanted& wanted) const {
        wanted.of<FlowRow>().keys.push_back(flow);
        wanted.of<FlowRetentionRow>().keys.push_back(flow);
        wanted.of<FlowSummaryRow>().keys.push_back(flow);
        wanted.of<CancelBacklogRow>().keys.push_back(flow);
        wanted.of<CancelMemberRow>().flows.push_back(flow);
        wanted.of<EdgeGroupRow>().flows.push_back(flow);
    }
};

}  // namespace flowfabric
