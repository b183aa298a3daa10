#include "engine/flows/dispatcher.hpp"
#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {
namespace {

StoreResult<Findings> look_for_siblings(StoreReader& reader, const LookArguments& arguments) {
    const auto now = reader.now();
    if (!now) return now.error();
    const auto work = reader.first<SiblingWorkRow>(arguments.batch);
    if (!work) return work.error();
    std::vector<GroupKey> groups;
    groups.reserve(work->size());
    for (const SiblingWorkRow& row : *work) groups.push_back(row.key);
    auto jobs = look_for_siblings(reader, groups);
    if (!jobs) return jobs.error();
    Findings found{.now_ms = *now, .more = groups.size() == arguments.batch};
    for (Dispatcher::Job& job : *jobs) found.commands.push_back(std::move(job.command));
    return found;
}

}  // namespace

// Siblings of decided groups that the committing engine has left to be cancelled.
ReconcilerSpec edge_cancel_dispatcher() {
    return {.name = "edge_cancel_dispatcher", .interval_ms = 1000, .batch = 50, .look = look_for_siblings};
}

}  // namespace flowfabric
