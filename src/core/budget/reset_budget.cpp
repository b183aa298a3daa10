#include "core/base/saturating.hpp"
#include "core/budget/on_budget.hpp"
#include "core/execution/retry.hpp"
#include "flowfabric/execution.hpp"

namespace flowfabric {
namespace {

class ResetBudgetBody final : public OnBudget {
  public:
    using OnBudget::OnBudget;

    CommandTraits traits() const override {
        return {.name = "reset_budget", .urgency = Urgency::bulk, .on_tables = true};
    }
    std::size_t bytes() const override { return sizeof(*this); }
    void name_rows(NamedRows& rows) const override {
        OnBudget::name_rows(rows);
        name_all_usage(budget(), rows);
    }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        const BudgetRow* row = find(context);
        if (row == nullptr) return not_found();
        const auto next = end_of_interval(context.set.now_ms, policy_of(*row).reset_interval_ms);
        reset(*row, next, context.set);
        return Answer::of<BudgetReset>({next});
    }
};

// The first time after now of those at which it would have been due.
std::int64_t next_on_grid(std::int64_t due_at_ms, std::uint64_t interval_ms, std::int64_t now_ms) {
    const auto late = static_cast<std::uint64_t>(saturating_difference(now_ms, due_at_ms));
    const std::uint64_t missed = late / interval_ms;
    return saturating_add(due_at_ms, (missed + 1) * interval_ms);
}

class ResetDueBudgetBody final : public OnBudget {
  public:
    using OnBudget::OnBudget;

    CommandTraits traits() const override {
        return {.name = "reset_due_budget", .urgency = Urgency::bulk, .by_timer = true, .on_tables = true};
    }
    std::size_t bytes() const override { return sizeof(*this); }
    void name_rows(NamedRows& rows) const override {
        OnBudget::name_rows(rows);
        name_all_usage(budget(), rows);
    }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        const std::int64_t now_ms = context.set.now_ms;
        const BudgetRow* row = find(context);
        if (row == nullptr || !row->next_reset_at_ms || *row->next_reset_at_ms > now_ms) {
            return Answer::of<TimerFired>({.changed = false});
        }
        std::optional<std::int64_t> next;
        if (const std::uint64_t interval_ms = policy_of(*row).reset_interval_ms; interval_ms > 0) {
            next = next_on_grid(*row->next_reset_at_ms, interval_ms, now_ms);
        }
        reset(*row, next, context.set);
        return Answer::of<TimerFired>({.changed = true});
    }
};

}  // namespace

Command reset_due_budget(const BudgetKey& budget) {
    return Command::make<ResetDueBudgetBody>(budget.budget_id);
}

template <>
Result<Command> admit(ResetBudget command, const Settings&, const IdSource&) {
    if (auto checked = check_budget_id(command.budget_id); !checked) return checked.error();
    return Command::make<ResetBudgetBody>(command.budget_id);
}

}  // namespace flowfabric
