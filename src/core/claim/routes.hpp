#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/settings/store_settings.hpp"
#include "flowfabric/state.hpp"

namespace flowfabric {

// What claims are routed by: a worker's claim reads the classes of its lanes whose capabilities it covers.
struct ClaimClass {
    std::int32_t class_id = 0;
    std::string lane_id;
    std::vector<std::string> required_capabilities;  // sorted

    bool operator==(const ClaimClass&) const = default;
};

// All classes and the lanes that are not simply active, as of one change of a lane's state; and the settings, as of
// the change that their revision counts or a later one.
struct Routes {
    std::vector<ClaimClass> classes;
    std::map<std::string, LaneState> lane_states;  // a lane that is not named is active
    std::int64_t lane_revision = 0;                // counts the changes of lane states
    std::set<std::string> unreadable_lanes;        // damaged, and disabled for as long
    StoreSettings settings;
    std::int64_t setting_revision = 0;  // counts the changes of settings

    bool operator==(const Routes&) const = default;
};

}  // namespace flowfabric
