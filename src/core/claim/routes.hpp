#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/settings/store_settings.hpp"
#include "flowfabric/state.hpp"

namespace flowfabric {

// Claims are routed by class: a worker's claim reads the classes of its lanes whose capabilities it covers.
struct ClaimClass {
    std::int32_t class_id = 0;
    std::string lane_id;
    std::vector<std::string> required_capabilities;  // sorted

    bool operator==(const ClaimClass&) const = default;
};

// Classes and lane states are those of one lane revision. Settings are those of their own revision or a later one.
struct Routes {
    std::vector<ClaimClass> classes;
    std::map<std::string, LaneState> lane_states;  // a lane that is not named is active
    std::int64_t lane_revision = 0;                // counts the changes of lane states
    std::set<std::string> unreadable_lanes;        // their rows are damaged; they count as disabled
    StoreSettings settings;
    std::int64_t setting_revision = 0;  // counts the changes of settings

    bool operator==(const Routes&) const = default;
};

}  // namespace flowfabric
