#include "core/settings/store_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/settings/setting_row.hpp"
#include "flowfabric/duration.hpp"

namespace flowfabric {
namespace {

using ::testing::HasSubstr;

Result<std::string> normal(std::string_view name, std::string_view value) {
    return normal_text(**find_setting(name), value);
}

SettingRow row_of(std::string name, std::string value) {
    return {.key = {std::move(name)}, .value = std::move(value), .revision = 1, .updated_at_ms = 5};
}

TEST(Duration, IsReadAndWrittenInEveryUnit) {
    EXPECT_EQ(parse_duration_ms("7d"), 7 * 86'400'000);
    EXPECT_EQ(parse_duration_ms("36h"), 36 * 3'600'000);
    EXPECT_EQ(parse_duration_ms("500ms"), 500);
    EXPECT_EQ(parse_duration_ms("500"), 500);
    EXPECT_EQ(parse_duration_ms("0"), 0);
    for (const char* bad : {"", "d", "-1s", "1 s", "1w", "1.5h", "9999999999999999999", "9999999999999999d"}) {
        EXPECT_FALSE(parse_duration_ms(bad)) << bad;
    }
    for (const char* text : {"0", "1ms", "999ms", "90s", "36h", "7d"}) {
        EXPECT_EQ(duration_text(*parse_duration_ms(text)), text);
    }
}

TEST(StoreSettings, EveryDefaultIsReadBackAsItself) {
    for (const SettingSpec& spec : setting_specs()) {
        EXPECT_EQ(*normal_text(spec, default_text(spec)), default_text(spec)) << spec.name;
        EXPECT_FALSE(spec.documentation.empty()) << spec.name;
    }
    EXPECT_EQ(default_text(**find_setting("execution_retention")), "7d");
    EXPECT_EQ(default_text(**find_setting("event_retention")), "1d");
}

TEST(StoreSettings, AValueHasOneForm) {
    EXPECT_EQ(*normal("execution_retention", "168h"), "7d");
    EXPECT_EQ(*normal("execution_retention", "0s"), "0");
    EXPECT_EQ(*normal("default_retry_policy", R"({ "max_retries": 0 })"), (RetryPolicy{.max_retries = 0}.to_json()));
}

TEST(StoreSettings, WhatIsRefusedIsNamed) {
    const auto expect_refused = [](std::string_view name, std::string_view value, std::string_view why) {
        const auto refused = normal(name, value);
        ASSERT_FALSE(refused) << name << " = " << value;
        EXPECT_EQ(refused.error().kind, ErrorKind::invalid_input);
        EXPECT_THAT(refused.error().detail, HasSubstr(std::string(why)));
    };
    expect_refused("execution_retention", "a while", "value: expected a duration");
    expect_refused("event_retention", "36501d", "value: must be at most 36500d");
    expect_refused("emit_renewed_events", "yes", "value: expected true or false");
    expect_refused("instance_tag_key", "Team", "value: ");
    expect_refused("default_retry_policy", "3", "value: ");
    expect_refused("default_retry_policy", R"({"max_retries":-1})", "max_retries");
    expect_refused("default_retry_policy", R"({"retries":1})", "retries");
    const auto unknown = find_setting("retention");
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().kind, ErrorKind::invalid_input);
    EXPECT_THAT(unknown.error().detail, HasSubstr("name: "));
    EXPECT_THAT(unknown.error().detail, HasSubstr("execution_retention, event_retention"));
}

TEST(StoreSettings, UnreadableRetentionRemovesNothing) {
    const StoreSettings settings = settings_of({row_of("execution_retention", "?"), row_of("event_retention", ""),
                                                row_of("default_retry_policy", "{"), row_of("from_the_future", "1")});
    EXPECT_EQ(settings, (StoreSettings{.execution_retention_ms = 0, .event_retention_ms = 0}));
}

TEST(StoreSettings, OverridesWin) {
    const StoreSettings store = settings_of({row_of("execution_retention", "1h")});
    EXPECT_EQ(overridden(store, {}), store);
    EXPECT_EQ(overridden(store, {.execution_retention_ms = 5}).execution_retention_ms, 5U);
}

TEST(StoreSettings, TheListSaysWhatIsSet) {
    const auto views = views_of({row_of("event_retention", "2h")});
    ASSERT_EQ(views.size(), setting_specs().size());
    EXPECT_TRUE(std::ranges::is_sorted(views, {}, &SettingView::name));
    const auto view_of = [&](std::string_view name) { return *std::ranges::find(views, name, &SettingView::name); };
    EXPECT_EQ(view_of("execution_retention").value, "7d");
    EXPECT_FALSE(view_of("execution_retention").is_set);
    EXPECT_EQ(view_of("event_retention").value, "2h");
    EXPECT_EQ(view_of("event_retention").default_value, "1d");
    EXPECT_TRUE(view_of("event_retention").is_set);
    EXPECT_EQ(view_of("event_retention").updated_at_ms, 5);
}

}  // namespace
}  // namespace flowfabric
