#include "engine/flows/dispatcher.hpp"
#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {
namespace {

// Whoever committed the end of a member carries it on within milliseconds.
constexpr std::int64_t left_alone_ms = 1000;
constexpr std::uint32_t edges_walked = 5000;  // of a walk through all that are unresolved, when nothing else is to do

StoreResult<Findings> look_for_undispatched(StoreReader& reader, const LookArguments& arguments) {
    const auto now = reader.now();
    if (!now) return now.error();
    auto ends = reader.undispatched(left_alone_ms, arguments.batch);
    if (!ends) return ends.error();
    Findings found{.now_ms = *now, .walked_to = arguments.walked_to, .more = !ends->empty()};
    if (ends->empty()) {
        auto stalled = reader.stalled(left_alone_ms, arguments.after<ExecutionId>(), edges_walked);
        if (!stalled) return stalled.error();
        ends = std::move(stalled->ends);
        found.walked_to = stalled->continue_after;
    }
    auto jobs = look_for_edges(reader, *ends);
    if (!jobs) return jobs.error();
    for (Dispatcher::Job& job : *jobs) found.commands.push_back(std::move(job.command));
    return found;
}

}  // namespace

// Ends of flow members that the engine which committed them did not carry on, or not to an edge that was damaged.
ReconcilerSpec dependency() {
    return {.name = "dependency", .interval_ms = 15'000, .batch = 500, .look = look_for_undispatched};
}

}  // namespace flowfabric
