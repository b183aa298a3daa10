#pragma once

#include <map>
#include <optional>
#include <span>

#include "core/rows/side_tables.hpp"

// The side tables of the memory store: their rows, and which writers hold them.
namespace flowfabric::memory {

template <class Row>
struct StoredTable {
    using Key = typename Row::Key;

    std::map<Key, Row> rows;
    std::map<Key, Uuid> locked;  // row, there or not → writer
    std::optional<Uuid> holder;  // of the whole table
};

using StoredTables = ForSideTables<StoredTable>;

// False if another writer holds any of them.
bool lock_rows(StoredTables& tables, const SideRowsWanted& wanted, const Uuid& writer);
void release_rows(StoredTables& tables, const Uuid& writer);

void read_rows(const StoredTables& tables, const SideRowsWanted& wanted, SideTables& into);
// What a batch loads with these executions.
void read_owned_rows(const StoredTables& tables, std::span<const ExecutionRow> executions, SideTables& into);

void write_rows(StoredTables& tables, const SideTables& changes);
void erase_owned_rows(StoredTables& tables, const ExecutionId& owner);

}  // namespace flowfabric::memory
