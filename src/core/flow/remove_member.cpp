#include "core/command/on_execution.hpp"
#include "core/execution/retention.hpp"
#include "core/flow/flow_retention.hpp"
#include "flowfabric/execution.hpp"

namespace flowfabric {
namespace {

bool is_old_enough(const ExecutionRow& row, const DecisionContext& context) {
    if (row.vector.lifecycle_phase != LifecyclePhase::terminal || !row.terminal_at_ms) return false;
    const auto remove_at = removal_time(row, context.set.settings);
    return remove_at && *remove_at <= context.set.now_ms;
}

class RemoveMemberBody final : public OnExecution {
  public:
    RemoveMemberBody(const ExecutionId& id, const FlowId& flow_id)
        : OnExecution(id), group_{{id.partition, flow_id}, id.uuid} {}

    CommandTraits traits() const override {
        return {.name = "remove_member", .urgency = Urgency::bulk, .by_timer = true};
    }
    std::size_t bytes() const override { return sizeof(*this); }
    void name_rows(NamedRows& rows) const override {
        rows.side.of<FlowRow>().keys.push_back(group_.flow);
        rows.side.of<FlowRetentionRow>().keys.push_back(group_.flow);
        rows.side.of<EdgeGroupRow>().keys.push_back(group_);
    }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        const bool member = entry.row.flow_id == group_.flow.flow_id;
        if (!member || !is_being_removed(group_.flow, context.set)) return Answer::of<TimerFired>({.changed = false});
        if (!is_old_enough(entry.row, context)) {
            note_flow_at(group_.flow, in_a_short_while(context.set.now_ms), context);
            return Answer::of<TimerFired>({.changed = false});
        }
        entry.change = RowChange::erase;
        context.set.side.of<EdgeGroupRow>().erase(group_);
        context.set.side.of<SiblingWorkRow>().erase(group_);
        context.set.side.of<CancelMemberRow>().erase({group_.flow, execution_id().to_string()});
        return Answer::of<TimerFired>({.changed = true});
    }

  private:
    GroupKey group_;
};

}  // namespace

Command remove_member(const ExecutionId& id, const FlowId& flow_id) {
    return Command::make<RemoveMemberBody>(id, flow_id);
}

}  // namespace flowfabric
