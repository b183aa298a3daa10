#include "store/postgres/sql/execution_updates.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>

#include "store/postgres/sql/side_statements.hpp"
#include "store/postgres/wire/params.hpp"

namespace flowfabric::postgres {
namespace {

// Each is a plan in the server's memory.
constexpr std::size_t most_statements = 64;
// The server works on them while the next ones are compared and encoded.
constexpr std::size_t rows_at_once = 250;
const std::size_t claim_class_column = sql::execution_columns().size();
const std::size_t result_column = sql::stored_columns().size();

// Calls `put` with the key and the columns of a set.
template <class Put>
class ColumnPicker {
  public:
    ColumnPicker(const ExecutionColumnSet& columns, Put put) : columns_(columns), put_(std::move(put)) {}

    template <class T>
    void operator()(const char*, const T& field, ColumnUse) {
        const bool key = column_ < sql::execution_key.size();
        if (key || columns_.test(column_)) put_(field);
        ++column_;
    }

  private:
    const ExecutionColumnSet& columns_;
    Put put_;
    std::size_t column_ = 0;
};

std::string states_of(const ExecutionRow& row) {
    std::string states;
    visit_stored_columns(row, [&]<class T>(const char*, const T& field, ColumnUse) {
        if constexpr (std::is_enum_v<T>) states.append(to_string(field)).push_back(',');
    });
    return states;
}

RowParams params_of(std::span<const ExecutionEntry* const> entries, const ExecutionColumnSet& columns) {
    RowParams rows(entries.size());
    for (const ExecutionEntry* entry : entries) {
        visit_stored_columns(entry->row, ColumnPicker(columns, [&](const auto& field) { rows.put(field); }));
        if (columns.test(result_column)) rows.put(as_blob(entry->result));
        rows.end_row();
    }
    return rows;
}

// The key and the columns of a set, as parameters.
sql::Columns parameters_of(const ExecutionColumnSet& columns) {
    sql::Columns parameters = sql::execution_key;
    const auto all = sql::stored_columns();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (columns.test(i)) parameters.push_back(all[i]);
    }
    if (columns.test(result_column)) parameters.push_back({"result", "bytea"});
    return parameters;
}

// Rows that the batch has locked, so that none of them can be missing.
std::string update_of(const sql::Columns& parameters, const ColumnSet& shared) {
    std::string assignments;
    for (std::size_t i = sql::execution_key.size(); i < parameters.size(); ++i) {
        const auto& name = parameters[i].name;
        const std::string value = sql::value(parameters, i, shared);
        assignments += (assignments.empty() ? "" : ", ") + name + " = ";
        assignments += name == "result" ? "coalesce(" + value + ", e.result)" : value;
    }
    return "UPDATE ff_exec_core AS e SET " + assignments + sql::from_rows(parameters, shared) +
           " WHERE e.partition_key = " + sql::value(parameters, 0, shared) +
           " AND e.execution_id = " + sql::value(parameters, 1, shared);
}

}  // namespace

ExecutionColumnSet stored_columns_to_write(const ExecutionEntry& entry) {
    ExecutionColumnSet columns = columns_to_write(entry);
    const bool same_class = entry.loaded && claim_class_of(*entry.loaded) == claim_class_of(entry.row);
    columns.set(claim_class_column, !same_class);
    columns.set(result_column, entry.result.has_value());
    return columns;
}

ExecutionColumnSet all_changeable_columns() {
    ExecutionColumnSet columns;
    const auto all = sql::stored_columns();
    for (std::size_t i = 0; i < all.size(); ++i) columns.set(i, all[i].use != ColumnUse::fixed);
    columns.set(result_column);
    return columns;
}

WriteStatement update_executions(const std::string& name, const ExecutionColumnSet& columns) {
    const sql::Columns parameters = parameters_of(columns);
    ColumnSet states;
    for (std::size_t i = 0; i < parameters.size(); ++i) states.set(i, parameters[i].state);
    return {.name = name,
            .columns = parameters.size(),
            .text = [=](const ColumnSet& shared) { return update_of(parameters, shared); },
            .shared = states};
}

void ExecutionUpdates::send(WriteForms& forms, const WorkingSet& changes) {
    using Group = std::pair<Change, std::vector<const ExecutionEntry*>>;
    const auto send_group = [&](Group& group) {
        auto& [change, entries] = group;
        std::ranges::sort(entries, {}, [](const ExecutionEntry* entry) { return entry->row.id; });
        const WriteStatement& statement = statement_for(change.columns);
        forms.send(statement, params_of(entries, change.columns));
        entries.clear();
    };
    std::vector<Group> groups;
    for (const ExecutionEntry& entry : changes.executions) {
        if (entry.change != RowChange::update) continue;
        Change change{.columns = stored_columns_to_write(entry), .states = states_of(entry.row)};
        if (change.columns.none()) continue;
        auto group = std::ranges::find_if(groups, [&](const auto& g) { return g.first == change; });
        if (group == groups.end()) {
            groups.emplace_back(std::move(change), std::vector<const ExecutionEntry*>{});
            group = std::prev(groups.end());
        }
        group->second.push_back(&entry);
        if (group->second.size() < rows_at_once) continue;
        send_group(*group);
        forms.flush();
    }
    for (Group& group : groups) {
        if (!group.second.empty()) send_group(group);
    }
}

// Widens the set when there are too many to have a statement for each.
const WriteStatement& ExecutionUpdates::statement_for(ExecutionColumnSet& columns) {
    if (!statements_.contains(columns) && statements_.size() >= most_statements) columns = all_changeable_columns();
    const auto known = statements_.find(columns);
    if (known != statements_.end()) return known->second;
    const std::string name = "update_executions_" + std::to_string(statements_.size());
    return statements_.emplace(columns, update_executions(name, columns)).first->second;
}

}  // namespace flowfabric::postgres
