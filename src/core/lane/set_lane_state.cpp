#include <boost/json.hpp>

#include "core/base/names.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/lane/lane.hpp"
#include "flowfabric/lane.hpp"

namespace flowfabric {
namespace {

class SetLaneStateBody final : public CommandBody {
  public:
    explicit SetLaneStateBody(SetLaneState command) : command_(std::move(command)) {}

    CommandTraits traits() const override {
        return {.name = "set_lane_state", .urgency = Urgency::bulk, .on_tables = true};
    }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(command_.lane_id); }
    std::span<const ExecutionId> executions() const override { return {}; }
    void name_rows(NamedRows& rows) const override { rows.side.of<LaneRow>().keys.push_back({command_.lane_id}); }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        WorkingSet& set = context.set;
        const LaneRow* lane = set.side.of<LaneRow>().find({command_.lane_id});
        LaneChanged answer{.lane_id = command_.lane_id, .previous = std::nullopt, .state = command_.state};
        if (lane != nullptr) answer.previous = lane->lane_state;
        if (answer.previous == command_.state) return Answer::of<LaneChanged>(answer);

        LaneRow changed =
            lane != nullptr
                ? *lane
                : LaneRow{.key = {command_.lane_id}, .registered_at_ms = set.now_ms, .registered_by = "set_lane_state"};
        changed.lane_state = command_.state;
        changed.state_changed_at_ms = set.now_ms;
        set.side.of<LaneRow>().put(std::move(changed));
        set.work_available = set.work_available || hands_out_work(command_.state);

        const LaneState from = answer.previous.value_or(LaneState::active);
        if (from == command_.state) return Answer::of<LaneChanged>(answer);
        const boost::json::object details{
            {"lane_id", command_.lane_id}, {"from", to_string(from)}, {"to", to_string(command_.state)}};
        set.events.of<OperatorEvent>().push_back({.event_id = 0,
                                                  .partition_key = 0,
                                                  .subject_id = std::nullopt,
                                                  .namespace_name = std::nullopt,
                                                  .instance_tag = std::nullopt,
                                                  .subject_kind = SubjectKind::lane,
                                                  .event_type = OperatorEventType::lane_state_changed,
                                                  .details = {boost::json::serialize(details)},
                                                  .occurred_at_ms = set.now_ms});
        return Answer::of<LaneChanged>(answer);
    }

  private:
    SetLaneState command_;
};

}  // namespace

template <>
Result<Command> admit(SetLaneState command, const Settings&, const IdSource&) {
    if (auto checked = check_lane_id(command.lane_id); !checked) return checked.error();
    if (!is_known(command.state)) return invalid_input("state", "no such lane state");
    return Command::make<SetLaneStateBody>(std::move(command));
}

}  // namespace flowfabric
