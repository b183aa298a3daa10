#include "core/budget/charge.hpp"

#include <algorithm>
#include <ranges>

#include <boost/json.hpp>

#include "core/base/names.hpp"
#include "core/budget/on_budget.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/execution/retry.hpp"

namespace flowfabric {
namespace {

constexpr std::uint64_t dedup_window_ms = 86'400'000;

// Held at the largest amount there is; neither is above it.
std::uint64_t sum_of_amounts(std::uint64_t used, std::uint64_t more) {
    return std::min(used + more, max_budget_amount);
}

std::uint64_t limit_in(const BudgetAmounts& limits, const std::string& dimension) {
    const auto limit = limits.find(dimension);
    return limit == limits.end() ? 0 : limit->second;
}

bool is_beyond(std::uint64_t usage, std::uint64_t limit) {
    return limit > 0 && usage > limit;
}

// Once for each dimension since the last reset.
void tell_of_breach(BudgetRow& row, TextList BudgetRow::* told, std::string_view kind, const std::string& dimension,
                    std::uint64_t usage, std::uint64_t limit, WorkingSet& set) {
    auto& dimensions = (row.*told).values;
    if (std::ranges::find(dimensions, dimension) != dimensions.end()) return;
    dimensions.push_back(dimension);
    const boost::json::object details{
        {"dimension", dimension}, {"kind", kind}, {"current_usage", usage}, {"limit", limit}};
    tell_operators(row, OperatorEventType::budget_breached, {boost::json::serialize(details)}, set);
}

}  // namespace

BudgetCharge::BudgetCharge(const BudgetId& budget_id, ChargeFamily family, BudgetAmounts amounts, std::string dedup_key)
    : budget_(key_of(budget_id)), family_(family), amounts_(std::move(amounts)), dedup_key_(std::move(dedup_key)) {}

Result<void> BudgetCharge::check(const BudgetId& budget_id, std::string_view amounts_field,
                                 const BudgetAmounts& amounts, std::string_view key_field,
                                 const std::string& dedup_key) {
    Checks check;
    check(check_budget_id(budget_id));
    check(check_amounts(amounts_field, amounts));
    check(check_text(key_field, dedup_key, max_idempotency_key_bytes));
    if (check.fault()) return *check.fault();
    return {};
}

std::size_t BudgetCharge::bytes() const {
    return sizeof(*this) + contents_of(amounts_, dedup_key_, above_);
}

void BudgetCharge::name_rows(NamedRows& rows, const std::optional<ExecutionId>& spender) const {
    const auto name = [&](const BudgetKey& charged) {
        rows.side.of<BudgetRow>().keys.push_back(charged);
        for (const auto& [dimension, amount] : amounts_) {
            rows.side.of<BudgetUsageRow>().keys.push_back({charged, dimension});
            if (!spender) continue;
            rows.side.of<BudgetShareRow>().keys.push_back({*spender, budget_.budget_id, charged.budget_id, dimension});
        }
    };
    name(budget_);
    for (const BudgetKey& above : above_) name(above);
    if (auto key = dedup()) rows.side.of<BudgetDedupRow>().keys.push_back(*std::move(key));
}

void BudgetCharge::widen(const MoreRows& more) {
    above_.clear();
    for (const BudgetId& id : more.budgets) above_.push_back(key_of(id));
}

Result<Answer> BudgetCharge::decide(WorkingSet& set, const std::optional<ExecutionId>& spender) const {
    auto& budgets = set.side.of<BudgetRow>();
    const BudgetRow* named = budgets.find(budget_);
    if (named == nullptr) return budget_not_found(budget_.budget_id);
    if (auto more = more_above(*named, above_)) return Answer::of<MoreRows>(*std::move(more));
    if (was_applied(*named, set)) return Answer::of<UsageOutcome>(UsageAlreadyApplied{});

    std::vector<BudgetRow> chain{*named};  // and those above it, up to the root
    for (const BudgetKey& above : std::views::reverse(above_)) {
        const BudgetRow* row = budgets.find(above);
        if (row == nullptr) return corruption("budget " + above.budget_id.to_string() + " is missing above another");
        chain.push_back(*row);
    }
    if (auto breach = refuse(chain, set)) return Answer::of<UsageOutcome>(*std::move(breach));
    if (auto full = make_room(chain, set.side)) return *std::move(full);

    UsageOutcome outcome = UsageOk{};
    for (BudgetRow& row : chain) {
        apply(row, set);
        if (spender) give_share(row, *spender, set);
        auto breach = look_for_soft_breach(row, set);
        if (breach && std::holds_alternative<UsageOk>(outcome)) outcome = *std::move(breach);
        row.updated_at_ms = set.now_ms;
        budgets.put(std::move(row));
    }
    if (auto key = dedup()) {
        set.side.of<BudgetDedupRow>().put({.key = *std::move(key),
                                           .incarnation = budgets.find(budget_)->incarnation,
                                           .applied_at_ms = set.now_ms,
                                           .expires_at_ms = saturating_add(set.now_ms, dedup_window_ms)});
    }
    return Answer::of<UsageOutcome>(std::move(outcome));
}

std::optional<BudgetDedupKey> BudgetCharge::dedup() const {
    if (dedup_key_.empty()) return std::nullopt;
    return BudgetDedupKey{budget_, family_, dedup_key_};
}

bool BudgetCharge::was_applied(const BudgetRow& named, const WorkingSet& set) const {
    const auto key = dedup();
    const BudgetDedupRow* row = key ? set.side.of<BudgetDedupRow>().find(*key) : nullptr;
    return row != nullptr && row->incarnation == named.incarnation && row->expires_at_ms > set.now_ms;
}

// The first dimension of the nearest budget that refuses. That budget's counters are all that changes.
std::optional<HardBreach> BudgetCharge::refuse(std::vector<BudgetRow>& chain, WorkingSet& set) const {
    for (BudgetRow& row : chain) {
        if (row.enforcement_mode == EnforcementMode::warn) continue;
        const BudgetAmounts limits = policy_of(row).hard_limits;
        for (const auto& [dimension, amount] : amounts_) {
            const std::uint64_t used = usage_of({row.key, dimension}, set.side);
            const std::uint64_t limit = limit_in(limits, dimension);
            if (!is_beyond(sum_of_amounts(used, amount), limit)) continue;
            ++row.breach_count;
            row.last_breach_at_ms = set.now_ms;
            row.last_breach_dim = dimension;
            tell_of_breach(row, &BudgetRow::hard_told, "hard", dimension, used, limit, set);
            HardBreach breach{.dimension = dimension, .current_usage = used, .hard_limit = limit};
            if (row.key != budget_) breach.budget_id = row.key.budget_id;
            set.side.of<BudgetRow>().put(std::move(row));
            return breach;
        }
    }
    return std::nullopt;
}

// Counts the dimensions that are new to each budget.
std::optional<EngineError> BudgetCharge::make_room(std::vector<BudgetRow>& chain, const SideTables& side) const {
    for (BudgetRow& row : chain) {
        for (const auto& [dimension, amount] : amounts_) {
            if (side.of<BudgetUsageRow>().find({row.key, dimension}) == nullptr) ++row.dimension_count;
        }
        if (std::cmp_less_equal(row.dimension_count, max_budget_dimensions)) continue;
        return invalid_input("dimensions", "budget " + row.key.budget_id.to_string() + " would have more than " +
                                               std::to_string(max_budget_dimensions));
    }
    return std::nullopt;
}

void BudgetCharge::apply(const BudgetRow& row, WorkingSet& set) const {
    auto& usage = set.side.of<BudgetUsageRow>();
    for (const auto& [dimension, amount] : amounts_) {
        const BudgetUsageKey key{row.key, dimension};
        const BudgetUsageRow* known = usage.find(key);
        BudgetUsageRow used = known != nullptr ? *known : BudgetUsageRow{.key = key};
        used.current_value = static_cast<std::int64_t>(sum_of_amounts(usage_of(key, set.side), amount));
        used.updated_at_ms = set.now_ms;
        usage.put(std::move(used));
    }
}

// Counts once, tells operators of each dimension, and the caller of the first.
std::optional<SoftBreach> BudgetCharge::look_for_soft_breach(BudgetRow& row, WorkingSet& set) const {
    const BudgetPolicy policy = policy_of(row);
    std::optional<SoftBreach> first;
    bool beyond_some = false;
    for (const auto& [dimension, amount] : amounts_) {
        const std::uint64_t used = usage_of({row.key, dimension}, set.side);
        const std::uint64_t hard_limit = limit_in(policy.hard_limits, dimension);
        const std::uint64_t soft_limit = limit_in(policy.soft_limits, dimension);
        const bool beyond_hard = is_beyond(used, hard_limit);  // of a budget that only warns
        const bool beyond_soft = is_beyond(used, soft_limit);
        beyond_some = beyond_some || beyond_hard || beyond_soft;
        if (beyond_hard) tell_of_breach(row, &BudgetRow::hard_told, "hard", dimension, used, hard_limit, set);
        if (beyond_soft && policy.on_soft_limit == SoftLimitAction::warn) {
            tell_of_breach(row, &BudgetRow::soft_told, "soft", dimension, used, soft_limit, set);
        }
        const bool told = beyond_hard || (beyond_soft && policy.on_soft_limit == SoftLimitAction::warn);
        if (!told || first) continue;
        first = {.dimension = dimension, .current_usage = used, .soft_limit = beyond_hard ? hard_limit : soft_limit};
        if (row.key != budget_) first->budget_id = row.key.budget_id;
    }
    if (beyond_some) ++row.soft_breach_count;
    return first;
}

void BudgetCharge::give_share(const BudgetRow& row, const ExecutionId& spender, WorkingSet& set) const {
    auto& shares = set.side.of<BudgetShareRow>();
    for (const auto& [dimension, amount] : amounts_) {
        const BudgetShareKey key{spender, budget_.budget_id, row.key.budget_id, dimension};
        const BudgetShareRow* known = shares.find(key);
        const std::uint64_t before =
            known != nullptr && is_current(*known, row) ? static_cast<std::uint64_t>(known->delta_total) : 0;
        shares.put({.key = key,
                    .delta_total = static_cast<std::int64_t>(sum_of_amounts(before, amount)),
                    .incarnation = row.incarnation,
                    .reset_count = row.reset_count,
                    .updated_at_ms = set.now_ms});
    }
}

}  // namespace flowfabric
