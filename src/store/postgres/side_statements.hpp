#pragma once

#include <algorithm>

#include "core/side_tables.hpp"
#include "store/postgres/sql.hpp"
#include "store/postgres/statements.hpp"

// The statements of a side table, made from what its row type says.
namespace flowfabric::postgres {

// What a batch loads, locked where the row has a lock of its own; and what a reader reads.
struct SideLookup {
    RowStatement find, read;
};

struct SideStatements {
    SideLookup by_key, by_owner, by_flow, by_group;
    Statement read_all;
    Statement read_first;  // of queued rows
    Statement lock_all;
    RowStatement put;
    bool counts_puts = false;  // it takes their number as well, and fails if one is somebody else's
    Statement erase, erase_owned;
};

namespace sql {

inline const Columns execution_key{{"partition_key", "smallint"}, {"execution_id", "uuid"}};

// By a key that begins with the partition. Cast, it has no index: while a table is empty, walking all of its primary
// key looks cheaper to the planner than sorting what was found, and such a plan may stay.
inline std::string in_order_of(const Columns& key) {
    std::string order = "e.partition_key::integer";
    for (std::size_t i = 1; i < key.size(); ++i) order += ", e." + key[i].name;
    return " ORDER BY " + order;
}

// A nested loop over the keys as they were sent, which is sorted: the order in which a load waits for locks.
inline std::string select_by_key(const std::string& columns, const std::string& table, const Columns& key,
                                 Shape shape = Shape::many_rows) {
    return "SELECT " + columns + " FROM " + source(key, shape) + " JOIN " + table + " AS e USING (" + names(key) + ")";
}

template <class Row>
std::string loaded() {
    if constexpr (requires { Row::loaded_where; }) {
        return " WHERE e." + std::string(Row::loaded_where);
    } else {
        return "";
    }
}

// Found key by key first, which the planner cannot turn round: joined, a table that was empty when it was last analyzed
// is walked whole for each batch, dead rows included (1,000 rows of a work list: 123 ms, so 1 ms). Whoever deletes
// holds the rows, or what they belong to.
inline std::string delete_by_key(const std::string& table, const Columns& key) {
    std::string match;
    for (const auto& column : key) match += (match.empty() ? "e." : " AND e.") + column.name + " = u." + column.name;
    return "DELETE FROM " + table + " WHERE ctid = ANY (ARRAY(SELECT f.ctid FROM " + rows(key) +
           " CROSS JOIN LATERAL (SELECT e.ctid FROM " + table + " AS e WHERE " + match + " OFFSET 0) AS f))";
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
    return insert(table, columns, shape) + " ON CONFLICT (" + names(key) + ") DO " +
           (changes.empty() ? "NOTHING" : "UPDATE SET " + changes);
}

}  // namespace sql

// By the keys of the rows themselves, or of what they belong to. `found` is how a batch finds them, `order` whose.
template <class Row>
SideLookup lookup(const std::string& name, const sql::Columns& key, const std::string& found,
                  const std::string& order = "") {
    const std::string table(Row::table);
    const auto text = [&](const std::string& further) {
        return [&, further](Shape shape) {
            return sql::select_by_key(sql::names(sql::columns_of<Row>(), "e."), table, key, shape) + order + further;
        };
    };
    return {.find = row_statement("find_" + name + table, text(found)),
            .read = row_statement("read_" + name + table, text(""))};
}

// Every row of what `Whole` is the key of, in the order of their own keys.
template <class Row, class Whole>
SideLookup lookup_through(const std::string& name, const std::string& lock) {
    return lookup<Row>(name, sql::columns_of<Whole>(), lock, sql::in_order_of(sql::columns_of<typename Row::Key>()));
}

// Two writers may come up with one key at the same time, and the second is not to take the first one's row: the column
// by which it would notice. Empty where the key itself, or a lock, keeps them apart.
template <class Row>
std::string identity_beside(const sql::Columns& key) {
    if constexpr (std::same_as<Row, FlowRow>) return "created_at_ms";
    const bool tells_owner = std::ranges::find(key, "execution_id", &sql::Column::name) != key.end();
    return OwnedRow<Row> && !tells_owner ? "execution_id" : "";
}

template <class Row>
SideStatements make_side_statements() {
    const std::string table(Row::table);
    const auto columns = sql::columns_of<Row>();
    const auto key = sql::columns_of<typename Row::Key>();
    const std::string selected = sql::names(columns, "e.");
    const std::string lock = Row::lock == RowLock::another ? "" : " FOR UPDATE OF e";
    const std::string identity = identity_beside<Row>(key);
    const auto put = [&](Shape shape) {
        std::string upsert = sql::upsert(table, columns, key, shape);
        if (identity.empty()) return upsert;
        return sql::expecting(upsert + " WHERE " + table + "." + identity + " = excluded." + identity,
                              sql::parameter_after(columns));
    };
    SideStatements statements{
        .by_key = lookup<Row>("", key, lock),
        .by_owner = {},
        .by_flow = {},
        .by_group = {},
        .read_all = {"read_all_" + table,
                     "SELECT " + selected + " FROM " + table + " AS e ORDER BY " + sql::names(key)},
        .read_first = {},
        .lock_all = {"lock_" + table, "LOCK TABLE " + table + " IN EXCLUSIVE MODE"},
        .put = row_statement("put_" + table, put, StoreFault::contention),
        .counts_puts = !identity.empty(),
        .erase = {"erase_" + table, sql::delete_by_key(table, key)},
        .erase_owned = {},
    };
    if constexpr (OwnedRow<Row>) {
        statements.by_owner = lookup<Row>("owned_", sql::execution_key, sql::loaded<Row>());
        statements.erase_owned = {"erase_owned_" + table, sql::delete_by_key(table, sql::execution_key)};
    }
    if constexpr (QueuedRow<Row>) {
        statements.read_first = {"read_first_" + table, "SELECT " + selected + " FROM " + table + " AS e ORDER BY e." +
                                                            std::string(Row::due_column) + ", " +
                                                            sql::names(key, "e.") + " LIMIT $1::bigint"};
    }
    if constexpr (FlowRows<Row>) statements.by_flow = lookup_through<Row, FlowKey>("in_flow_", lock);
    if constexpr (GroupRows<Row>) statements.by_group = lookup_through<Row, GroupKey>("in_group_", lock);
    return statements;
}

template <class Row>
const SideStatements& side_statements() {
    static const SideStatements statements = make_side_statements<Row>();
    return statements;
}

// Calls ask(lookup, keys) for what is wanted through something else than its own keys.
template <class Row, class Ask>
void ask_for_related(const RowsWanted<Row>& wanted, Ask&& ask) {
    const auto& sql = side_statements<Row>();
    if (!wanted.owners.empty()) ask(sql.by_owner, wanted.owners);
    if (!wanted.flows.empty()) ask(sql.by_flow, wanted.flows);
    if (!wanted.groups.empty()) ask(sql.by_group, wanted.groups);
}

}  // namespace flowfabric::postgres
