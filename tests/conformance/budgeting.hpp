#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "conformance/api_test.hpp"
#include "core/budget/budget.hpp"
#include "flowfabric/budget.hpp"

// Budgets by number, and what is charged to them.
namespace flowfabric::test {

inline BudgetId budget_id(std::uint8_t number) {
    BudgetId id;
    id.uuid.bytes[0] = number;
    id.uuid.bytes[15] = 1;
    return id;
}

class Budgeting : public ApiTest {
  protected:
    using Amounts = std::map<std::string, std::uint64_t>;

    static CreateBudget budget(std::uint8_t number, const Amounts& hard = {}, const Amounts& soft = {}) {
        CreateBudget command{.budget_id = budget_id(number)};
        Amounts all = hard;
        all.insert(soft.begin(), soft.end());
        for (const auto& [dimension, unused] : all) {
            command.dimensions.push_back(dimension);
            command.hard_limits.push_back(hard.contains(dimension) ? hard.at(dimension) : 0);
            command.soft_limits.push_back(soft.contains(dimension) ? soft.at(dimension) : 0);
        }
        return command;
    }
    void make(CreateBudget command) { EXPECT_FALSE(value_of(run(std::move(command))).already_there); }
    void make_below(std::uint8_t parent, CreateBudget command) {
        command.parent_budget_id = budget_id(parent);
        make(std::move(command));
    }
    UsageOutcome report(std::uint8_t number, Amounts used, std::string key = "") {
        return value_of(run(ReportUsageAdmin{budget_id(number), std::move(used), std::move(key)}));
    }
    UsageOutcome spend(const ExecutionId& id, std::uint8_t number, Amounts used, std::string key = "") {
        return value_of(run(RecordSpend{budget_id(number), id, std::move(used), std::move(key)}));
    }
    Amounts release(const ExecutionId& id, std::uint8_t number) {
        return value_of(run(ReleaseBudget{budget_id(number), id})).released;
    }
    std::optional<std::int64_t> reset(std::uint8_t number) {
        return value_of(run(ResetBudget{budget_id(number)})).next_reset_at_ms;
    }
    BudgetStatus status(std::uint8_t number) { return value_of(api().read(GetBudgetStatus{budget_id(number)})); }
    Amounts usage(std::uint8_t number) { return status(number).usage; }

    // A dump has numbers in one form for all stores.
    static std::string details_of(const OperatorEvent& event) {
        boost::json::object details = boost::json::parse(event.details.text).as_object();
        for (auto& [name, value] : details) {
            if (value.is_number()) value = value.to_number<std::int64_t>();
        }
        return boost::json::serialize(details);
    }
    std::vector<std::string> told(std::uint8_t number) {
        std::vector<std::string> texts;
        for (const OperatorEvent& event : operator_events(SubjectKind::budget)) {
            if (event.subject_id != budget_id(number).uuid) continue;
            EXPECT_EQ(event.partition_key, key_of(budget_id(number)).partition);
            texts.push_back(std::string(event.event_type.text()) + " " + details_of(event));
        }
        return texts;
    }
};

}  // namespace flowfabric::test
