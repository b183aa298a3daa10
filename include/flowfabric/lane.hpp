#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/field.hpp"
#include "flowfabric/limits.hpp"
#include "flowfabric/state.hpp"

namespace flowfabric {

struct LaneChanged {
    static constexpr std::string_view type_name = "LaneChanged";

    std::string lane_id;
    std::optional<LaneState> previous;
    LaneState state = LaneState::active;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lane_id", &LaneChanged::lane_id, field::optional, "The lane's name.");
        visit("previous", &LaneChanged::previous, field::optional, "Its state before; absent: the lane is new.");
        visit("state", &LaneChanged::state, field::optional, "Its state now.");
    }

    bool operator==(const LaneChanged&) const = default;
};

// The new state holds for every claim and every creation that begins after the answer.
struct SetLaneState {
    using Answer = LaneChanged;
    static constexpr std::string_view type_name = "SetLaneState";
    static constexpr Operation operation{"set_lane_state",
                                         "Opens, pauses, drains or disables a lane; an unknown one is registered."};

    std::string lane_id;
    LaneState state = LaneState::active;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lane_id", &SetLaneState::lane_id, field::required(field::lane), "The lane's name.");
        visit("state", &SetLaneState::state, field::required(),
              "Whether it accepts work and hands it out; paused only accepts, draining only hands out.");
    }
};

// ---- reads ------------------------------------------------------------------------------------------------------

struct LaneView {
    static constexpr std::string_view type_name = "LaneView";

    std::string lane_id;
    LaneState state = LaneState::active;
    std::int64_t state_changed_at_ms = 0;
    std::int64_t registered_at_ms = 0;
    std::string registered_by;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lane_id", &LaneView::lane_id, field::optional, "The lane's name.");
        visit("state", &LaneView::state, field::optional, "Whether it accepts work and hands it out.");
        visit("state_changed_at_ms", &LaneView::state_changed_at_ms, field::optional, "When its state last changed.");
        visit("registered_at_ms", &LaneView::registered_at_ms, field::optional, "When it was first named.");
        visit("registered_by", &LaneView::registered_by, field::optional, "What named it first.");
    }

    bool operator==(const LaneView&) const = default;
};

struct DescribeLane {
    using Answer = std::optional<LaneView>;
    static constexpr std::string_view type_name = "DescribeLane";
    static constexpr Operation operation{"describe_lane", "Shows a lane; nothing for one that is not known yet."};

    std::string lane_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lane_id", &DescribeLane::lane_id, field::required(field::lane), "The lane's name.");
    }
};

struct LanePage {
    static constexpr std::string_view type_name = "LanePage";

    std::vector<LaneView> lanes;
    std::optional<std::string> next;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lanes", &LanePage::lanes, field::optional, "Lanes, by name.");
        visit("next_cursor", &LanePage::next, field::optional, "Where the next page begins; absent at the end.");
    }

    bool operator==(const LanePage&) const = default;
};

struct ListLanes {
    using Answer = LanePage;
    static constexpr std::string_view type_name = "ListLanes";
    static constexpr Operation operation{"list_lanes", "Lists lanes, page by page."};

    std::optional<std::string> after;
    std::uint32_t limit = default_page;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("cursor", &ListLanes::after, field::optional, "The last page's next_cursor.");
        visit("limit", &ListLanes::limit, field::optional, "How many at most; more than 1000 counts as 1000.");
    }
};

}  // namespace flowfabric
