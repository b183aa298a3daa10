#pragma once

#include <utility>
#include <vector>

#include "engine/batching/batch.hpp"
#include "unit/core/fixtures.hpp"

// Batches and what is loaded for them, with no store around.
namespace flowfabric::test {

inline constexpr std::int64_t now = claimed_at + 1'000;

inline Batch batch_of(const std::vector<Given>& commands) {
    Batch batch;
    for (const Given& given : commands) {
        PendingCommand pending;
        pending.id = batch.commands.size() + 1;
        pending.command = given.command;
        batch.commands.push_back(std::move(pending));
    }
    return batch;
}

inline Loaded loaded_with(std::vector<ExecutionRow> rows) {
    Loaded loaded;
    loaded.now_ms = now;
    loaded.executions = std::move(rows);
    return loaded;
}

}  // namespace flowfabric::test
