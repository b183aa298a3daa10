#include <algorithm>

#include "core/command/contents.hpp"
#include "core/flow/dispatch.hpp"
#include "core/flow/flow.hpp"
#include "core/flow/on_flow.hpp"

namespace flowfabric {
namespace {

class FinishDispatchBody final : public OnFlow {
  public:
    explicit FinishDispatchBody(FinishDispatch command) : OnFlow(command.flow), command_(std::move(command)) {}

    CommandTraits traits() const override {
        return {.name = "finish_dispatch", .urgency = Urgency::bulk, .by_timer = true};
    }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(command_.edges); }
    void name_rows(NamedRows& rows) const override {
        OnFlow::name_rows(rows);
        for (const EdgeId& edge : command_.edges) rows.side.of<EdgeRow>().keys.push_back({flow(), edge});
        rows.flows.ends.push_back(command_.event_id);
    }

    Result<Answer> decide(BatchRows& rows, DecisionContext& context) const override {
        if (!rows.is_undispatched(command_.event_id)) return Answer::of<DispatchFinished>({});
        const bool open = std::ranges::any_of(command_.edges, [&](const EdgeId& id) {
            const EdgeRow* edge = context.set.side.of<EdgeRow>().find({flow(), id});
            return edge != nullptr && edge->dependency_state == DependencyState::unsatisfied;
        });
        if (open || command_.more) return Answer::of<DispatchFinished>({.done = false});
        context.set.dispatched.push_back(command_.event_id);
        auto& flows = context.set.side.of<FlowRow>();
        if (flows.find(flow()) != nullptr) {
            flows.change(flow(), [&](FlowRow& counted) {
                count_off(counted, fails_flow(command_.outcome, command_.cause), context.set.now_ms);
            });
        }
        return Answer::of<DispatchFinished>({.changed = true});
    }

  private:
    FinishDispatch command_;
};

}  // namespace

Command finish_dispatch(FinishDispatch finish) {
    return Command::make<FinishDispatchBody>(std::move(finish));
}

}  // namespace flowfabric
