#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/field.hpp"
#include "flowfabric/limits.hpp"

namespace flowfabric {

struct SettingChanged {
    static constexpr std::string_view type_name = "SettingChanged";

    std::string name;
    std::string previous;
    std::string value;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &SettingChanged::name, field::optional, "The setting's name.");
        visit("previous", &SettingChanged::previous, field::optional, "What held before: its value or its default.");
        visit("value", &SettingChanged::value, field::optional, "The value that holds now.");
    }

    bool operator==(const SettingChanged&) const = default;
};

// Settings belong to the store and hold for every engine on it; `Engine::list_settings` lists them. The new value holds
// for every operation that begins after the answer, in every process.
struct SetSetting {
    using Answer = SettingChanged;
    static constexpr std::string_view type_name = "SetSetting";
    static constexpr Operation operation{"set_setting", "Changes a setting of the store, for every engine on it."};

    std::string name;
    std::string value;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &SetSetting::name, field::required(), "The setting's name.");
        visit("value", &SetSetting::value, field::required(),
              "A duration such as 7d, true or false, a text, or JSON, as the setting's type says.");
    }
};

// ---- reads ------------------------------------------------------------------------------------------------------

struct SettingView {
    static constexpr std::string_view type_name = "SettingView";

    std::string name;
    std::string type;
    std::string value;
    std::string default_value;
    bool is_set = false;
    std::optional<std::int64_t> updated_at_ms;
    std::string documentation;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &SettingView::name, field::optional, "The setting's name.");
        visit("type", &SettingView::type, field::optional, "What kind of value it takes.");
        visit("value", &SettingView::value, field::optional, "The value that holds.");
        visit("default_value", &SettingView::default_value, field::optional, "What holds when it is not set.");
        visit("is_set", &SettingView::is_set, field::optional, "False: the default holds.");
        visit("updated_at_ms", &SettingView::updated_at_ms, field::optional, "When it was last set.");
        visit("documentation", &SettingView::documentation, field::optional, "What it decides.");
    }

    bool operator==(const SettingView&) const = default;
};

struct SettingPage {
    static constexpr std::string_view type_name = "SettingPage";

    std::vector<SettingView> settings;
    std::optional<std::string> next;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("settings", &SettingPage::settings, field::optional, "Settings, by name.");
        visit("next_cursor", &SettingPage::next, field::optional, "Where the next page begins; absent at the end.");
    }

    bool operator==(const SettingPage&) const = default;
};

struct ListSettings {
    using Answer = SettingPage;
    static constexpr std::string_view type_name = "ListSettings";
    static constexpr Operation operation{"list_settings", "Lists all settings there are, whether set or not."};

    std::optional<std::string> after;
    std::uint32_t limit = default_page;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("cursor", &ListSettings::after, field::optional, "The last page's next_cursor.");
        visit("limit", &ListSettings::limit, field::optional, "How many at most; more than 1000 counts as 1000.");
    }
};

}  // namespace flowfabric
