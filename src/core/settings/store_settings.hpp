#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/policy.hpp"
#include "flowfabric/result.hpp"
#include "flowfabric/views.hpp"

// What all engines on one store have to agree on. It is kept in the store, one row for each setting that was ever set
// (SettingRow), and known to every engine along with the routes.
namespace flowfabric {

inline constexpr std::uint64_t day_ms = 86'400'000;

// The values that hold now; a setting that was never set has its default.
struct StoreSettings {
    std::uint64_t execution_retention_ms = 7 * day_ms;  // 0: for ever
    std::uint64_t event_retention_ms = day_ms;          // 0: for ever
    RetryPolicy default_retry_policy{.max_retries = 3, .backoff = ExponentialBackoff{.jitter = true}};
    bool emit_renewed_events = true;
    std::string instance_tag_key = "cairn.instance_id";

    bool operator==(const StoreSettings&) const = default;
};

// Where one engine of a test differs from the others.
struct SettingOverrides {
    std::optional<std::uint64_t> execution_retention_ms;
    std::optional<std::uint64_t> event_retention_ms;
    std::optional<RetryPolicy> default_retry_policy;
    std::optional<bool> emit_renewed_events;
    std::optional<std::string> instance_tag_key;
};

StoreSettings overridden(StoreSettings settings, const SettingOverrides& overrides);

struct SettingSpec {
    std::string_view name;
    std::string_view type;
    std::string_view documentation;
    std::string_view when_unreadable;  // what holds instead of a stored value that cannot be read; empty: the default
    Result<void> (*read)(std::string_view text, StoreSettings& into);
    std::string (*text_of)(const StoreSettings& settings);
};

// Every setting there is, in the order in which they are listed.
std::span<const SettingSpec> setting_specs();
// Fails with the names that there are.
Result<const SettingSpec*> find_setting(std::string_view name);

std::string default_text(const SettingSpec& spec);
// The value in the one form in which it is stored and compared.
Result<std::string> normal_text(const SettingSpec& spec, std::string_view value);

struct SettingRow;
// Rows of names that this version does not know are left out.
StoreSettings settings_of(const std::vector<SettingRow>& rows);
std::vector<SettingView> views_of(const std::vector<SettingRow>& rows);

}  // namespace flowfabric
