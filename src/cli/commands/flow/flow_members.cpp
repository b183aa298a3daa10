#include "cli/commands/flow/flow_members.hpp"

#include "cli/text/output.hpp"

namespace flowfabric::cli {

Result<std::vector<ExecutionSummary>> members_of(Client& client, const FlowId& id) {
    std::vector<ExecutionSummary> all;
    for (ListFlowMembers query{.flow_id = id, .after = std::nullopt, .limit = max_page};;) {
        auto page = client.list_flow_members(query);
        if (!page) return page.error();
        if (!*page) return flow_not_found(id.to_string());
        all.insert(all.end(), (*page)->members.begin(), (*page)->members.end());
        if (!(*page)->next) return all;
        query.after = (*page)->next;
    }
}

}  // namespace flowfabric::cli
