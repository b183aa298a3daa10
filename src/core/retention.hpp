#pragma once

#include <optional>

#include "core/command.hpp"

// When ended executions go. Most go after the store's retention time, found along the completion outbox; whose own
// policy says otherwise is noted in ff_retention_due when it ends.
namespace flowfabric {

// The execution's own retention time, if its policy has one.
std::optional<std::uint64_t> own_retention_ms(const ExecutionRow& row);

// When an ended execution is old enough; nothing: never.
std::optional<std::int64_t> removal_time(const ExecutionRow& row, const StoreSettings& settings);

}  // namespace flowfabric
