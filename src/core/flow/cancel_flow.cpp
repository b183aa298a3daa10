#include <algorithm>

#include <boost/json.hpp>

#include "core/base/names.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/execution/cancelling.hpp"
#include "core/execution/retry.hpp"
#include "core/flow/flow.hpp"
#include "core/flow/on_flow.hpp"
#include "flowfabric/cancel_flow.hpp"

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

FlowCancelled cancellation_of(const FlowFields& fields, bool already_terminal, bool members_pending) {
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

class CancelFlowBody final : public OnFlow {
  public:
    CancelFlowBody(CancelFlow command, std::uint32_t members_at_once)
        : OnFlow(key_of(command.flow_id)), command_(std::move(command)), members_at_once_(members_at_once) {}

    CommandTraits traits() const override { return {.name = "cancel_flow"}; }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(command_.reason, command_.requester); }
    void name_rows(NamedRows& rows) const override {
        OnFlow::name_rows(rows);
        rows.side.of<CancelBacklogRow>().keys.push_back(flow());
        if (command_.policy != CancellationPolicy::cancel_flow_only) {
            rows.flows.live_members_of.push_back(flow());
            rows.flows.live_members = std::max(rows.flows.live_members, members_at_once_);
        }
        if (!fixes_groups_) return;
        rows.side.of<EdgeGroupRow>().flows.push_back(flow());
        rows.side.of<EdgeRow>().flows.push_back(flow());
    }
    std::optional<FlowKey> children_of() const override { return fixes_groups_ ? std::optional(flow()) : std::nullopt; }
    void widen(const MoreRows&) override { fixes_groups_ = true; }

    Result<Answer> decide(BatchRows& rows, DecisionContext& context) const override {
        auto flow = find_flow(this->flow(), context.set);
        if (!flow) return flow.error();
        FlowFields fields = fields_of(*flow);
        WorkingSet& set = context.set;
        if (flow->public_flow_state != FlowState::open) {
            const bool members_pending = set.side.of<CancelBacklogRow>().find(flow->key) != nullptr;
            return Answer::of<FlowCancelled>(cancellation_of(fields, true, members_pending));
        }
        if (command_.policy == CancellationPolicy::cancel_flow_only && !flow->sealed) {
            if (!fixes_groups_) return Answer::of<MoreRows>({});
            fix_groups(flow->key, rows, context);
        }
        fields.cancellation_policy = command_.policy;
        fields.cancel_reason = command_.reason;
        std::vector<ExecutionId> cancelled = cancel_held(rows, set);
        const std::size_t at_once = cancelled.size();
        for (const FlowMember& member : rows.members(flow->key)) {
            if (!is_to_be_cancelled(member.phase, command_.policy) || rows.find(member.id) != nullptr) continue;
            cancelled.push_back(member.id);
            set.side.of<CancelMemberRow>().put({.key = {flow->key, member.id.to_string()}});
        }
        const bool some_are_left = cancelled.size() > at_once;
        std::ranges::sort(cancelled);
        for (const ExecutionId& id : cancelled) fields.cancelled_members.push_back(id.to_string());
        if (some_are_left) note_backlog(set);
        flow->public_flow_state = FlowState::cancelled;
        flow->terminal_at_ms = set.now_ms;
        tell_operators(fields, set);
        auto answer = Answer::of<FlowCancelled>(cancellation_of(fields, false, some_are_left));
        touch_flow(std::move(*flow), std::move(fields), context);
        return answer;
    }

  private:
    // The members that the batch holds.
    std::vector<ExecutionId> cancel_held(BatchRows& rows, WorkingSet& set) const {
        std::vector<ExecutionId> cancelled;
        for (ExecutionEntry* member : rows.held_members(flow())) {
            if (!is_to_be_cancelled(member->row.vector.lifecycle_phase, command_.policy)) continue;
            cancelled.push_back(member->row.id);
            cancel_for_flow(member, command_.reason, CancellationCause::flow, set);
        }
        return cancelled;
    }

    void note_backlog(WorkingSet& set) const {
        CancelBacklogRow backlog;
        backlog.key = flow();
        backlog.requested_at_ms = set.now_ms;
        backlog.requester = command_.requester;
        backlog.reason = command_.reason;
        backlog.grace_until_ms = saturating_add(set.now_ms, command_.grace_ms);
        backlog.cancellation_policy = command_.policy;
        set.side.of<CancelBacklogRow>().put(std::move(backlog));
    }

    void tell_operators(const FlowFields& fields, WorkingSet& set) const {
        const boost::json::object details{{"flow_id", flow().flow_id.to_string()},
                                          {"cancellation_policy", to_string(command_.policy)},
                                          {"reason", command_.reason},
                                          {"member_count", fields.cancelled_members.size()}};
        set.events.of<OperatorEvent>().push_back({.event_id = 0,
                                                  .partition_key = flow().partition,
                                                  .subject_id = flow().flow_id.uuid,
                                                  .namespace_name = fields.namespace_name,
                                                  .instance_tag = std::nullopt,
                                                  .subject_kind = SubjectKind::flow,
                                                  .event_type = OperatorEventType::flow_cancel_requested,
                                                  .details = {boost::json::serialize(details)},
                                                  .occurred_at_ms = set.now_ms});
    }

    CancelFlow command_;
    std::uint32_t members_at_once_;  // that it may cancel itself
    bool fixes_groups_ = false;      // it will never be sealed, and members that it leaves alone may wait for that
};

}  // namespace

template <>
Result<Command> admit(CancelFlow command, const Settings& settings, const IdSource&) {
    Checks check;
    check(check_text("reason", command.reason, max_reason_bytes));
    check(check_text("requester", command.requester, max_label_bytes));
    check.require(is_known(command.policy), "cancellation_policy", "no such policy");
    check(check_range("max_wait_ms", command.max_wait_ms, 0, max_ttl_ms));
    if (check.fault()) return *check.fault();
    if (command.grace_ms > static_cast<std::uint64_t>(max_grace_ms)) {
        return EngineError{.kind = ErrorKind::invalid_grace_ms, .detail = "grace_ms: must be below 2^53"};
    }
    return Command::make<CancelFlowBody>(std::move(command), settings.cancelled_with_flow);
}

}  // namespace flowfabric
