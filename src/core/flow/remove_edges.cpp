#include "core/command/contents.hpp"
#include "core/flow/flow_retention.hpp"
#include "core/flow/on_flow.hpp"
#include "flowfabric/execution.hpp"

namespace flowfabric {
namespace {

class RemoveEdgesBody final : public OnFlow {
  public:
    RemoveEdgesBody(const FlowKey& flow, std::vector<EdgeId> edges) : OnFlow(flow), edges_(std::move(edges)) {}

    CommandTraits traits() const override {
        return {.name = "remove_edges", .urgency = Urgency::bulk, .by_timer = true};
    }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(edges_); }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        if (!is_being_removed(flow(), context.set)) return Answer::of<TimerFired>({.changed = false});
        for (const EdgeId& id : edges_) context.set.side.of<EdgeRow>().erase({flow(), id});
        return Answer::of<TimerFired>({.changed = true});
    }

  private:
    std::vector<EdgeId> edges_;
};

}  // namespace

Command remove_edges(const FlowKey& flow, std::vector<EdgeId> edges) {
    return Command::make<RemoveEdgesBody>(flow, std::move(edges));
}

}  // namespace flowfabric
