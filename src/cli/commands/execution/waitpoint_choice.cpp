#include "cli/commands/execution/waitpoint_choice.hpp"

#include <algorithm>

#include "cli/text/output.hpp"

namespace flowfabric::cli {

Result<std::vector<WaitpointView>> open_waitpoints(Client& client, const ExecutionId& id) {
    std::vector<WaitpointView> all;
    for (ListPendingWaitpoints query{.execution_id = id, .after = std::nullopt, .limit = max_page};;) {
        auto page = client.list_pending_waitpoints(query);
        if (!page) return page.error();
        all.insert(all.end(), page->waitpoints.begin(), page->waitpoints.end());
        if (!page->next) return all;
        query.after = page->next;
    }
}

Result<WaitpointView> choose_waitpoint(Client& client, const ExecutionId& id, const std::string& name) {
    const auto open = open_waitpoints(client, id);
    if (!open) return open.error();
    if (open->empty()) return invalid_input("waitpoint", "nothing waits for a signal there");
    if (name.empty()) {
        if (open->size() == 1) return open->front();
        return invalid_input("waitpoint", "there are several; name one of those that `ff waitpoints` lists");
    }
    const auto found = std::ranges::find_if(*open, [&](const WaitpointView& waitpoint) {
        return waitpoint.waitpoint_key == name || waitpoint.waitpoint_id.to_string() == name;
    });
    if (found == open->end()) return invalid_input("waitpoint", "there is none by this name that is open");
    return *found;
}

}  // namespace flowfabric::cli
