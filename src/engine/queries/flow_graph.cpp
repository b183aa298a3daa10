#include "core/command/admission.hpp"
#include "core/flow/edge_group.hpp"
#include "core/flow/flow.hpp"
#include "engine/queries/page.hpp"
#include "engine/queries/queries.hpp"

// The members and edges of flows.
namespace flowfabric {
namespace {

EngineError too_large(std::string_view what, std::size_t most) {
    return invalid_input("flow_id", "the flow has more than " + std::to_string(most) + " " + std::string(what) +
                                        ": list_flow_members and list_flow_edges give them page by page");
}

StoreResult<bool> is_there(StoreReader& reader, const FlowKey& key) {
    const auto row = reader.row<FlowRow>(key);
    if (!row) return row.error();
    return row->has_value();
}

FlowEdgePage edge_page_of(const RowsOfPage<EdgeRow>& found) {
    FlowEdgePage page;
    for (const EdgeRow& row : found.rows) page.edges.push_back(snapshot_of(row));
    if (found.more) page.next = page.edges.back().edge_id;
    return page;
}

}  // namespace

AnswerTo<ListFlowMembers> answer(const ListFlowMembers& query, StoreReader& reader, const QueryContext&) {
    const FlowKey key = key_of(query.flow_id);
    if (query.after && query.after->partition != key.partition) {
        return invalid_input("cursor", "partition_mismatch: of another flow");
    }
    const auto known = is_there(reader, key);
    if (!known) return known.error();
    if (!*known) return std::optional<FlowMemberPage>{};
    auto found = read_page(
        query, [&](const ListFlowMembers& wanted) { return reader.member_page(key, wanted.after, wanted.limit); });
    if (!found) return found.error();
    FlowMemberPage page{.members = std::move(found->rows), .next = std::nullopt};
    if (found->more) page.next = page.members.back().execution_id;
    return std::optional(std::move(page));
}

AnswerTo<ListFlowEdges> answer(const ListFlowEdges& query, StoreReader& reader, const QueryContext&) {
    const FlowKey key = key_of(query.flow_id);
    const auto known = is_there(reader, key);
    if (!known) return known.error();
    if (!*known) return std::optional<FlowEdgePage>{};
    const auto found = read_page(
        query, [&](const ListFlowEdges& wanted) { return reader.edge_page(key, wanted.after, wanted.limit); });
    if (!found) return found.error();
    return std::optional(edge_page_of(*found));
}

AnswerTo<ListEdges> answer(const ListEdges& query, StoreReader& reader, const QueryContext&) {
    const auto found = read_page(query, [&](const ListEdges& wanted) { return reader.edges_of(wanted); });
    if (!found) return found.error();
    return edge_page_of(*found);
}

AnswerTo<GetFlowGraph> answer(const GetFlowGraph& query, StoreReader& reader, const QueryContext& context) {
    const FlowKey key = key_of(query.flow_id);
    auto flow = answer(DescribeFlow{query.flow_id}, reader, context);
    if (!flow) return flow.error();
    if (!*flow) return std::optional<FlowGraph>{};
    auto members = reader.member_page(key, std::nullopt, max_submitted_nodes + 1);
    if (!members) return members.error();
    if (members->size() > max_submitted_nodes) return too_large("members", max_submitted_nodes);
    const auto edges = reader.edge_page(key, std::nullopt, max_submitted_edges + 1);
    if (!edges) return edges.error();
    if (edges->size() > max_submitted_edges) return too_large("edges", max_submitted_edges);
    FlowGraph graph{.flow = **std::move(flow), .members = *std::move(members), .edges = {}};
    for (const EdgeRow& row : *edges) graph.edges.push_back(snapshot_of(row));
    return std::optional(std::move(graph));
}

}  // namespace flowfabric
