#include "core/flow/flow_retention.hpp"
#include "core/flow/on_flow.hpp"
#include "flowfabric/execution.hpp"

namespace flowfabric {
namespace {

class FinishRemovalBody final : public OnFlow {
  public:
    using OnFlow::OnFlow;

    CommandTraits traits() const override {
        return {.name = "finish_removal", .urgency = Urgency::bulk, .by_timer = true};
    }
    std::size_t bytes() const override { return sizeof(*this); }
    void name_rows(NamedRows& rows) const override {
        OnFlow::name_rows(rows);
        rows.flows.members_of.push_back(flow());
        rows.side.of<FlowRetentionRow>().keys.push_back(flow());
        rows.side.of<FlowSummaryRow>().keys.push_back(flow());
        rows.side.of<CancelBacklogRow>().keys.push_back(flow());
        rows.side.of<CancelMemberRow>().flows.push_back(flow());
        rows.side.of<EdgeGroupRow>().flows.push_back(flow());
    }

    Result<Answer> decide(BatchRows& rows, DecisionContext& context) const override {
        SideTables& side = context.set.side;
        const bool gone = side.of<FlowRow>().find(flow()) == nullptr;
        const bool ready = is_being_removed(flow(), context.set) && rows.members(flow()).empty();
        if (!gone && !ready) return Answer::of<TimerFired>({.changed = false});
        const auto of_flow = [&](const auto& row) { return row.flow() == flow(); };
        for (const EdgeGroupRow& group : side.of<EdgeGroupRow>().where(of_flow)) {
            side.of<EdgeGroupRow>().erase(group.key);
            side.of<SiblingWorkRow>().erase(group.key);
        }
        for (const CancelMemberRow& member : side.of<CancelMemberRow>().where(of_flow)) {
            side.of<CancelMemberRow>().erase(member.key);
        }
        side.of<CancelBacklogRow>().erase(flow());
        side.of<FlowSummaryRow>().erase(flow());
        side.of<FlowRetentionRow>().erase(flow());
        side.of<FlowRow>().erase(flow());
        return Answer::of<TimerFired>({.changed = true});
    }
};

}  // namespace

Command finish_removal(const FlowKey& flow) {
    return Command::make<FinishRemovalBody>(flow);
}

}  // namespace flowfabric
