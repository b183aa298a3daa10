#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/budget/budget.hpp"
#include "core/command/answer.hpp"
#include "core/command/named_rows.hpp"

namespace flowfabric {

// What is charged to a budget and to all above it: all of it or nothing. Which budgets these are is known once the
// budget's row is.
class BudgetCharge {
  public:
    BudgetCharge(const BudgetId& budget_id, ChargeFamily family, BudgetAmounts amounts, std::string dedup_key);

    // The amounts and the key, under the names that the caller knows them by.
    static Result<void> check(const BudgetId& budget_id, std::string_view amounts_field, const BudgetAmounts& amounts,
                              std::string_view key_field, const std::string& dedup_key);

    const BudgetId& budget_id() const { return budget_.budget_id; }
    std::size_t bytes() const;
    // How many rows it may touch.
    std::size_t rows() const { return (above_.size() + 1) * (amounts_.size() + 1); }
    // `spender`: the execution that gets a share of it, which can be released.
    void name_rows(NamedRows& rows, const std::optional<ExecutionId>& spender) const;
    void widen(const MoreRows& more);
    Result<Answer> decide(WorkingSet& set, const std::optional<ExecutionId>& spender) const;

  private:
    std::optional<BudgetDedupKey> dedup() const;
    bool was_applied(const BudgetRow& named, const WorkingSet& set) const;
    std::optional<HardBreach> refuse(std::vector<BudgetRow>& chain, WorkingSet& set) const;
    std::optional<EngineError> make_room(std::vector<BudgetRow>& chain, const SideTables& side) const;
    void apply(const BudgetRow& row, WorkingSet& set) const;
    std::optional<SoftBreach> look_for_soft_breach(BudgetRow& row, WorkingSet& set) const;
    void give_share(const BudgetRow& row, const ExecutionId& spender, WorkingSet& set) const;

    BudgetKey budget_;
    ChargeFamily family_;
    BudgetAmounts amounts_;
    std::string dedup_key_;         // empty: repeats are not known
    std::vector<BudgetKey> above_;  // as far as they are known
};

}  // namespace flowfabric
