#pragma once

#include <bitset>

#include "core/rows/working_set.hpp"

// Which columns of an execution an update writes, for every store: those that differ from what was loaded.
namespace flowfabric {

// By their places in visit_execution_columns(); there is room for what a store keeps besides.
using ExecutionColumnSet = std::bitset<96>;

const ExecutionColumnSet& columns_with_use(ColumnUse use);

// All that may change, if it is not known what was loaded.
ExecutionColumnSet columns_to_write(const ExecutionEntry& entry);

}  // namespace flowfabric
