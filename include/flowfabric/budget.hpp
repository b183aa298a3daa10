#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "flowfabric/field.hpp"
#include "flowfabric/ids.hpp"
#include "flowfabric/lease_ref.hpp"
#include "flowfabric/limits.hpp"
#include "flowfabric/state.hpp"

// Budgets: counters in units of the caller's, with limits. Whatever is charged to a budget is charged to those above it
// in the same transaction, and a hard limit of any of them refuses all of it.
namespace flowfabric {

enum class EnforcementMode : std::uint8_t {
    strict,
    warn,  // hard limits are told like soft ones, and refuse nothing
};

template <>
inline constexpr std::array enum_names<EnforcementMode> = std::to_array<std::string_view>({"strict", "warn"});

// What comes of a report that a hard limit refuses: the caller learns it.
enum class HardLimitAction : std::uint8_t { fail };

template <>
inline constexpr std::array enum_names<HardLimitAction> = std::to_array<std::string_view>({"fail"});

// Whether callers and operators learn that a soft limit is passed. It is counted in any case.
enum class SoftLimitAction : std::uint8_t { warn, none };

template <>
inline constexpr std::array enum_names<SoftLimitAction> = std::to_array<std::string_view>({"warn", "none"});

namespace field {
inline constexpr FieldRule budget_amount = between(0, max_budget_amount);
}  // namespace field

// ---- what a budget allows -------------------------------------------------------------------------------------------

struct BudgetCreated {
    static constexpr std::string_view type_name = "BudgetCreated";

    BudgetId budget_id;
    bool already_there = false;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("budget_id", &BudgetCreated::budget_id, field::optional, "The budget's id, a UUID.");
        visit("already_there", &BudgetCreated::already_there, field::optional,
              "True: an earlier call created it, and its definition stands.");
    }

    bool operator==(const BudgetCreated&) const = default;
};

struct CreateBudget {
    using Answer = BudgetCreated;
    static constexpr std::string_view type_name = "CreateBudget";
    static constexpr Operation operation{"create_budget",
                                         "Creates a budget; of one that exists the first definition stands."};

    BudgetId budget_id;
    std::string scope_type;
    std::string scope_id;
    EnforcementMode enforcement_mode = EnforcementMode::strict;
    HardLimitAction on_hard_limit = HardLimitAction::fail;
    SoftLimitAction on_soft_limit = SoftLimitAction::warn;
    std::uint64_t reset_interval_ms = 0;
    std::vector<std::string> dimensions;
    std::vector<std::uint64_t> hard_limits;
    std::vector<std::uint64_t> soft_limits;
    std::optional<BudgetId> parent_budget_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("budget_id", &CreateBudget::budget_id, field::required(), "The new budget's id, a UUID.");
        visit("scope_type", &CreateBudget::scope_type, field::line(max_label_bytes),
              "What kind of thing it is for, such as tenant; the engine does not look at it.");
        visit("scope_id", &CreateBudget::scope_id, field::line(max_label_bytes),
              "Which of them; the engine does not look at it.");
        visit("enforcement_mode", &CreateBudget::enforcement_mode, field::optional,
              "strict: hard limits refuse. warn: they are told like soft ones.");
        visit("on_hard_limit", &CreateBudget::on_hard_limit, field::optional,
              "What comes of a report that is refused.");
        visit("on_soft_limit", &CreateBudget::on_soft_limit, field::optional,
              "Whether callers and operators learn that a soft limit is passed.");
        visit("reset_interval_ms", &CreateBudget::reset_interval_ms, field::between(0, max_reset_interval_ms),
              "How often it is reset, 100 ms at least; 0: only by hand.");
        visit("dimensions", &CreateBudget::dimensions,
              field::list(0, max_budget_dimensions, field::line(max_label_bytes)),
              "The dimensions that have limits, such as tokens.");
        visit("hard_limits", &CreateBudget::hard_limits, field::list(0, max_budget_dimensions, field::budget_amount),
              "For each dimension what its usage may reach; 0: anything.");
        visit("soft_limits", &CreateBudget::soft_limits, field::list(0, max_budget_dimensions, field::budget_amount),
              "For each dimension what its usage may reach without being told of; 0: anything.");
        visit("parent_budget_id", &CreateBudget::parent_budget_id, field::optional,
              "The budget above it, which exists, and is charged with it; it stays.");
    }
};

// A budget's limits and what was used of them since its last reset.
struct BudgetStatus {
    static constexpr std::string_view type_name = "BudgetStatus";

    BudgetId budget_id;
    std::string scope_type;
    std::string scope_id;
    EnforcementMode enforcement_mode = EnforcementMode::strict;
    HardLimitAction on_hard_limit = HardLimitAction::fail;
    SoftLimitAction on_soft_limit = SoftLimitAction::warn;
    std::map<std::string, std::uint64_t> usage;
    std::map<std::string, std::uint64_t> hard_limits;
    std::map<std::string, std::uint64_t> soft_limits;
    std::uint64_t breach_count = 0;
    std::uint64_t soft_breach_count = 0;
    std::optional<std::int64_t> last_breach_at_ms;
    std::optional<std::string> last_breach_dim;
    std::uint64_t reset_interval_ms = 0;
    std::uint64_t reset_count = 0;
    std::optional<std::int64_t> last_reset_at_ms;
    std::optional<std::int64_t> next_reset_at_ms;
    std::int64_t created_at_ms = 0;
    std::optional<BudgetId> parent_budget_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("budget_id", &BudgetStatus::budget_id, field::optional, "The budget's id, a UUID.");
        visit("scope_type", &BudgetStatus::scope_type, field::optional, "What kind of thing it is for.");
        visit("scope_id", &BudgetStatus::scope_id, field::optional, "Which of them.");
        visit("enforcement_mode", &BudgetStatus::enforcement_mode, field::optional, "Whether hard limits refuse.");
        visit("on_hard_limit", &BudgetStatus::on_hard_limit, field::optional,
              "What comes of a report that is refused.");
        visit("on_soft_limit", &BudgetStatus::on_soft_limit, field::optional,
              "Whether callers and operators learn that a soft limit is passed.");
        visit("usage", &BudgetStatus::usage, field::optional, "What is used, by dimension.");
        visit("hard_limits", &BudgetStatus::hard_limits, field::optional, "What usage may reach, by dimension.");
        visit("soft_limits", &BudgetStatus::soft_limits, field::optional,
              "What usage may reach without being told of, by dimension.");
        visit("breach_count", &BudgetStatus::breach_count, field::optional,
              "How many reports its hard limits have refused.");
        visit("soft_breach_count", &BudgetStatus::soft_breach_count, field::optional,
              "How many reports were applied beyond a limit.");
        visit("last_breach_at_ms", &BudgetStatus::last_breach_at_ms, field::optional,
              "When a report was last refused since the last reset.");
        visit("last_breach_dim", &BudgetStatus::last_breach_dim, field::optional,
              "The dimension for which that was so.");
        visit("reset_interval_ms", &BudgetStatus::reset_interval_ms, field::optional,
              "How often it is reset; 0: only by hand.");
        visit("reset_count", &BudgetStatus::reset_count, field::optional, "How often it was reset.");
        visit("last_reset_at_ms", &BudgetStatus::last_reset_at_ms, field::optional, "When it was last reset.");
        visit("next_reset_at_ms", &BudgetStatus::next_reset_at_ms, field::optional, "When it will be.");
        visit("created_at_ms", &BudgetStatus::created_at_ms, field::optional, "When it was created.");
        visit("parent_budget_id", &BudgetStatus::parent_budget_id, field::optional, "The budget above it.");
    }

    bool operator==(const BudgetStatus&) const = default;
};

struct BudgetUpdated {
    static constexpr std::string_view type_name = "BudgetUpdated";

    BudgetId budget_id;
    bool changed = true;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("budget_id", &BudgetUpdated::budget_id, field::optional, "The budget's id, a UUID.");
        visit("changed", &BudgetUpdated::changed, field::optional, "False if all of it held before.");
    }

    bool operator==(const BudgetUpdated&) const = default;
};

struct UpdateBudget {
    using Answer = BudgetUpdated;
    static constexpr std::string_view type_name = "UpdateBudget";
    static constexpr Operation operation{"update_budget", "Changes what a budget allows; its usage stays."};

    BudgetId budget_id;
    std::optional<EnforcementMode> enforcement_mode;
    std::optional<HardLimitAction> on_hard_limit;
    std::optional<SoftLimitAction> on_soft_limit;
    std::optional<std::uint64_t> reset_interval_ms;
    std::map<std::string, std::uint64_t> hard_limits;
    std::map<std::string, std::uint64_t> soft_limits;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("budget_id", &UpdateBudget::budget_id, field::required(), "The budget's id, a UUID.");
        visit("enforcement_mode", &UpdateBudget::enforcement_mode, field::optional, "Whether hard limits refuse.");
        visit("on_hard_limit", &UpdateBudget::on_hard_limit, field::optional,
              "What comes of a report that is refused.");
        visit("on_soft_limit", &UpdateBudget::on_soft_limit, field::optional,
              "Whether callers and operators learn that a soft limit is passed.");
        visit("reset_interval_ms", &UpdateBudget::reset_interval_ms, field::between(0, max_reset_interval_ms),
              "How often it is reset, 100 ms at least; the first interval begins now. 0: only by hand.");
        visit("hard_limits", &UpdateBudget::hard_limits, field::list(0, max_budget_dimensions, field::budget_amount),
              "Hard limits to change, by dimension; 0 takes one away.");
        visit("soft_limits", &UpdateBudget::soft_limits, field::list(0, max_budget_dimensions, field::budget_amount),
              "Soft limits to change, by dimension; 0 takes one away.");
    }
};

struct BudgetDeleted {
    static constexpr std::string_view type_name = "BudgetDeleted";

    bool existed = true;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("existed", &BudgetDeleted::existed, field::optional, "False if there was none.");
    }

    bool operator==(const BudgetDeleted&) const = default;
};

struct DeleteBudget {
    using Answer = BudgetDeleted;
    static constexpr std::string_view type_name = "DeleteBudget";
    static constexpr Operation operation{"delete_budget", "Deletes a budget that has none below it, with its usage."};

    BudgetId budget_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("budget_id", &DeleteBudget::budget_id, field::required(), "The budget's id, a UUID.");
    }
};

// ---- usage ----------------------------------------------------------------------------------------------------------

// Applied, within all limits.
struct UsageOk {
    static constexpr std::string_view type_name = "UsageOk";
    static constexpr std::string_view variant_name = "Ok";

    bool operator==(const UsageOk&) const = default;
};

// Applied, beyond a limit that does not refuse.
struct SoftBreach {
    static constexpr std::string_view type_name = "SoftBreach";

    std::string dimension;
    std::uint64_t current_usage = 0;
    std::uint64_t soft_limit = 0;
    std::optional<BudgetId> budget_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("dimension", &SoftBreach::dimension, field::optional, "The first dimension that is beyond a limit.");
        visit("current_usage", &SoftBreach::current_usage, field::optional, "What is used of it now.");
        visit("soft_limit", &SoftBreach::soft_limit, field::optional, "The limit that was passed.");
        visit("budget_id", &SoftBreach::budget_id, field::optional,
              "The budget whose limit it is, if that is one above the budget that was named.");
    }

    bool operator==(const SoftBreach&) const = default;
};

// Not applied, no part of it.
struct HardBreach {
    static constexpr std::string_view type_name = "HardBreach";

    std::string dimension;
    std::uint64_t current_usage = 0;
    std::uint64_t hard_limit = 0;
    std::optional<BudgetId> budget_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("dimension", &HardBreach::dimension, field::optional,
              "The first dimension that would be beyond a limit.");
        visit("current_usage", &HardBreach::current_usage, field::optional, "What is used of it, as before.");
        visit("hard_limit", &HardBreach::hard_limit, field::optional, "The limit that would be passed.");
        visit("budget_id", &HardBreach::budget_id, field::optional,
              "The budget whose limit it is, if that is one above the budget that was named.");
    }

    bool operator==(const HardBreach&) const = default;
};

// An earlier call with the same key was.
struct UsageAlreadyApplied {
    static constexpr std::string_view type_name = "UsageAlreadyApplied";
    static constexpr std::string_view variant_name = "AlreadyApplied";

    bool operator==(const UsageAlreadyApplied&) const = default;
};

using UsageOutcome = std::variant<UsageOk, SoftBreach, HardBreach, UsageAlreadyApplied>;

struct ReportUsage {
    using Answer = UsageOutcome;
    static constexpr std::string_view type_name = "ReportUsage";
    static constexpr Operation operation{
        "report_usage", "Charges a budget with what a lease's work has used, even if the lease is lost: it was spent."};

    LeaseRef lease;
    BudgetId budget_id;
    std::map<std::string, std::uint64_t> dimensions;
    std::string dedup_key;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lease", &ReportUsage::lease, field::required(), "The lease under which it was used, current or not.");
        visit("budget_id", &ReportUsage::budget_id, field::required(), "The budget's id, a UUID.");
        visit("dimensions", &ReportUsage::dimensions,
              field::required(field::list(0, max_budget_dimensions, field::budget_amount)),
              "What was used, by dimension.");
        visit("dedup_key", &ReportUsage::dedup_key, field::text(max_idempotency_key_bytes),
              "Within a day a report with the same key is applied once.");
    }
};

struct ReportUsageAdmin {
    using Answer = UsageOutcome;
    static constexpr std::string_view type_name = "ReportUsageAdmin";
    static constexpr Operation operation{"report_usage_admin", "Charges a budget with what was used."};

    BudgetId budget_id;
    std::map<std::string, std::uint64_t> dimensions;
    std::string dedup_key;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("budget_id", &ReportUsageAdmin::budget_id, field::required(), "The budget's id, a UUID.");
        visit("dimensions", &ReportUsageAdmin::dimensions,
              field::required(field::list(0, max_budget_dimensions, field::budget_amount)),
              "What was used, by dimension.");
        visit("dedup_key", &ReportUsageAdmin::dedup_key, field::text(max_idempotency_key_bytes),
              "Within a day a report with the same key is applied once.");
    }
};

struct RecordSpend {
    using Answer = UsageOutcome;
    static constexpr std::string_view type_name = "RecordSpend";
    static constexpr Operation operation{
        "record_spend", "Charges a budget with what an execution has used, so that it can be released."};

    BudgetId budget_id;
    ExecutionId execution_id;
    std::map<std::string, std::uint64_t> deltas;
    std::string idempotency_key;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("budget_id", &RecordSpend::budget_id, field::required(), "The budget's id, a UUID.");
        visit("execution_id", &RecordSpend::execution_id, field::required(), "The execution that has used it.");
        visit("deltas", &RecordSpend::deltas,
              field::required(field::list(0, max_budget_dimensions, field::budget_amount)),
              "What it has used, by dimension.");
        visit("idempotency_key", &RecordSpend::idempotency_key, field::text(max_idempotency_key_bytes),
              "Within a day a spend with the same key is applied once.");
    }
};

struct BudgetReleased {
    static constexpr std::string_view type_name = "BudgetReleased";

    std::map<std::string, std::uint64_t> released;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("released", &BudgetReleased::released, field::optional,
              "What the execution had spent since the last reset, by dimension.");
    }

    bool operator==(const BudgetReleased&) const = default;
};

struct ReleaseBudget {
    using Answer = BudgetReleased;
    static constexpr std::string_view type_name = "ReleaseBudget";
    static constexpr Operation operation{
        "release_budget", "Takes back what an execution has spent on a budget; nothing if that was done before."};

    BudgetId budget_id;
    ExecutionId execution_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("budget_id", &ReleaseBudget::budget_id, field::required(), "The budget's id, a UUID.");
        visit("execution_id", &ReleaseBudget::execution_id, field::required(), "The execution that has spent on it.");
    }
};

struct BudgetReset {
    static constexpr std::string_view type_name = "BudgetReset";

    std::optional<std::int64_t> next_reset_at_ms;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("next_reset_at_ms", &BudgetReset::next_reset_at_ms, field::optional,
              "When it is reset again; absent: only by hand.");
    }

    bool operator==(const BudgetReset&) const = default;
};

struct ResetBudget {
    using Answer = BudgetReset;
    static constexpr std::string_view type_name = "ResetBudget";
    static constexpr Operation operation{
        "reset_budget", "Sets a budget's usage to nothing, and begins its interval anew; those above it keep theirs."};

    BudgetId budget_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("budget_id", &ResetBudget::budget_id, field::required(), "The budget's id, a UUID.");
    }
};

// ---- reads ----------------------------------------------------------------------------------------------------------

struct GetBudgetStatus {
    using Answer = BudgetStatus;
    static constexpr std::string_view type_name = "GetBudgetStatus";
    static constexpr Operation operation{"get_budget_status", "Tells a budget's limits and what is used of them."};

    BudgetId budget_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("budget_id", &GetBudgetStatus::budget_id, field::required(), "The budget's id, a UUID.");
    }
};

// Empty of a budget that is unknown.
struct BudgetUsageAndLimits {
    static constexpr std::string_view type_name = "BudgetUsageAndLimits";

    std::map<std::string, std::uint64_t> limits;
    std::map<std::string, std::uint64_t> usage;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("limits", &BudgetUsageAndLimits::limits, field::optional,
              "Its limits: hard:tokens is the hard limit of the dimension tokens, soft:tokens the soft one.");
        visit("usage", &BudgetUsageAndLimits::usage, field::optional, "What is used, by dimension.");
    }

    bool operator==(const BudgetUsageAndLimits&) const = default;
};

struct ReadBudgetUsageAndLimits {
    using Answer = BudgetUsageAndLimits;
    static constexpr std::string_view type_name = "ReadBudgetUsageAndLimits";
    static constexpr Operation operation{"read_budget_usage_and_limits",
                                         "Tells a budget's limits and usage, and nothing of one that is unknown."};

    BudgetId budget_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("budget_id", &ReadBudgetUsageAndLimits::budget_id, field::required(), "The budget's id, a UUID.");
    }
};

struct BudgetPage {
    static constexpr std::string_view type_name = "BudgetPage";

    std::vector<BudgetStatus> budgets;
    std::optional<BudgetId> next;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("budgets", &BudgetPage::budgets, field::optional, "Budgets, in an order that stays.");
        visit("next_cursor", &BudgetPage::next, field::optional, "Where the next page begins; absent at the end.");
    }

    bool operator==(const BudgetPage&) const = default;
};

struct ListBudgets {
    using Answer = BudgetPage;
    static constexpr std::string_view type_name = "ListBudgets";
    static constexpr Operation operation{"list_budgets", "Lists all budgets, with what is used of them."};

    std::optional<BudgetId> after;
    std::uint32_t limit = default_page;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("cursor", &ListBudgets::after, field::optional, "The last page's next_cursor.");
        visit("limit", &ListBudgets::limit, field::optional, "How many at most; more than 1000 counts as 1000.");
    }
};

}  // namespace flowfabric
