#pragma once

#include "core/side_rows.hpp"
#include "store/postgres/sql.hpp"
#include "store/postgres/statements.hpp"

// The statements of a side table, made from what its row type says.
namespace flowfabric::postgres {

struct SideStatements {
    Statement find;  // by key, locked where the row has a lock of its own
    Statement read, read_all;
    Statement lock_all;
    RowStatement put;
    Statement erase;
    Statement find_owned, erase_owned;  // by execution
};

namespace sql {

inline const Columns execution_key{{"partition_key", "smallint"}, {"execution_id", "uuid"}};

// A nested loop over the keys as they were sent, which is sorted: the order in which a load waits for locks.
inline std::string select_by_key(const std::string& columns, const std::string& table, const Columns& key) {
    return "SELECT " + columns + " FROM " + rows(key) + " JOIN " + table + " AS e USING (" + names(key) + ")";
}

inline std::string delete_by_key(const std::string& table, const Columns& key) {
    std::string match;
    for (const auto& column : key) match += (match.empty() ? "e." : " AND e.") + column.name + " = u." + column.name;
    return "DELETE FROM " + table + " AS e USING " + rows(key) + " WHERE " + match;
}

inline std::string insert(const std::string& table, const Columns& columns, Shape shape) {
    return "INSERT INTO " + table + " (" + names(columns) + ") SELECT " + values(columns) + " FROM " +
           source(columns, shape);
}

inline std::string upsert(const std::string& table, const Columns& columns, const Columns& key, Shape shape) {
    std::string changes;
    for (std::size_t i = key.size(); i < columns.size(); ++i) {
        changes += (changes.empty() ? "" : ", ") + columns[i].name + " = excluded." + columns[i].name;
    }
    return insert(table, columns, shape) + " ON CONFLICT (" + names(key) + ") DO UPDATE SET " + changes;
}

}  // namespace sql

template <class Row>
SideStatements make_side_statements() {
    const std::string table(Row::table);
    const auto columns = sql::columns_of<Row>();
    const auto key = sql::columns_of<typename Row::Key>();
    const std::string selected = sql::names(columns, "e.");
    const std::string lock = Row::lock == RowLock::itself ? " FOR UPDATE OF e" : "";
    const auto put = [&](sql::Shape shape) { return sql::upsert(table, columns, key, shape); };
    SideStatements statements{
        .find = {"find_" + table, sql::select_by_key(selected, table, key) + lock},
        .read = {"read_" + table, sql::select_by_key(selected, table, key)},
        .read_all = {"read_all_" + table,
                     "SELECT " + selected + " FROM " + table + " AS e ORDER BY " + sql::names(key)},
        .lock_all = {"lock_" + table, "LOCK TABLE " + table + " IN EXCLUSIVE MODE"},
        .put = {.many = {"put_" + table, put(sql::Shape::many_rows)},
                .one = {"put_one_" + table, put(sql::Shape::one_row)}},
        .erase = {"erase_" + table, sql::delete_by_key(table, key)},
        .find_owned = {},
        .erase_owned = {},
    };
    if constexpr (OwnedRow<Row>) {
        statements.find_owned = {"find_owned_" + table, sql::select_by_key(selected, table, sql::execution_key)};
        statements.erase_owned = {"erase_owned_" + table, sql::delete_by_key(table, sql::execution_key)};
    }
    return statements;
}

template <class Row>
const SideStatements& side_statements() {
    static const SideStatements statements = make_side_statements<Row>();
    return statements;
}

}  // namespace flowfabric::postgres
