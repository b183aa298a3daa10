#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "store/port.hpp"

namespace flowfabric {

// What a selection found.
struct ClaimSight {
    std::vector<LevelHead> returned;  // every eligible row, in claim order
    std::vector<std::int32_t> reclaimable_in;
    std::vector<LevelHead> heads;
    bool cut = false;  // there was more than the answer may hold
};

ClaimSight sight_of(const Claimable& found);

// Whether a worker for these lanes, with these (sorted) capabilities, may take what a class has.
bool covers_class(std::span<const std::string> lanes, std::span<const std::string> capabilities,
                  const std::string& lane_id, std::span<const std::string> required_capabilities);

// What this engine knows about where claimable work is: the claim classes, and for stores that profit from it how far
// each class is known to be empty.
//
// A class has *levels*, priorities with a floor below which nothing claimable is known to stand, and a *tail*, all
// lower priorities, of which nothing is known. A claim moves both to where it got; an own commit that makes a row
// eligible lowers them. They are forgotten when another process may have done so, and a look at the whole class at
// least every second, or twenty times the look's own duration, checks them: what lies below a floor is late, never
// lost.
//
// A claim reads a bounded number of levels and tails, however many classes and priorities there are. Beyond that bound
// it takes those that come first; priorities stay exact, and age within each class.
class ClaimDirectory {
  public:
    explicit ClaimDirectory(bool use_floors) : use_floors_(use_floors) {}

    void learn_routes(Routes routes);
    // Lanes that are not active, as of lane_revision(), which is -1 before the first routes.
    const std::map<std::string, LaneState>& lane_states() const { return lane_states_; }
    const std::set<std::string>& unreadable_lanes() const { return unreadable_lanes_; }
    std::int64_t lane_revision() const { return lane_revision_; }
    // The store's settings as of setting_revision(), which is -1 before the first routes.
    const StoreSettings& settings() const { return settings_; }
    std::int64_t setting_revision() const { return setting_revision_; }
    // What to ask for to learn what has changed. While a lane cannot be read, also of the same revision: whatever
    // repairs it need not advance that.
    RoutesWanted changes_wanted() const {
        return {.missing = {}, .lanes = {}, .known_revision = unreadable_lanes_.empty() ? lane_revision_ : -1};
    }
    std::optional<std::int32_t> class_of(const ClassSpec& spec) const;
    // The classes of these lanes that a worker with these (sorted) capabilities may take now, ascending.
    const std::vector<std::int32_t>& classes_for(const std::vector<std::string>& lanes,
                                                 const std::vector<std::string>& capabilities);

    ClaimSelection select(std::vector<std::int32_t> class_ids, std::uint32_t count, bool full_scan,
                          std::int64_t steady_now_ms);

    // What had happened when a selection was made.
    struct Moment {
        std::uint64_t generation = 0;  // floors that were lowered or forgotten: what a selection learned before is void
        std::uint64_t arrivals = 0;    // rows that own commits made eligible
    };
    Moment moment() const { return {generation_, arrivals_}; }

    // Takes in what a selection of that moment returned, at the store's time, after `duration_ms`.
    void learn(const ClaimSelection& selection, const ClaimSight& sight, const Moment& selected,
               std::int64_t store_now_ms, std::int64_t steady_now_ms, std::int64_t duration_ms);
    // What it locked was not taken: others may have passed over it.
    void distrust(const ClaimSelection& selection);

    void on_eligible(const ExecutionRow& row);
    void on_reclaimable(const ExecutionRow& row);
    void forget_floors();

  private:
    struct Level {
        ClaimKey floor;
        std::uint64_t last_arrival = 0;
    };
    struct ClassState {
        std::map<std::int32_t, Level, std::greater<>> levels;  // by priority; those below `tail` are part of it
        std::int32_t tail = 0;                                 // priorities below it are not known one by one
        std::int32_t merged_up_to = -1;                        // the highest level that was merged into the tail
        std::uint64_t merged_at = 0;                           // the number of arrivals at that merge
        std::int64_t look_due_ms = 0;
        bool reclaimable = false;  // it may have reclaimable rows
    };
    // What is known of a selection that has come back.
    struct Pass {
        std::uint64_t arrivals = 0;  // later ones it may not have seen
        ClaimKey latest_floor;       // rows behind it may still be committed
        std::size_t keep_empty = 0;  // levels of a class
    };

    void choose(ClaimSelection& selection) const;
    void learn_heads(const ClaimSelection& selection, const ClaimSight& sight, const Pass& pass);
    // Nothing stands before `to` in the level; absent: nothing at all.
    static void pass_level(ClassState& state, std::int32_t priority, const std::optional<ClaimKey>& to,
                           const Pass& pass);
    // Nothing stands before `to`, in that priority of the tail, nor in higher ones.
    static void pass_tail(ClassState& state, std::int32_t priority, const std::optional<ClaimKey>& to,
                          const Pass& pass);
    void merge_lowest(ClassState& state) const;

    bool use_floors_;
    std::uint64_t generation_ = 0;
    std::uint64_t arrivals_ = 0;
    std::map<std::string, LaneState> lane_states_;
    std::set<std::string> unreadable_lanes_;
    std::int64_t lane_revision_ = -1;
    StoreSettings settings_;
    std::int64_t setting_revision_ = -1;
    std::map<std::string, std::map<std::vector<std::string>, std::int32_t>> classes_;  // by lane and capabilities
    // What claims have asked for; forgotten with every change of the routes.
    std::map<std::pair<std::vector<std::string>, std::vector<std::string>>, std::vector<std::int32_t>> covered_;
    std::unordered_map<std::int32_t, ClassState> states_;
};

}  // namespace flowfabric
