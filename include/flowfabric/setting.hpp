#pragma once

#include <string>
#include <string_view>

#include "flowfabric/field.hpp"

namespace flowfabric {

struct SettingChanged {
    static constexpr std::string_view type_name = "SettingChanged";

    std::string name;
    std::string previous;
    std::string value;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &SettingChanged::name, field::optional, "The setting.");
        visit("previous", &SettingChanged::previous, field::optional, "What held before: its value or its default.");
        visit("value", &SettingChanged::value, field::optional, "What holds now.");
    }

    bool operator==(const SettingChanged&) const = default;
};

// Settings are the store's, for every engine on it (`Engine::list_settings` has all of them). The value holds for
// whatever begins after the answer, in every process.
struct SetSetting {
    using Answer = SettingChanged;
    static constexpr std::string_view type_name = "SetSetting";
    static constexpr Operation operation{"set_setting", "Changes a setting of the store, for every engine on it."};

    std::string name;
    std::string value;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &SetSetting::name, field::required(), "The setting.");
        visit("value", &SetSetting::value, field::required(),
              "A duration such as 7d, true or false, a text, or JSON, as the setting's type says.");
    }
};

}  // namespace flowfabric
