#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/command.hpp"
#include "store/port.hpp"

namespace flowfabric {

// Where a selection found eligible work, level by level.
struct ClaimSight {
    std::vector<LevelHead> first_returned;
    std::vector<LevelHead> heads;
};

ClaimSight sight_of(const Claimable& found);

// Whether a worker for these lanes, with these (sorted) capabilities, may take what a class has.
bool covers_class(std::span<const std::string> lanes, std::span<const std::string> capabilities,
                  const std::string& lane_id, std::span<const std::string> required_capabilities);

// What this engine knows about where claimable work is: the claim classes, and for stores that profit from it a floor
// per class and priority below which nothing claimable is known to stand.
//
// A floor only saves work. It is raised to the head of its level when a claim saw that head unlocked, lowered by every
// own commit that makes a row eligible, forgotten when another process may have done so, and checked by a full scan at
// least every second or twenty times the scan's own duration: what lies below a floor is late, never lost. Heads are
// looked at every few milliseconds only: in between, floors lag behind by a few dead entries.
class ClaimDirectory {
  public:
    explicit ClaimDirectory(bool use_floors) : use_floors_(use_floors) {}

    void learn_routes(Routes routes);
    // The lanes that are not simply active, as of the last routes learned; -1 before the first.
    const std::map<std::string, LaneState>& lane_states() const { return routes_.lane_states; }
    std::int64_t lane_revision() const { return routes_.lane_revision; }
    std::optional<std::int32_t> class_of(const ClassSpec& spec) const;
    // The classes of these lanes that a worker with these (sorted) capabilities may take now, ascending.
    std::vector<std::int32_t> classes_for(std::span<const std::string> lanes,
                                          std::span<const std::string> capabilities) const;

    ClaimSelection select(std::vector<std::int32_t> class_ids, std::uint32_t count, bool full_scan,
                          std::int64_t steady_now_ms);
    // Changes whenever a floor was lowered or forgotten; raises learned from an older generation are void.
    std::uint64_t generation() const { return generation_; }

    // Takes in what a selection of `generation` returned, at the store's time, after `duration_ms`.
    void learn(const ClaimSelection& selection, const ClaimSight& sight, std::uint64_t generation,
               std::int64_t store_now_ms, std::int64_t steady_now_ms, std::int64_t duration_ms);

    void on_eligible(const ExecutionRow& row);
    void forget_floors();

  private:
    struct ClassState {
        std::map<std::int32_t, ClaimKey, std::greater<>> floors;  // by priority, highest first
        std::int64_t full_scan_due_ms = 0;
    };

    void raise(const LevelHead& to, std::int64_t store_now_ms);

    bool use_floors_;
    std::uint64_t generation_ = 0;
    Routes routes_{.classes = {}, .lane_states = {}, .lane_revision = -1};
    std::map<ClassSpec, std::int32_t> ids_;
    std::unordered_map<std::int32_t, ClassState> states_;
    std::int64_t heads_due_ms_ = 0;
};

}  // namespace flowfabric
