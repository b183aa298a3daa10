#include "core/budget/charge.hpp"
#include "core/command/on_execution.hpp"

namespace flowfabric {
namespace {

// What was spent was spent: the lease need not be held any more, but its execution must be there.
class ReportUsageBody final : public OnExecution {
  public:
    ReportUsageBody(const ExecutionId& execution_id, BudgetCharge charge)
        : OnExecution(execution_id), charge_(std::move(charge)) {}

    CommandTraits traits() const override { return {.name = "report_usage"}; }
    std::size_t bytes() const override { return sizeof(*this) + charge_.bytes(); }
    std::size_t rows() const override { return 1 + charge_.rows(); }
    void name_rows(NamedRows& rows) const override { charge_.name_rows(rows, std::nullopt); }
    void widen(const MoreRows& more) override { charge_.widen(more); }

    Result<Answer> decide_on(ExecutionEntry&, DecisionContext& context) const override {
        return charge_.decide(context.set, std::nullopt);
    }

  private:
    BudgetCharge charge_;
};

class ReportUsageAdminBody final : public CommandBody {
  public:
    explicit ReportUsageAdminBody(BudgetCharge charge) : charge_(std::move(charge)) {}

    CommandTraits traits() const override { return {.name = "report_usage_admin", .on_tables = true}; }
    std::size_t bytes() const override { return sizeof(*this) + charge_.bytes(); }
    std::size_t rows() const override { return charge_.rows(); }
    std::span<const ExecutionId> executions() const override { return {}; }
    void name_rows(NamedRows& rows) const override { charge_.name_rows(rows, std::nullopt); }
    void widen(const MoreRows& more) override { charge_.widen(more); }
    std::string subject() const override { return "budget " + charge_.budget_id().to_string(); }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        return charge_.decide(context.set, std::nullopt);
    }

  private:
    BudgetCharge charge_;
};

}  // namespace

template <>
Result<Command> admit(ReportUsage command, const Settings& settings, const IdSource&) {
    auto checked =
        BudgetCharge::check(command.budget_id, "dimensions", command.dimensions, "dedup_key", command.dedup_key);
    if (!checked) return checked.error();
    const auto lease = held_lease(command.lease, Source::lease_holder, settings);
    if (!lease) return lease.error();
    return Command::make<ReportUsageBody>(
        lease->execution_id, BudgetCharge(command.budget_id, ChargeFamily::report_usage, std::move(command.dimensions),
                                          std::move(command.dedup_key)));
}

template <>
Result<Command> admit(ReportUsageAdmin command, const Settings&, const IdSource&) {
    auto checked =
        BudgetCharge::check(command.budget_id, "dimensions", command.dimensions, "dedup_key", command.dedup_key);
    if (!checked) return checked.error();
    return Command::make<ReportUsageAdminBody>(BudgetCharge(
        command.budget_id, ChargeFamily::report_usage, std::move(command.dimensions), std::move(command.dedup_key)));
}

}  // namespace flowfabric
