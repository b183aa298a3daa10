#include "core/rows/changed_columns.hpp"

#include <array>

namespace flowfabric {
namespace {

using ColumnsByUse = std::array<ExecutionColumnSet, 3>;

ColumnsByUse columns_by_use() {
    ColumnsByUse columns;
    std::size_t column = 0;
    const ExecutionRow row;
    visit_execution_columns(
        row, [&](const char*, const auto&, ColumnUse use) { columns[static_cast<std::size_t>(use)].set(column++); });
    return columns;
}

}  // namespace

const ExecutionColumnSet& columns_with_use(ColumnUse use) {
    static const ColumnsByUse columns = columns_by_use();
    return columns[static_cast<std::size_t>(use)];
}

ExecutionColumnSet columns_to_write(const ExecutionEntry& entry) {
    if (!entry.loaded) return columns_with_use(ColumnUse::cold) | columns_with_use(ColumnUse::hot);
    ExecutionColumnSet columns;
    std::size_t column = 0;
    visit_columns_across(
        [&](const char*, const auto& before, const auto& after, ColumnUse use) {
            if (use != ColumnUse::fixed && before != after) columns.set(column);
            ++column;
        },
        *entry.loaded, entry.row);
    return columns;
}

}  // namespace flowfabric
