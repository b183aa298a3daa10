#include "core/flow/dispatch.hpp"
#include "core/flow/flow.hpp"
#include "core/flow/on_flow.hpp"

namespace flowfabric {
namespace {

class DropBacklogBody final : public OnFlow {
  public:
    using OnFlow::OnFlow;

    CommandTraits traits() const override { return {.name = "drop_backlog", .by_timer = true}; }
    std::size_t bytes() const override { return sizeof(*this); }
    void name_rows(NamedRows& rows) const override {
        rows.side.of<CancelBacklogRow>().keys.push_back(flow());
        rows.side.of<CancelMemberRow>().flows.push_back(flow());
    }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        return Answer::of<DispatchFinished>({.changed = drop_if_empty(flow(), context.set)});
    }
};

}  // namespace

Command drop_backlog(const FlowKey& flow) {
    return Command::make<DropBacklogBody>(flow);
}

}  // namespace flowfabric
