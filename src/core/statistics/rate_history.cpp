#include "core/statistics/rate_history.hpp"

#include <algorithm>

namespace flowfabric {
namespace {

constexpr std::int64_t kept_ms = 5 * 60'000 + RateHistory::interval_ms;

}  // namespace

RateHistory::Counted RateHistory::counted(const LaneTotals& totals) {
    return {.created = totals.created, .claimed = totals.claimed, .ended = totals.ended()};
}

void RateHistory::add(std::int64_t at_ms, const std::vector<LaneCountsRow>& lanes) {
    Sample& sample = samples_.emplace_back(Sample{.at_ms = at_ms, .lanes = {}});
    for (const LaneCountsRow& lane : lanes) {
        const std::size_t number = lane_numbers_.try_emplace(lane.lane_id, lane_numbers_.size()).first->second;
        if (number >= sample.lanes.size()) sample.lanes.resize(number + 1);
        sample.lanes[number] = counted(lane.counts.totals);
    }
    // One that is older than all that is kept is what the oldest rates begin with.
    while (samples_.size() > 1 && samples_[1].at_ms <= at_ms - kept_ms) samples_.pop_front();
}

std::optional<LaneRates> RateHistory::rates(const LaneCountsRow& lane, std::int64_t now_ms,
                                            std::int64_t over_ms) const {
    const auto later = std::ranges::upper_bound(samples_, now_ms - over_ms, {}, &Sample::at_ms);
    if (later == samples_.begin()) return std::nullopt;
    const Sample& since = *std::prev(later);
    const auto number = lane_numbers_.find(lane.lane_id);
    // A lane that was not there then had counted nothing.
    const bool known = number != lane_numbers_.end() && number->second < since.lanes.size();
    const Counted before = known ? since.lanes[number->second] : Counted{};
    const Counted after = counted(lane.counts.totals);
    const double seconds = static_cast<double>(now_ms - since.at_ms) / 1000;
    const auto per_second = [&](std::int64_t from, std::int64_t to) {
        return static_cast<double>(to - from) / seconds;
    };
    return LaneRates{.over_ms = now_ms - since.at_ms,
                     .created = per_second(before.created, after.created),
                     .claimed = per_second(before.claimed, after.claimed),
                     .ended = per_second(before.ended, after.ended)};
}

}  // namespace flowfabric
