#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/execution/timers.hpp"
#include "engine/batching/batch.hpp"
#include "flowfabric/lease.hpp"
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

// Every claim of the batch gets a selection of its own.
inline void select_each_claim(Batch& batch) {
    for (std::size_t i = 0; i < batch.commands.size(); ++i) {
        if (batch.commands[i].command->claim() != nullptr) batch.selections.push_back({{}, {i}});
    }
}

inline Claimable claimable_of(const std::vector<ExecutionRow>& rows) {
    Claimable found;
    for (const ExecutionRow& row : rows) found.rows.push_back({.row = row, .input = "in"});
    return found;
}

inline Given renew(const ExecutionRow& row) {
    return Renew{.lease = lease_on(row), .lease_ttl_ms = lease_ttl};
}

inline Given complete(const ExecutionRow& row) {
    return Complete{.lease = lease_on(row), .result = "done"};
}

inline Command promote(std::uint64_t number) {
    return command_of(Timer::delayed_promotion, execution(number));
}

inline AdmittedCreate keyed_create(std::uint64_t number, std::string key) {
    AdmittedCreate create = create_of(number);
    create.idempotency = IdempotencyKey{"default", std::move(key)};
    return create;
}

inline std::optional<ErrorKind> error_of(const CommandVerdict& verdict) {
    EXPECT_EQ(verdict.verdict, Verdict::answered);
    return verdict.answer ? std::nullopt : std::optional(verdict.answer.error().kind);
}

inline std::vector<ExecutionId> claimed_by(const CommandVerdict& verdict) {
    std::vector<ExecutionId> ids;
    for (const auto& execution : answer_of<Claimed>(verdict.answer).executions) ids.push_back(execution.execution_id);
    return ids;
}

inline void let_wait(Batch& batch, const AdmittedClaim& claim) {
    PendingCommand waiting;
    waiting.id = 100 + batch.waiting_claims.size();
    waiting.command = Given(claim).command;
    batch.waiting_claims.push_back(std::move(waiting));
}

}  // namespace flowfabric::test
