#include "core/command/contents.hpp"
#include "core/flow/flow_retention.hpp"
#include "core/flow/on_flow.hpp"
#include "flowfabric/execution.hpp"

namespace flowfabric {
namespace {

// An open flow counts as ended from here on, which keeps others from adding to it.
void begin_removal(FlowRow flow, DecisionContext& context) {
    FlowFields fields = fields_of(flow);
    fields.removing = true;
    flow.raw_fields = json_of(fields);
    if (flow.public_flow_state == FlowState::open) {
        flow.public_flow_state = flow.failed_members > 0 ? FlowState::failed : FlowState::completed;
        flow.terminal_at_ms = context.set.now_ms;
    }
    context.set.side.of<FlowRow>().put(std::move(flow));
}

class RemoveFlowBody final : public OnFlow {
  public:
    explicit RemoveFlowBody(FlowTally tally) : OnFlow(tally.row.key), tally_(std::move(tally)) {}

    CommandTraits traits() const override {
        return {.name = "remove_flow", .urgency = Urgency::bulk, .by_timer = true};
    }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(tally_.row); }
    void name_rows(NamedRows& rows) const override {
        OnFlow::name_rows(rows);
        rows.side.of<FlowRetentionRow>().keys.push_back(flow());
    }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        const FlowRow* flow = context.set.side.of<FlowRow>().find(this->flow());
        const bool as_counted = flow != nullptr && *flow == tally_.row;
        if (!as_counted) return Answer::of<TimerFired>({.changed = false});
        const auto at = removal_time(tally_, context.set.settings.execution_retention_ms, context.set.now_ms);
        if (!at) {
            context.set.side.of<FlowRetentionRow>().erase(flow->key);
            return Answer::of<TimerFired>({.changed = false});
        }
        if (*at > context.set.now_ms) {
            note_flow_at(flow->key, *at, context);
            return Answer::of<TimerFired>({.changed = false});
        }
        begin_removal(*flow, context);
        return Answer::of<TimerFired>({.changed = true});
    }

  private:
    FlowTally tally_;
};

}  // namespace

Command remove_flow(FlowTally tally) {
    return Command::make<RemoveFlowBody>(std::move(tally));
}

}  // namespace flowfabric
