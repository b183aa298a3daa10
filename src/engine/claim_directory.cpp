#include "engine/claim_directory.hpp"

#include <algorithm>

#include "core/decisions.hpp"

namespace flowfabric {
namespace {

// A row may commit this much later than its created_at_ms says without slipping below a floor.
constexpr std::int64_t floor_lag_ms = 250;
constexpr std::int64_t full_scan_interval_ms = 1000;
constexpr std::int64_t full_scan_duty = 20;
constexpr std::int64_t heads_interval_ms = 10;

ClaimKey key_of(const ExecutionRow& row) {
    return {row.created_at_ms, row.id.uuid};
}

}  // namespace

ClaimSight sight_of(const Claimable& found) {
    ClaimSight sight{.first_returned = {}, .heads = found.heads};
    for (const ExecutionEntry& entry : found.rows) {
        const ExecutionRow& row = entry.row;
        if (row.vector.eligibility_state != EligibilityState::eligible_now) continue;
        const auto same_level = [&](const LevelHead& first) {
            return first.class_id == row.class_id && first.priority == row.priority;
        };
        // Rows come in claim order: the first of a level is its lowest key.
        if (std::ranges::none_of(sight.first_returned, same_level)) {
            sight.first_returned.push_back({row.class_id, row.priority, key_of(row)});
        }
    }
    return sight;
}

bool covers_class(std::span<const std::string> lanes, std::span<const std::string> capabilities,
                  const std::string& lane_id, std::span<const std::string> required_capabilities) {
    return std::ranges::binary_search(lanes, lane_id) && std::ranges::includes(capabilities, required_capabilities);
}

void ClaimDirectory::learn_routes(Routes routes) {
    // Answers to two questions may overtake each other; classes are never removed.
    if (routes.lane_revision < routes_.lane_revision || routes.classes.size() < routes_.classes.size()) return;
    routes_ = std::move(routes);
    ids_.clear();
    for (const ClaimClass& known : routes_.classes) ids_[{known.lane_id, known.required_capabilities}] = known.class_id;
}

std::optional<std::int32_t> ClaimDirectory::class_of(const ClassSpec& spec) const {
    const auto found = ids_.find(spec);
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::int32_t> ClaimDirectory::classes_for(std::span<const std::string> lanes,
                                                      std::span<const std::string> capabilities) const {
    std::vector<std::int32_t> ids;
    for (const ClaimClass& known : routes_.classes) {
        const auto state = routes_.lane_states.find(known.lane_id);
        const bool open = state == routes_.lane_states.end() || hands_out_work(state->second);
        if (open && covers_class(lanes, capabilities, known.lane_id, known.required_capabilities)) {
            ids.push_back(known.class_id);
        }
    }
    std::ranges::sort(ids);
    return ids;
}

ClaimSelection ClaimDirectory::select(std::vector<std::int32_t> class_ids, std::uint32_t count, bool full_scan,
                                      std::int64_t steady_now_ms) {
    ClaimSelection selection{.class_ids = std::move(class_ids), .count = count};
    if (!use_floors_) return selection;
    selection.heads = steady_now_ms >= heads_due_ms_;
    if (selection.heads) heads_due_ms_ = steady_now_ms + heads_interval_ms;
    if (full_scan) return selection;
    for (const std::int32_t id : selection.class_ids) {
        const auto state = states_.find(id);
        if (state == states_.end() || state->second.full_scan_due_ms <= steady_now_ms || state->second.floors.empty()) {
            selection.levels.clear();
            return selection;
        }
        for (const auto& [priority, floor] : state->second.floors) selection.levels.push_back({id, priority, floor});
    }
    std::ranges::stable_sort(selection.levels, std::greater<>{}, &ClaimLevel::priority);
    return selection;
}

void ClaimDirectory::learn(const ClaimSelection& selection, const ClaimSight& sight, std::uint64_t generation,
                           std::int64_t store_now_ms, std::int64_t steady_now_ms, std::int64_t duration_ms) {
    if (!selection.heads || generation != generation_) return;
    if (selection.levels.empty()) {
        for (const std::int32_t id : selection.class_ids) {
            states_[id].full_scan_due_ms =
                steady_now_ms + std::max(full_scan_interval_ms, full_scan_duty * duration_ms);
        }
        for (const LevelHead& first : sight.first_returned) states_[first.class_id].floors.try_emplace(first.priority);
        for (const LevelHead& head : sight.heads) states_[head.class_id].floors.try_emplace(head.priority);
    }
    for (const LevelHead& head : sight.heads) {
        // An earlier row that somebody else holds may come back: only an unlocked head moves the floor.
        const bool unlocked = std::ranges::find(sight.first_returned, head) != sight.first_returned.end();
        if (unlocked) raise(head, store_now_ms);
    }
}

void ClaimDirectory::raise(const LevelHead& to, std::int64_t store_now_ms) {
    ClaimKey capped = to.key;
    if (capped.created_at_ms > store_now_ms - floor_lag_ms) capped = {store_now_ms - floor_lag_ms, Uuid{}};
    ClaimKey& floor = states_[to.class_id].floors[to.priority];
    floor = std::max(floor, capped);
}

void ClaimDirectory::on_eligible(const ExecutionRow& row) {
    if (!use_floors_) return;
    const ClaimKey key = key_of(row);
    // A row that comes back may stand before the head that a scan under way has seen; a new one is above every floor.
    const bool came_back = row.created_at_ms < row.last_mutation_at_ms;
    const auto state = states_.find(row.class_id);
    if (state == states_.end()) {
        if (came_back) ++generation_;
        return;
    }
    const auto [floor, fresh] = state->second.floors.try_emplace(row.priority, key);
    if (fresh ? came_back : key < floor->second) {
        floor->second = key;
        ++generation_;
    }
}

void ClaimDirectory::forget_floors() {
    states_.clear();
    ++generation_;
}

}  // namespace flowfabric
