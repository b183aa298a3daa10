#include <set>

#include "core/base/names.hpp"
#include "core/budget/on_budget.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"

namespace flowfabric {
namespace {

class CreateBudgetBody final : public OnBudget {
  public:
    // The row has all but its times and what is above it.
    CreateBudgetBody(BudgetRow row, const std::optional<BudgetId>& parent)
        : OnBudget(row.key.budget_id), row_(std::move(row)) {
        if (parent) parent_ = key_of(*parent);
    }

    CommandTraits traits() const override {
        return {.name = "create_budget", .urgency = Urgency::bulk, .on_tables = true};
    }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(row_); }
    void name_rows(NamedRows& rows) const override {
        OnBudget::name_rows(rows);
        if (parent_) rows.side.of<BudgetRow>().keys.push_back(*parent_);
    }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        WorkingSet& set = context.set;
        const BudgetId& id = budget().budget_id;
        if (find(context) != nullptr) return Answer::of<BudgetCreated>({.budget_id = id, .already_there = true});
        BudgetRow row = row_;
        if (parent_) {
            if (auto refusal = put_below(*parent_, row, set)) return *std::move(refusal);
        }
        row.created_at_ms = row.updated_at_ms = set.now_ms;
        row.next_reset_at_ms = end_of_interval(set.now_ms, policy_of(row).reset_interval_ms);
        set.side.of<BudgetRow>().put(std::move(row));
        return Answer::of<BudgetCreated>({.budget_id = id});
    }

  private:
    // What is above it is there before it and goes after it, so that no budget is ever above itself.
    static std::optional<EngineError> put_below(const BudgetKey& above, BudgetRow& row, WorkingSet& set) {
        const BudgetRow* known = set.side.of<BudgetRow>().find(above);
        if (known == nullptr) return budget_not_found(above.budget_id);
        row.ancestors = known->ancestors;
        row.ancestors.values.push_back(above.budget_id.to_string());
        if (row.ancestors.values.size() >= max_budget_depth) {
            return invalid_input("parent_budget_id",
                                 "at most " + std::to_string(max_budget_depth) + " budgets stand above one another");
        }
        BudgetRow parent = *known;
        ++parent.child_count;
        parent.updated_at_ms = set.now_ms;
        set.side.of<BudgetRow>().put(std::move(parent));
        return std::nullopt;
    }

    BudgetRow row_;
    std::optional<BudgetKey> parent_;
};

Result<BudgetAmounts> limits_of(const CreateBudget& command, std::string_view field,
                                const std::vector<std::uint64_t>& amounts) {
    if (amounts.size() != command.dimensions.size()) {
        return invalid_input(field,
                             "must have as many items as dimensions: " + std::to_string(command.dimensions.size()));
    }
    BudgetAmounts limits;
    for (std::size_t i = 0; i < amounts.size(); ++i) limits.emplace(command.dimensions[i], amounts[i]);
    if (auto checked = check_amounts(field, limits); !checked) return checked.error();
    return limits;
}

Result<void> check_dimensions(const std::vector<std::string>& dimensions) {
    Checks check;
    check(check_range("dimensions", dimensions.size(), 0, max_budget_dimensions));
    for (const std::string& dimension : dimensions) check(check_dimension("dimensions", dimension));
    check.require(std::set(dimensions.begin(), dimensions.end()).size() == dimensions.size(), "dimensions",
                  "must not name one twice");
    if (check.fault()) return *check.fault();
    return {};
}

}  // namespace

template <>
Result<Command> admit(CreateBudget command, const Settings&, const IdSource& ids) {
    Checks check;
    check(check_budget_id(command.budget_id));
    check(check_line("scope_type", command.scope_type, max_label_bytes));
    check(check_line("scope_id", command.scope_id, max_label_bytes));
    check.require(is_known(command.enforcement_mode), "enforcement_mode", "no such mode");
    check.require(is_known(command.on_hard_limit), "on_hard_limit", "no such action");
    check.require(is_known(command.on_soft_limit), "on_soft_limit", "no such action");
    check(check_reset_interval(command.reset_interval_ms));
    check(check_dimensions(command.dimensions));
    if (command.parent_budget_id) {
        check(check_budget_id(*command.parent_budget_id, "parent_budget_id"));
        check.require(*command.parent_budget_id != command.budget_id, "parent_budget_id",
                      "a budget is not above itself");
    }
    if (check.fault()) return *check.fault();
    auto hard_limits = limits_of(command, "hard_limits", command.hard_limits);
    if (!hard_limits) return hard_limits.error();
    auto soft_limits = limits_of(command, "soft_limits", command.soft_limits);
    if (!soft_limits) return soft_limits.error();
    BudgetRow row;
    row.key = key_of(command.budget_id);
    row.incarnation = ids.at(0);
    row.policy_json = json_of({.hard_limits = *std::move(hard_limits),
                               .soft_limits = *std::move(soft_limits),
                               .reset_interval_ms = command.reset_interval_ms,
                               .on_hard_limit = command.on_hard_limit,
                               .on_soft_limit = command.on_soft_limit});
    row.scope_type = std::move(command.scope_type);
    row.scope_id = std::move(command.scope_id);
    row.enforcement_mode = command.enforcement_mode;
    return Command::make<CreateBudgetBody>(std::move(row), command.parent_budget_id);
}

}  // namespace flowfabric
