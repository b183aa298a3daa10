#pragma once

#include <string>

#include "flowfabric/error.hpp"
#include "flowfabric/state.hpp"

// What a lane in a state does.
namespace flowfabric {

bool accepts_work(LaneState state);
bool hands_out_work(LaneState state);

EngineError lane_not_accepting(const std::string& lane_id, LaneState state);

}  // namespace flowfabric
