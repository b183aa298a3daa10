#include "core/flow/flow_graph.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/base/names.hpp"
#include "core/command/admission.hpp"
#include "core/flow/edge_group.hpp"

namespace flowfabric {
namespace {

using Positions = std::unordered_map<std::string_view, std::uint32_t>;

std::string field_of_edge(std::size_t index) {
    return "edges[" + std::to_string(index) + "]";
}

std::string ends_of(const FlowEdge& edge) {
    return edge.from + " → " + edge.to;
}

Result<Positions> positions_of(const std::vector<FlowNode>& nodes) {
    Positions positions;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        const std::string field = "nodes[" + std::to_string(i) + "].name";
        if (nodes[i].name.empty()) return invalid_input(field, "must not be empty");
        if (auto checked = check_text(field, nodes[i].name, max_label_bytes); !checked) return checked.error();
        if (!positions.emplace(nodes[i].name, i).second)
            return invalid_input(field, "'" + nodes[i].name + "' is there twice");
    }
    return positions;
}

// What remains after every node without incoming edges is taken away, again and again, is on a cycle or behind one.
std::optional<std::uint32_t> on_a_cycle(std::size_t nodes, const std::vector<GraphEdge>& edges) {
    std::vector<std::uint32_t> incoming(nodes);
    std::vector<std::vector<std::uint32_t>> outgoing(nodes);
    for (const GraphEdge& edge : edges) {
        ++incoming[edge.to];
        outgoing[edge.from].push_back(edge.to);
    }
    std::vector<std::uint32_t> free;
    for (std::uint32_t i = 0; i < nodes; ++i) {
        if (incoming[i] == 0) free.push_back(i);
    }
    for (std::size_t next = 0; next < free.size(); ++next) {
        for (const std::uint32_t to : outgoing[free[next]]) {
            if (--incoming[to] == 0) free.push_back(to);
        }
    }
    if (free.size() == nodes) return std::nullopt;
    // Every remaining node has a remaining predecessor: a walk back of one step per node ends on a cycle.
    std::vector<std::uint32_t> before(nodes);
    for (const GraphEdge& edge : edges) {
        if (incoming[edge.from] > 0 && incoming[edge.to] > 0) before[edge.to] = edge.from;
    }
    const auto remaining = std::ranges::find_if(incoming, [](std::uint32_t count) { return count > 0; });
    auto node = static_cast<std::uint32_t>(remaining - incoming.begin());
    for (std::size_t i = 0; i < nodes; ++i) node = before[node];
    return node;
}

}  // namespace

EngineError in_node(std::size_t index, const std::string& name, EngineError error) {
    error.detail = "nodes[" + std::to_string(index) + "] '" + name + "': " + error.detail;
    return error;
}

Result<std::vector<GraphEdge>> check_graph(const std::vector<FlowNode>& nodes, const std::vector<FlowEdge>& edges) {
    const auto positions = positions_of(nodes);
    if (!positions) return positions.error();
    std::vector<GraphEdge> graph;
    graph.reserve(edges.size());
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    std::vector<std::uint32_t> incoming(nodes.size());
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const FlowEdge& edge = edges[i];
        const auto from = positions->find(edge.from);
        if (from == positions->end())
            return invalid_input(field_of_edge(i) + ".from", "there is no node '" + edge.from + "'");
        const auto to = positions->find(edge.to);
        if (to == positions->end())
            return invalid_input(field_of_edge(i) + ".to", "there is no node '" + edge.to + "'");
        if (from == to) {
            return EngineError{.kind = ErrorKind::self_referencing_edge,
                               .detail = field_of_edge(i) + ": " + ends_of(edge)};
        }
        if (!seen.emplace(from->second, to->second).second) {
            return invalid_input(field_of_edge(i), ends_of(edge) + " is there twice");
        }
        graph.push_back({from->second, to->second});
        ++incoming[to->second];
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const GroupPolicy& policy = nodes[i].policy;
        const std::string field = "nodes[" + std::to_string(i) + "].policy";
        if (auto checked = check_policy(field, policy); !checked) return checked.error();
        if (policy.kind == GroupKind::quorum && policy.k > incoming[i]) {
            return invalid_input(field + ".k", "is " + std::to_string(policy.k) + ", but '" + nodes[i].name + "' has " +
                                                   std::to_string(incoming[i]) + " incoming edges");
        }
    }
    if (const auto node = on_a_cycle(nodes.size(), graph)) {
        return EngineError{.kind = ErrorKind::cycle_detected, .detail = "through node '" + nodes[*node].name + "'"};
    }
    return graph;
}

bool reachable(const std::vector<std::pair<Uuid, Uuid>>& edges, const Uuid& from, const Uuid& to) {
    std::unordered_multimap<Uuid, Uuid> outgoing(edges.begin(), edges.end());
    std::unordered_set<Uuid> seen{from};
    std::vector<Uuid> open{from};
    while (!open.empty()) {
        const Uuid node = open.back();
        open.pop_back();
        if (node == to) return true;
        const auto [first, last] = outgoing.equal_range(node);
        for (auto edge = first; edge != last; ++edge) {
            if (seen.insert(edge->second).second) open.push_back(edge->second);
        }
    }
    return false;
}

}  // namespace flowfabric
