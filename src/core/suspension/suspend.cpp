#include <algorithm>
#include <limits>

#include "core/base/saturating.hpp"
#include "core/claim/taking.hpp"
#include "core/command/decisions.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/retry.hpp"
#include "core/execution/stored_policy.hpp"
#include "core/signing/keyring.hpp"
#include "core/suspension/accepted_signals.hpp"
#include "core/suspension/remembered_suspend.hpp"
#include "core/suspension/suspension.hpp"

namespace flowfabric {
namespace {

WaitpointRow new_waitpoint(const ExecutionRow& row, const WaitpointId& id, std::string key, const SigningKey& signer,
                           std::int64_t now) {
    return {.key = {row.id.partition, id},
            .execution_uuid = row.id.uuid,
            .suspension_id = std::nullopt,
            .attempt_index = row.attempt_index,
            .waitpoint_key = std::move(key),
            .state = WaitpointState::pending,
            .token_kid = signer.kid,
            .token_fingerprint = fingerprint_of(waitpoint_token(signer, row.id, id)),
            .required_signal_names = {},
            .created_at_ms = now};
}

// ---- binding ----------------------------------------------------------------------------------------------------

struct Deadline {
    std::optional<std::int64_t> at_ms;
    TimeoutBehavior behavior = TimeoutBehavior::fail;
};

// The command's own, else the execution's policy's.
Result<Deadline> deadline_of(const AdmittedSuspend& command, const ExecutionRow& row, std::int64_t now) {
    Deadline deadline{.at_ms = command.timeout_at_ms};
    const auto policy = stored_policy(row);
    if (!policy) return policy.error();
    const auto own = *policy ? (*policy)->suspension_policy : std::nullopt;
    if (!deadline.at_ms && own && own->default_timeout_ms) {
        deadline.at_ms = saturating_add(now, *own->default_timeout_ms);
    }
    if (own) deadline.behavior = timeout_behavior_of(own->timeout_behavior);
    if (command.timeout_behavior) deadline.behavior = *command.timeout_behavior;
    if (deadline.at_ms) {
        if (auto checked = check_timeout_at(*deadline.at_ms, now); !checked) return checked.error();
    }
    return deadline;
}

Result<WaitpointRow> bind_pending(const WaitpointId& id, const ExecutionRow& row, const WorkingSet& set,
                                  std::int64_t now) {
    const WaitpointRow* waitpoint = set.side.of<WaitpointRow>().find({row.id.partition, id});
    if (waitpoint == nullptr) return refusal(ErrorKind::waitpoint_not_found, id.to_string());
    if (waitpoint->owner() != row.id || waitpoint->attempt_index != row.attempt_index) {
        return refusal(ErrorKind::invalid_waitpoint_for_execution, id.to_string());
    }
    if (waitpoint->state != WaitpointState::pending) return refusal(ErrorKind::waitpoint_not_pending, id.to_string());
    if (has_lapsed(*waitpoint, now)) return refusal(ErrorKind::pending_waitpoint_expired, id.to_string());
    if (waitpoint->token_kid.empty()) return refusal(ErrorKind::waitpoint_not_token_bound, id.to_string());
    return *waitpoint;
}

Result<WaitpointRow> bind_fresh(const FreshWaitpoint& fresh, const ExecutionRow& row, const WorkingSet& set,
                                const SigningKey& signer, std::int64_t now) {
    const WaitpointId& id = *fresh.waitpoint_id;
    if (set.side.of<WaitpointRow>().find({row.id.partition, id}) != nullptr) {
        return refusal(ErrorKind::waitpoint_already_exists, id.to_string());
    }
    return new_waitpoint(row, id, fresh.waitpoint_key, signer, now);
}

Result<std::vector<WaitpointRow>> bind(const AdmittedSuspend& command, const ExecutionRow& row, const WorkingSet& set,
                                       const SigningKey& signer, std::int64_t now) {
    std::vector<WaitpointRow> bound;
    std::vector<BoundKey> keys;
    bound.reserve(command.waitpoints.size());
    for (const WaitpointBinding& binding : command.waitpoints) {
        const auto* fresh = std::get_if<FreshWaitpoint>(&binding);
        auto waitpoint = fresh != nullptr
                             ? bind_fresh(*fresh, row, set, signer, now)
                             : bind_pending(std::get<UsePendingWaitpoint>(binding).waitpoint_id, row, set, now);
        if (!waitpoint) return waitpoint.error();
        if (std::ranges::find(bound, waitpoint->key, &WaitpointRow::key) != bound.end()) {
            return refusal(ErrorKind::waitpoint_already_exists, waitpoint->key.waitpoint_id.to_string());
        }
        bound.push_back(std::move(*waitpoint));
        keys.push_back({.key = bound.back().waitpoint_key, .fresh = fresh != nullptr});
    }
    if (auto checked = check_bindings(command.resume_condition, keys); !checked) return checked.error();
    return bound;
}

BlockingReason blocking_reason_of(SuspensionReason reason) {
    switch (reason) {
        case SuspensionReason::waiting_for_approval:
            return BlockingReason::waiting_for_approval;
        case SuspensionReason::waiting_for_callback:
            return BlockingReason::waiting_for_callback;
        case SuspensionReason::waiting_for_tool_result:
            return BlockingReason::waiting_for_tool_result;
        case SuspensionReason::waiting_for_operator_review:
        case SuspensionReason::manual_pause:
            return BlockingReason::paused_by_operator;
        case SuspensionReason::paused_by_policy:
            return BlockingReason::paused_by_policy;
        case SuspensionReason::paused_by_budget:
            return BlockingReason::waiting_for_budget;
        case SuspensionReason::waiting_for_signal:
        case SuspensionReason::step_boundary:
            break;
    }
    return BlockingReason::waiting_for_signal;
}

std::uint64_t ttl_of_lease(const ExecutionRow& row) {
    return static_cast<std::uint64_t>(saturating_difference(*row.lease_expires_at_ms, *row.lease_last_renewed_at_ms));
}

// ---- what a repeat is told --------------------------------------------------------------------------------------

constexpr std::int64_t as_long_as_the_execution = std::numeric_limits<std::int64_t>::max();

RememberedSuspend outcome_of(const AdmittedSuspend& command, const std::vector<WaitpointRow>& waitpoints) {
    RememberedSuspend outcome{.suspension_id = command.suspension_id, .waitpoints = {}};
    for (const WaitpointRow& waitpoint : waitpoints) {
        outcome.waitpoints.push_back({waitpoint.key.waitpoint_id, waitpoint.waitpoint_key, waitpoint.token_kid});
    }
    return outcome;
}

void remember(const AdmittedSuspend& command, const RememberedSuspend& outcome, const Transition& transition,
              WorkingSet& set) {
    if (command.idempotency_key.empty()) return;
    const std::int64_t now = transition.now();
    set.side.of<SuspendDedupRow>().put({.key = {command.lease.execution_id, command.idempotency_key},
                                        .outcome_json = outcome.to_json(),
                                        .created_at_ms = now,
                                        .expires_at_ms = as_long_as_the_execution,
                                        .satisfied_at_ms = outcome.handle ? std::nullopt : std::optional(now),
                                        .replay_count = transition.row().replay_count});
}

const SuspendDedupRow* earlier_outcome(const AdmittedSuspend& command, const ExecutionRow& row, const WorkingSet& set) {
    if (command.idempotency_key.empty()) return nullptr;
    const auto* known = set.side.of<SuspendDedupRow>().find({command.lease.execution_id, command.idempotency_key});
    return known != nullptr && known->replay_count == row.replay_count ? known : nullptr;
}

bool is_open(const RememberedSuspend& remembered, const WorkingSet& set, const ExecutionRow& row) {
    const SuspensionRow* open = open_suspension(set, row);
    return open != nullptr && open->suspension_id == remembered.suspension_id;
}

bool are_at_hand(const std::vector<std::int32_t>& seqs, const AdmittedSuspend& command) {
    return std::ranges::includes(command.recalled, seqs);
}

Answer already_met(SuspensionDetails details, const std::vector<std::int32_t>& seqs, const WorkingSet& set,
                   const ExecutionId& id) {
    GivenSignals given = signals_with(seqs, set, id);
    return {SuspendOutcome{ConditionAlreadyMet{std::move(details), std::move(given.signals), given.more}}};
}

// ---- suspending -------------------------------------------------------------------------------------------------

std::optional<EngineError> refuse_suspend(const AdmittedSuspend& command, Transition& transition,
                                          const WorkingSet& set) {
    const ExecutionRow& row = transition.row();
    if (row.vector.lifecycle_phase == LifecyclePhase::suspended) {
        return refusal(ErrorKind::already_suspended, row.id.to_string());
    }
    if (auto refused = refuse_by_fence(transition, command.lease, OverrideRule::never)) return refused;
    if (open_suspension(set, row) != nullptr) return corruption(row.id.to_string() + ": active, and suspended as well");
    return std::nullopt;
}

void open_suspension_with(std::vector<WaitpointRow> waitpoints, const std::vector<std::int32_t>& kept,
                          const AdmittedSuspend& command, const Deadline& deadline, Transition& transition,
                          WorkingSet& set) {
    const std::int64_t now = transition.now();
    for (WaitpointRow& waitpoint : waitpoints) {
        waitpoint.suspension_id = command.suspension_id;
        waitpoint.state = WaitpointState::active;
        waitpoint.activated_at_ms = now;
        waitpoint.expires_at_ms = deadline.at_ms;
        waitpoint.required_signal_names = {required_signal_names(command.resume_condition, waitpoint.waitpoint_key)};
        set.side.of<WaitpointRow>().put(std::move(waitpoint));
    }
    for (const std::int32_t seq : kept) {
        set.side.of<SignalRow>().change({transition.row().id, seq},
                                        [&](SignalRow& signal) { signal.suspension_id = command.suspension_id; });
    }
    set.side.of<SuspensionRow>().put({.key = {transition.row().id},
                                      .suspension_id = command.suspension_id,
                                      .attempt_index = transition.row().attempt_index,
                                      .suspended_at_ms = now,
                                      .timeout_at_ms = deadline.at_ms,
                                      .reason_code = command.reason_code,
                                      .condition = {command.resume_condition.to_json()},
                                      .timeout_behavior = deadline.behavior,
                                      .resume_policy = json_of(command.resume_policy),
                                      .requested_by = command.requested_by,
                                      .continuation_pointer = command.continuation_pointer});
    transition.expect_signals();
}

// The lease goes on: what was asked for has come in this run, whichever attempt asked.
Result<Answer> recall_satisfied(const AdmittedSuspend& command, const RememberedSuspend& remembered,
                                Transition& transition, DecisionContext& context) {
    if (auto refused = refuse_suspend(command, transition, context.set)) return *refused;
    if (!are_at_hand(remembered.signals, command)) return Answer{MoreRows{.signals = remembered.signals}};
    const ExecutionId& id = command.lease.execution_id;
    const auto keyring = Keyring::open(context.set.side.of<SigningKeyRow>(), context.settings, transition.now());
    return already_met(remembered.details_of_ended(id, keyring ? &*keyring : nullptr), remembered.signals, context.set,
                       id);
}

Result<Answer> recall_open(const RememberedSuspend& remembered, const ExecutionRow& row, DecisionContext& context,
                           std::int64_t now) {
    const auto keyring = Keyring::open(context.set.side.of<SigningKeyRow>(), context.settings, now);
    if (!keyring) return keyring.error();
    auto details = remembered.details(row.id, *keyring);
    if (!details) return details.error();
    return Answer{
        SuspendOutcome{Suspended{std::move(*details), Handle{.backend = context.settings.backend,
                                                             .kind = HandleKind::suspended,
                                                             .opaque = remembered.handle.value_or(Bytes{})}}}};
}

}  // namespace

Result<Answer> decide(const AdmittedSuspend& command, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    WorkingSet& set = context.set;
    const ExecutionRow& row = entry.row;
    const std::int64_t now = transition.now();
    if (auto refused = refuse_without_fence(command.lease)) return *refused;
    if (const auto* earlier = earlier_outcome(command, row, set)) {
        const auto remembered = recall(*earlier);
        if (!remembered) return remembered.error();
        if (earlier->satisfied_at_ms) return recall_satisfied(command, *remembered, transition, context);
        if (is_open(*remembered, set, row)) return recall_open(*remembered, row, context, now);
    }
    const auto deadline = deadline_of(command, row, now);
    if (!deadline) return deadline.error();
    if (auto checked = check_condition(command.resume_condition, deadline->at_ms.has_value()); !checked) {
        return checked.error();
    }
    if (auto refused = refuse_suspend(command, transition, set)) return *refused;
    const auto keyring = Keyring::open(set.side.of<SigningKeyRow>(), context.settings, now);
    if (!keyring) return keyring.error();
    const auto waitpoints = bind(command, row, set, keyring->active(), now);
    if (!waitpoints) return waitpoints.error();
    RememberedSuspend outcome = outcome_of(command, *waitpoints);
    auto details = outcome.details(row.id, *keyring);
    if (!details) return details.error();

    const CountingSignals kept = kept_signals(*waitpoints, set, row);
    const Evaluation evaluation = evaluate(command.resume_condition, kept.facts);
    const std::vector<std::int32_t> satisfiers = kept.satisfiers(evaluation);
    if (evaluation.satisfied) {
        outcome.signals = seqs_to_give(kept.seqs, satisfiers);
        if (!are_at_hand(outcome.signals, command)) return Answer{MoreRows{.signals = std::move(outcome.signals)}};
    }
    open_suspension_with(*waitpoints, kept.seqs, command, *deadline, transition, set);
    if (evaluation.satisfied) {
        close_suspension(transition, set,
                         {.reason = WaitpointCloseReason::resumed,
                          .closer = std::nullopt,
                          .satisfiers = satisfiers,
                          .satisfied = true});
        remember(command, outcome, transition, set);
        return already_met(std::move(*details), outcome.signals, set, row.id);
    }
    const Handle handle = handle_of(row, HandleKind::suspended, ttl_of_lease(row), context.settings.backend);
    transition.suspend(command.suspension_id, details->primary.waitpoint_id, blocking_reason_of(command.reason_code));
    outcome.handle = handle.opaque;
    remember(command, outcome, transition, set);
    return Answer{SuspendOutcome{Suspended{std::move(*details), handle}}};
}

Result<Answer> decide(const AdmittedWaitpoint& command, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    if (auto refused = refuse_by_fence(transition, command.lease, OverrideRule::never)) return *refused;
    const std::int64_t now = transition.now();
    const auto keyring = Keyring::open(context.set.side.of<SigningKeyRow>(), context.settings, now);
    if (!keyring) return keyring.error();
    WaitpointRow waitpoint =
        new_waitpoint(entry.row, command.waitpoint_id, command.waitpoint_key, keyring->active(), now);
    waitpoint.expires_at_ms = saturating_add(now, command.expires_in_ms);
    context.set.side.of<WaitpointRow>().put(std::move(waitpoint));
    transition.expect_signals();
    return Answer{
        PendingWaitpoint{command.waitpoint_id, waitpoint_token(keyring->active(), entry.row.id, command.waitpoint_id)}};
}

Result<Answer> decide(const AdmittedWaitpointClose& command, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    const WaitpointRow* waitpoint =
        context.set.side.of<WaitpointRow>().find({command.execution_id.partition, command.waitpoint_id});
    if (waitpoint == nullptr || waitpoint->owner() != command.execution_id) {
        return refusal(ErrorKind::waitpoint_not_found, command.waitpoint_id.to_string());
    }
    if (waitpoint->state == WaitpointState::closed) return Answer{WaitpointClosed{.was_open = false}};
    close_waitpoint(context.set, *waitpoint, command.reason, transition.now());
    transition.count_open_waitpoints();
    return Answer{WaitpointClosed{.was_open = true}};
}

}  // namespace flowfabric
