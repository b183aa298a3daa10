#include "core/command/contents.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/transition.hpp"
#include "core/flow/flow.hpp"
#include "core/flow/on_flow.hpp"
#include "flowfabric/build_flow.hpp"

namespace flowfabric {
namespace {

class AddExecutionToFlowBody final : public OnFlow {
  public:
    AddExecutionToFlowBody(const FlowKey& flow, const ExecutionId& execution_id, const std::optional<HeldLease>& by)
        : OnFlow(flow, with_holder({execution_id}, by)), execution_id_(execution_id), by_(by) {}

    CommandTraits traits() const override { return {.name = "add_execution_to_flow", .urgency = Urgency::bulk}; }
    std::size_t bytes() const override { return sizeof(*this) + executions().size_bytes(); }

    Result<Answer> decide(BatchRows& rows, DecisionContext& context) const override {
        auto flow = find_open_flow(this->flow(), context.set);
        if (!flow) return flow.error();
        ExecutionEntry* entry = rows.find(execution_id_);
        const bool member = entry != nullptr && entry->row.flow_id == flow->key.flow_id;
        if (!member) {
            if (auto refusal = refuse_sealed(*flow, by_, rows, context)) return *refusal;
        }
        if (entry == nullptr) return execution_not_found(execution_id_);
        FlowFields fields = fields_of(*flow);
        if (member) {
            return Answer::of<MemberAdded>({execution_id_, static_cast<std::uint32_t>(fields.node_count), true});
        }
        if (entry->row.flow_id) {
            return EngineError{.kind = ErrorKind::execution_already_in_flow, .detail = entry->row.flow_id->to_string()};
        }
        Transition(*entry, context.set).join_flow(flow->key.flow_id);
        ++fields.node_count;
        ++flow->graph_revision;
        const bool ended = entry->row.vector.lifecycle_phase == LifecyclePhase::terminal;
        if (!ended) ++flow->open_members;
        if (fails_flow(entry->row.vector.terminal_outcome, entry->row.cancellation_cause)) ++flow->failed_members;
        touch_flow(std::move(*flow), fields, context);
        return Answer::of<MemberAdded>({execution_id_, static_cast<std::uint32_t>(fields.node_count)});
    }

  private:
    ExecutionId execution_id_;
    std::optional<HeldLease> by_;  // a member's worker
};

}  // namespace

template <>
// NOLINTNEXTLINE(performance-unnecessary-value-param): every front door has this signature
Result<Command> admit(AddExecutionToFlow command, const Settings& settings, const IdSource&) {
    const FlowKey flow = key_of(command.flow_id);
    if (auto checked = check_member_partition("execution_id", flow, command.execution_id); !checked) {
        return checked.error();
    }
    auto by = member_lease(command.lease, settings);
    if (!by) return by.error();
    return Command::make<AddExecutionToFlowBody>(flow, command.execution_id, *by);
}

}  // namespace flowfabric
