#include "core/flow/flow_retention.hpp"

#include <algorithm>

#include "core/execution/retry.hpp"
#include "core/flow/flow_fields.hpp"

namespace flowfabric {
namespace {

constexpr std::uint64_t short_while_ms = 60'000;

// A flow that has not ended is looked at once a day at least, so that a change of the setting is seen.
std::int64_t next_look(std::uint64_t retention_ms, std::int64_t now_ms) {
    return saturating_add(now_ms, retention_ms > 0 ? std::min(retention_ms, day_ms) : day_ms);
}

}  // namespace

void note_flow(const FlowKey& key, DecisionContext& context) {
    note_flow_at(key, next_look(context.set.settings.execution_retention_ms, context.set.now_ms), context);
}

void note_flow_at(const FlowKey& key, std::int64_t at_ms, DecisionContext& context) {
    context.set.side.of<FlowRetentionRow>().put({.key = key, .remove_at_ms = at_ms});
}

std::int64_t in_a_short_while(std::int64_t now_ms) {
    return saturating_add(now_ms, short_while_ms);
}

std::optional<std::int64_t> removal_time(const FlowTally& flow, std::uint64_t retention_ms, std::int64_t now_ms) {
    const MemberTally& members = flow.members;
    // A live member is not old enough any sooner, unless it has a time of its own, which leads here.
    if (members.live() > 0) return next_look(retention_ms, now_ms);
    if (flow.row.open_members > 0) return in_a_short_while(now_ms);
    if (members.counts.total() == 0) {
        // No member leads here when the setting changes.
        const auto look_at = next_look(retention_ms, now_ms);
        const auto touched = fields_of(flow.row).last_mutation_at_ms.value_or(flow.row.created_at_ms);
        return retention_ms > 0 ? std::min(saturating_add(touched, retention_ms), look_at) : look_at;
    }
    if (members.kept_for_ever) return std::nullopt;
    std::optional<std::int64_t> at = members.kept_until_ms;
    if (members.last_end_ms) {
        if (retention_ms == 0) return std::nullopt;
        const auto ordinary = saturating_add(*members.last_end_ms, retention_ms);
        at = std::max(at.value_or(ordinary), ordinary);
    }
    return at;
}

bool is_being_removed(const FlowKey& key, const WorkingSet& set) {
    const FlowRow* flow = set.side.of<FlowRow>().find(key);
    return flow != nullptr && fields_of(*flow).removing;
}

}  // namespace flowfabric
