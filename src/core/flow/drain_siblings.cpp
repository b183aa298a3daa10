#include <algorithm>
#include <set>

#include "core/command/contents.hpp"
#include "core/execution/cancelling.hpp"
#include "core/flow/dispatch.hpp"
#include "core/flow/on_flow.hpp"

namespace flowfabric {
namespace {

class DrainSiblingsBody final : public OnFlow {
  public:
    explicit DrainSiblingsBody(DrainSiblings command)
        : OnFlow(command.group.flow, std::move(command.unneeded)),
          group_(command.group),
          spared_(std::move(command.spared)) {}

    CommandTraits traits() const override {
        return {.name = "drain_siblings", .urgency = Urgency::bulk, .by_timer = true};
    }
    std::size_t bytes() const override { return sizeof(*this) + executions().size_bytes() + contents_of(spared_); }
    void name_rows(NamedRows& rows) const override {
        rows.side.of<EdgeGroupRow>().keys.push_back(group_);
        rows.side.of<SiblingWorkRow>().keys.push_back(group_);
    }

    Result<Answer> decide(BatchRows& rows, DecisionContext& context) const override {
        auto& work = context.set.side.of<SiblingWorkRow>();
        SiblingDrains& drains = context.set.sibling_drains;
        const EdgeGroupRow* stored = context.set.side.of<EdgeGroupRow>().find(group_);
        if (stored == nullptr || !stored->cancel_siblings_pending_flag) {
            const bool noted = work.find(group_) != nullptr;
            if (noted) ++drains.stale;
            work.erase(group_);
            return Answer::of<DispatchFinished>({.changed = noted});
        }
        EdgeGroupRow group = *stored;
        std::vector<std::string>& pending = group.cancel_siblings_pending_members.values;
        std::set<std::string> handled;
        for (const ExecutionId& id : spared_) handled.insert(id.to_string());
        for (const ExecutionId& id : executions()) {
            // A later generation of the group has siblings of its own.
            if (!handled.insert(id.to_string()).second || std::ranges::find(pending, id.to_string()) == pending.end())
                continue;
            ExecutionEntry* sibling = rows.find(id);
            if (sibling == nullptr) {
                ++drains.not_found;
            } else if (sibling->row.vector.lifecycle_phase == LifecyclePhase::terminal) {
                ++drains.already_terminal;
            }
            cancel_for_flow(sibling, group.sibling_reason.value_or("sibling_quorum_satisfied"),
                            CancellationCause::sibling, context.set);
        }
        const auto taken_off = std::erase_if(pending, [&](const std::string& id) { return handled.contains(id); });
        if (pending.empty()) {
            group.cancel_siblings_pending_flag = false;
            work.erase(group_);
        }
        ++(pending.empty() ? drains.completed : drains.unfinished);
        const bool changed = taken_off > 0 || pending.empty();
        context.set.side.of<EdgeGroupRow>().put(std::move(group));
        return Answer::of<DispatchFinished>({.changed = changed});
    }

  private:
    GroupKey group_;
    std::vector<ExecutionId> spared_;
};

}  // namespace

Command drain_siblings(DrainSiblings drain) {
    return Command::make<DrainSiblingsBody>(std::move(drain));
}

}  // namespace flowfabric
