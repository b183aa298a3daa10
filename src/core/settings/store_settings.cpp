#include "core/settings/store_settings.hpp"

#include <algorithm>
#include <array>

#include "core/base/names.hpp"
#include "core/settings/setting_row.hpp"
#include "flowfabric/duration.hpp"

namespace flowfabric {
namespace {

constexpr std::int64_t longest_setting_ms = std::int64_t{36'500} * static_cast<std::int64_t>(day_ms);

Result<void> read_duration(std::string_view text, std::uint64_t& into) {
    const auto duration = parse_duration_ms(text);
    if (!duration) return invalid_input("value", "expected a duration such as 500ms, 30s, 5m, 1h or 7d, or 0");
    if (*duration > longest_setting_ms) return invalid_input("value", "must be at most 36500d");
    into = static_cast<std::uint64_t>(*duration);
    return {};
}

std::string text_of_duration(std::uint64_t duration_ms) {
    return duration_text(static_cast<std::int64_t>(duration_ms));
}

Result<void> read_retry_policy(std::string_view text, StoreSettings& into) {
    auto policy = RetryPolicy::parse(text);
    if (!policy) return invalid_input("value", policy.error().detail);
    into.default_retry_policy = std::move(*policy);
    return {};
}

Result<void> read_boolean(std::string_view text, bool& into) {
    if (text != "true" && text != "false") return invalid_input("value", "expected true or false");
    into = text == "true";
    return {};
}

Result<void> read_tag_key(std::string_view text, StoreSettings& into) {
    if (auto checked = check_tag_key(text); !checked) return invalid_input("value", checked.error().detail);
    into.instance_tag_key = text;
    return {};
}

constexpr auto specs = std::to_array<SettingSpec>({
    {.name = "execution_retention",
     .type = "duration",
     .documentation = "how long ended executions are kept unless their policy says otherwise; 0: for ever",
     .when_unreadable = "0",
     .read = [](std::string_view text,
                StoreSettings& into) { return read_duration(text, into.execution_retention_ms); },
     .text_of = [](const StoreSettings& settings) { return text_of_duration(settings.execution_retention_ms); }},
    {.name = "event_retention",
     .type = "duration",
     .documentation = "how long events are kept, and longer while a durable consumer needs them; 0: for ever",
     .when_unreadable = "0",
     .read = [](std::string_view text, StoreSettings& into) { return read_duration(text, into.event_retention_ms); },
     .text_of = [](const StoreSettings& settings) { return text_of_duration(settings.event_retention_ms); }},
    {.name = "default_retry_policy",
     .type = "retry policy",
     .documentation = "how failures are tried again where the execution's own policy does not say",
     .when_unreadable = {},
     .read = read_retry_policy,
     .text_of = [](const StoreSettings& settings) { return settings.default_retry_policy.to_json(); }},
    {.name = "emit_renewed_events",
     .type = "boolean",
     .documentation = "whether the renewal of a lease is an event",
     .when_unreadable = {},
     .read = [](std::string_view text, StoreSettings& into) { return read_boolean(text, into.emit_renewed_events); },
     .text_of = [](const StoreSettings& settings) -> std::string {
         return settings.emit_renewed_events ? "true" : "false";
     }},
    {.name = "instance_tag_key",
     .type = "tag key",
     .documentation =
         "the tag whose value is copied onto events; for executions that are created or tagged from then on",
     .when_unreadable = {},
     .read = read_tag_key,
     .text_of = [](const StoreSettings& settings) { return settings.instance_tag_key; }},
});

const SettingSpec* spec_of(std::string_view name) {
    const auto* const found = std::ranges::find(specs, name, &SettingSpec::name);
    return found == specs.end() ? nullptr : found;
}

}  // namespace

StoreSettings overridden(StoreSettings settings, const SettingOverrides& overrides) {
    const auto take = [](auto& value, const auto& instead) {
        if (instead) value = *instead;
    };
    take(settings.execution_retention_ms, overrides.execution_retention_ms);
    take(settings.event_retention_ms, overrides.event_retention_ms);
    take(settings.default_retry_policy, overrides.default_retry_policy);
    take(settings.emit_renewed_events, overrides.emit_renewed_events);
    take(settings.instance_tag_key, overrides.instance_tag_key);
    return settings;
}

std::span<const SettingSpec> setting_specs() {
    return specs;
}

Result<const SettingSpec*> find_setting(std::string_view name) {
    if (const SettingSpec* spec = spec_of(name)) return spec;
    std::string reason = "there is no such setting; there are";
    for (const SettingSpec& spec : specs) reason.append(&spec == specs.data() ? " " : ", ").append(spec.name);
    return invalid_input("name", reason);
}

std::string default_text(const SettingSpec& spec) {
    return spec.text_of({});
}

Result<std::string> normal_text(const SettingSpec& spec, std::string_view value) {
    StoreSettings settings;
    if (auto read = spec.read(value, settings); !read) return read.error();
    return spec.text_of(settings);
}

StoreSettings settings_of(const std::vector<SettingRow>& rows) {
    StoreSettings settings;
    for (const SettingRow& row : rows) {
        const SettingSpec* spec = spec_of(row.key.name);
        if (spec == nullptr) continue;
        const bool read = spec->read(row.value, settings).has_value();
        if (!read && !spec->when_unreadable.empty()) std::ignore = spec->read(spec->when_unreadable, settings);
    }
    return settings;
}

std::vector<SettingView> views_of(const std::vector<SettingRow>& rows) {
    const StoreSettings settings = settings_of(rows);
    std::vector<SettingView> views;
    for (const SettingSpec& spec : specs) {
        const auto row = std::ranges::find(rows, spec.name, [](const SettingRow& r) { return r.key.name; });
        const bool is_set = row != rows.end();
        views.push_back({.name = std::string(spec.name),
                         .type = std::string(spec.type),
                         .value = spec.text_of(settings),
                         .default_value = default_text(spec),
                         .is_set = is_set,
                         .updated_at_ms = is_set ? std::optional(row->updated_at_ms) : std::nullopt,
                         .documentation = std::string(spec.documentation)});
    }
    std::ranges::sort(views, {}, &SettingView::name);
    return views;
}

}  // namespace flowfabric
