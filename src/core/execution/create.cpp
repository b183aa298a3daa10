#include "core/base/tags.hpp"
#include "core/command/decisions.hpp"
#include "core/execution/retry.hpp"
#include "core/execution/transition.hpp"

namespace flowfabric {

namespace {

// Somebody holds the id of a submission already, so what cannot be created is an execution that failed.
CreateDecision create_failed(ExecutionEntry entry, const std::string& reason, DecisionContext& context) {
    const ExecutionRow& row = entry.row;
    Transition transition(entry, context.set);
    transition.set_failure(reason, "invalid_input");
    transition.finish(TerminalOutcome::failed);
    const Created answer{.execution_id = row.id, .duplicate = false, .public_state = row.vector.public_state};
    return {.answer = answer, .inserted = std::move(entry)};
}

}  // namespace

EngineError lane_not_accepting(const std::string& lane_id, LaneState state) {
    return invalid_input("lane_id", "lane_not_accepting: " + lane_id + " is " + std::string(to_string(state)));
}

Result<CreateDecision> decide_create(const AdmittedCreate& command, const CreateFacts& facts,
                                     DecisionContext& context) {
    const std::int64_t now = context.set.now_ms;
    const bool submitted = command.submission_id.has_value();
    const bool key_taken = facts.key_owner != nullptr && facts.key_owner->expires_at_ms > now;
    if (key_taken && !submitted) {
        return CreateDecision{.answer = {.execution_id = facts.key_owner->execution_id, .duplicate = true}};
    }
    if (facts.existing != nullptr) {
        return CreateDecision{.answer = {.execution_id = command.row.id, .duplicate = true}};
    }

    ExecutionEntry entry{.row = command.row, .change = RowChange::insert, .input = command.input};
    ExecutionRow& row = entry.row;
    row.created_at_ms = now;
    row.instance_tag = tag_of(row.tags, context.set.settings.instance_tag_key);
    if (command.refusal) return create_failed(std::move(entry), *command.refusal, context);
    if (key_taken) {
        const std::string original = facts.key_owner->execution_id.to_string();
        return create_failed(std::move(entry), "idempotency_key: in use by " + original, context);
    }
    if (!accepts_work(facts.lane_state)) {
        auto refusal = lane_not_accepting(row.lane_id, facts.lane_state);
        if (submitted) return create_failed(std::move(entry), to_string(refusal), context);
        return refusal;
    }
    if (!row.deadline_at_ms && command.execution_deadline_ms) {
        row.deadline_at_ms = saturating_add(now, *command.execution_deadline_ms);
    }
    row.deadline_check_at_ms = row.deadline_at_ms;
    Transition(entry, context.set)
        .make_runnable(AttemptState::pending_first_attempt, BlockingReason::waiting_for_delay);

    if (command.idempotency) {
        context.set.idempotency.push_back({.key = *command.idempotency,
                                           .execution_id = row.id,
                                           .expires_at_ms = saturating_add(now, command.dedup_window_ms)});
    }
    const Created answer{.execution_id = row.id, .duplicate = false, .public_state = row.vector.public_state};
    return CreateDecision{.answer = answer, .inserted = std::move(entry)};
}

}  // namespace flowfabric
