#include "core/budget/on_budget.hpp"
#include "core/command/contents.hpp"

namespace flowfabric {
namespace {

// Shares in it, and keys of reports to it, are void from now on; they go with their executions and with time.
class DeleteBudgetBody final : public OnBudget {
  public:
    using OnBudget::OnBudget;

    CommandTraits traits() const override {
        return {.name = "delete_budget", .urgency = Urgency::bulk, .on_tables = true};
    }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(above_); }
    void name_rows(NamedRows& rows) const override {
        OnBudget::name_rows(rows);
        name_all_usage(budget(), rows);
        for (const BudgetKey& above : above_) rows.side.of<BudgetRow>().keys.push_back(above);
    }
    void widen(const MoreRows& more) override {
        above_.clear();
        for (const BudgetId& id : more.budgets) above_.push_back(key_of(id));
    }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        SideTables& side = context.set.side;
        const BudgetRow* row = find(context);
        if (row == nullptr) return Answer::of<BudgetDeleted>({.existed = false});
        if (auto more = more_above(*row, above_)) return Answer::of<MoreRows>(*std::move(more));
        if (row->child_count > 0) {
            return EngineError{.kind = ErrorKind::budget_has_children,
                               .detail = budget().budget_id.to_string() + ": " + std::to_string(row->child_count)};
        }
        const BudgetRow* above = above_.empty() ? nullptr : side.of<BudgetRow>().find(above_.back());
        if (above != nullptr) {
            BudgetRow parent = *above;
            --parent.child_count;
            parent.updated_at_ms = context.set.now_ms;
            side.of<BudgetRow>().put(std::move(parent));
        }
        for (const BudgetUsageRow& usage : usage_at_hand(budget(), side)) side.of<BudgetUsageRow>().erase(usage.key);
        side.of<BudgetRow>().erase(budget());
        return Answer::of<BudgetDeleted>({.existed = true});
    }

  private:
    std::vector<BudgetKey> above_;  // as far as they are known
};

}  // namespace

template <>
Result<Command> admit(DeleteBudget command, const Settings&, const IdSource&) {
    if (auto checked = check_budget_id(command.budget_id); !checked) return checked.error();
    return Command::make<DeleteBudgetBody>(command.budget_id);
}

}  // namespace flowfabric
