#include "core/lane/lane.hpp"

#include "flowfabric/result.hpp"

namespace flowfabric {

bool accepts_work(LaneState state) {
    return state == LaneState::active || state == LaneState::paused;
}

bool hands_out_work(LaneState state) {
    return state == LaneState::active || state == LaneState::draining;
}

EngineError lane_not_accepting(const std::string& lane_id, LaneState state) {
    return invalid_input("lane_id", "lane_not_accepting: " + lane_id + " is " + std::string(to_string(state)));
}

}  // namespace flowfabric
