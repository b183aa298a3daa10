#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/command/decision.hpp"
#include "core/inbox/submission.hpp"
#include "flowfabric/execution.hpp"

// How executions come to be: one by one, with their flow, or from the SQL inbox.
namespace flowfabric {

class Command;

struct AdmittedCreate {
    ExecutionRow row;  // everything but times and vector, which wait for the store's clock
    Bytes input;
    std::optional<IdempotencyKey> idempotency;
    std::uint64_t dedup_window_ms = 0;
    std::optional<std::string> request_digest;
    std::optional<std::uint64_t> execution_deadline_ms;
    bool minted = false;                        // its id is new, so no row can have it
    std::optional<std::int64_t> submission_id;  // it came through SQL: its id is out, so a refusal is an execution too
    std::optional<std::string> refusal;
};

Result<AdmittedCreate> admit_creation(CreateExecution command, const Settings& settings, const IdSource& ids);
// The command that creates it.
Command command_of(AdmittedCreate create);
// A submission always becomes an execution: what the front door refuses, a failed one.
Command admit_submission(const Submission& submission, const Settings& settings);

// `key_owner`: the idempotency row under the command's key.
struct CreateFacts {
    const IdempotencyRow* key_owner = nullptr;
    bool id_taken = false;
    LaneState lane_state = LaneState::active;
};

struct CreateDecision {
    Created answer;
    std::optional<ExecutionEntry> inserted;
};

// The key has made something of another request.
EngineError idempotency_conflict(std::string_view made);

Result<CreateDecision> decide_create(const AdmittedCreate& create, const CreateFacts& facts, DecisionContext& context);

}  // namespace flowfabric
