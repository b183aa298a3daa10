#include "core/budget/on_budget.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"

namespace flowfabric {
namespace {

void change_limits(BudgetAmounts& limits, const BudgetAmounts& changes) {
    for (const auto& [dimension, limit] : changes) {
        if (limit > 0) {
            limits.insert_or_assign(dimension, limit);
        } else {
            limits.erase(dimension);
        }
    }
}

// Usage stays as it is, beyond a lowered limit too; shares can be released as before.
class UpdateBudgetBody final : public OnBudget {
  public:
    explicit UpdateBudgetBody(UpdateBudget command) : OnBudget(command.budget_id), command_(std::move(command)) {}

    CommandTraits traits() const override {
        return {.name = "update_budget", .urgency = Urgency::bulk, .on_tables = true};
    }
    std::size_t bytes() const override {
        return sizeof(*this) + contents_of(command_.hard_limits, command_.soft_limits);
    }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        WorkingSet& set = context.set;
        const BudgetRow* known = find(context);
        if (known == nullptr) return not_found();
        const BudgetPolicy before = policy_of(*known);
        BudgetPolicy policy = before;
        change_limits(policy.hard_limits, command_.hard_limits);
        change_limits(policy.soft_limits, command_.soft_limits);
        if (policy.hard_limits.size() > max_budget_dimensions) return too_many("hard_limits");
        if (policy.soft_limits.size() > max_budget_dimensions) return too_many("soft_limits");
        policy.reset_interval_ms = command_.reset_interval_ms.value_or(policy.reset_interval_ms);
        policy.on_hard_limit = command_.on_hard_limit.value_or(policy.on_hard_limit);
        policy.on_soft_limit = command_.on_soft_limit.value_or(policy.on_soft_limit);
        const EnforcementMode mode = command_.enforcement_mode.value_or(known->enforcement_mode);
        const BudgetUpdated answer{.budget_id = budget().budget_id,
                                   .changed = policy != before || mode != known->enforcement_mode};
        if (!answer.changed) return Answer::of<BudgetUpdated>(answer);
        BudgetRow row = *known;
        row.policy_json = json_of(policy);
        row.enforcement_mode = mode;
        row.updated_at_ms = set.now_ms;
        if (policy.reset_interval_ms != before.reset_interval_ms) {
            row.next_reset_at_ms = end_of_interval(set.now_ms, policy.reset_interval_ms);
        }
        set.side.of<BudgetRow>().put(std::move(row));
        return Answer::of<BudgetUpdated>(answer);
    }

  private:
    static EngineError too_many(std::string_view field) {
        return invalid_input(field, "there would be more than " + std::to_string(max_budget_dimensions));
    }

    UpdateBudget command_;
};

}  // namespace

template <>
Result<Command> admit(UpdateBudget command, const Settings&, const IdSource&) {
    Checks check;
    check(check_budget_id(command.budget_id));
    check.require(!command.enforcement_mode || is_known(*command.enforcement_mode), "enforcement_mode", "no such mode");
    check.require(!command.on_hard_limit || is_known(*command.on_hard_limit), "on_hard_limit", "no such action");
    check.require(!command.on_soft_limit || is_known(*command.on_soft_limit), "on_soft_limit", "no such action");
    check(check_reset_interval(command.reset_interval_ms.value_or(0)));
    check(check_amounts("hard_limits", command.hard_limits));
    check(check_amounts("soft_limits", command.soft_limits));
    if (check.fault()) return *check.fault();
    return Command::make<UpdateBudgetBody>(std::move(command));
}

}  // namespace flowfabric
