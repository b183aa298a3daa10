#include <algorithm>
#include <iterator>

#include "core/base/partition.hpp"
#include "core/budget/budget.hpp"
#include "engine/queries/page.hpp"
#include "engine/queries/queries.hpp"

namespace flowfabric {
namespace {

// By partition and id, behind the place.
StoreResult<std::vector<BudgetRow>> budgets_behind(StoreReader& reader, BudgetKey place, std::uint32_t limit) {
    std::vector<BudgetRow> budgets;
    for (; place.partition < budget_partitions; place = {static_cast<std::uint16_t>(place.partition + 1), {}}) {
        auto piece = reader.behind<BudgetRow>(place, limit - static_cast<std::uint32_t>(budgets.size()));
        if (!piece) return piece.error();
        std::ranges::move(*piece, std::back_inserter(budgets));
        if (budgets.size() == limit) break;
    }
    return budgets;
}

StoreResult<std::vector<BudgetStatus>> statuses_of(StoreReader& reader, const std::vector<BudgetRow>& budgets) {
    SideRowsWanted wanted;
    auto& usage = wanted.of<BudgetUsageRow>();
    for (const BudgetRow& row : budgets) usage.behind.push_back({row.key, ""});
    usage.piece = max_budget_dimensions;
    const auto found = reader.side_rows(wanted);
    if (!found) return found.error();
    std::vector<BudgetStatus> statuses;
    statuses.reserve(budgets.size());
    for (const BudgetRow& row : budgets) statuses.push_back(status_of(row, usage_at_hand(row.key, *found)));
    return statuses;
}

}  // namespace

AnswerTo<GetBudgetStatus> answer(const GetBudgetStatus& query, StoreReader& reader, const QueryContext&) {
    const BudgetKey key = key_of(query.budget_id);
    SideRowsWanted wanted;
    wanted.of<BudgetRow>().keys = {key};
    wanted.of<BudgetUsageRow>().behind = {{key, ""}};
    wanted.of<BudgetUsageRow>().piece = max_budget_dimensions;
    const auto found = reader.side_rows(wanted);
    if (!found) return found.error();
    const BudgetRow* row = found->of<BudgetRow>().find(key);
    if (row == nullptr) return budget_not_found(query.budget_id);
    return status_of(*row, usage_at_hand(key, *found));
}

AnswerTo<ReadBudgetUsageAndLimits> answer(const ReadBudgetUsageAndLimits& query, StoreReader& reader,
                                          const QueryContext& context) {
    BudgetUsageAndLimits answered;
    auto status = answer(GetBudgetStatus{query.budget_id}, reader, context);
    if (!status) {
        const auto* told = std::get_if<EngineError>(&status.error());
        if (told != nullptr && told->kind == ErrorKind::budget_not_found) return answered;
        return status.error();
    }
    for (const auto& [dimension, limit] : status->hard_limits) answered.limits.emplace("hard:" + dimension, limit);
    for (const auto& [dimension, limit] : status->soft_limits) answered.limits.emplace("soft:" + dimension, limit);
    answered.usage = std::move(status->usage);
    return answered;
}

AnswerTo<ListBudgets> answer(const ListBudgets& query, StoreReader& reader, const QueryContext&) {
    const auto rows = read_page(query, [&](const ListBudgets& asked) {
        return budgets_behind(reader, asked.after ? key_of(*asked.after) : BudgetKey{}, asked.limit);
    });
    if (!rows) return rows.error();
    auto budgets = statuses_of(reader, rows->rows);
    if (!budgets) return budgets.error();
    BudgetPage page{.budgets = *std::move(budgets), .next = std::nullopt};
    if (rows->more) page.next = page.budgets.back().budget_id;
    return page;
}

}  // namespace flowfabric
