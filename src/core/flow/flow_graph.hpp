#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flowfabric/submit_flow.hpp"

// The shape of a flow, before it is stored.
namespace flowfabric {

// The nodes' positions, edge by edge, if the graph is one: every edge's ends are known, no edge is there twice, none
// leads to itself, there is no cycle, and no quorum is larger than its group. Otherwise the error names the culprit.
struct GraphEdge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
};
Result<std::vector<GraphEdge>> check_graph(const std::vector<FlowNode>& nodes, const std::vector<FlowEdge>& edges);

// The error of one node, which its detail then names.
EngineError in_node(std::size_t index, const std::string& name, EngineError error);

// Whether `to` can be reached from `from` along the edges.
bool reachable(const std::vector<std::pair<Uuid, Uuid>>& edges, const Uuid& from, const Uuid& to);

}  // namespace flowfabric
