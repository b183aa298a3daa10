#include "core/claim/grant.hpp"
#include "core/command/on_execution.hpp"
#include "flowfabric/execution.hpp"

namespace flowfabric {
namespace {

class LapseGrantBody final : public OnExecution {
  public:
    using OnExecution::OnExecution;

    CommandTraits traits() const override {
        return {.name = "lapse_grant", .urgency = Urgency::bulk, .by_timer = true};
    }
    std::size_t bytes() const override { return sizeof(*this); }
    // A claim that passed a lapsed grant has left no trace of it on the execution.
    void name_rows(NamedRows& rows) const override { rows.side.of<GrantRow>().owners.push_back(execution_id()); }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        Transition transition(entry, context.set);
        auto& grants = context.set.side.of<GrantRow>();
        const auto lapsed = grants.where([&](const GrantRow& grant) {
            return grant.owner() == entry.row.id && grant.expires_at_ms <= transition.now();
        });
        for (const GrantRow& grant : lapsed) grants.erase(grant.key);
        if (entry.row.grant_until_ms && *entry.row.grant_until_ms <= transition.now()) transition.withdraw_grants();
        return Answer::of<TimerFired>({.changed = !lapsed.empty()});
    }
};

}  // namespace

Command lapse_grant(const ExecutionId& execution_id) {
    return Command::make<LapseGrantBody>(execution_id);
}

}  // namespace flowfabric
