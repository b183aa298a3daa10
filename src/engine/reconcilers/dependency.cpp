#include "engine/flows/dispatcher.hpp"
#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {
namespace {

// The engine that commits a completion dispatches it within milliseconds.
constexpr std::int64_t left_alone_ms = 1000;
constexpr std::uint32_t edges_walked = 5000;  // of a walk through all that are unresolved, when nothing else is to do

// Since when it has been left. An end whose event cannot be read is no reason not to dispatch it.
std::optional<std::int64_t> ended_at_ms(StoreReader& reader, const Undispatched& end) {
    const auto page = reader.tail(Channel::completion, end.event_id - 1, end.event_id, 1);
    if (!page || page->events.empty()) return std::nullopt;
    return std::get<CompletionEvent>(page->events.front()).occurred_at_ms;
}

StoreResult<Findings> look_for_undispatched(StoreReader& reader, const LookArguments& arguments) {
    const auto now = reader.now();
    if (!now) return now.error();
    auto undispatched = reader.undispatched(left_alone_ms, arguments.batch);
    if (!undispatched) return undispatched.error();
    Findings found{.now_ms = *now, .walked_to = arguments.walked_to, .more = !undispatched->empty()};
    if (!undispatched->empty()) {
        found.oldest_at_ms = ended_at_ms(reader, undispatched->front());
    } else {
        auto stalled = reader.stalled(left_alone_ms, arguments.after<ExecutionId>(), edges_walked);
        if (!stalled) return stalled.error();
        undispatched = std::move(stalled->ends);
        found.walked_to = stalled->continue_after;
    }
    auto jobs = look_for_edges(reader, *undispatched);
    if (!jobs) return jobs.error();
    for (Dispatcher::Job& job : *jobs) found.commands.push_back(std::move(job.command));
    return found;
}

}  // namespace

// Completions of flow members that the committing engine did not dispatch, or not to an edge that was damaged.
ReconcilerSpec dependency() {
    return {.name = "dependency", .interval_ms = 15'000, .batch = 500, .look = look_for_undispatched};
}

}  // namespace flowfabric
