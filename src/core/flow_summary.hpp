#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/flow_rows.hpp"

// What a flow looks like, made from counts of its members.
namespace flowfabric {

// The members of a flow, counted by a store.
struct MemberTally {
    MemberCounts counts;
    std::uint32_t spared = 0;                   // of those that were cancelled: nobody needed them any more
    std::optional<std::int64_t> last_end_ms;    // of those that ended and have no retention time of their own
    std::optional<std::int64_t> kept_until_ms;  // by the retention times that some have
    bool kept_for_ever = false;                 // by one of these

    std::uint32_t live() const { return counts.total() - counts.terminal(); }

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
// As its row alone tells it.
FlowStatus status_of(const FlowRow& row);

// As many of them, from the first on, as have members that can be counted at one go; at least one.
std::vector<FlowKey> countable(const std::vector<FlowRow>& flows);

FlowSummaryRow summary_of(const FlowKey& key, const MemberTally& members, std::int64_t counted_at_ms);
FlowProjection projection_of(const FlowSummaryRow& row);

}  // namespace flowfabric
