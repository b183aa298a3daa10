#pragma once

#include <optional>

#include "core/command/command.hpp"
#include "core/execution/execution_filter.hpp"

// When ended executions are removed. Most of them after the store's retention time, found along the completion outbox;
// one with a retention time in its own policy is noted in ff_retention_due when it ends.
namespace flowfabric {

// What the row of an execution with this policy has as its own retention time, held at the longest that a store keeps.
std::optional<std::uint64_t> own_retention_ms(const ExecutionPolicy& policy);

// When an ended execution is old enough; nothing: never.
std::optional<std::int64_t> removal_time(const ExecutionRow& row, const StoreSettings& settings);

// Removes an ended execution that is old enough, or notes when it will be. Executions that the filter excludes stay.
Command remove_ended(const ExecutionId& id, ExecutionFilter filter);

}  // namespace flowfabric
