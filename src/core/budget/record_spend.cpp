#include "core/budget/charge.hpp"
#include "core/command/admission.hpp"
#include "core/command/on_execution.hpp"

namespace flowfabric {
namespace {

class RecordSpendBody final : public OnExecution {
  public:
    RecordSpendBody(const ExecutionId& execution_id, BudgetCharge charge)
        : OnExecution(execution_id), charge_(std::move(charge)) {}

    CommandTraits traits() const override { return {.name = "record_spend"}; }
    std::size_t bytes() const override { return sizeof(*this) + charge_.bytes(); }
    std::size_t rows() const override { return 1 + 2 * charge_.rows(); }
    void name_rows(NamedRows& rows) const override { charge_.name_rows(rows, execution_id()); }
    void widen(const MoreRows& more) override { charge_.widen(more); }

    Result<Answer> decide_on(ExecutionEntry&, DecisionContext& context) const override {
        return charge_.decide(context.set, execution_id());
    }

  private:
    BudgetCharge charge_;
};

}  // namespace

template <>
Result<Command> admit(RecordSpend command, const Settings&, const IdSource&) {
    Checks check;
    check(BudgetCharge::check(command.budget_id, "deltas", command.deltas, "idempotency_key", command.idempotency_key));
    check(check_partition(command.execution_id));
    if (check.fault()) return *check.fault();
    return Command::make<RecordSpendBody>(
        command.execution_id, BudgetCharge(command.budget_id, ChargeFamily::record_spend, std::move(command.deltas),
                                           std::move(command.idempotency_key)));
}

}  // namespace flowfabric
