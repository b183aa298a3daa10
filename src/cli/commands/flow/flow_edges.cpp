#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::cli {
namespace {

struct FlowEdgesOptions {
    std::string id;
    std::string execution;
};

struct Edges {
    std::vector<EdgeSnapshot> incoming;
    std::vector<EdgeSnapshot> outgoing;
};

Result<Edges> edges_of(const CommonOptions& common, const FlowEdgesOptions& options) {
    const auto flow = flow_argument(options.id);
    if (!flow) return flow.error();
    const auto client = open_client(common);
    if (!client) return client.error();
    const auto execution = execution_argument(**client, options.execution);
    if (!execution) return execution.error();
    auto incoming = (*client)->list_edges({*flow, *execution, ListEdges::Direction::incoming});
    if (!incoming) return incoming.error();
    auto outgoing = (*client)->list_edges({*flow, *execution, ListEdges::Direction::outgoing});
    if (!outgoing) return outgoing.error();
    return Edges{*std::move(incoming), *std::move(outgoing)};
}

void print_edges(const Edges& edges) {
    if (edges.incoming.empty() && edges.outgoing.empty()) {
        print_line("No edges.");
        return;
    }
    Table table({"direction", "execution_id", "edge_state", "dependency_state", "data_passing_ref", "edge_id"});
    const auto add = [&](ListEdges::Direction direction, const EdgeSnapshot& edge, const ExecutionId& other) {
        table.add({std::string(to_string(direction)), other.to_string(), std::string(to_string(edge.edge_state)),
                   edge.dependency_state ? std::string(to_string(*edge.dependency_state)) : "",
                   printable(edge.data_passing_ref.value_or("")), edge.edge_id.to_string()});
    };
    for (const auto& edge : edges.incoming) add(ListEdges::Direction::incoming, edge, edge.upstream);
    for (const auto& edge : edges.outgoing) add(ListEdges::Direction::outgoing, edge, edge.downstream);
    table.print();
}

int run_flow_edges(const CommonOptions& common, const FlowEdgesOptions& options) {
    const auto edges = edges_of(common, options);
    if (!edges) return fail_with(edges.error(), common.json);
    if (common.json) {
        print_json(boost::json::object{{to_string(ListEdges::Direction::incoming), api::to_json(edges->incoming)},
                                       {to_string(ListEdges::Direction::outgoing), api::to_json(edges->outgoing)}});
    } else {
        print_edges(*edges);
    }
    return 0;
}

}  // namespace

void add_flow_edges(CommandTable& table, CLI::App& flow) {
    auto [command, options] =
        table.add_to(flow, "edges", "List the edges from and to a member of a flow", run_flow_edges);
    add_id(command, options.id, "The flow's id");
    command.add_option("execution", options.execution, "The member's id")->required()->type_name("EXECUTION");
    add_examples(command, {"ff flow edges 01a1edbe-befe-7ebd-86bb-ebfe6d1737a0 "
                           "'{fp:123}:01a1edbe-befe-7c04-98f3-715b9e46b75c'"});
}

}  // namespace flowfabric::cli
