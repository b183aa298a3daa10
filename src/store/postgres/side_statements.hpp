#pragma once

#include <algorithm>

#include "core/side_rows.hpp"
#include "core/suspension_rows.hpp"
#include "store/postgres/sql.hpp"
#include "store/postgres/statements.hpp"

// The statements of a side table, made from what its row type says.
namespace flowfabric::postgres {

struct SideStatements {
    Statement find;  // by key, locked where the row has a lock of its own
    Statement read, read_all;
    Statement lock_all;
    RowStatement put;
    bool counts_puts = false;  // it takes their number as well, and fails if one is another execution's
    Statement erase;
    Statement find_owned, read_owned, erase_owned;  // by execution: what a batch loads, all, all
};

namespace sql {

inline const Columns execution_key{{"partition_key", "smallint"}, {"execution_id", "uuid"}};

// A nested loop over the keys as they were sent, which is sorted: the order in which a load waits for locks.
inline std::string select_by_key(const std::string& columns, const std::string& table, const Columns& key) {
    return "SELECT " + columns + " FROM " + rows(key) + " JOIN " + table + " AS e USING (" + names(key) + ")";
}

template <class Row>
std::string loaded() {
    if constexpr (requires { Row::loaded_where; }) {
        return " WHERE e." + std::string(Row::loaded_where);
    } else {
        return "";
    }
}

inline std::string delete_by_key(const std::string& table, const Columns& key) {
    std::string match;
    for (const auto& column : key) match += (match.empty() ? "e." : " AND e.") + column.name + " = u." + column.name;
    return "DELETE FROM " + table + " AS e USING " + rows(key) + " WHERE " + match;
}

// COMMIT is already on its way when a statement's row count becomes known, so the statement itself has to fail.
inline std::string expecting(const std::string& statement, const std::string& count) {
    return "WITH changed AS (" + statement + " RETURNING 1) SELECT 1 / (count(*) = " + count +
           "::bigint)::integer FROM changed";
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
    // Two executions may come up with one key at the same time; the second is not to take the first one's row.
    const bool may_clash = OwnedRow<Row> && std::ranges::find(key, "execution_id", &sql::Column::name) == key.end();
    const auto put = [&](sql::Shape shape) {
        std::string upsert = sql::upsert(table, columns, key, shape);
        if (!may_clash) return upsert;
        return sql::expecting(upsert + " WHERE " + table + ".execution_id = excluded.execution_id",
                              sql::parameter_after(columns));
    };
    SideStatements statements{
        .find = {"find_" + table, sql::select_by_key(selected, table, key) + lock},
        .read = {"read_" + table, sql::select_by_key(selected, table, key)},
        .read_all = {"read_all_" + table,
                     "SELECT " + selected + " FROM " + table + " AS e ORDER BY " + sql::names(key)},
        .lock_all = {"lock_" + table, "LOCK TABLE " + table + " IN EXCLUSIVE MODE"},
        .put = {.many = {"put_" + table, put(sql::Shape::many_rows), StoreFault::contention},
                .one = {"put_one_" + table, put(sql::Shape::one_row), StoreFault::contention}},
        .counts_puts = may_clash,
        .erase = {"erase_" + table, sql::delete_by_key(table, key)},
        .find_owned = {},
        .read_owned = {},
        .erase_owned = {},
    };
    if constexpr (OwnedRow<Row>) {
        const std::string owned = sql::select_by_key(selected, table, sql::execution_key);
        statements.find_owned = {"find_owned_" + table, owned + sql::loaded<Row>()};
        statements.read_owned = {"read_owned_" + table, owned};
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
