#include "core/budget/budget.hpp"

#include <algorithm>

#include <boost/json.hpp>

#include "core/base/saturating.hpp"
#include "core/budget/budget_rows.hpp"
#include "core/execution/retry.hpp"

namespace flowfabric {
namespace {

namespace json = boost::json;

json::object object_of_amounts(const BudgetAmounts& amounts) {
    json::object object;
    for (const auto& [dimension, amount] : amounts) object[dimension] = amount;
    return object;
}

std::optional<std::uint64_t> amount_in(const json::value* value) {
    if (value == nullptr || !value->is_number()) return std::nullopt;
    boost::system::error_code inexact;
    const auto amount = value->to_number<std::uint64_t>(inexact);
    return inexact || amount > max_budget_amount ? std::nullopt : std::optional(amount);
}

std::optional<BudgetAmounts> amounts_in(const json::value* value) {
    if (value == nullptr || !value->is_object()) return std::nullopt;
    BudgetAmounts amounts;
    for (const auto& [dimension, stored] : value->get_object()) {
        const auto amount = amount_in(&stored);
        if (!amount) return std::nullopt;
        amounts.emplace(dimension, *amount);
    }
    return amounts;
}

template <class E>
std::optional<E> literal_in(const json::value* value) {
    return value != nullptr && value->is_string() ? parse_enum<E>(std::string_view(value->get_string())) : std::nullopt;
}

// None: it is damaged.
std::optional<BudgetPolicy> parse_policy(const Json& stored) {
    boost::system::error_code failure;
    const auto value = json::parse(stored.text, failure);
    if (failure || !value.is_object()) return std::nullopt;
    const json::object& object = value.get_object();
    auto hard_limits = amounts_in(object.if_contains("hard_limits"));
    auto soft_limits = amounts_in(object.if_contains("soft_limits"));
    const auto reset_interval_ms = amount_in(object.if_contains("reset_interval_ms"));
    const auto on_hard_limit = literal_in<HardLimitAction>(object.if_contains("on_hard_limit"));
    const auto on_soft_limit = literal_in<SoftLimitAction>(object.if_contains("on_soft_limit"));
    if (!hard_limits || !soft_limits || !reset_interval_ms || !on_hard_limit || !on_soft_limit) return std::nullopt;
    return BudgetPolicy{*std::move(hard_limits), *std::move(soft_limits), *reset_interval_ms, *on_hard_limit,
                        *on_soft_limit};
}

std::optional<SpentLimit> own_spent_limit(const BudgetRow& row, const SideTables& side) {
    if (row.enforcement_mode == EnforcementMode::warn) return std::nullopt;
    for (const auto& [dimension, limit] : policy_of(row).hard_limits) {
        const std::uint64_t used = usage_of({row.key, dimension}, side);
        if (limit > 0 && used >= limit) return SpentLimit{row.key.budget_id, dimension, used, limit};
    }
    return std::nullopt;
}

}  // namespace

Json json_of(const BudgetPolicy& policy) {
    const json::object object{{"hard_limits", object_of_amounts(policy.hard_limits)},
                              {"soft_limits", object_of_amounts(policy.soft_limits)},
                              {"reset_interval_ms", policy.reset_interval_ms},
                              {"on_hard_limit", to_string(policy.on_hard_limit)},
                              {"on_soft_limit", to_string(policy.on_soft_limit)}};
    return {json::serialize(object)};
}

BudgetPolicy policy_of(const BudgetRow& row) {
    return parse_policy(row.policy_json).value_or(BudgetPolicy{});
}

std::vector<BudgetKey> ancestors_of(const BudgetRow& row) {
    std::vector<BudgetKey> keys;
    keys.reserve(row.ancestors.values.size());
    for (const std::string& text : row.ancestors.values) {
        if (const auto id = BudgetId::parse(text)) keys.push_back(key_of(*id));
    }
    return keys;
}

std::optional<std::string> damage_in(const BudgetRow& row) {
    if (!parse_policy(row.policy_json)) return "its limits cannot be read";
    if (ancestors_of(row).size() != row.ancestors.values.size()) return "the budgets above it cannot be read";
    if (row.child_count < 0 || row.dimension_count < 0 || row.reset_count < 0) return "a counter is negative";
    if (row.breach_count < 0 || row.soft_breach_count < 0) return "a counter is negative";
    return std::nullopt;
}

std::optional<std::string> damage_in(const BudgetUsageRow& row) {
    return row.current_value < 0 ? std::optional<std::string>("its usage is negative") : std::nullopt;
}

std::optional<std::string> damage_in(const BudgetShareRow& row) {
    return row.delta_total < 0 ? std::optional<std::string>("its share is negative") : std::nullopt;
}

// ---- whether it is spent --------------------------------------------------------------------------------------------

void name_limited_usage(const BudgetRow& budget, NamedRows& rows) {
    for (const auto& [dimension, limit] : policy_of(budget).hard_limits) {
        if (limit > 0) rows.side.of<BudgetUsageRow>().keys.push_back({budget.key, dimension});
    }
}

std::optional<SpentLimit> spent_limit(const BudgetKey& budget, const SideTables& side) {
    const auto& budgets = side.of<BudgetRow>();
    const BudgetRow* row = budgets.find(budget);
    if (row == nullptr) return std::nullopt;
    if (auto spent = own_spent_limit(*row, side)) return spent;
    for (const BudgetKey& above : ancestors_of(*row)) {
        const BudgetRow* ancestor = budgets.find(above);
        if (ancestor == nullptr) continue;
        if (auto spent = own_spent_limit(*ancestor, side)) return spent;
    }
    return std::nullopt;
}

// ---- for decisions --------------------------------------------------------------------------------------------------

std::optional<MoreRows> more_above(const BudgetRow& row, const std::vector<BudgetKey>& known) {
    const auto above = ancestors_of(row);
    if (above == known) return std::nullopt;
    MoreRows more;
    for (const BudgetKey& key : above) more.budgets.push_back(key.budget_id);
    return more;
}

bool is_current(const BudgetShareRow& share, const BudgetRow& charged) {
    return share.incarnation == charged.incarnation && share.reset_count == charged.reset_count;
}

std::uint64_t usage_of(const BudgetUsageKey& key, const SideTables& side) {
    const BudgetUsageRow* row = side.of<BudgetUsageRow>().find(key);
    return row == nullptr ? 0 : static_cast<std::uint64_t>(row->current_value);
}

void name_all_usage(const BudgetKey& budget, NamedRows& rows) {
    auto& usage = rows.side.of<BudgetUsageRow>();
    usage.behind.push_back({budget, ""});
    usage.piece = max_budget_dimensions;
}

std::vector<BudgetUsageRow> usage_at_hand(const BudgetKey& budget, const SideTables& side) {
    const std::string behind_all_text = "\xff";
    return side.of<BudgetUsageRow>().between({budget, ""}, {budget, behind_all_text});
}

void reset(BudgetRow row, const std::optional<std::int64_t>& next_at_ms, WorkingSet& set) {
    for (BudgetUsageRow& usage : usage_at_hand(row.key, set.side)) {
        usage.current_value = 0;
        usage.last_reset_at_ms = set.now_ms;
        usage.updated_at_ms = set.now_ms;
        set.side.of<BudgetUsageRow>().put(std::move(usage));
    }
    ++row.reset_count;
    row.last_reset_at_ms = set.now_ms;
    row.updated_at_ms = set.now_ms;
    row.last_breach_at_ms.reset();
    row.last_breach_dim.reset();
    row.hard_told.values.clear();
    row.soft_told.values.clear();
    row.next_reset_at_ms = next_at_ms;
    json::object details{{"next_reset_at", next_at_ms.value_or(0)}};
    tell_operators(row, OperatorEventType::budget_reset, {json::serialize(details)}, set);
    set.side.of<BudgetRow>().put(std::move(row));
}

void tell_operators(const BudgetRow& row, OperatorEventType type, Json details, WorkingSet& set) {
    set.events.of<OperatorEvent>().push_back({.event_id = 0,
                                              .partition_key = row.key.partition,
                                              .subject_id = row.key.budget_id.uuid,
                                              .namespace_name = std::nullopt,
                                              .instance_tag = std::nullopt,
                                              .subject_kind = SubjectKind::budget,
                                              .event_type = type,
                                              .details = std::move(details),
                                              .occurred_at_ms = set.now_ms});
}

BudgetStatus status_of(const BudgetRow& row, const std::vector<BudgetUsageRow>& usage) {
    BudgetPolicy policy = policy_of(row);
    BudgetStatus status;
    status.budget_id = row.key.budget_id;
    status.scope_type = row.scope_type;
    status.scope_id = row.scope_id;
    status.enforcement_mode = row.enforcement_mode;
    status.on_hard_limit = policy.on_hard_limit;
    status.on_soft_limit = policy.on_soft_limit;
    for (const BudgetUsageRow& used : usage) {
        status.usage.emplace(used.key.dimension, static_cast<std::uint64_t>(used.current_value));
    }
    status.hard_limits = std::move(policy.hard_limits);
    status.soft_limits = std::move(policy.soft_limits);
    status.breach_count = static_cast<std::uint64_t>(row.breach_count);
    status.soft_breach_count = static_cast<std::uint64_t>(row.soft_breach_count);
    status.last_breach_at_ms = row.last_breach_at_ms;
    status.last_breach_dim = row.last_breach_dim;
    status.reset_interval_ms = policy.reset_interval_ms;
    status.reset_count = static_cast<std::uint64_t>(row.reset_count);
    status.last_reset_at_ms = row.last_reset_at_ms;
    status.next_reset_at_ms = row.next_reset_at_ms;
    status.created_at_ms = row.created_at_ms;
    if (const auto above = ancestors_of(row); !above.empty()) status.parent_budget_id = above.back().budget_id;
    return status;
}

std::optional<std::int64_t> end_of_interval(std::int64_t from_ms, std::uint64_t interval_ms) {
    return interval_ms > 0 ? std::optional(saturating_add(from_ms, interval_ms)) : std::nullopt;
}

}  // namespace flowfabric
