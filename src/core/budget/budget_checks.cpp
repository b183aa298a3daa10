#include "core/base/names.hpp"
#include "core/budget/on_budget.hpp"
#include "core/command/admission.hpp"

namespace flowfabric {

// The nil id stands before all others where budgets are listed.
Result<void> check_budget_id(const BudgetId& id, std::string_view field) {
    if (id != BudgetId{}) return {};
    return invalid_input(field, "must not be the nil UUID");
}

Result<void> check_reset_interval(std::uint64_t interval_ms) {
    if (interval_ms == 0) return {};
    return check_range("reset_interval_ms", interval_ms, min_reset_interval_ms, max_reset_interval_ms);
}

Result<void> check_dimension(std::string_view field, const std::string& dimension) {
    if (dimension.empty()) return invalid_input(field, "a dimension must not be empty");
    return check_line(field, dimension, max_label_bytes);
}

Result<void> check_amounts(std::string_view field, const BudgetAmounts& amounts) {
    Checks check;
    check(check_range(field, amounts.size(), 0, max_budget_dimensions));
    for (const auto& [dimension, amount] : amounts) {
        check(check_dimension(field, dimension));
        check(check_range(field, amount, 0, max_budget_amount));
    }
    if (check.fault()) return *check.fault();
    return {};
}

}  // namespace flowfabric
