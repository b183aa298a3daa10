#include "core/execution/fields.hpp"

#include <array>
#include <string_view>

#include "core/base/names.hpp"

namespace flowfabric {
namespace {

using Text = std::optional<std::string>;

Text text_of(const std::string& value) {
    return value;
}
Text text_of(const Json& value) {
    return value.text;
}
Text text_of(const Uuid& value) {
    return value.to_string();
}
Text text_of(bool value) {
    return value ? "true" : "false";
}

Text text_of(const std::vector<std::string>& values) {
    return csv_of(values);
}

template <class Tag>
Text text_of(const UuidOf<Tag>& value) {
    return value.to_string();
}

template <class T>
Text text_of(const T& value)
    requires(std::integral<T> && !std::same_as<T, bool>)
{
    return std::to_string(value);
}

template <class T>
Text text_of(const T& value)
    requires std::is_enum_v<T>
{
    return std::string(to_string(value));
}

template <class T>
Text text_of(const std::optional<T>& value) {
    return value ? text_of(*value) : std::nullopt;
}

// The names that callers know some columns by.
constexpr auto aliases =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"current_attempt_index", "attempt_index"},
                                                                  {"completed_at", "terminal_at_ms"},
                                                                  {"cancel_reason", "cancellation_reason"}});

std::string_view column_of(std::string_view name) {
    for (const auto& [alias, column] : aliases) {
        if (alias == name) return column;
    }
    return name;
}

}  // namespace

std::map<std::string, std::optional<std::string>> fields_of(const ExecutionRow& row,
                                                            const std::vector<std::string>& names) {
    std::map<std::string_view, Text> columns;
    visit_execution_columns(
        row, [&](std::string_view name, const auto& field, ColumnUse) { columns.emplace(name, text_of(field)); });
    std::map<std::string, Text> fields;
    for (const std::string& name : names) {
        const auto column = columns.find(column_of(name));
        fields.emplace(name, column == columns.end() ? std::nullopt : column->second);
    }
    return fields;
}

}  // namespace flowfabric
