#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/statistics/lane_counts.hpp"

namespace flowfabric {

// The totals of lanes as they were during the last minutes, for rates.
class RateHistory {
  public:
    static constexpr std::int64_t interval_ms = 15'000;  // between samples

    // Later than every sample before it.
    void add(std::int64_t at_ms, const std::vector<LaneCountsRow>& lanes);

    // On average since the sample that is `over_ms` old at least; absent if there is none yet.
    std::optional<LaneRates> rates(const LaneCountsRow& lane, std::int64_t now_ms, std::int64_t over_ms) const;

  private:
    struct Counted {
        std::int64_t created = 0;
        std::int64_t claimed = 0;
        std::int64_t ended = 0;
    };
    struct Sample {
        std::int64_t at_ms = 0;
        std::vector<Counted> lanes;  // by number
    };
    static Counted counted(const LaneTotals& totals);

    std::unordered_map<std::string, std::size_t> lane_numbers_;  // that samples have ever named
    std::deque<Sample> samples_;                                 // by time
};

}  // namespace flowfabric
