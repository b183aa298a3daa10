#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/rows/side_row.hpp"

namespace flowfabric {

struct SettingKey {
    std::string name;

    auto operator<=>(const SettingKey&) const = default;
};

template <Is<SettingKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("name", key.name);
}

// A setting (core/settings/store_settings.hpp) that was set.
struct SettingRow {
    static constexpr std::string_view table = "ff_setting";
    static constexpr RowLock lock = RowLock::itself;
    using Key = SettingKey;

    SettingKey key;
    std::string value;
    std::int64_t revision = 0;  // counts its changes
    std::int64_t updated_at_ms = 0;

    bool operator==(const SettingRow&) const = default;
};

template <Is<SettingRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("value", row.value);
    visit("revision", row.revision);
    visit("updated_at_ms", row.updated_at_ms);
}

}  // namespace flowfabric
