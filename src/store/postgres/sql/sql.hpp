#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/inbox/submission.hpp"
#include "core/rows/event_rows.hpp"
#include "core/statistics/lane_counts.hpp"
#include "store/postgres/sql/stored_execution.hpp"
#include "store/postgres/wire/params.hpp"

// The pieces that statements are made of: column lists, generated from the visitors of core/rows/execution_row.hpp.
namespace flowfabric::postgres::sql {

inline constexpr std::string_view server_clock = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

struct Column {
    std::string name;
    std::string type;                 // of a parameter's elements
    std::string_view separator = {};  // of an array that is sent as one text
    ColumnUse use = ColumnUse::fixed;
    bool state = false;  // one of a few literals
};
using Columns = std::vector<Column>;

template <class T>
constexpr std::string_view separator_of() {
    if constexpr (requires { Codec<T>::separator; }) {
        return Codec<T>::separator;
    } else {
        return {};
    }
}

// A visitor. Only executions tell how their columns are used; other rows are never updated.
struct ColumnCollector {
    Columns columns;

    template <class T>
    void operator()(const char* name, const T&, ColumnUse use = ColumnUse::fixed) {
        columns.push_back({name, std::string(Codec<T>::type), separator_of<T>(), use, std::is_enum_v<T>});
    }
};

// The columns that one of core/rows/execution_row.hpp's visitors names.
template <class Row, class Visit>
Columns columns_of(Visit&& visit) {
    ColumnCollector collect;
    const Row row;
    visit(row, collect);
    return collect.columns;
}

inline Columns execution_columns() {
    return columns_of<ExecutionRow>([](auto& row, auto& collect) { visit_execution_columns(row, collect); });
}

// What a batch loads and writes of them.
inline Columns stored_columns() {
    return columns_of<ExecutionRow>([](auto& row, auto& collect) { visit_stored_columns(row, collect); });
}

// Of a line of a list.
inline Columns summary_columns() {
    return columns_of<ExecutionSummary>([](auto& row, auto& collect) { visit_summary_columns(row, collect); });
}

inline Columns attempt_columns() {
    return columns_of<AttemptRow>([](auto& row, auto& collect) { visit_attempt_columns(row, collect); });
}

template <class Row>
Columns event_columns() {
    return columns_of<Row>([](auto& row, auto& collect) { visit_event_columns(row, collect); });
}

// Of a side table's row or key.
inline Columns columns_of(std::span<const ColumnDescription> described) {
    Columns columns;
    for (const ColumnDescription& column : described) {
        with_form(column.form,
                  [&]<class T>() { columns.push_back({column.name, std::string(Codec<T>::type), separator_of<T>()}); });
    }
    return columns;
}
template <class Fields>
Columns columns_of() {
    return columns_of(describe_columns<Fields>());
}

// Of a lane's counters.
inline Columns count_columns() {
    Columns columns;
    const LaneCounts counts;
    visit_counts([&](std::string_view name, const std::int64_t&) { columns.push_back({std::string(name), "bigint"}); },
                 counts);
    return columns;
}

inline Columns submission_columns() {
    return columns_of<Submission>([](auto& row, auto& collect) { visit_submission_columns(row, collect); });
}

inline std::string sequence_of(const Outbox& outbox) {
    return std::string(outbox.table) + "_event_id_seq";
}

inline std::string last_drawn(const Outbox& outbox) {
    return "SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM " + sequence_of(outbox);
}

template <class Render>
std::string join(const Columns& columns, Render&& render) {
    std::string text;
    for (const auto& column : columns) {
        if (!text.empty()) text += ", ";
        text += render(column);
    }
    return text;
}

inline std::string names(const Columns& columns, std::string_view prefix = "") {
    return join(columns, [&](const Column& column) { return std::string(prefix) + column.name; });
}

// A column of what is written, as a value for its table: of the rows u, or a parameter that all of them share.
inline std::string value(const Columns& columns, std::size_t column, const ColumnSet& shared = {}) {
    const auto& [name, type, separator, use, state] = columns[column];
    const std::string plain = shared.test(column) ? "$" + std::to_string(column + 1) + "::" + type : "u." + name;
    return separator.empty() ? plain : "string_to_array(" + plain + ", '" + std::string(separator) + "')";
}

inline std::string values(const Columns& columns, const ColumnSet& shared = {}) {
    std::size_t number = 0;
    return join(columns, [&](const Column&) { return value(columns, number++, shared); });
}

// ROW(e.partition_key, …): a row as one value. The nodes of a plan describe each column that they pass on, every time
// the statement runs, which for a wide row costs more than to find and lock it.
inline std::string record(const Columns& columns, std::string_view prefix, const std::string& further = "") {
    return "ROW(" + names(columns, prefix) + further + ")";
}

// unnest($1::smallint[], …): the parameters as rows, but for those that all rows share.
inline std::string unnest(const Columns& columns, const ColumnSet& shared = {}) {
    std::string arrays;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (shared.test(i)) continue;
        arrays += (arrays.empty() ? "$" : ", $") + std::to_string(i + 1) + "::" + columns[i].type + "[]";
    }
    return "unnest(" + arrays + ")";
}

inline Columns not_shared(const Columns& columns, const ColumnSet& shared) {
    Columns rest;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (!shared.test(i)) rest.push_back(columns[i]);
    }
    return rest;
}

// … AS u(partition_key, …)
inline std::string rows(const Columns& columns, const ColumnSet& shared = {}) {
    return unnest(columns, shared) + " AS u(" + names(not_shared(columns, shared)) + ")";
}

// FROM … AS u(…), unless a single row shares all of its columns with itself.
inline std::string from_rows(const Columns& columns, const ColumnSet& shared) {
    return shared.count() == columns.size() ? "" : " FROM " + rows(columns, shared);
}

// (SELECT $1::smallint AS partition_key, …) AS u: one row of plain parameters, which the planner sees through.
inline std::string row(const Columns& columns) {
    std::size_t number = 0;
    return "(SELECT " +
           join(columns,
                [&](const Column& column) {
                    return "$" + std::to_string(++number) + "::" + column.type + " AS " + column.name;
                }) +
           ") AS u";
}

// The first parameter behind those of the columns, or a later one.
inline std::string parameter_after(const Columns& columns, std::size_t later = 0) {
    return "$" + std::to_string(columns.size() + 1 + later);
}

}  // namespace flowfabric::postgres::sql
