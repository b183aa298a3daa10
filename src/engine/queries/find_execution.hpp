#pragma once

#include <optional>

#include "engine/queries/queries.hpp"

namespace flowfabric {

struct FoundExecution {
    ExecutionRow row;
    bool submitted = false;  // from SQL, and still in the inbox
};

// The row, or what a submission will be until it is taken in.
StoreResult<std::optional<FoundExecution>> find_execution(StoreReader& reader, const QueryContext& context,
                                                          const ExecutionId& id);

}  // namespace flowfabric
