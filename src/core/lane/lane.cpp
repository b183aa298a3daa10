#include <boost/json.hpp>

#include "core/command/decisions.hpp"

namespace flowfabric {

bool accepts_work(LaneState state) {
    return state == LaneState::active || state == LaneState::paused;
}

bool hands_out_work(LaneState state) {
    return state == LaneState::active || state == LaneState::draining;
}

Result<Answer> decide(const AdmittedLaneState& command, DecisionContext& context) {
    WorkingSet& set = context.set;
    const LaneRow* lane = set.side.of<LaneRow>().find({command.lane_id});
    LaneChanged answer{.lane_id = command.lane_id, .previous = std::nullopt, .state = command.state};
    if (lane != nullptr) answer.previous = lane->lane_state;
    if (answer.previous == command.state) return Answer{answer};

    LaneRow changed =
        lane != nullptr
            ? *lane
            : LaneRow{.key = {command.lane_id}, .registered_at_ms = set.now_ms, .registered_by = "set_lane_state"};
    changed.lane_state = command.state;
    changed.state_changed_at_ms = set.now_ms;
    set.side.of<LaneRow>().put(std::move(changed));
    set.work_available = set.work_available || hands_out_work(command.state);

    const LaneState from = answer.previous.value_or(LaneState::active);
    if (from == command.state) return Answer{answer};
    const boost::json::object details{
        {"lane_id", command.lane_id}, {"from", to_string(from)}, {"to", to_string(command.state)}};
    set.events.of<OperatorEvent>().push_back({.event_id = 0,
                                              .partition_key = 0,
                                              .subject_id = std::nullopt,
                                              .namespace_name = std::nullopt,
                                              .instance_tag = std::nullopt,
                                              .subject_kind = SubjectKind::lane,
                                              .event_type = OperatorEventType::lane_state_changed,
                                              .details = {boost::json::serialize(details)},
                                              .occurred_at_ms = set.now_ms});
    return Answer{answer};
}

}  // namespace flowfabric
