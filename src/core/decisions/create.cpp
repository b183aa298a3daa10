#include "core/decisions.hpp"
#include "core/retry.hpp"
#include "core/transition.hpp"

namespace flowfabric {

CreateDecision decide_create(const AdmittedCreate& command, const CreateFacts& facts, DecisionContext& context) {
    const std::int64_t now = context.set.now_ms;
    if (facts.key_owner != nullptr && facts.key_owner->expires_at_ms > now) {
        return {.answer = {.execution_id = facts.key_owner->execution_id, .duplicate = true}};
    }
    if (facts.existing != nullptr) return {.answer = {.execution_id = command.row.id, .duplicate = true}};

    ExecutionEntry entry{.row = command.row, .change = RowChange::insert, .input = command.input};
    ExecutionRow& row = entry.row;
    row.class_id = facts.class_id;
    row.created_at_ms = now;
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
    return {.answer = answer, .inserted = std::move(entry)};
}

}  // namespace flowfabric
