#include "store/postgres/execution_updates.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>

#include "store/postgres/params.hpp"
#include "store/postgres/row_mapping.hpp"
#include "store/postgres/side_statements.hpp"

namespace flowfabric::postgres {
namespace {

// Each is a plan in the server's memory.
constexpr std::size_t most_statements = 64;
// The server works on one piece while the next one is encoded.
constexpr std::size_t rows_at_once = 250;
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

// Calls `put` with the states among the columns of a set, or with the key and all others.
template <bool states, class Put>
class ColumnPicker {
  public:
    ColumnPicker(const ExecutionColumnSet& columns, Put put) : columns_(columns), put_(std::move(put)) {}

    template <class T>
    void operator()(const char*, const T& field, ColumnUse) {
        if constexpr (std::is_enum_v<T> == states) {
            const bool key = column_ < sql::execution_key.size();
            if (key || columns_.test(column_)) put_(field);
        }
        ++column_;
    }

  private:
    const ExecutionColumnSet& columns_;
    Put put_;
    std::size_t column_ = 0;
};

template <class Put>
void each_state(const ExecutionRow& row, const ExecutionColumnSet& columns, Put put) {
    visit_execution_columns(row, ColumnPicker<true, Put>(columns, std::move(put)));
}
template <class Put>
void each_other(const ExecutionRow& row, const ExecutionColumnSet& columns, Put put) {
    visit_execution_columns(row, ColumnPicker<false, Put>(columns, std::move(put)));
}

bool is_update(const ExecutionEntry& entry) {
    return entry.change == RowChange::hot || entry.change == RowChange::wide;
}

Params params_of(std::span<const ExecutionEntry* const> entries, const ExecutionColumnSet& columns) {
    RowParams rows(entries.size());
    for (const ExecutionEntry* entry : entries) {
        each_other(entry->row, columns, [&](const auto& field) { rows.put(field); });
        if (columns.test(result_column)) rows.put(as_blob(entry->result));
        rows.end_row();
    }
    Params params = std::move(rows).finish();
    each_state(entries.front()->row, columns, [&](const auto& state) { params.add(state); });
    return params;
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
    sql::Columns states;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!columns.test(i)) continue;
        if (all[i].state) {
            states.push_back(all[i]);
        } else {
            assign(all[i], "u." + all[i].name);
        }
    }
    if (columns.test(result_column)) assign({"result", "bytea"}, "coalesce(u.result, e.result)");
    std::size_t number = parameters.size();
    for (const sql::Column& state : states) {
        assignments +=
            (assignments.empty() ? "" : ", ") + state.name + " = $" + std::to_string(++number) + "::" + state.type;
    }
    return "UPDATE ff_exec_core AS e SET " + assignments + " FROM " + sql::source(parameters, shape) +
           " WHERE e.partition_key = u.partition_key AND e.execution_id = u.execution_id";
}

void ExecutionUpdates::forget() {
    records_.clear();
    results_.clear();
}

void ExecutionUpdates::send(Connection& connection, const WorkingSet& changes) {
    std::vector<std::pair<Change, std::vector<const ExecutionEntry*>>> groups;
    for (const ExecutionEntry& entry : changes.executions) {
        if (!is_update(entry)) continue;
        Change change = change_of(entry);
        if (change.columns.none()) continue;
        auto group = std::ranges::find_if(groups, [&](const auto& g) { return g.first == change; });
        if (group == groups.end()) {
            groups.emplace_back(std::move(change), std::vector<const ExecutionEntry*>{});
            group = std::prev(groups.end());
        }
        group->second.push_back(&entry);
    }
    for (auto& [change, entries] : groups) {
        std::ranges::sort(entries, {}, [](const ExecutionEntry* entry) { return entry->row.id; });
        const RowStatement& statement = statement_for(change.columns);
        for (std::span<const ExecutionEntry* const> left = entries; !left.empty();) {
            const auto piece = left.first(std::min(left.size(), rows_at_once));
            left = left.subspan(piece.size());
            connection.send(statement.for_rows(piece.size()), params_of(piece, change.columns));
        }
    }
    forget();
}

ExecutionUpdates::Change ExecutionUpdates::change_of(const ExecutionEntry& entry) const {
    static const ExecutionColumnSet every = all_changeable_columns();
    Change change{.columns = every, .states = {}};
    const auto record = records_.find(entry.row.id);
    if (record != records_.end()) {
        change.columns = changed_columns(record->second, entry.row);
        change.columns.set(result_column, entry.result.has_value());
    }
    each_state(entry.row, every, [&](const auto& state) { change.states.append(to_string(state)).push_back(','); });
    return change;
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
