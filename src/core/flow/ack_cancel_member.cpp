#include "core/command/contents.hpp"
#include "core/flow/flow.hpp"
#include "core/flow/on_flow.hpp"
#include "flowfabric/cancel_flow.hpp"

namespace flowfabric {
namespace {

class AckCancelMemberBody final : public OnFlow {
  public:
    explicit AckCancelMemberBody(CancelMemberKey member) : OnFlow(member.flow), member_(std::move(member)) {}

    CommandTraits traits() const override { return {.name = "ack_cancel_member"}; }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(member_.execution_id); }
    void name_rows(NamedRows& rows) const override {
        OnFlow::name_rows(rows);
        rows.side.of<CancelBacklogRow>().keys.push_back(flow());
        rows.side.of<CancelMemberRow>().flows.push_back(flow());
    }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        if (context.set.side.of<FlowRow>().find(flow()) == nullptr) return flow_not_found(flow());
        context.set.side.of<CancelMemberRow>().erase(member_);
        drop_if_empty(flow(), context.set);
        return Answer::of<MemberAcknowledged>({});
    }

  private:
    CancelMemberKey member_;
};

}  // namespace

template <>
Result<Command> admit(AckCancelMember command, const Settings&, const IdSource&) {
    return Command::make<AckCancelMemberBody>(
        CancelMemberKey{key_of(command.flow_id), command.execution_id.to_string()});
}

}  // namespace flowfabric
