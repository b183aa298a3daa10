#pragma once

#include <string>
#include <vector>

#include "core/budget/budget.hpp"
#include "core/command/command.hpp"
#include "flowfabric/error.hpp"

// Commands that are about one budget.
namespace flowfabric {

class OnBudget : public CommandBody {
  public:
    explicit OnBudget(const BudgetId& budget_id) : budget_(key_of(budget_id)) {}

    std::span<const ExecutionId> executions() const final { return {}; }
    void name_rows(NamedRows& rows) const override { rows.side.of<BudgetRow>().keys.push_back(budget_); }
    std::string subject() const final { return "budget " + budget_.budget_id.to_string(); }

  protected:
    const BudgetKey& budget() const { return budget_; }
    // Null: there is none.
    const BudgetRow* find(const DecisionContext& context) const {
        return context.set.side.of<BudgetRow>().find(budget_);
    }
    EngineError not_found() const { return budget_not_found(budget_.budget_id); }

  private:
    BudgetKey budget_;
};

Result<void> check_budget_id(const BudgetId& id, std::string_view field = "budget_id");
Result<void> check_reset_interval(std::uint64_t interval_ms);
// What callers give by dimension.
Result<void> check_amounts(std::string_view field, const BudgetAmounts& amounts);
Result<void> check_dimension(std::string_view field, const std::string& dimension);

}  // namespace flowfabric
