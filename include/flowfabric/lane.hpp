#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "flowfabric/field.hpp"
#include "flowfabric/state.hpp"

namespace flowfabric {

struct LaneChanged {
    static constexpr std::string_view type_name = "LaneChanged";

    std::string lane_id;
    std::optional<LaneState> previous;
    LaneState state = LaneState::active;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lane_id", &LaneChanged::lane_id, field::optional, "The lane.");
        visit("previous", &LaneChanged::previous, field::optional, "Its state before; absent: the lane is new.");
        visit("state", &LaneChanged::state, field::optional, "Its state now.");
    }

    bool operator==(const LaneChanged&) const = default;
};

// Holds for every claim and every creation that begins after the answer.
struct SetLaneState {
    using Answer = LaneChanged;
    static constexpr std::string_view type_name = "SetLaneState";
    static constexpr Operation operation{"set_lane_state",
                                         "Opens, pauses, drains or disables a lane; an unknown one is registered."};

    std::string lane_id;
    LaneState state = LaneState::active;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lane_id", &SetLaneState::lane_id, field::required(field::lane), "The lane.");
        visit("state", &SetLaneState::state, field::required(),
              "Whether it accepts work and hands it out; paused only accepts, draining only hands out.");
    }
};

}  // namespace flowfabric
