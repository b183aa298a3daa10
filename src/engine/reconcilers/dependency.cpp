#include "engine/dispatcher.hpp"
#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {
namespace {

// Whoever committed the end of a member carries it on within milliseconds.
constexpr std::int64_t left_alone_ms = 1000;

StoreResult<Findings> look(StoreReader& reader, const LookArguments& arguments) {
    const auto now = reader.now();
    if (!now) return now.error();
    const auto ends = reader.undispatched(left_alone_ms, arguments.batch);
    if (!ends) return ends.error();
    auto jobs = look_for_edges(reader, *ends);
    if (!jobs) return jobs.error();
    Findings found{.now_ms = *now, .more = !ends->empty()};
    for (Dispatcher::Job& job : *jobs) found.commands.push_back(std::move(job.command));
    return found;
}

}  // namespace

// Ends of flow members that the engine which committed them did not carry on.
ReconcilerSpec dependency() {
    return {.name = "dependency", .timer = std::nullopt, .interval_ms = 15'000, .batch = 500, .look = look};
}

}  // namespace flowfabric
