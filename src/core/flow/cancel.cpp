#include <boost/json.hpp>

#include <algorithm>

#include "core/execution/cancelling.hpp"
#include "core/execution/retry.hpp"
#include "core/flow/flow.hpp"

namespace flowfabric {
namespace {

bool is_to_be_cancelled(LifecyclePhase phase, CancellationPolicy policy) {
    switch (policy) {
        case CancellationPolicy::cancel_flow_only:
            return false;
        case CancellationPolicy::cancel_pending:
            return phase == LifecyclePhase::runnable;
        case CancellationPolicy::cancel_all:
            return phase != LifecyclePhase::terminal;
    }
    return false;
}

void tell_operators(const AdmittedFlowCancel& command, const FlowFields& fields, WorkingSet& set) {
    const boost::json::object details{{"flow_id", command.flow.flow_id.to_string()},
                                      {"cancellation_policy", to_string(command.policy)},
                                      {"reason", command.reason},
                                      {"member_count", fields.cancelled_members.size()}};
    set.events.of<OperatorEvent>().push_back({.event_id = 0,
                                              .partition_key = command.flow.partition,
                                              .subject_id = command.flow.flow_id.uuid,
                                              .namespace_name = fields.namespace_name,
                                              .instance_tag = std::nullopt,
                                              .subject_kind = SubjectKind::flow,
                                              .event_type = OperatorEventType::flow_cancel_requested,
                                              .details = {boost::json::serialize(details)},
                                              .occurred_at_ms = set.now_ms});
}

FlowCancelled answer_of(const FlowFields& fields, bool already_terminal, bool members_pending) {
    FlowCancelled answer{.policy = fields.cancellation_policy.value_or(CancellationPolicy::cancel_flow_only),
                         .reason = fields.cancel_reason,
                         .members = {},
                         .already_terminal = already_terminal,
                         .members_pending = members_pending};
    for (const std::string& member : fields.cancelled_members) {
        if (const auto id = ExecutionId::parse(member)) answer.members.push_back(*id);
    }
    return answer;
}

// The header goes with the last member. False: some are left, or it is gone.
bool drop_if_empty(const FlowKey& flow, WorkingSet& set) {
    const auto left = [&](const CancelMemberRow& member) { return member.flow() == flow; };
    const bool drops =
        !set.side.of<CancelMemberRow>().any(left) && set.side.of<CancelBacklogRow>().find(flow) != nullptr;
    if (drops) set.side.of<CancelBacklogRow>().erase(flow);
    return drops;
}

}  // namespace

Result<Answer> decide(const AdmittedFlowCancel& command, BatchRows& rows, DecisionContext& context) {
    auto flow = find_flow(command.flow, context.set);
    if (!flow) return flow.error();
    FlowFields fields = fields_of(*flow);
    WorkingSet& set = context.set;
    if (flow->public_flow_state != FlowState::open) {
        return Answer{answer_of(fields, true, set.side.of<CancelBacklogRow>().find(command.flow) != nullptr)};
    }
    if (command.policy == CancellationPolicy::cancel_flow_only && !flow->sealed) {
        if (!command.fixes_groups) return Answer{MoreRows{}};
        fix_groups(command.flow, rows, context);
    }
    fields.cancellation_policy = command.policy;
    fields.cancel_reason = command.reason;
    std::vector<ExecutionId> cancelled;
    for (ExecutionEntry* member : rows.held_members(command.flow)) {
        if (!is_to_be_cancelled(member->row.vector.lifecycle_phase, command.policy)) continue;
        cancelled.push_back(member->row.id);
        cancel_for_flow(member, command.reason, CancellationCause::flow, set);
    }
    const std::size_t at_once = cancelled.size();
    for (const FlowMember& member : rows.members(command.flow)) {
        if (!is_to_be_cancelled(member.phase, command.policy) || rows.find(member.id) != nullptr) continue;
        cancelled.push_back(member.id);
        set.side.of<CancelMemberRow>().put({.key = {command.flow, member.id.to_string()}});
    }
    const bool some_are_left = cancelled.size() > at_once;
    std::ranges::sort(cancelled);
    for (const ExecutionId& id : cancelled) fields.cancelled_members.push_back(id.to_string());
    if (some_are_left) {
        CancelBacklogRow backlog;
        backlog.key = command.flow;
        backlog.requested_at_ms = set.now_ms;
        backlog.requester = command.requester;
        backlog.reason = command.reason;
        backlog.grace_until_ms = saturating_add(set.now_ms, command.grace_ms);
        backlog.cancellation_policy = command.policy;
        set.side.of<CancelBacklogRow>().put(std::move(backlog));
    }
    flow->public_flow_state = FlowState::cancelled;
    flow->terminal_at_ms = set.now_ms;
    tell_operators(command, fields, set);
    Answer answer{answer_of(fields, false, some_are_left)};
    touch_flow(std::move(*flow), std::move(fields), context);
    return answer;
}

Result<Answer> decide(const CancelMembers& command, BatchRows& rows, DecisionContext& context) {
    for (const ExecutionId& id : command.members) {
        cancel_for_flow(rows.find(id), command.reason, CancellationCause::flow, context.set);
        context.set.side.of<CancelMemberRow>().erase({command.flow, id.to_string()});
    }
    return Answer{DispatchFinished{.changed = !command.members.empty()}};
}

Result<Answer> decide(const AdmittedMemberAck& command, BatchRows&, DecisionContext& context) {
    if (context.set.side.of<FlowRow>().find(command.member.flow) == nullptr) return flow_not_found(command.member.flow);
    context.set.side.of<CancelMemberRow>().erase(command.member);
    drop_if_empty(command.member.flow, context.set);
    return Answer{MemberAcknowledged{}};
}

Result<Answer> decide(const DropBacklog& command, BatchRows&, DecisionContext& context) {
    return Answer{DispatchFinished{.changed = drop_if_empty(command.flow, context.set)}};
}

}  // namespace flowfabric
