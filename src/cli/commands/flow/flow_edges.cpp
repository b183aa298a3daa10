#include <boost/json/array.hpp>

#include "cli/commands.hpp"
#include "cli/store_location.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {
namespace {

struct Edges {
    std::vector<EdgeSnapshot> incoming;
    std::vector<EdgeSnapshot> outgoing;
};

Result<Edges> edges_of(const StoreOptions& store, const FlowEdgesOptions& options) {
    const auto flow = flow_argument(options.id);
    if (!flow) return flow.error();
    const auto execution = execution_argument(options.execution);
    if (!execution) return execution.error();
    const auto engine = open_existing(store);
    if (!engine) return engine.error();
    auto incoming = (*engine)->list_edges({*flow, *execution, EdgesOf::Direction::incoming});
    if (!incoming) return incoming.error();
    auto outgoing = (*engine)->list_edges({*flow, *execution, EdgesOf::Direction::outgoing});
    if (!outgoing) return outgoing.error();
    return Edges{*std::move(incoming), *std::move(outgoing)};
}

std::string_view state_of(const EdgeSnapshot& edge) {
    return edge.dependency_state ? to_string(*edge.dependency_state) : to_string(edge.edge_state);
}

boost::json::array json_of(const std::vector<EdgeSnapshot>& edges) {
    boost::json::array array;
    for (const auto& edge : edges) {
        boost::json::object object{{"edge_id", edge.edge_id.to_string()},
                                   {"upstream", edge.upstream.to_string()},
                                   {"downstream", edge.downstream.to_string()},
                                   {"dependency_kind", edge.dependency_kind},
                                   {"satisfaction_condition", edge.satisfaction_condition},
                                   {"edge_state", to_string(edge.edge_state)},
                                   {"created_at_ms", edge.created_at_ms},
                                   {"created_by", edge.created_by}};
        if (edge.data_passing_ref) object["data_passing_ref"] = *edge.data_passing_ref;
        if (edge.dependency_state) object["dependency_state"] = to_string(*edge.dependency_state);
        array.push_back(std::move(object));
    }
    return array;
}

void print_edges(const Edges& edges) {
    if (edges.incoming.empty() && edges.outgoing.empty()) {
        print_line("No edges.");
        return;
    }
    Table table({"", "execution", "state", "passes", "edge"});
    const auto add = [&](const std::string& direction, const EdgeSnapshot& edge, const ExecutionId& other) {
        table.add({direction, other.to_string(), std::string(state_of(edge)),
                   printable(edge.data_passing_ref.value_or("")), edge.edge_id.to_string()});
    };
    for (const auto& edge : edges.incoming) add("from", edge, edge.upstream);
    for (const auto& edge : edges.outgoing) add("to", edge, edge.downstream);
    table.print();
}

}  // namespace

int run_flow_edges(const CommonOptions& common, const FlowEdgesOptions& options) {
    const auto edges = edges_of(common.store, options);
    if (!edges) return fail_with(edges.error(), common.json);
    if (common.json) {
        print_json(boost::json::object{{"incoming", json_of(edges->incoming)}, {"outgoing", json_of(edges->outgoing)}});
    } else {
        print_edges(*edges);
    }
    return 0;
}

}  // namespace flowfabric::cli
