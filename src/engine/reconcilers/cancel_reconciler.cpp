#include <algorithm>

#include "engine/flows/dispatcher.hpp"
#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {
namespace {

constexpr std::uint32_t flows_at_once = 50;

StoreResult<Findings> look_for_backlogs(StoreReader& reader, const LookArguments& arguments) {
    const auto now = reader.now();
    if (!now) return now.error();
    const auto backlogs = reader.first<CancelBacklogRow>(flows_at_once);
    if (!backlogs) return backlogs.error();
    Findings found{.now_ms = *now};
    for (const CancelBacklogRow& backlog : *backlogs) {
        if (backlog.grace_until_ms > *now) {
            found.next_at_ms = std::min(found.next_at_ms.value_or(backlog.grace_until_ms), backlog.grace_until_ms);
            continue;
        }
        if (!found.oldest_at_ms) found.oldest_at_ms = backlog.grace_until_ms;
        auto jobs = look_for_members(reader, backlog.key);
        if (!jobs && jobs.error().fault == StoreFault::unreadable) continue;  // holds up no other flow
        if (!jobs) return jobs.error();
        found.more = true;  // the flow's header goes when its members are gone
        for (Dispatcher::Job& job : *jobs) {
            if (found.commands.size() >= arguments.batch) return found;
            found.commands.push_back(std::move(job.command));
        }
    }
    return found;
}

}  // namespace

// Members of cancelled flows that are still live when the flow's grace is over.
ReconcilerSpec cancel_reconciler() {
    return {.name = "cancel_reconciler", .interval_ms = 15'000, .batch = 500, .look = look_for_backlogs};
}

}  // namespace flowfabric
