#include "core/statistics/lane_counts.hpp"

#include <array>
#include <map>
#include <unordered_map>

#include "core/rows/working_set.hpp"

namespace flowfabric {
namespace {

constexpr std::array counters_by_state{
    &StateCounts::waiting, &StateCounts::delayed,   &StateCounts::rate_limited, &StateCounts::waiting_children,
    &StateCounts::active,  &StateCounts::suspended, &StateCounts::resumable,    &StateCounts::completed,
    &StateCounts::failed,  &StateCounts::cancelled, &StateCounts::expired,      &StateCounts::skipped,
};
static_assert(counters_by_state.size() == enum_names<PublicState>.size());

// Executions say what states they have left and entered; what happened to them stands in the batch's events.
class ChangeCount {
  public:
    explicit ChangeCount(const WorkingSet& set) : set_(set) {}

    std::vector<LaneCountsRow> run() {
        for (const ExecutionEntry& entry : set_.executions) count_state(entry);
        if (by_lane_.empty()) return {};
        for (const LeaseEvent& event : set_.events.of<LeaseEvent>()) count_lease(event);
        for (const CompletionEvent& event : set_.events.of<CompletionEvent>()) count_end(event);
        for (const ExecutionId& id : set_.retried) ++totals_of(id).retries;
        std::vector<LaneCountsRow> rows;
        for (const auto& [lane_id, counts] : by_lane_) {
            if (counts != LaneCounts{}) rows.push_back({std::string(lane_id), counts});
        }
        return rows;
    }

  private:
    void count_state(const ExecutionEntry& entry) {
        if (entry.change == RowChange::none) return;
        LaneCounts& counts = by_lane_[entry.row.lane_id];
        const ExecutionRow& before = entry.loaded ? *entry.loaded : entry.row;
        if (entry.change == RowChange::insert) {
            ++counts.totals.created;
        } else {
            --count_in(counts.depth, before.vector.public_state);
        }
        if (entry.change != RowChange::erase) ++count_in(counts.depth, entry.row.vector.public_state);
    }

    void count_lease(const LeaseEvent& event) {
        using enum LeaseEventType;
        if (event.event_type == acquired) ++totals_of(event.execution_id).claimed;
        if (event.event_type == reclaimed) {
            ++totals_of(event.execution_id).claimed;
            ++totals_of(event.execution_id).reclaims;
        }
        if (event.event_type == expired) ++totals_of(event.execution_id).lease_expiries;
    }

    void count_end(const CompletionEvent& event) {
        using enum TerminalOutcome;
        LaneTotals& totals = totals_of(event.execution_id);
        if (event.outcome == success) ++totals.ended_success;
        if (event.outcome == failed) ++totals.ended_failed;
        if (event.outcome == cancelled) ++totals.ended_cancelled;
        if (event.outcome == expired) ++totals.ended_expired;
        if (event.outcome == skipped) ++totals.ended_skipped;
    }

    // Of an execution that the batch changes. Where all of those are on one lane, none is looked up.
    LaneTotals& totals_of(const ExecutionId& id) {
        if (by_lane_.size() == 1) return by_lane_.begin()->second.totals;
        if (lanes_.empty()) {
            for (const ExecutionEntry& entry : set_.executions) {
                if (entry.change != RowChange::none) lanes_.emplace(entry.row.id, entry.row.lane_id);
            }
        }
        return by_lane_.at(lanes_.at(id)).totals;
    }

    const WorkingSet& set_;
    std::map<std::string_view, LaneCounts> by_lane_;
    std::unordered_map<ExecutionId, std::string_view> lanes_;
};

}  // namespace

std::int64_t& count_in(StateCounts& counts, PublicState state) {
    return counts.*counters_by_state[static_cast<std::size_t>(state)];
}

void add_counts(LaneCounts& sum, const LaneCounts& more) {
    visit_counts([](std::string_view, std::int64_t& total, const std::int64_t& further) { total += further; }, sum,
                 more);
}

std::vector<LaneCountsRow> count_changes(const WorkingSet& set) {
    return ChangeCount(set).run();
}

}  // namespace flowfabric
