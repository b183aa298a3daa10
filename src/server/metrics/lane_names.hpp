#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <string>

namespace flowfabric::server {

// The lanes that metrics name, the first that are met; all others go by `other`, so that labels stay few.
class LaneNames {
  public:
    static constexpr std::uint32_t most = 20;

    std::string name_of(const std::string& lane_id) {
        const std::lock_guard lock(mutex_);
        if (named_.size() < most) named_.insert(lane_id);
        return named_.contains(lane_id) ? lane_id : "other";
    }
    std::set<std::string> named() const {
        const std::lock_guard lock(mutex_);
        return named_;
    }

  private:
    mutable std::mutex mutex_;  // guards named_
    std::set<std::string> named_;
};

}  // namespace flowfabric::server
