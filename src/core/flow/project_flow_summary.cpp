#include "flowfabric/project_flow_summary.hpp"
#include "core/command/contents.hpp"
#include "core/flow/flow_summary.hpp"
#include "core/flow/on_flow.hpp"
#include "flowfabric/execution.hpp"

namespace flowfabric {
namespace {

void put_if_it_differs(const FlowSummaryRow& counted, RowTable<FlowSummaryRow>& summaries) {
    const FlowSummaryRow* stored = summaries.find(counted.key);
    if (stored != nullptr) {
        const bool newer = stored->last_summary_update_at_ms > counted.last_summary_update_at_ms;
        FlowSummaryRow same = counted;
        same.last_summary_update_at_ms = stored->last_summary_update_at_ms;
        if (newer || *stored == same) return;
    }
    summaries.put(counted);
}

class StoreFlowSummaryBody final : public OnFlow {
  public:
    StoreFlowSummaryBody(FlowTally tally, std::int64_t counted_at_ms)
        : OnFlow(tally.row.key), tally_(std::move(tally)), counted_at_ms_(counted_at_ms) {}

    CommandTraits traits() const override {
        return {.name = "store_flow_summary", .urgency = Urgency::bulk, .by_timer = true};
    }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(tally_.row); }
    void name_rows(NamedRows& rows) const override {
        OnFlow::name_rows(rows);
        rows.side.of<FlowSummaryRow>().keys.push_back(flow());
    }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        const MemberTally& members = tally_.members;
        auto& summaries = context.set.side.of<FlowSummaryRow>();
        const FlowRow* flow = context.set.side.of<FlowRow>().find(this->flow());
        if (flow == nullptr) return Answer::of<TimerFired>({.changed = false});
        if (members.counts.total() > 0) put_if_it_differs(summary_of(flow->key, members, counted_at_ms_), summaries);

        const bool final = *flow == tally_.row && flow->open_members == 0 && members.live() == 0;
        if (final && !flow->summarised) {
            FlowRow changed = *flow;
            changed.summarised = true;
            context.set.side.of<FlowRow>().put(std::move(changed));
        }
        return Answer::of<TimerFired>({.changed = summaries.changed()});
    }

  private:
    FlowTally tally_;
    std::int64_t counted_at_ms_;
};

// Tells whether there is anything to count. Counting is a reader's work, since it may take longer than a batch should;
// the engine that was asked does it before it answers.
class ProjectFlowSummaryBody final : public OnFlow {
  public:
    using OnFlow::OnFlow;

    CommandTraits traits() const override { return {.name = "project_flow_summary"}; }
    std::size_t bytes() const override { return sizeof(*this); }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        const FlowRow* row = context.set.side.of<FlowRow>().find(flow());
        const bool has_members = row != nullptr && fields_of(*row).node_count > 0;
        return Answer::of<FlowSummaryProjected>({.projected = has_members});
    }
};

}  // namespace

Command store_flow_summary(FlowTally tally, std::int64_t counted_at_ms) {
    return Command::make<StoreFlowSummaryBody>(std::move(tally), counted_at_ms);
}

template <>
Result<Command> admit(ProjectFlowSummary command, const Settings&, const IdSource&) {
    return Command::make<ProjectFlowSummaryBody>(key_of(command.flow_id));
}

}  // namespace flowfabric
