#include "cli/text/flow_file.hpp"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include "api/type.hpp"
#include "cli/text/json_input.hpp"
#include "cli/text/submission.hpp"

namespace flowfabric::cli {

Result<SubmitFlow> parse_flow(std::string_view text) {
    const auto document = parse_json(text);
    if (!document) return document.error();
    auto flow = api::from_json<SubmitFlow>(*document);
    if (!flow) return flow.error();
    for (std::size_t i = 0; i < flow->nodes.size(); ++i) {
        CreateExecution& execution = flow->nodes[i].execution;
        if (execution.execution_kind.empty()) {
            return invalid_input(fmt::format("nodes[{}].execution.execution_kind", i), "is required");
        }
        const auto& given = document->at("nodes").at(i).at("execution").as_object();
        if (!given.contains("namespace")) execution.namespace_name = flow->namespace_name;
        if (execution.creator_identity.empty()) execution.creator_identity = creator_identity;
    }
    return flow;
}

}  // namespace flowfabric::cli
