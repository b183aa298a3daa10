#include "core/flow/flow.hpp"
#include "core/flow/on_flow.hpp"
#include "flowfabric/build_flow.hpp"

namespace flowfabric {
namespace {

class SealFlowBody final : public OnFlow {
  public:
    using OnFlow::OnFlow;

    CommandTraits traits() const override { return {.name = "seal_flow", .urgency = Urgency::bulk}; }
    std::size_t bytes() const override { return sizeof(*this); }
    void name_rows(NamedRows& rows) const override {
        OnFlow::name_rows(rows);
        rows.side.of<EdgeGroupRow>().flows.push_back(flow());
        rows.side.of<EdgeRow>().flows.push_back(flow());
    }
    std::optional<FlowKey> children_of() const override { return flow(); }

    Result<Answer> decide(BatchRows& rows, DecisionContext& context) const override {
        auto flow = find_open_flow(this->flow(), context.set);
        if (!flow) return flow.error();
        if (flow->sealed) return Answer::of<FlowSealed>({true});
        fix_groups(this->flow(), rows, context);
        flow->sealed = true;
        end_if_done(*flow, context.set.now_ms);
        const FlowFields fields = fields_of(*flow);
        touch_flow(std::move(*flow), fields, context);
        return Answer::of<FlowSealed>({});
    }
};

}  // namespace

template <>
Result<Command> admit(SealFlow command, const Settings&, const IdSource&) {
    return Command::make<SealFlowBody>(key_of(command.flow_id));
}

}  // namespace flowfabric
