#include <algorithm>

#include "core/budget/on_budget.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/command/on_execution.hpp"

namespace flowfabric {
namespace {

// An execution or a budget that is gone has nothing to release.
class ReleaseBudgetBody final : public OnExecution {
  public:
    explicit ReleaseBudgetBody(const ReleaseBudget& command)
        : OnExecution(command.execution_id), budget_(key_of(command.budget_id)) {}

    CommandTraits traits() const override { return {.name = "release_budget", .urgency = Urgency::bulk}; }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(above_); }
    void name_rows(NamedRows& rows) const override {
        rows.side.of<BudgetShareRow>().owners.push_back(execution_id());
        const auto name = [&](const BudgetKey& budget) {
            rows.side.of<BudgetRow>().keys.push_back(budget);
            name_all_usage(budget, rows);
        };
        name(budget_);
        for (const BudgetKey& above : above_) name(above);
    }
    void widen(const MoreRows& more) override {
        above_.clear();
        for (const BudgetId& id : more.budgets) above_.push_back(key_of(id));
    }

  private:
    Result<Answer> decide_missing() const override { return Answer::of<BudgetReleased>({}); }

    Result<Answer> decide_on(ExecutionEntry&, DecisionContext& context) const override {
        WorkingSet& set = context.set;
        const BudgetRow* named = set.side.of<BudgetRow>().find(budget_);
        if (named == nullptr) return Answer::of<BudgetReleased>({});
        if (auto more = more_above(*named, above_)) return Answer::of<MoreRows>(*std::move(more));
        BudgetReleased answer;
        auto& shares = set.side.of<BudgetShareRow>();
        for (const BudgetShareRow& share : shares.where([&](const BudgetShareRow& row) { return is_released(row); })) {
            const BudgetRow* charged = set.side.of<BudgetRow>().find(key_of(share.key.budget_id));
            if (charged != nullptr && is_current(share, *charged)) give_back(share, answer, set);
            shares.erase(share.key);
        }
        return Answer::of<BudgetReleased>(std::move(answer));
    }

    bool is_released(const BudgetShareRow& share) const {
        return share.owner() == execution_id() && share.key.spent_on == budget_.budget_id;
    }

    void give_back(const BudgetShareRow& share, BudgetReleased& answer, WorkingSet& set) const {
        auto& usage = set.side.of<BudgetUsageRow>();
        const BudgetUsageRow* known = usage.find({key_of(share.key.budget_id), share.key.dimension});
        if (known == nullptr) return;
        BudgetUsageRow used = *known;
        used.current_value = std::max<std::int64_t>(0, used.current_value - share.delta_total);
        used.updated_at_ms = set.now_ms;
        usage.put(std::move(used));
        if (share.key.budget_id != budget_.budget_id) return;
        answer.released.emplace(share.key.dimension, static_cast<std::uint64_t>(share.delta_total));
    }

    BudgetKey budget_;
    std::vector<BudgetKey> above_;  // as far as they are known
};

}  // namespace

template <>
Result<Command> admit(ReleaseBudget command, const Settings&, const IdSource&) {
    Checks check;
    check(check_budget_id(command.budget_id));
    check(check_partition(command.execution_id));
    if (check.fault()) return *check.fault();
    return Command::make<ReleaseBudgetBody>(command);
}

}  // namespace flowfabric
