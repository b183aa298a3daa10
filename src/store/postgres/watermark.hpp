#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace flowfabric::postgres {

// Up to which id every event of a channel is decided. Ids are drawn in order and commit in any order; a transaction
// that may still commit one at or below the last drawn id holds the sequence's lock. A poll reads the last drawn id
// first and the holders second: a holder that is new in this poll drew nothing up to the last drawn id of the poll
// before.
class WatermarkTracker {
  public:
    // Nothing as long as a transaction runs that was already there at the first poll: what it drew is unknown.
    std::optional<std::int64_t> advance(std::int64_t last_drawn, const std::vector<std::string>& holders) {
        std::map<std::string, std::optional<std::int64_t>> bounds;
        for (const auto& holder : holders) {
            const auto known = bounds_.find(holder);
            bounds.emplace(holder, known == bounds_.end() ? previous_ : known->second);
        }
        bounds_ = std::move(bounds);
        resting_ = bounds_.empty() && previous_ == last_drawn;
        previous_ = last_drawn;

        std::int64_t decided = last_drawn;
        for (const auto& [holder, bound] : bounds_) {
            if (!bound) return std::nullopt;
            decided = std::min(decided, *bound);
        }
        return decided;
    }

    // Whether no id was drawn since a poll that found all of them decided: nobody can have changed that.
    bool settled(std::int64_t last_drawn) const { return previous_ == last_drawn && bounds_.empty(); }

    // Whether the last poll found nothing new, so that the last drawn id alone is likely to say so again.
    bool resting() const { return resting_; }

  private:
    std::map<std::string, std::optional<std::int64_t>> bounds_;  // what each holder had surely not drawn
    std::optional<std::int64_t> previous_;
    bool resting_ = false;
};

}  // namespace flowfabric::postgres
