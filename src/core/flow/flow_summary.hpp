#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/flow/flow_rows.hpp"

// What a flow looks like, made from counts of its members.
namespace flowfabric {

class Command;

// Whether a member's end makes its flow fail. A member that only fell victim to a group that was decided without it
// does not.
bool fails_flow(TerminalOutcome outcome, const std::optional<CancellationCause>& cause);

// The members of a flow, counted by a store.
struct MemberTally {
    MemberCounts counts;
    std::uint32_t failing = 0;                  // of those that ended: see fails_flow
    std::optional<std::int64_t> last_end_ms;    // of those that ended and have no retention time of their own
    std::optional<std::int64_t> kept_until_ms;  // by the retention times that some have
    bool kept_for_ever = false;                 // by one of these

    std::uint32_t live() const { return counts.total() - counts.terminal(); }
    // Members that are alike.
    void add(std::uint32_t members, PublicState state, TerminalOutcome outcome,
             const std::optional<CancellationCause>& cause);

    bool operator==(const MemberTally&) const = default;
};

// A flow and its members at one moment.
struct FlowTally {
    FlowRow row;
    MemberTally members;

    bool operator==(const FlowTally&) const = default;
};

// Where members in this state are counted.
std::uint32_t& count_of(MemberCounts& counts, PublicState state);

// What the members alone make of it.
FlowPhase derived_phase(const MemberTally& members);
// An end that is on the flow's own row counts first.
FlowPhase phase_of(const FlowTally& flow);
// The status by the row alone.
FlowStatus status_of(const FlowRow& row);

// The first flows, at least one, with no more members in all than can be counted at one go.
std::vector<FlowKey> countable(const std::vector<FlowRow>& flows);

FlowSummaryRow summary_of(const FlowKey& key, const MemberTally& members, std::int64_t counted_at_ms);
FlowProjection projection_of(const FlowSummaryRow& row);

// Stores what a reader has counted.
Command store_flow_summary(FlowTally tally, std::int64_t counted_at_ms);

}  // namespace flowfabric
