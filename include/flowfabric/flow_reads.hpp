#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/execution_views.hpp"
#include "flowfabric/field.hpp"
#include "flowfabric/flow_views.hpp"
#include "flowfabric/ids.hpp"
#include "flowfabric/limits.hpp"

// What can be asked of flows. An unknown flow or edge is nothing.
namespace flowfabric {

// ---- flows ------------------------------------------------------------------------------------------------------

struct DescribeFlow {
    using Answer = std::optional<FlowSnapshot>;
    static constexpr std::string_view type_name = "DescribeFlow";
    static constexpr Operation operation{"describe_flow", "Shows a flow as it stands, with its groups."};

    FlowId flow_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flow_id", &DescribeFlow::flow_id, field::required(), "The flow's id, a UUID.");
    }
};

struct GetFlowTag {
    using Answer = std::optional<std::string>;
    static constexpr std::string_view type_name = "GetFlowTag";
    static constexpr Operation operation{"get_flow_tag", "Gives the value of a flow's tag."};

    FlowId flow_id;
    std::string key;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flow_id", &GetFlowTag::flow_id, field::required(), "The flow's id, a UUID.");
        visit("key", &GetFlowTag::key, field::required(field::tag_key), "The tag's key, such as app.customer.");
    }
};

struct GetFlowSummary {
    using Answer = std::optional<FlowProjection>;
    static constexpr std::string_view type_name = "GetFlowSummary";
    static constexpr Operation operation{
        "get_flow_summary", "Gives the counts of a flow's members, as they were when they were last counted."};

    FlowId flow_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flow_id", &GetFlowSummary::flow_id, field::required(), "The flow's id, a UUID.");
    }
};

struct FlowPage {
    static constexpr std::string_view type_name = "FlowPage";

    std::vector<FlowSummary> flows;
    std::optional<FlowId> next;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flows", &FlowPage::flows, field::optional, "Flows, by partition and id.");
        visit("next_cursor", &FlowPage::next, field::optional,
              "Where the next page begins; absent at the end, and there where a page of a namespace ended early, after "
              "10,000 flows.");
    }

    bool operator==(const FlowPage&) const = default;
};

struct ListFlows {
    using Answer = FlowPage;
    static constexpr std::string_view type_name = "ListFlows";
    static constexpr Operation operation{"list_flows", "Lists flows, page by page."};

    std::optional<std::uint16_t> partition;
    std::optional<std::string> namespace_name;
    std::optional<FlowId> after;
    std::uint32_t limit = default_page;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("partition", &ListFlows::partition, field::partition, "One partition; absent: all of them.");
        visit("namespace", &ListFlows::namespace_name, field::identity, "One namespace; absent: all of them.");
        visit("cursor", &ListFlows::after, field::optional, "The last page's next_cursor.");
        visit("limit", &ListFlows::limit, field::optional, "How many at most; more than 1000 counts as 1000.");
    }
};

// ---- members and edges ------------------------------------------------------------------------------------------

struct FlowEdgePage {
    static constexpr std::string_view type_name = "FlowEdgePage";

    std::vector<EdgeSnapshot> edges;
    std::optional<EdgeId> next;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("edges", &FlowEdgePage::edges, field::optional, "Edges, by id.");
        visit("next_cursor", &FlowEdgePage::next, field::optional, "Where the next page begins; absent at the end.");
    }

    bool operator==(const FlowEdgePage&) const = default;
};

struct ListEdges {
    using Answer = FlowEdgePage;
    enum class Direction : std::uint8_t { outgoing, incoming };
    static constexpr std::string_view type_name = "ListEdges";
    static constexpr Operation operation{"list_edges", "Lists the edges of a member of a flow, by edge id."};

    FlowId flow_id;
    ExecutionId execution_id;
    Direction direction = Direction::outgoing;
    std::optional<EdgeId> after;
    std::uint32_t limit = default_page;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flow_id", &ListEdges::flow_id, field::required(), "The flow's id, a UUID.");
        visit("execution_id", &ListEdges::execution_id, field::required(), "The member whose edges are wanted.");
        visit("direction", &ListEdges::direction, field::required(), "Those that leave it, or those that lead to it.");
        visit("cursor", &ListEdges::after, field::optional, "The last page's next_cursor.");
        visit("limit", &ListEdges::limit, field::optional, "How many at most; more than 1000 counts as 1000.");
    }
};

template <>
inline constexpr std::array enum_names<ListEdges::Direction> =
    std::to_array<std::string_view>({"outgoing", "incoming"});

struct FlowMemberPage {
    static constexpr std::string_view type_name = "FlowMemberPage";

    std::vector<ExecutionSummary> members;
    std::optional<ExecutionId> next;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("members", &FlowMemberPage::members, field::optional, "Members of the flow, by id.");
        visit("next_cursor", &FlowMemberPage::next, field::optional, "Where the next page begins; absent at the end.");
    }

    bool operator==(const FlowMemberPage&) const = default;
};

struct ListFlowMembers {
    using Answer = std::optional<FlowMemberPage>;
    static constexpr std::string_view type_name = "ListFlowMembers";
    static constexpr Operation operation{"list_flow_members", "Lists the members of a flow, page by page."};

    FlowId flow_id;
    std::optional<ExecutionId> after;
    std::uint32_t limit = default_page;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flow_id", &ListFlowMembers::flow_id, field::required(), "The flow's id, a UUID.");
        visit("cursor", &ListFlowMembers::after, field::optional, "The last page's next_cursor.");
        visit("limit", &ListFlowMembers::limit, field::optional, "How many at most; more than 1000 counts as 1000.");
    }
};

struct ListFlowEdges {
    using Answer = std::optional<FlowEdgePage>;
    static constexpr std::string_view type_name = "ListFlowEdges";
    static constexpr Operation operation{"list_flow_edges", "Lists the edges of a flow, page by page."};

    FlowId flow_id;
    std::optional<EdgeId> after;
    std::uint32_t limit = default_page;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flow_id", &ListFlowEdges::flow_id, field::required(), "The flow's id, a UUID.");
        visit("cursor", &ListFlowEdges::after, field::optional, "The last page's next_cursor.");
        visit("limit", &ListFlowEdges::limit, field::optional, "How many at most; more than 1000 counts as 1000.");
    }
};

struct FlowGraph {
    static constexpr std::string_view type_name = "FlowGraph";

    FlowSnapshot flow;
    std::vector<ExecutionSummary> members;
    std::vector<EdgeSnapshot> edges;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flow", &FlowGraph::flow, field::optional, "The flow as it stands, with its groups.");
        visit("members", &FlowGraph::members, field::optional, "All members, by id.");
        visit("edges", &FlowGraph::edges, field::optional, "All edges, by id.");
    }

    bool operator==(const FlowGraph&) const = default;
};

// Shows every flow that one submission can make; a larger one is refused and read page by page. Flow, members and edges
// are each of a moment of their own.
struct GetFlowGraph {
    using Answer = std::optional<FlowGraph>;
    static constexpr std::string_view type_name = "GetFlowGraph";
    static constexpr Operation operation{"get_flow_graph",
                                         "Shows a flow of up to 10000 members and 50000 edges with all of them."};

    FlowId flow_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flow_id", &GetFlowGraph::flow_id, field::required(), "The flow's id, a UUID.");
    }
};

struct DescribeEdge {
    using Answer = std::optional<EdgeSnapshot>;
    static constexpr std::string_view type_name = "DescribeEdge";
    static constexpr Operation operation{"describe_edge", "Shows an edge."};

    FlowId flow_id;
    EdgeId edge_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("flow_id", &DescribeEdge::flow_id, field::required(), "The flow's id, a UUID.");
        visit("edge_id", &DescribeEdge::edge_id, field::required(), "The edge's id, a UUID.");
    }
};

struct EvaluateFlowEligibility {
    using Answer = FlowEligibility;
    static constexpr std::string_view type_name = "EvaluateFlowEligibility";
    static constexpr Operation operation{"evaluate_flow_eligibility",
                                         "Says whether a member may be claimed, as far as its dependencies go."};

    ExecutionId execution_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &EvaluateFlowEligibility::execution_id, field::required(),
              "The execution's id, {fp:N}:UUID.");
    }
};

}  // namespace flowfabric
