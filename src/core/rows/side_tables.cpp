#include "core/rows/side_tables.hpp"

#include <algorithm>

namespace flowfabric {
namespace {

template <class Key>
void sort_unique(std::vector<Key>& keys) {
    std::ranges::sort(keys);
    keys.erase(std::ranges::unique(keys).begin(), keys.end());
}

void sort_related(RelatedRows& related) {
    sort_unique(related.owners);
    sort_unique(related.flows);
    sort_unique(related.groups);
    sort_unique(related.sources);
}

}  // namespace

SideTables::SideTables() = default;
SideTables::SideTables(const SideTables& other) = default;
SideTables::SideTables(SideTables&& other) noexcept = default;
SideTables& SideTables::operator=(const SideTables& other) = default;
SideTables& SideTables::operator=(SideTables&& other) noexcept = default;
SideTables::~SideTables() = default;

SideRowsWanted::SideRowsWanted() = default;
SideRowsWanted::SideRowsWanted(const SideRowsWanted& other) = default;
SideRowsWanted::SideRowsWanted(SideRowsWanted&& other) noexcept = default;
SideRowsWanted& SideRowsWanted::operator=(const SideRowsWanted& other) = default;
SideRowsWanted& SideRowsWanted::operator=(SideRowsWanted&& other) noexcept = default;
SideRowsWanted::~SideRowsWanted() = default;

bool has_changes(const SideTables& tables) {
    bool changed = false;
    tables.each([&]<class Row>(const RowTable<Row>& table) { changed = changed || table.changed(); });
    return changed;
}

void sort(SideRowsWanted& wanted) {
    wanted.each([]<class Row>(RowsWanted<Row>& rows) {
        sort_unique(rows.keys);
        sort_unique(rows.behind);
        sort_related(rows);
    });
}

}  // namespace flowfabric
