#include <algorithm>
#include <boost/json.hpp>

#include "core/command/decisions.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/retry.hpp"
#include "core/execution/stored_policy.hpp"
#include "core/signing/keyring.hpp"
#include "core/suspension/suspension.hpp"

namespace flowfabric {
namespace {

constexpr std::uint32_t default_max_signals = 10'000;

// Whoever is refused here learns nothing but that: every way takes one MAC, and what exists is not told apart from what
// does not, unless the token was good once.
std::optional<EngineError> refuse_token(const AdmittedSignal& command, const WaitpointRow* waitpoint,
                                        DecisionContext& context) {
    const auto keyring = Keyring::open(context.set.side.of<SigningKeyRow>(), context.settings, context.set.now_ms);
    if (!keyring) return keyring.error();
    const auto presented = parse_token(command.token);
    const TokenParts parts = presented.value_or(TokenParts{});
    const bool may_be = presented && waitpoint != nullptr;
    const SigningKey* live = may_be ? keyring->find(parts.kid) : nullptr;
    const SigningKey* lapsed = may_be && live == nullptr ? keyring->find_lapsed(parts.kid) : nullptr;
    const bool valid =
        token_is_valid(parts, live != nullptr ? live : lapsed, command.execution_id, command.waitpoint_id);
    const bool minted = valid && waitpoint->token_kid == parts.kid &&
                        equal_in_constant_time(waitpoint->token_fingerprint, fingerprint_of(command.token));
    if (minted && live != nullptr) return std::nullopt;
    if (command.token.empty()) return refusal(ErrorKind::invalid_token, "missing_token");
    return refusal(ErrorKind::invalid_token, minted ? "token_expired" : "invalid_token");
}

std::optional<EngineError> refuse_approval(const AdmittedSignal& command, const ExecutionRow& row,
                                           const WaitpointRow* waitpoint) {
    if (command.lane_id != row.lane_id) {
        return invalid_input("lane_id", "lane_mismatch: the execution is on " + row.lane_id);
    }
    if (waitpoint == nullptr) return refusal(ErrorKind::no_such_waitpoint, command.waitpoint_id.to_string());
    return std::nullopt;
}

Result<std::uint32_t> signal_limit(const AdmittedSignal& command, const ExecutionRow& row) {
    if (command.max_signals) return *command.max_signals;
    const auto policy = stored_policy(row);
    if (!policy) return policy.error();
    return *policy ? (*policy)->max_signals_per_execution.value_or(default_max_signals) : default_max_signals;
}

// The next that the execution accepts.
SignalRow row_of(const AdmittedSignal& command, const WaitpointRow& waitpoint, Transition& transition) {
    return {.key = {command.execution_id, transition.next_signal()},
            .signal_id = command.signal_id,
            .waitpoint_id = command.waitpoint_id,
            .waitpoint_key = waitpoint.waitpoint_key,
            .signal_name = command.signal_name,
            .signal_category = command.signal_category,
            .source_type = command.source_type,
            .source_identity = command.source_identity,
            .correlation_id = command.correlation_id,
            .idempotency_key = command.idempotency_key.empty() ? std::nullopt : std::optional(command.idempotency_key),
            .payload_encoding = command.payload_encoding,
            .target_scope = command.target_scope,
            .created_at_ms = command.created_at_ms,
            .accepted_at_ms = transition.now(),
            .suspension_id = waitpoint.suspension_id,
            .replay_count = transition.row().replay_count};
}

bool is_match(SignalEffect effect) {
    return effect == SignalEffect::resume_condition_satisfied || effect == SignalEffect::appended_to_waitpoint;
}

// What an active waitpoint's signals are held against; nothing for a pending one.
struct Target {
    std::optional<ResumeCondition> condition;
    std::uint64_t resume_delay_ms = 0;
};

Result<Target> target_of(const WaitpointRow& waitpoint, const WorkingSet& set, const ExecutionRow& row) {
    if (waitpoint.state == WaitpointState::pending) return Target{};
    const SuspensionRow* suspension = open_suspension(set, row);
    if (suspension == nullptr) return corruption(row.id.to_string() + ": an active waitpoint without a suspension");
    auto condition = condition_of(*suspension);
    if (!condition) return condition.error();
    return Target{std::move(*condition), resume_policy_of(suspension->resume_policy).resume_delay_ms.value_or(0)};
}

struct Reception {
    SignalEffect effect = SignalEffect::buffered_for_pending_waitpoint;
    std::vector<std::int32_t> satisfiers;  // seqs
};

// What the signal that was recorded last does.
Reception received(const Target& target, const WorkingSet& set, const ExecutionRow& row) {
    if (!target.condition) return {};
    const CountingSignals signals = counting_signals(set, row);
    const Evaluation evaluation = evaluate(*target.condition, signals.facts);
    return {effect_of_last(*target.condition, signals.facts, evaluation), signals.satisfiers(evaluation)};
}

void count(WaitpointRow waitpoint, SignalEffect effect, WorkingSet& set, std::int64_t now) {
    waitpoint.signal_count += 1;
    if (is_match(effect)) waitpoint.matched_signal_count += 1;
    waitpoint.last_signal_at_ms = now;
    set.side.of<WaitpointRow>().put(std::move(waitpoint));
}

}  // namespace

Result<Answer> decide(const AdmittedSignal& command, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    WorkingSet& set = context.set;
    const ExecutionRow& row = entry.row;
    const std::int64_t now = transition.now();
    const WaitpointKey key{command.execution_id.partition, command.waitpoint_id};
    const WaitpointRow* found = set.side.of<WaitpointRow>().find(key);
    if (found != nullptr && found->owner() != command.execution_id) found = nullptr;
    auto refused = command.by_operator ? refuse_approval(command, row, found) : refuse_token(command, found, context);
    if (refused) return *refused;
    if (command.refused) return *command.refused;

    const WaitpointRow waitpoint = *found;
    if (command.remembers()) {
        const auto* known = set.side.of<SignalDedupRow>().find({key, command.idempotency_key});
        if (known != nullptr && known->expires_at_ms > now) {
            return Answer{SignalOutcome{DuplicateSignal{known->signal_id}}};
        }
    }
    if (row.vector.lifecycle_phase == LifecyclePhase::terminal) {
        return refused_in_state(ErrorKind::target_not_signalable, row);
    }
    if (waitpoint.state == WaitpointState::pending && has_lapsed(waitpoint, now)) {
        close_waitpoint(set, waitpoint, WaitpointCloseReason::never_committed, now);
        transition.count_open_waitpoints();
        return refusal(ErrorKind::waitpoint_closed, command.waitpoint_id.to_string());
    }
    if (waitpoint.state == WaitpointState::closed) {
        return refusal(ErrorKind::waitpoint_closed, command.waitpoint_id.to_string());
    }
    const auto limit = signal_limit(command, row);
    if (!limit) return limit.error();
    if (*limit > 0 && static_cast<std::uint32_t>(row.signal_count) >= *limit) {
        return refusal(ErrorKind::signal_limit_exceeded, row.id.to_string() + " has had " + std::to_string(*limit));
    }

    const auto target = target_of(waitpoint, set, row);
    if (!target) return target.error();

    SignalRow signal = row_of(command, waitpoint, transition);
    set.side.of<SignalRow>().put(signal);
    const Reception reception = received(*target, set, row);
    signal.observed_effect = reception.effect;
    signal.matched = is_match(reception.effect);
    set.side.of<SignalRow>().put(signal);
    if (command.payload) set.side.of<SignalPayloadRow>().put({.key = signal.key, .payload = {*command.payload}});
    if (command.remembers()) {
        set.side.of<SignalDedupRow>().put({.key = {key, command.idempotency_key},
                                           .execution_uuid = row.id.uuid,
                                           .signal_id = signal.signal_id,
                                           .expires_at_ms = saturating_add(now, command.dedup_ttl_ms)});
    }
    count(waitpoint, signal.observed_effect, set, now);
    transition.tell_signal(signal);
    if (signal.observed_effect == SignalEffect::resume_condition_satisfied) {
        resume(transition, set,
               {.reason = WaitpointCloseReason::resumed,
                .closer = signal.signal_id,
                .satisfiers = reception.satisfiers,
                .satisfied = true},
               command.resume_delay_ms.value_or(target->resume_delay_ms));
    }
    return Answer{SignalOutcome{SignalAccepted{signal.signal_id, signal.observed_effect}}};
}

Result<Answer> decide(const AdmittedResume& command, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    const ExecutionRow& row = entry.row;
    const SuspensionRow* suspension = open_suspension(context.set, row);
    if (row.vector.lifecycle_phase != LifecyclePhase::suspended || suspension == nullptr) {
        return refused_in_state(ErrorKind::execution_not_suspended, row);
    }
    // By the operator's word, not by the signals that have come so far; and it is not asked for again.
    resume(transition, context.set,
           {.reason = WaitpointCloseReason::resumed, .closer = std::nullopt, .satisfiers = {}, .satisfied = true},
           command.resume_delay_ms);
    if (command.trigger == ResumeTrigger::operator_request) {
        const boost::json::object details{{"resume_delay_ms", command.resume_delay_ms}};
        transition.tell_operators(OperatorEventType::execution_resumed, {boost::json::serialize(details)});
    }
    return Answer{Resumed{row.vector.public_state}};
}

Result<Answer> decide_missing_target(const AdmittedSignal& command) {
    if (command.by_operator) return execution_not_found(command.execution_id);
    // The time that a refusal takes.
    static_cast<void>(token_is_valid({}, nullptr, command.execution_id, command.waitpoint_id));
    return refusal(ErrorKind::invalid_token, command.token.empty() ? "missing_token" : "invalid_token");
}

// ---- time -------------------------------------------------------------------------------------------------------

namespace {

void end_by_timeout(Transition& transition, WorkingSet& set, TerminalOutcome outcome, WaitpointCloseReason reason,
                    const std::string& told) {
    const bool cancels = outcome == TerminalOutcome::cancelled;
    close_suspension(transition, set, {.reason = reason, .closer = std::nullopt, .satisfiers = {}});
    transition.end_attempt(cancels ? AttemptOutcome::ended_cancelled : AttemptOutcome::ended_failure, told,
                           cancels ? std::nullopt : std::optional<std::string>("timeout"));
    if (cancels) {
        transition.set_cancellation(told, "system_timeout", CancellationCause::timeout);
    } else {
        transition.set_failure(told, "timeout");
    }
    transition.finish(outcome);
}

// One per suspension, the same on every store.
SignalId timeout_signal_of(const SuspensionId& id) {
    const Bytes digest = sha256("timeout:" + id.to_string());
    SignalId signal;
    std::ranges::copy_n(digest.begin(), signal.uuid.bytes.size(), signal.uuid.bytes.begin());
    signal.uuid.bytes[6] = static_cast<std::uint8_t>((signal.uuid.bytes[6] & 0x0FU) | 0x80U);
    signal.uuid.bytes[8] = static_cast<std::uint8_t>((signal.uuid.bytes[8] & 0x3FU) | 0x80U);
    return signal;
}

// As a signal that the engine sends to the primary waitpoint. It satisfies only what waited for nothing else.
void resume_by_timeout(Transition& transition, WorkingSet& set, const SuspensionRow& suspension) {
    const auto condition = condition_of(suspension);
    const bool awaited = condition && std::holds_alternative<TimeoutOnly>(condition->node);
    const ExecutionRow& row = transition.row();
    const SignalId signal_id = timeout_signal_of(suspension.suspension_id);
    const WaitpointId primary = row.current_waitpoint_id.value_or(WaitpointId{});
    const WaitpointRow* waitpoint = set.side.of<WaitpointRow>().find({row.id.partition, primary});
    const SignalRow signal{.key = {row.id, transition.next_signal()},
                           .signal_id = signal_id,
                           .waitpoint_id = primary,
                           .waitpoint_key = waitpoint == nullptr ? std::string{} : waitpoint->waitpoint_key,
                           .signal_name = "timeout",
                           .signal_category = "system",
                           .source_type = "engine",
                           .source_identity = "suspension_timeout",
                           .payload_encoding = "json",
                           .accepted_at_ms = transition.now(),
                           .observed_effect = SignalEffect::resume_condition_satisfied,
                           .matched = true,
                           .suspension_id = suspension.suspension_id,
                           .replay_count = row.replay_count};
    set.side.of<SignalRow>().put(signal);
    // A primary waitpoint that was closed by hand is not counted on.
    if (waitpoint != nullptr) count(*waitpoint, signal.observed_effect, set, transition.now());
    transition.tell_signal(signal);
    resume(transition, set,
           {.reason = WaitpointCloseReason::timed_out_auto_resume,
            .closer = signal_id,
            .satisfiers = {signal.key.seq},
            .satisfied = awaited},
           0);
}

void escalate(Transition& transition, WorkingSet& set, SuspensionRow suspension) {
    suspension.reason_code = SuspensionReason::waiting_for_operator_review;
    suspension.timeout_at_ms.reset();
    suspension.timeout_behavior.reset();
    const boost::json::object details{{"suspension_id", suspension.suspension_id.to_string()}};
    for (WaitpointRow& waitpoint : waitpoints_in(WaitpointState::active, set, transition.row().id)) {
        waitpoint.expires_at_ms.reset();
        set.side.of<WaitpointRow>().put(std::move(waitpoint));
    }
    set.side.of<SuspensionRow>().put(std::move(suspension));
    transition.wait_for_operator();
    transition.tell_operators(OperatorEventType::suspension_escalated, {boost::json::serialize(details)});
}

}  // namespace

Result<Answer> decide(const TimeOutSuspension&, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    WorkingSet& set = context.set;
    const ExecutionRow& row = entry.row;
    const SuspensionRow* suspension = open_suspension(set, row);
    const bool due = row.vector.lifecycle_phase == LifecyclePhase::suspended && suspension != nullptr &&
                     suspension->timeout_at_ms.value_or(transition.now() + 1) <= transition.now();
    if (!due) return Answer{TimerFired{.changed = false}};
    switch (suspension->timeout_behavior.value_or(TimeoutBehavior::fail)) {
        case TimeoutBehavior::fail:
            end_by_timeout(transition, set, TerminalOutcome::failed, WaitpointCloseReason::timed_out_fail,
                           "suspension_timeout:fail");
            break;
        case TimeoutBehavior::cancel:
            end_by_timeout(transition, set, TerminalOutcome::cancelled, WaitpointCloseReason::timed_out_cancel,
                           "suspension_timeout:cancel");
            break;
        case TimeoutBehavior::expire:
            end_by_timeout(transition, set, TerminalOutcome::expired, WaitpointCloseReason::timed_out_expire,
                           "suspension_timeout:expire");
            break;
        case TimeoutBehavior::auto_resume_with_timeout_signal:
            resume_by_timeout(transition, set, *suspension);
            break;
        case TimeoutBehavior::escalate:
            escalate(transition, set, *suspension);
            break;
    }
    return Answer{TimerFired{.changed = true}};
}

Result<Answer> decide(const ExpireWaitpoints&, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    bool changed = false;
    for (WaitpointRow& waitpoint : waitpoints_in(WaitpointState::pending, context.set, entry.row.id)) {
        if (!has_lapsed(waitpoint, transition.now())) continue;
        close_waitpoint(context.set, std::move(waitpoint), WaitpointCloseReason::never_committed, transition.now());
        changed = true;
    }
    if (changed) transition.count_open_waitpoints();
    return Answer{TimerFired{.changed = changed}};
}

}  // namespace flowfabric
