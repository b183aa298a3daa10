#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/state.hpp"
#include "flowfabric/statistics.hpp"

// The counters of lanes. Stores add up what each batch changes, in its transaction; nothing else writes them.
namespace flowfabric {

struct WorkingSet;

struct LaneCounts {
    StateCounts depth;
    LaneTotals totals;

    bool operator==(const LaneCounts&) const = default;
};

struct LaneCountsRow {
    std::string lane_id;
    LaneCounts counts;

    bool operator==(const LaneCountsRow&) const = default;
};

// Calls visit(name, counters…) for every column of ff_lane_count behind its key.
template <class Visitor, class... Counts>
void visit_counts(Visitor&& visit, Counts&... counts) {
    StateCounts::fields([&](std::string_view name, auto member, auto&&...) { visit(name, (counts.depth.*member)...); });
    LaneTotals::fields([&](std::string_view name, auto member, auto&&...) { visit(name, (counts.totals.*member)...); });
}

void add_counts(LaneCounts& sum, const LaneCounts& more);

// What the batch adds to the counters of each lane, by name; lanes whose counters stay as they are have no row.
std::vector<LaneCountsRow> count_changes(const WorkingSet& set);

// The counter of executions that stand in the state.
std::int64_t& count_in(StateCounts& counts, PublicState state);

}  // namespace flowfabric
