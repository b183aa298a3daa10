#include "core/flow/flow_retention.hpp"

#include <algorithm>

#include "core/execution/retention.hpp"
#include "core/execution/retry.hpp"
#include "core/flow/flow_fields.hpp"

namespace flowfabric {
namespace {

constexpr std::uint64_t short_while_ms = 60'000;

Answer fired(bool changed) {
    return TimerFired{.changed = changed};
}

const FlowRow* find_removing(const FlowKey& key, const WorkingSet& set) {
    const FlowRow* flow = set.side.of<FlowRow>().find(key);
    return flow != nullptr && fields_of(*flow).removing ? flow : nullptr;
}

void note(const FlowKey& key, std::int64_t at_ms, DecisionContext& context) {
    context.set.side.of<FlowRetentionRow>().put({.key = key, .remove_at_ms = at_ms});
}

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

// Of a flow that has not ended. The setting may change before it does: one look a day sees it.
std::int64_t next_look(std::uint64_t retention_ms, std::int64_t now_ms) {
    return saturating_add(now_ms, retention_ms > 0 ? std::min(retention_ms, day_ms) : day_ms);
}

bool is_old_enough(const ExecutionRow& row, const DecisionContext& context) {
    if (row.vector.lifecycle_phase != LifecyclePhase::terminal || !row.terminal_at_ms) return false;
    const auto remove_at = removal_time(row, context.set.settings);
    return remove_at && *remove_at <= context.set.now_ms;
}

}  // namespace

void note_flow(const FlowKey& key, DecisionContext& context) {
    note(key, next_look(context.set.settings.execution_retention_ms, context.set.now_ms), context);
}

std::optional<std::int64_t> removal_time(const FlowTally& flow, std::uint64_t retention_ms, std::int64_t now_ms) {
    const MemberTally& members = flow.members;
    // A live member is not old enough any sooner, unless it has a time of its own, which leads here.
    if (members.live() > 0) return next_look(retention_ms, now_ms);
    if (flow.row.open_members > 0) return saturating_add(now_ms, short_while_ms);
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

Result<Answer> decide(const RemoveFlow& command, BatchRows&, DecisionContext& context) {
    const FlowKey& key = command.flow_key();
    const FlowRow* flow = context.set.side.of<FlowRow>().find(key);
    const bool as_counted = flow != nullptr && *flow == command.flow.row;
    if (!as_counted) return fired(false);
    const auto at = removal_time(command.flow, context.set.settings.execution_retention_ms, context.set.now_ms);
    if (!at) {
        context.set.side.of<FlowRetentionRow>().erase(key);
        return fired(false);
    }
    if (*at > context.set.now_ms) {
        note(key, *at, context);
        return fired(false);
    }
    begin_removal(*flow, context);
    return fired(true);
}

Result<Answer> decide(const RemoveEdges& command, BatchRows&, DecisionContext& context) {
    if (find_removing(command.flow, context.set) == nullptr) return fired(false);
    for (const EdgeId& id : command.edges) context.set.side.of<EdgeRow>().erase({command.flow, id});
    return fired(true);
}

Result<Answer> decide(const RemoveMember& command, BatchRows& rows, DecisionContext& context) {
    const GroupKey group = command.group();
    ExecutionEntry* entry = rows.find(command.execution_id);
    const bool member = entry != nullptr && entry->row.flow_id == command.flow_id;
    if (!member || find_removing(group.flow, context.set) == nullptr) return fired(false);
    if (!is_old_enough(entry->row, context)) {
        note(group.flow, saturating_add(context.set.now_ms, short_while_ms), context);
        return fired(false);
    }
    entry->change = RowChange::erase;
    context.set.side.of<EdgeGroupRow>().erase(group);
    context.set.side.of<SiblingWorkRow>().erase(group);
    context.set.side.of<CancelMemberRow>().erase({group.flow, command.execution_id.to_string()});
    return fired(true);
}

Result<Answer> decide(const FinishRemoval& command, BatchRows& rows, DecisionContext& context) {
    SideTables& side = context.set.side;
    const bool gone = side.of<FlowRow>().find(command.flow) == nullptr;
    const bool ready = find_removing(command.flow, context.set) != nullptr && rows.members(command.flow).empty();
    if (!gone && !ready) return fired(false);
    const auto of_flow = [&](const auto& row) { return row.flow() == command.flow; };
    for (const EdgeGroupRow& group : side.of<EdgeGroupRow>().where(of_flow)) {
        side.of<EdgeGroupRow>().erase(group.key);
        side.of<SiblingWorkRow>().erase(group.key);
    }
    for (const CancelMemberRow& member : side.of<CancelMemberRow>().where(of_flow)) {
        side.of<CancelMemberRow>().erase(member.key);
    }
    side.of<CancelBacklogRow>().erase(command.flow);
    side.of<FlowSummaryRow>().erase(command.flow);
    side.of<FlowRetentionRow>().erase(command.flow);
    side.of<FlowRow>().erase(command.flow);
    return fired(true);
}

}  // namespace flowfabric
