#include "store/postgres/execution_updates.hpp"

#include <algorithm>
#include <utility>

#include "store/postgres/params.hpp"
#include "store/postgres/row_mapping.hpp"
#include "store/postgres/side_statements.hpp"

namespace flowfabric::postgres {
namespace {

// Each is a plan in the server's memory.
constexpr std::size_t most_statements = 64;
const std::size_t result_column = sql::execution_columns().size();

class Comparison {
  public:
    explicit Comparison(std::string_view record) : record_(record) {}

    template <class T>
    void operator()(const char*, const T& field, ColumnUse use) {
        const Cell stored = record_.cell();
        if (use != ColumnUse::fixed && !equals(stored, field)) changed_.set(column_);
        ++column_;
    }

    const ExecutionColumnSet& changed() const { return changed_; }

  private:
    template <class T>
    bool equals(const Cell& stored, const std::optional<T>& field) {
        return field ? equals(stored, *field) : !stored;
    }
    template <class T>
    bool equals(const Cell& stored, const T& field) {
        encoded_.clear();
        Codec<T>::put(encoded_, field);
        return stored == encoded_;
    }

    RecordReader record_;
    std::string encoded_;
    ExecutionColumnSet changed_;
    std::size_t column_ = 0;
};

// Puts the key and the columns of a set.
class ColumnPutter {
  public:
    ColumnPutter(RowParams& rows, const ExecutionColumnSet& columns) : rows_(rows), columns_(columns) {}

    template <class T>
    void operator()(const char*, const T& field, ColumnUse) {
        const bool key = column_ < sql::execution_key.size();
        if (key || columns_.test(column_)) rows_.put(field);
        ++column_;
    }

  private:
    RowParams& rows_;
    const ExecutionColumnSet& columns_;
    std::size_t column_ = 0;
};

bool is_update(const ExecutionEntry& entry) {
    return entry.change == RowChange::hot || entry.change == RowChange::wide;
}

Params params_of(const std::vector<const ExecutionEntry*>& entries, const ExecutionColumnSet& columns) {
    RowParams rows(entries.size());
    for (const ExecutionEntry* entry : entries) {
        visit_execution_columns(entry->row, ColumnPutter(rows, columns));
        if (columns.test(result_column)) rows.put(as_blob(entry->result));
        rows.end_row();
    }
    return std::move(rows).finish();
}

}  // namespace

ExecutionColumnSet changed_columns(std::string_view record, const ExecutionRow& row) {
    Comparison comparison(record);
    visit_execution_columns(row, comparison);
    return comparison.changed();
}

ExecutionColumnSet all_changeable_columns() {
    ExecutionColumnSet columns;
    const auto all = sql::execution_columns();
    for (std::size_t i = 0; i < all.size(); ++i) columns.set(i, all[i].use != ColumnUse::fixed);
    columns.set(result_column);
    return columns;
}

std::string update_executions(const ExecutionColumnSet& columns, Shape shape) {
    sql::Columns parameters = sql::execution_key;
    std::string assignments;
    const auto assign = [&](const sql::Column& column, const std::string& value) {
        parameters.push_back(column);
        assignments += (assignments.empty() ? "" : ", ") + column.name + " = " + value;
    };
    const auto all = sql::execution_columns();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (columns.test(i)) assign(all[i], "u." + all[i].name);
    }
    if (columns.test(result_column)) assign({"result", "bytea"}, "coalesce(u.result, e.result)");
    return "UPDATE ff_exec_core AS e SET " + assignments + " FROM " + sql::source(parameters, shape) +
           " WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id";
}

void ExecutionUpdates::forget() {
    records_.clear();
    results_.clear();
}

void ExecutionUpdates::send(Connection& connection, const WorkingSet& changes) {
    std::vector<std::pair<ExecutionColumnSet, std::vector<const ExecutionEntry*>>> groups;
    for (const ExecutionEntry& entry : changes.executions) {
        if (!is_update(entry)) continue;
        const ExecutionColumnSet columns = columns_of(entry);
        if (columns.none()) continue;
        auto group = std::ranges::find(groups, columns, [](const auto& g) { return g.first; });
        if (group == groups.end()) group = groups.insert(groups.end(), {columns, {}});
        group->second.push_back(&entry);
    }
    for (auto& [columns, entries] : groups) {
        std::ranges::sort(entries, {}, [](const ExecutionEntry* entry) { return entry->row.id; });
        const RowStatement& statement = statement_for(columns);
        connection.send(statement.for_rows(entries.size()), params_of(entries, columns));
    }
    forget();
}

ExecutionColumnSet ExecutionUpdates::columns_of(const ExecutionEntry& entry) const {
    const auto record = records_.find(entry.row.id);
    if (record == records_.end()) return all_changeable_columns();
    ExecutionColumnSet columns = changed_columns(record->second, entry.row);
    columns.set(result_column, entry.result.has_value());
    return columns;
}

// Widens the set when there are too many to have a statement for each.
const RowStatement& ExecutionUpdates::statement_for(ExecutionColumnSet& columns) {
    if (!statements_.contains(columns) && statements_.size() >= most_statements) columns = all_changeable_columns();
    const auto known = statements_.find(columns);
    if (known != statements_.end()) return known->second;
    const std::string name = "update_executions_" + std::to_string(statements_.size());
    return statements_
        .emplace(columns, row_statement(name, [&](Shape shape) { return update_executions(columns, shape); }))
        .first->second;
}

}  // namespace flowfabric::postgres
