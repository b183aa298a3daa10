#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/flow/flow_summary.hpp"
#include "core/rows/working_set.hpp"
#include "flowfabric/flow_reads.hpp"
#include "store/result.hpp"

namespace flowfabric {

// A member's end, until all edges from it are resolved.
struct Undispatched {
    std::int64_t event_id = 0;  // 0: not known, since the reply to the commit was lost
    ExecutionId execution_id;
    FlowId flow_id;
    TerminalOutcome outcome = TerminalOutcome::none;
    std::optional<CancellationCause> cause;

    auto operator<=>(const Undispatched&) const = default;
};

// Of an event that has a flow.
inline Undispatched undispatched_end(const CompletionEvent& event) {
    return {.event_id = event.event_id,
            .execution_id = event.execution_id,
            .flow_id = event.flow_id.value(),
            .outcome = event.outcome.known().value_or(TerminalOutcome::none),
            .cause = event.cancellation_cause ? event.cancellation_cause->known() : std::nullopt};
}

// Members that ended and whose ends are dispatched, although edges from them are not resolved: what was damaged when
// the end was dispatched, and has been repaired since. Without an event of their own.
struct Stalled {
    std::vector<Undispatched> ends;
    std::optional<ExecutionId> continue_after;  // absent: the walk is at its end
};

// Flows, their members and edges, and what is left to be done about the ends of members.
class FlowReads {
  public:
    virtual ~FlowReads() = default;

    // Ends of flow members that are older than `age_ms` and not dispatched, oldest first.
    virtual StoreResult<std::vector<Undispatched>> undispatched(std::int64_t age_ms, std::uint32_t limit) = 0;
    // Those of these members, which are sorted by key.
    virtual StoreResult<std::vector<Undispatched>> undispatched_of(const std::vector<ExecutionId>& members) = 0;
    // Looks at up to `limit` unresolved edges from executions behind `after`, and tells which of these ended more than
    // `age_ms` ago. All of them are stalled if no end of that age is undispatched.
    virtual StoreResult<Stalled> stalled(std::int64_t age_ms, const std::optional<ExecutionId>& after,
                                         std::uint32_t limit) = 0;
    // Applied and unsatisfied edges from these executions, which are sorted by key; by key.
    virtual StoreResult<std::vector<EdgeRow>> unresolved_edges(const std::vector<ExecutionId>& upstream,
                                                               std::uint32_t limit) = 0;
    // Which of these, sorted by key, a pending group still waits for.
    virtual StoreResult<std::vector<ExecutionId>> needed(const std::vector<ExecutionId>& upstream) = 0;
    // Of one partition or of all, by key, strictly after `after`.
    virtual StoreResult<std::vector<FlowRow>> flows(const std::optional<std::uint16_t>& partition,
                                                    const std::optional<FlowKey>& after, std::uint32_t limit) = 0;
    virtual StoreResult<std::vector<FlowMember>> members(const FlowKey& flow, std::uint32_t limit) = 0;
    // By id, strictly after `after`.
    virtual StoreResult<std::vector<ExecutionSummary>> member_page(const FlowKey& flow,
                                                                   const std::optional<ExecutionId>& after,
                                                                   std::uint32_t limit) = 0;
    // Those of them that are there with their members counted, each at one moment; by key.
    virtual StoreResult<std::vector<FlowTally>> tallies(const std::vector<FlowKey>& flows) = 0;
    // Flows whose summary may still change, by key, strictly after `after`.
    virtual StoreResult<std::vector<FlowRow>> unsummarised(const std::optional<FlowKey>& after,
                                                           std::uint32_t limit) = 0;
    // By key.
    virtual StoreResult<std::vector<EdgeId>> edges(const FlowKey& flow, std::uint32_t limit) = 0;
    // Of one member, by id, strictly after `after`.
    virtual StoreResult<std::vector<EdgeRow>> edges_of(const ListEdges& query) = 0;
    // By id, strictly after `after`.
    virtual StoreResult<std::vector<EdgeRow>> edge_page(const FlowKey& flow, const std::optional<EdgeId>& after,
                                                        std::uint32_t limit) = 0;
};

}  // namespace flowfabric
