#include "core/flow/flow_summary.hpp"

#include "core/command/decisions.hpp"

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

}  // namespace

Result<Answer> decide(const ProjectFlowSummary& command, BatchRows&, DecisionContext& context) {
    const FlowKey& key = command.flow_key();
    const MemberTally& members = command.flow.members;
    auto& summaries = context.set.side.of<FlowSummaryRow>();
    const FlowRow* flow = context.set.side.of<FlowRow>().find(key);
    if (flow == nullptr) return Answer{TimerFired{.changed = false}};
    if (members.counts.total() > 0) put_if_it_differs(summary_of(key, members, command.counted_at_ms), summaries);

    const bool final = *flow == command.flow.row && flow->open_members == 0 && members.live() == 0;
    if (final && !flow->summarised) {
        FlowRow changed = *flow;
        changed.summarised = true;
        context.set.side.of<FlowRow>().put(std::move(changed));
    }
    return Answer{TimerFired{.changed = summaries.changed()}};
}

}  // namespace flowfabric
