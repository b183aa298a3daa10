#include "core/command/contents.hpp"
#include "core/execution/cancelling.hpp"
#include "core/flow/dispatch.hpp"
#include "core/flow/on_flow.hpp"

namespace flowfabric {
namespace {

class CancelMembersBody final : public OnFlow {
  public:
    CancelMembersBody(const FlowKey& flow, std::vector<ExecutionId> members, std::string reason)
        : OnFlow(flow, std::move(members)), reason_(std::move(reason)) {}

    CommandTraits traits() const override { return {.name = "cancel_members", .by_timer = true}; }
    std::size_t bytes() const override { return sizeof(*this) + executions().size_bytes() + contents_of(reason_); }
    void name_rows(NamedRows&) const override {}

    Result<Answer> decide(BatchRows& rows, DecisionContext& context) const override {
        for (const ExecutionId& id : executions()) {
            cancel_for_flow(rows.find(id), reason_, CancellationCause::flow, context.set);
            context.set.side.of<CancelMemberRow>().erase({flow(), id.to_string()});
        }
        return Answer::of<DispatchFinished>({.changed = !executions().empty()});
    }

  private:
    std::string reason_;
};

}  // namespace

Command cancel_members(const FlowKey& flow, std::vector<ExecutionId> members, std::string reason) {
    return Command::make<CancelMembersBody>(flow, std::move(members), std::move(reason));
}

}  // namespace flowfabric
