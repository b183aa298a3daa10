#include "engine/claims/claim_directory.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/claim/order.hpp"
#include "core/lane/lane.hpp"

namespace flowfabric {
namespace {

// A row may commit this much later than its created_at_ms says without slipping below a floor.
constexpr std::int64_t floor_lag_ms = 250;
constexpr std::int64_t look_interval_ms = 1000;
constexpr std::int64_t look_duty = 20;
constexpr std::int32_t everything = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t lowest_priority = 0;
// Up to here a claim looks at every level and tail; each costs a descent of the index.
constexpr std::size_t max_ranges = 64;
// Beyond, it looks at as many as it wants rows, within these limits.
constexpr std::uint32_t fewest_best = 32;
constexpr std::uint32_t most_best = 256;
constexpr std::size_t max_levels = 32;    // of one class, before the lowest become part of its tail
constexpr std::size_t empty_levels = 8;   // of one class that are kept for what others may submit
constexpr std::size_t max_covered = 256;  // remembered sets of lanes and capabilities

ClaimKey key_of(const ExecutionRow& row) {
    return {row.created_at_ms, row.id.uuid};
}

LevelHead place_of(const ExecutionRow& row) {
    return {row.class_id, row.priority, key_of(row)};
}

std::uint32_t share(std::uint32_t count, std::uint32_t among) {
    return std::max<std::uint32_t>(1, (count + among - 1) / among);
}

}  // namespace

ClaimSight sight_of(const Claimable& found) {
    ClaimSight sight{.returned = {}, .reclaimable_in = {}, .heads = found.heads, .cut = found.cut};
    sight.returned.reserve(found.rows.size());
    for (const ExecutionEntry& entry : found.rows) {
        if (entry.row.vector.eligibility_state == EligibilityState::eligible_now) {
            sight.returned.push_back(place_of(entry.row));
        } else {
            sight.reclaimable_in.push_back(entry.row.class_id);
        }
    }
    return sight;
}

bool covers_class(std::span<const std::string> lanes, std::span<const std::string> capabilities,
                  const std::string& lane_id, std::span<const std::string> required_capabilities) {
    return std::ranges::binary_search(lanes, lane_id) && std::ranges::includes(capabilities, required_capabilities);
}

// Answers to two questions may overtake each other; classes are never removed.
void ClaimDirectory::learn_routes(Routes routes) {
    covered_.clear();
    for (ClaimClass& known : routes.classes) {
        if (known.lane_id.empty()) continue;  // it cannot be read
        classes_[std::move(known.lane_id)][std::move(known.required_capabilities)] = known.class_id;
    }
    if (routes.setting_revision >= setting_revision_) {
        setting_revision_ = routes.setting_revision;
        settings_ = std::move(routes.settings);
    }
    const bool repaired = routes.lane_revision == lane_revision_ && !unreadable_lanes_.empty();
    if (routes.lane_revision <= lane_revision_ && !repaired) return;
    lane_revision_ = routes.lane_revision;
    lane_states_ = std::move(routes.lane_states);
    unreadable_lanes_ = std::move(routes.unreadable_lanes);
}

std::optional<std::int32_t> ClaimDirectory::class_of(const ClassSpec& spec) const {
    const auto lane = classes_.find(spec.lane_id);
    if (lane == classes_.end()) return std::nullopt;
    const auto found = lane->second.find(spec.required_capabilities);
    return found == lane->second.end() ? std::nullopt : std::optional(found->second);
}

const std::vector<std::int32_t>& ClaimDirectory::classes_for(const std::vector<std::string>& lanes,
                                                             const std::vector<std::string>& capabilities) {
    if (covered_.size() >= max_covered) covered_.clear();
    const auto [known, fresh] = covered_.try_emplace({lanes, capabilities});
    if (!fresh) return known->second;
    std::vector<std::int32_t>& ids = known->second;
    for (const std::string& lane_id : lanes) {
        const auto state = lane_states_.find(lane_id);
        const bool open = state == lane_states_.end() || hands_out_work(state->second);
        const auto lane = classes_.find(lane_id);
        if (!open || lane == classes_.end()) continue;
        for (const auto& [required, class_id] : lane->second) {
            if (std::ranges::includes(capabilities, required)) ids.push_back(class_id);
        }
    }
    std::ranges::sort(ids);
    return ids;
}

ClaimSelection ClaimDirectory::select(std::vector<std::int32_t> class_ids, std::uint32_t count, bool full_scan,
                                      std::int64_t steady_now_ms) {
    ClaimSelection selection{.class_ids = std::move(class_ids), .count = count, .count_each = count};
    if (use_floors_ && !full_scan) {
        const bool known = std::ranges::all_of(selection.class_ids, [&](std::int32_t id) {
            const auto state = states_.find(id);
            return state != states_.end() && state->second.look_due_ms > steady_now_ms;
        });
        if (known) choose(selection);
        if (!selection.levels.empty() || !selection.tails.empty()) return selection;
    }
    selection.whole = true;
    selection.reclaimable_in = selection.class_ids;
    for (const std::int32_t id : selection.class_ids) selection.tails.push_back({id, everything});
    if (use_floors_ && selection.class_ids.size() > max_ranges) {
        selection.best_tails = std::clamp(count, fewest_best, most_best);
        selection.count_each = share(count, selection.best_tails);
    }
    return selection;
}

// Tails come behind all levels: what other classes know one by one in the range of the highest tail is read as a tail.
void ClaimDirectory::choose(ClaimSelection& selection) const {
    struct Range {
        std::int32_t priority = 0;
        ClaimKey floor;
        std::int32_t class_id = 0;
        bool tail = false;
    };
    const bool many = selection.class_ids.size() > max_ranges;
    std::int32_t highest_tail = 0;
    for (const std::int32_t id : selection.class_ids) highest_tail = std::max(highest_tail, states_.at(id).tail);
    std::vector<Range> ranges;
    for (const std::int32_t id : selection.class_ids) {
        const ClassState& state = states_.at(id);
        if (!many || state.reclaimable) selection.reclaimable_in.push_back(id);
        std::int32_t tail = state.tail;
        for (const auto& [priority, level] : state.levels) {
            if (priority < highest_tail) {
                tail = std::max(tail, priority + 1);
                break;
            }
            ranges.push_back({priority, level.floor, id, false});
        }
        if (tail > lowest_priority) ranges.push_back({tail - 1, {}, id, true});
    }
    const auto place = [](const Range& range) {
        const auto& [created_at_ms, uuid] = range.floor;
        return std::pair(ClaimPlace{range.priority, created_at_ms, uuid}, range.class_id);
    };
    if (ranges.size() > max_ranges) {
        const std::uint32_t best = std::clamp(selection.count, fewest_best, most_best);
        if (best < ranges.size()) {
            std::ranges::nth_element(ranges, ranges.begin() + best, {}, place);
            selection.lowest_priority = ranges[best].priority;
            selection.partial = true;
            ranges.resize(best);
        }
        selection.count_each = share(selection.count, best);
    }
    std::ranges::sort(ranges, {}, place);
    for (const Range& range : ranges) {
        if (range.tail) {
            selection.tails.push_back({range.class_id, range.priority + 1});
        } else {
            selection.levels.push_back({range.class_id, range.priority, range.floor});
        }
    }
}

void ClaimDirectory::learn(const ClaimSelection& selection, const ClaimSight& sight, const Moment& selected,
                           std::int64_t store_now_ms, std::int64_t steady_now_ms, std::int64_t duration_ms) {
    if (!use_floors_ || selection.count == 0 || selected.generation != generation_) return;
    // Other claims may have passed over what was locked and had no room.
    if (sight.cut) return distrust(selection);
    for (const std::int32_t id : selection.reclaimable_in) states_[id].reclaimable = false;
    for (const std::int32_t id : sight.reclaimable_in) states_[id].reclaimable = true;
    if (selection.whole) {
        for (const std::int32_t id : selection.class_ids) {
            states_[id].tail = everything;
            states_[id].look_due_ms = steady_now_ms + std::max(look_interval_ms, look_duty * duration_ms);
        }
    }
    const Pass pass{.arrivals = selected.arrivals,
                    .latest_floor = {store_now_ms - floor_lag_ms, Uuid{}},
                    .keep_empty = selection.class_ids.size() > max_ranges ? 0 : empty_levels};
    if (selection.best_tails > 0) return learn_heads(selection, sight, pass);

    struct Seen {
        std::uint32_t rows = 0;
        const LevelHead* last = nullptr;
    };
    std::map<std::pair<std::int32_t, std::int32_t>, Seen> in_levels;
    std::unordered_map<std::int32_t, Seen> in_tails;
    for (const ClaimLevel& level : selection.levels) in_levels.try_emplace({level.class_id, level.priority});
    for (const LevelHead& row : sight.returned) {
        const auto level = in_levels.find({row.class_id, row.priority});
        Seen& seen = level == in_levels.end() ? in_tails[row.class_id] : level->second;
        seen = {seen.rows + 1, &row};
    }
    // Every row up to `reached` was returned, but for what a level or a tail had beyond its share.
    const bool full = sight.returned.size() >= selection.count;
    const LevelHead* reached = full ? &sight.returned.back() : nullptr;
    for (const auto& [where, seen] : in_levels) {
        const auto& [class_id, priority] = where;
        ClassState& state = states_[class_id];
        if (seen.rows >= selection.count_each) {
            pass_level(state, priority, seen.last->key, pass);
        } else if (reached == nullptr || priority > reached->priority) {
            pass_level(state, priority, std::nullopt, pass);
        } else if (priority == reached->priority) {
            pass_level(state, priority, reached->key, pass);
        }
    }
    for (const ClaimTail& tail : selection.tails) {
        ClassState& state = states_[tail.class_id];
        const Seen seen = in_tails[tail.class_id];
        if (seen.rows >= selection.count_each) {
            pass_tail(state, seen.last->priority, seen.last->key, pass);
        } else if (reached == nullptr) {
            pass_tail(state, selection.lowest_priority, std::nullopt, pass);
        } else if (reached->priority < tail.below) {
            pass_tail(state, reached->priority, reached->key, pass);
        }
    }
}

// Which tails the store chose is not told: the classes go on at their heads, or behind what they gave.
void ClaimDirectory::learn_heads(const ClaimSelection& selection, const ClaimSight& sight, const Pass& pass) {
    std::unordered_map<std::int32_t, const LevelHead*> places;
    for (const LevelHead& head : sight.heads) places[head.class_id] = &head;
    for (const LevelHead& row : sight.returned) places[row.class_id] = &row;
    for (const std::int32_t id : selection.class_ids) {
        const auto place = places.find(id);
        if (place == places.end()) {
            pass_tail(states_[id], lowest_priority, std::nullopt, pass);
        } else {
            pass_tail(states_[id], place->second->priority, place->second->key, pass);
        }
    }
}

void ClaimDirectory::pass_level(ClassState& state, std::int32_t priority, const std::optional<ClaimKey>& to,
                                const Pass& pass) {
    const auto level = state.levels.find(priority);
    if (level == state.levels.end()) return;
    const bool unseen = level->second.last_arrival > pass.arrivals;
    if (!to && !unseen && state.levels.size() > pass.keep_empty) {
        state.levels.erase(level);
        return;
    }
    level->second.floor = std::max(level->second.floor, std::min(to.value_or(pass.latest_floor), pass.latest_floor));
}

void ClaimDirectory::pass_tail(ClassState& state, std::int32_t priority, const std::optional<ClaimKey>& to,
                               const Pass& pass) {
    std::vector<std::int32_t> passed;
    for (const auto& [known, level] : state.levels) {
        if (known < state.tail && (known > priority || (known == priority && !to))) passed.push_back(known);
    }
    for (const std::int32_t known : passed) pass_level(state, known, std::nullopt, pass);
    // What the level was told of as part of the tail says nothing about what stands before that.
    if (to && priority < state.tail) state.levels[priority].floor = std::min(*to, pass.latest_floor);
    if (to && priority >= state.tail) pass_level(state, priority, to, pass);
    if (state.merged_at <= pass.arrivals) state.merged_up_to = -1;
    state.tail = std::min(state.tail, std::max(priority, state.merged_up_to + 1));
}

void ClaimDirectory::distrust(const ClaimSelection& selection) {
    if (!use_floors_) return;
    for (const std::int32_t id : selection.class_ids) {
        if (const auto state = states_.find(id); state != states_.end()) state->second.look_due_ms = 0;
    }
    ++generation_;
}

void ClaimDirectory::on_eligible(const ExecutionRow& row) {
    if (!use_floors_) return;
    ++arrivals_;
    const ClaimKey key = key_of(row);
    // A row that comes back may stand before what a scan under way has passed; a new one is above every floor.
    const bool came_back = row.created_at_ms < row.last_mutation_at_ms;
    const auto state = states_.find(row.class_id);
    if (state == states_.end()) {
        if (came_back) ++generation_;
        return;
    }
    auto& levels = state->second.levels;
    const auto [level, fresh] = levels.try_emplace(row.priority, Level{.floor = key});
    level->second.last_arrival = arrivals_;
    if (fresh ? came_back : key < level->second.floor) {
        level->second.floor = key;
        ++generation_;
    }
    if (levels.size() > max_levels) merge_lowest(state->second);
}

void ClaimDirectory::merge_lowest(ClassState& state) const {
    const auto lowest = std::prev(state.levels.end());
    state.merged_up_to = std::max(state.merged_up_to, lowest->first);
    state.merged_at = arrivals_;
    state.tail = std::max(state.tail, lowest->first + 1);
    state.levels.erase(lowest);
}

void ClaimDirectory::on_reclaimable(const ExecutionRow& row) {
    if (!use_floors_) return;
    ++generation_;
    if (const auto state = states_.find(row.class_id); state != states_.end()) state->second.reclaimable = true;
}

void ClaimDirectory::forget_floors() {
    states_.clear();
    ++generation_;
}

}  // namespace flowfabric
