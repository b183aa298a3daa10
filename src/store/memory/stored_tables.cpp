#include "store/memory/stored_tables.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace flowfabric::memory {
namespace {

template <class Row>
bool is_of_wanted_flow(const RelatedRows& wanted, const Row& row) {
    if constexpr (FlowRows<Row>) return std::ranges::binary_search(wanted.flows, row.flow());
    return false;
}

template <class Row>
bool is_of_wanted_group(const RelatedRows& wanted, const Row& row) {
    if constexpr (GroupRows<Row>) return std::ranges::binary_search(wanted.groups, row.group());
    return false;
}

template <class Row>
bool is_of_wanted_source(const RelatedRows& wanted, const Row& row) {
    if constexpr (SourceRows<Row>) return std::ranges::binary_search(wanted.sources, row.source());
    return false;
}

template <class Row>
bool is_of_wanted_owner(const RelatedRows& wanted, const Row& row) {
    if constexpr (OwnedRow<Row>) return std::ranges::binary_search(wanted.owners, row.owner());
    return false;
}

template <class Row>
void read_first(std::uint32_t count, const StoredTable<Row>& table, RowTable<Row>& into) {
    std::set<std::pair<std::int64_t, typename Row::Key>> by_time;
    for (const auto& [key, row] : table.rows) by_time.emplace(row.queued_at_ms(), key);
    for (const auto& [queued_at_ms, key] : by_time) {
        if (count-- == 0) return;
        into.load(table.rows.at(key));
    }
}

template <class Row>
void read_behind(const RowsWanted<Row>& wanted, const StoredTable<Row>& table, RowTable<Row>& into) {
    for (const auto& key : wanted.behind) {
        auto next = table.rows.upper_bound(key);
        for (std::uint32_t count = 0; count < wanted.piece && next != table.rows.end(); ++count, ++next) {
            if (next->first.series() != key.series()) break;
            into.load(next->second);
        }
    }
}

template <class Row>
void read_table(const StoredTable<Row>& table, const RowsWanted<Row>& wanted, RowTable<Row>& into) {
    if (wanted.none() && wanted.first == 0) return;
    if constexpr (QueuedRow<Row>) read_first(wanted.first, table, into);
    if constexpr (SeriesRow<Row>) read_behind(wanted, table, into);
    for (const auto& [key, row] : table.rows) {
        if (wanted.all || std::ranges::binary_search(wanted.keys, key) || is_of_wanted_owner(wanted, row) ||
            is_of_wanted_flow(wanted, row) || is_of_wanted_group(wanted, row) || is_of_wanted_source(wanted, row)) {
            into.load(row);
        }
    }
}

template <class Row>
std::vector<typename Row::Key> keys_to_lock(const RowsWanted<Row>& wanted, const StoredTable<Row>& table) {
    auto keys = wanted.keys;
    if constexpr (Row::lock != RowLock::covered_by_parent) {
        for (const auto& [key, row] : table.rows) {
            if (is_of_wanted_flow(wanted, row) || is_of_wanted_group(wanted, row)) keys.push_back(key);
        }
    }
    return keys;
}

template <class Row>
bool lock_table(StoredTable<Row>& table, const RowsWanted<Row>& wanted, const Uuid& writer) {
    if (wanted.alone) {
        if (table.holder && *table.holder != writer) return false;
        table.holder = writer;
    }
    for (const auto& key : keys_to_lock(wanted, table)) {
        if (table.locked.try_emplace(key, writer).first->second != writer) return false;
    }
    return true;
}

template <class Row>
void cut_rows(StoredTable<Row>& table, const CutOff<Row>& cut) {
    auto row = table.rows.lower_bound(Row::first_key(cut.series));
    while (row != table.rows.end() && row->second.series() == cut.series && row->second.number() <= cut.through) {
        row = table.rows.erase(row);
    }
}

template <class Row>
bool is_loaded(const Row& row) {
    if constexpr (requires { row.is_loaded(); }) return row.is_loaded();
    return true;
}

}  // namespace

bool lock_rows(StoredTables& tables, const SideRowsWanted& wanted, const Uuid& writer) {
    bool all = true;
    tables.each([&]<class Row>(StoredTable<Row>& table) { all = all && lock_table(table, wanted.of<Row>(), writer); });
    return all;
}

void release_rows(StoredTables& tables, const Uuid& writer) {
    tables.each([&](auto& table) {
        std::erase_if(table.locked, [&](const auto& held) { return held.second == writer; });
        if (table.holder == writer) table.holder.reset();
    });
}

void read_rows(const StoredTables& tables, const SideRowsWanted& wanted, SideTables& into) {
    tables.each([&]<class Row>(const StoredTable<Row>& table) { read_table(table, wanted.of<Row>(), into.of<Row>()); });
}

void read_owned_rows(const StoredTables& tables, std::span<const ExecutionRow> executions, SideTables& into) {
    tables.each([&]<class Row>(const StoredTable<Row>& table) {
        if constexpr (OwnedRow<Row>) {
            for (const ExecutionRow& execution : executions) {
                if (!Row::has_some(execution)) continue;
                for (const auto& [key, row] : table.rows) {
                    if (row.owner() == execution.id && is_loaded(row)) into.of<Row>().load(row);
                }
            }
        }
    });
}

void write_rows(StoredTables& tables, const SideTables& changes) {
    tables.each([&]<class Row>(StoredTable<Row>& table) {
        changes.of<Row>().each_put([&](const Row& row, bool) { table.rows.insert_or_assign(row.key, row); });
        changes.of<Row>().each_erased([&](const typename Row::Key& key) { table.rows.erase(key); });
        changes.of<Row>().each_cut([&](const auto& cut) { cut_rows(table, cut); });
    });
}

void erase_owned_rows(StoredTables& tables, const ExecutionId& owner) {
    tables.each([&]<class Row>(StoredTable<Row>& table) {
        if constexpr (OwnedRow<Row>) {
            std::erase_if(table.rows, [&](const auto& entry) { return entry.second.owner() == owner; });
        }
    });
}

}  // namespace flowfabric::memory
