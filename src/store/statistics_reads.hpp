#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/statistics/lane_counts.hpp"
#include "store/result.hpp"

namespace flowfabric {

// The counters of lanes, and what the claim index tells of them.
class StatisticsReads {
  public:
    virtual ~StatisticsReads() = default;

    // By name, strictly after `after`, at most `limit`.
    virtual StoreResult<std::vector<LaneCountsRow>> lane_counts(const std::string& after, std::uint32_t limit) = 0;
    // Zeros for a lane without any.
    virtual StoreResult<LaneCounts> counts_of_lane(const std::string& lane_id) = 0;
    virtual StoreResult<LaneCounts> counts_of_all_lanes() = 0;
    // When the oldest execution that could be claimed now was created, of the lanes that have any. Each priority in use
    // of each class is looked up once.
    virtual StoreResult<std::map<std::string, std::int64_t>> oldest_eligible(const std::vector<std::string>& lanes) = 0;
};

}  // namespace flowfabric
