#pragma once

#include <optional>
#include <string>

#include "core/flow/flow_rows.hpp"
#include "core/rows/execution_row.hpp"
#include "core/stream/stream_rows.hpp"

namespace flowfabric {

// What is wrong with a row that was read column by column: no decision leaves one like it behind, and none can be made
// on it.
std::optional<std::string> damage_in(const ExecutionRow& row);
std::optional<std::string> damage_in(const StreamMetaRow& meta);
std::optional<std::string> damage_in(const StreamSummaryRow& summary);
std::optional<std::string> damage_in(const EdgeGroupRow& group);

}  // namespace flowfabric
