#pragma once

#include "core/rows/row_type.hpp"
#include "store/postgres/sql/sql.hpp"
#include "store/postgres/sql/statements.hpp"

// The statements of a side table, made from what its row type says.
namespace flowfabric::postgres {

// What a batch loads, locked where the row has a lock of its own; and what a reader reads.
struct SideLookup {
    LookupStatement find, read;
};

struct SideStatements {
    SideLookup by_key, by_owner, by_flow, by_group, by_source;
    Statement read_all;
    Statement read_first;   // of queued rows
    Statement read_behind;  // of rows in series
    Statement lock_all;
    WriteStatement insert;  // fails if one is there already
    WriteStatement upsert;
    Statement erase, erase_owned;
    Statement cut;  // of numbered rows
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

// The row e has the key u.
inline std::string matching(const Columns& key) {
    std::string match;
    for (const auto& column : key) match += (match.empty() ? "e." : " AND e.") + column.name + " = u." + column.name;
    return match;
}

// Each key is looked up by itself, which the planner cannot turn round: joined with its keys, a table that was empty
// when it was last analyzed is walked whole for each batch, dead rows included (1,000 rows of a work list: 123 ms, so
// 1 ms). They are looked up in the order in which they were sent, which is sorted: so a load waits for its locks.
// `further` is another condition, a lock, or both.
inline std::string select_by_key(const std::string& columns, const std::string& table, const Columns& key,
                                 Shape shape = Shape::many_rows, const std::string& further = "") {
    const std::string found = table + " AS e WHERE " + matching(key) + further;
    if (shape == Shape::one_row) return "SELECT " + columns + " FROM " + row(key) + ", " + found;
    return "SELECT f.* FROM " + rows(key) + " CROSS JOIN LATERAL (SELECT " + columns + " FROM " + found +
           " OFFSET 0) AS f";
}

// The keys u with their rows e, for statements that go on from there.
inline std::string found(const Columns& key, const std::string& table, const std::string& further = "") {
    return rows(key) + " CROSS JOIN LATERAL (SELECT e.* FROM " + table + " AS e WHERE " + matching(key) + further +
           " OFFSET 0) AS e";
}

// The rows, or what they belong to, are locked.
inline std::string delete_by_key(const std::string& table, const Columns& key) {
    return "DELETE FROM " + table + " WHERE ctid = ANY (ARRAY(" + select_by_key("e.ctid", table, key) + "))";
}

// COMMIT is already on its way when a statement's row count becomes known, so the statement itself has to fail.
inline std::string expecting(const std::string& statement, const std::string& count) {
    return "WITH changed AS (" + statement + " RETURNING 1) SELECT 1 / (count(*) = " + count +
           "::bigint)::integer FROM changed";
}

inline std::string insert(const std::string& table, const Columns& columns, const ColumnSet& shared) {
    return "INSERT INTO " + table + " (" + names(columns) + ") SELECT " + values(columns, shared) +
           from_rows(columns, shared);
}

inline std::string upsert(const std::string& table, const Columns& columns, const Columns& key,
                          const ColumnSet& shared) {
    std::string changes;
    for (std::size_t i = key.size(); i < columns.size(); ++i) {
        changes += (changes.empty() ? "" : ", ") + columns[i].name + " = excluded." + columns[i].name;
    }
    return insert(table, columns, shared) + " ON CONFLICT (" + names(key) + ") DO " +
           (changes.empty() ? "NOTHING" : "UPDATE SET " + changes);
}

}  // namespace sql

const SideStatements& side_statements(const RowType& type);

// Calls ask(lookup, count, params) for what is wanted through something else than its own keys.
template <class Ask>
void ask_for_related(const SideStatements& sql, const RelatedRows& wanted, Ask&& ask) {
    const auto ask_by = [&](const SideLookup& by, const auto& keys) {
        if (!keys.empty()) ask(by, keys.size(), row_params(keys));
    };
    ask_by(sql.by_owner, wanted.owners);
    ask_by(sql.by_flow, wanted.flows);
    ask_by(sql.by_group, wanted.groups);
    ask_by(sql.by_source, wanted.sources);
}

}  // namespace flowfabric::postgres
