#include "core/command/admission.hpp"
#include "core/command/on_execution.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/transition.hpp"
#include "core/flow/flow.hpp"
#include "flowfabric/build_flow.hpp"

namespace flowfabric {
namespace {

class WaitChildrenBody final : public OnLease {
  public:
    WaitChildrenBody(const HeldLease& lease, const std::optional<FlowId>& flow_id)
        : OnLease(lease), flow_id_(flow_id) {}

    CommandTraits traits() const override { return {.name = "wait_children"}; }
    std::size_t bytes() const override { return sizeof(*this); }
    void name_rows(NamedRows& rows) const override {
        if (!flow_id_) return;
        const GroupKey group{{execution_id().partition, *flow_id_}, execution_id().uuid};
        rows.side.of<EdgeGroupRow>().keys.push_back(group);
        rows.side.of<EdgeRow>().groups.push_back(group);
    }
    void widen(const MoreRows& more) override { flow_id_ = more.flow_id; }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        Transition transition(entry, context.set);
        const ExecutionRow& row = entry.row;
        constexpr std::string_view call = "waiting_children";
        if (auto refusal = refuse_by_fence(transition, lease(), OverrideRule::operator_may_override)) {
            const bool repeat = refusal->kind == ErrorKind::execution_not_active && names_last_attempt(row, lease()) &&
                                row.last_release == call;
            if (repeat) return Answer::of<WaitingChildren>({row.vector.public_state});
            return *refusal;
        }
        if (row.flow_id && !flow_id_) return Answer::of<MoreRows>({.flow_id = row.flow_id});
        if (row.flow_id && row.flow_id != flow_id_) {
            return invalid_input("flow_id", "the execution is a member of " + row.flow_id->to_string());
        }
        transition.interrupt_attempt("children", call, std::string(call));
        transition.hold_for_dependencies({});
        auto& groups = context.set.side.of<EdgeGroupRow>();
        const EdgeGroupRow* stored =
            row.flow_id ? groups.find({{row.id.partition, *row.flow_id}, row.id.uuid}) : nullptr;
        // Without an edge nothing would ever wake it.
        if (stored == nullptr || applied_edges(*stored) == 0) {
            transition.release_dependencies();
            return Answer::of<WaitingChildren>({row.vector.public_state});
        }
        EdgeGroupRow group = *stored;
        fix_edges(group);
        transition.hold_for_dependencies(hold_detail(group));
        reconsider(group, entry, context);
        groups.put(std::move(group));
        return Answer::of<WaitingChildren>({row.vector.public_state});
    }

  private:
    std::optional<FlowId> flow_id_;
};

}  // namespace

template <>
// NOLINTNEXTLINE(performance-unnecessary-value-param): every front door has this signature
Result<Command> admit(WaitChildren command, const Settings& settings, const IdSource&) {
    auto lease = held_lease(command.lease, Source::lease_holder, settings);
    if (!lease) return lease.error();
    return Command::make<WaitChildrenBody>(*lease, command.flow_id);
}

}  // namespace flowfabric
