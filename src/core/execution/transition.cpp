#include "core/execution/transition.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/base/saturating.hpp"
#include "core/base/tags.hpp"
#include "core/execution/retry.hpp"
#include "core/execution/state_vector.hpp"
#include "core/stream/stream.hpp"
#include "core/suspension/suspension.hpp"

namespace flowfabric {

bool is_waiting(const ExecutionRow& row) {
    return row.vector.lifecycle_phase == LifecyclePhase::runnable &&
           row.vector.eligibility_state == EligibilityState::eligible_now;
}

bool has_lost_lease(const ExecutionRow& row) {
    return row.vector.ownership_state == OwnershipState::lease_expired_reclaimable ||
           row.vector.ownership_state == OwnershipState::lease_revoked;
}

std::uint64_t epoch_of_last_lease(const ExecutionRow& row) {
    return has_lost_lease(row) ? row.lease_epoch - 1 : row.lease_epoch;
}

bool has_open_attempt(const ExecutionRow& row) {
    return row.vector.attempt_state == AttemptState::running_attempt ||
           row.vector.attempt_state == AttemptState::attempt_interrupted;
}

Transition::Transition(ExecutionEntry& entry, WorkingSet& set)
    : entry_(entry), set_(set), now_ms_(std::max(set.now_ms, entry.row.last_mutation_at_ms)) {
    // Before anything can change: stores write the columns that differ from it.
    if (entry.change == RowChange::none && !entry.loaded) {
        entry.loaded = std::make_shared<const ExecutionRow>(entry.row);
    }
}

void Transition::touch() {
    if (entry_.change == RowChange::none) entry_.change = RowChange::update;
    entry_.row.last_mutation_at_ms = now_ms_;
}

void Transition::move_to(const StateVector& vector) {
    touch();
    entry_.row.vector = vector;
    entry_.row.last_transition_at_ms = now_ms_;
}

void Transition::make_runnable(AttemptState attempt, BlockingReason delay_reason) {
    ExecutionRow& row = entry_.row;
    if (row.deps_blocked) {
        move_to(dependency_vector(attempt));
    } else if (row.delay_until_ms && *row.delay_until_ms > now_ms_) {
        move_to(delayed_vector(delay_reason, attempt));
    } else {
        row.delay_until_ms.reset();
        move_to(waiting_vector(attempt));
        set_.work_available = true;
    }
}

void Transition::open_attempt(AttemptId id, AttemptType type) {
    touch();
    ExecutionRow& row = entry_.row;
    row.previous_attempt_index = row.total_attempt_count == 0 ? std::nullopt : std::optional(row.attempt_index);
    row.attempt_index = row.total_attempt_count;
    row.total_attempt_count += 1;
    row.attempt_id = id;
    row.attempt_type = type;
    row.attempt_started_at_ms = now_ms_;
    row.interrupt_cause.reset();
    if (!row.started_at_ms) row.started_at_ms = now_ms_;
}

void Transition::end_attempt(const AttemptEnding& ending, std::optional<std::string> failure_reason,
                             std::optional<std::string> failure_category) {
    touch();
    end_stream(ending);
    ExecutionRow& row = entry_.row;
    set_.attempts.push_back({.execution_id = row.id,
                             .attempt_index = row.attempt_index,
                             .attempt_id = row.attempt_id.value_or(AttemptId{}),
                             .attempt_type = row.attempt_type.value_or(AttemptType::initial),
                             .worker_id = row.worker_id.value_or(std::string{}),
                             .worker_instance_id = row.worker_instance_id.value_or(std::string{}),
                             .lease_id = row.lease_id.value_or(LeaseId{}),
                             .lease_epoch = epoch_of_last_lease(row),
                             .started_at_ms = row.attempt_started_at_ms.value_or(now_ms_),
                             .terminal_at_ms = now_ms_,
                             .outcome = ending.outcome,
                             .failure_reason = std::move(failure_reason),
                             .failure_category = std::move(failure_category),
                             .previous_attempt_index = row.previous_attempt_index});
    row.attempt_type.reset();
    row.attempt_started_at_ms.reset();
    row.previous_attempt_index.reset();
    row.attempt_deadline_at_ms.reset();
    row.interrupt_cause.reset();
    row.attempt_time_left_ms.reset();
}

void Transition::interrupt_attempt(std::string_view cause, std::string_view release_reason, std::string call) {
    touch();
    ExecutionRow& row = entry_.row;
    // The attempt's history names the worker that held it last.
    end_lease({.how = LeaseEventType::released, .reason = release_reason, .trace = LeaseTrace::owner});
    row.interrupt_cause = cause;
    row.last_release = std::move(call);
    if (row.attempt_deadline_at_ms) {
        row.attempt_time_left_ms =
            std::max<std::int64_t>(saturating_difference(*row.attempt_deadline_at_ms, now_ms_), 1);
        row.attempt_deadline_at_ms.reset();
    }
}

void Transition::resume_attempt_deadline() {
    ExecutionRow& row = entry_.row;
    if (!row.attempt_time_left_ms) return;
    touch();
    row.attempt_deadline_at_ms = saturating_add(now_ms_, static_cast<std::uint64_t>(*row.attempt_time_left_ms));
    row.attempt_time_left_ms.reset();
}

void Transition::return_unstarted() {
    ExecutionRow& row = entry_.row;
    const std::string reason = "unstarted";
    // The cause of the interruption stays while a resumed lease runs: this lease has not opened the attempt.
    if (row.interrupt_cause) {
        interrupt_attempt(std::string(*row.interrupt_cause), reason, reason);
        make_runnable(AttemptState::attempt_interrupted, BlockingReason::waiting_for_delay);
        return;
    }
    touch();
    end_lease({.how = LeaseEventType::released, .reason = reason, .trace = LeaseTrace::none});
    const AttemptType type = row.attempt_type.value_or(AttemptType::initial);
    row.total_attempt_count -= 1;
    row.attempt_index = row.previous_attempt_index.value_or(0);
    row.attempt_type.reset();
    row.attempt_started_at_ms.reset();
    row.previous_attempt_index.reset();
    row.attempt_deadline_at_ms.reset();
    row.last_release = reason;
    if (row.total_attempt_count == 0) row.started_at_ms.reset();
    switch (type) {
        case AttemptType::reclaim:
            // The lost attempt has ended and cannot be reclaimed twice; the next one takes its place.
            row.interrupt_cause = "lease";
            [[fallthrough]];
        case AttemptType::retry:
            return make_runnable(AttemptState::pending_retry_attempt, BlockingReason::waiting_for_retry_backoff);
        case AttemptType::replay:
            return make_runnable(AttemptState::pending_replay_attempt, BlockingReason::waiting_for_delay);
        case AttemptType::initial:
        case AttemptType::fallback:
            return make_runnable(AttemptState::pending_first_attempt, BlockingReason::waiting_for_delay);
    }
}

void Transition::acquire_lease(const LeaseGrant& grant, LeaseEventType opening, std::optional<std::string> reason) {
    ExecutionRow& row = entry_.row;
    auto previous_owner = opening == LeaseEventType::reclaimed ? row.worker_instance_id : std::nullopt;
    move_to(active_vector());
    row.lease_epoch += 1;
    row.lease_id = grant.lease_id;
    row.worker_id = grant.worker_id;
    row.worker_instance_id = grant.worker_instance_id;
    row.lease_acquired_at_ms = now_ms_;
    row.lease_last_renewed_at_ms = now_ms_;
    row.lease_expires_at_ms = saturating_add(now_ms_, grant.ttl_ms);
    row.lease_check_at_ms = row.lease_expires_at_ms;
    row.reclaimable_since_ms.reset();
    row.blocking_detail.reset();
    row.last_release.reset();
    withdraw_grants();
    emit(opening, row.lease_epoch, std::move(reason)).prev_worker_instance_id = std::move(previous_owner);
}

void Transition::renew_lease(std::uint64_t ttl_ms, bool emit_event) {
    touch();
    ExecutionRow& row = entry_.row;
    row.lease_last_renewed_at_ms = now_ms_;
    row.lease_expires_at_ms = saturating_add(now_ms_, ttl_ms);
    // A shorter lease must not be noticed late; a longer one leaves the indexed column alone.
    if (row.lease_check_at_ms > row.lease_expires_at_ms) row.lease_check_at_ms = row.lease_expires_at_ms;
    if (emit_event) emit(LeaseEventType::renewed, row.lease_epoch, std::nullopt);
}

void Transition::release_lease(std::string_view reason) {
    end_lease({.how = LeaseEventType::released, .reason = reason, .trace = LeaseTrace::none});
}

void Transition::expire_lease(std::string_view reason) {
    end_lease({.how = LeaseEventType::expired, .reason = reason, .trace = LeaseTrace::all});
    become_reclaimable(lease_expired_vector(), attempt_ending::silence);
}

void Transition::end_lease_by_timeout(std::string_view reason) {
    end_lease({.how = LeaseEventType::expired, .reason = reason, .trace = LeaseTrace::none});
}

void Transition::revoke_lease(std::string_view reason, std::string_view revoked_by) {
    end_lease({.how = LeaseEventType::revoked, .reason = reason, .trace = LeaseTrace::none, .revoked_by = revoked_by});
}

void Transition::revoke_for_reclaim(std::string_view reason, std::string_view revoked_by) {
    end_lease({.how = LeaseEventType::revoked, .reason = reason, .trace = LeaseTrace::all, .revoked_by = revoked_by});
    become_reclaimable(lease_revoked_vector(), attempt_ending::revocation);
    touch();
    entry_.row.blocking_detail = "revoked: " + std::string(reason);
}

void Transition::end_lease(const LeaseEnd& end) {
    touch();
    tell_lease_end(end);
    // An owner that has not given its lease back may still call; the next epoch makes it stale.
    if (end.how != LeaseEventType::released) entry_.row.lease_epoch += 1;
    leave_lease_trace(end.trace);
}

void Transition::tell_lease_end(const LeaseEnd& end) {
    LeaseEvent& event = emit(end.how, entry_.row.lease_epoch, std::string(end.reason));
    if (!end.revoked_by.empty()) event.revoked_by = end.revoked_by;
}

void Transition::leave_lease_trace(LeaseTrace trace) {
    if (trace == LeaseTrace::all) return;
    ExecutionRow& row = entry_.row;
    row.lease_acquired_at_ms.reset();
    row.lease_last_renewed_at_ms.reset();
    row.lease_expires_at_ms.reset();
    if (trace == LeaseTrace::owner) return;
    row.lease_id.reset();
    row.worker_id.reset();
    row.worker_instance_id.reset();
}

void Transition::become_reclaimable(const StateVector& vector, const AttemptEnding& ending) {
    move_to(vector);
    end_stream(ending);
    ExecutionRow& row = entry_.row;
    row.lease_check_at_ms.reset();
    row.attempt_deadline_at_ms.reset();
    row.reclaimable_since_ms = now_ms_;
    row.interrupt_cause = "lease";
    set_.work_available = true;
}

void Transition::rearm_lease_check() {
    touch();
    entry_.row.lease_check_at_ms = entry_.row.lease_expires_at_ms;
}

void Transition::set_attempt_deadline(std::optional<std::uint64_t> timeout_ms) {
    touch();
    entry_.row.attempt_deadline_at_ms = timeout_ms ? std::optional(saturating_add(now_ms_, *timeout_ms)) : std::nullopt;
}

void Transition::set_failure(std::string reason, std::string category) {
    touch();
    entry_.row.failure_reason = std::move(reason);
    entry_.row.failure_category = std::move(category);
}

void Transition::delay_until(std::int64_t delay_until_ms) {
    touch();
    entry_.row.delay_until_ms = delay_until_ms;
    make_runnable(AttemptState::attempt_interrupted, BlockingReason::waiting_for_delay);
}

void Transition::schedule_retry(std::int64_t delay_until_ms, std::string detail) {
    touch();
    ExecutionRow& row = entry_.row;
    row.retry_count += 1;
    set_.retried.push_back(row.id);
    row.delay_until_ms = delay_until_ms;
    row.blocking_detail = std::move(detail);
    make_runnable(AttemptState::pending_retry_attempt, BlockingReason::waiting_for_retry_backoff);
}

void Transition::count_reclaim() {
    touch();
    entry_.row.lease_reclaim_count += 1;
}

void Transition::store_result(std::optional<Bytes> result, std::optional<std::string> encoding) {
    if (encoding) {
        touch();
        entry_.row.result_encoding = std::move(encoding);
    }
    if (result) {
        touch();
        entry_.result = std::move(result);
    }
}

void Transition::set_cancellation(std::string reason, std::string by, CancellationCause cause) {
    touch();
    entry_.row.cancellation_reason = std::move(reason);
    entry_.row.cancelled_by = std::move(by);
    entry_.row.cancellation_cause = cause;
}

void Transition::set_progress(std::optional<std::uint32_t> percent, std::optional<std::string> message) {
    touch();
    ExecutionRow& row = entry_.row;
    if (percent) row.progress_pct = static_cast<std::int32_t>(*percent);
    if (message) row.progress_message = std::move(message);
    row.progress_updated_at_ms = now_ms_;
    row.activity_epoch = row.lease_epoch;
}

void Transition::note_output() {
    ExecutionRow& row = entry_.row;
    if (row.has_stream && row.activity_epoch == row.lease_epoch) return;
    touch();
    row.has_stream = true;
    row.activity_epoch = row.lease_epoch;
}

void Transition::end_stream(const AttemptEnding& ending) {
    ExecutionRow& row = entry_.row;
    if (!row.has_stream) return;
    touch();
    row.has_stream = false;
    close_stream(set_, {row.id, row.attempt_index}, ending.stream, now_ms_);
}

void Transition::set_tags(const Tags& tags) {
    touch();
    for (const Uuid& term : terms_of(entry_.row)) forget_term(term);
    entry_.row.tags = json_of(tags);
    note_terms();
    entry_.row.instance_tag = tag_of(entry_.row.tags, set_.settings.instance_tag_key);
}

void Transition::note_terms() {
    for (const Uuid& term : terms_of(entry_.row)) note_term(term);
}

void Transition::note_term(const Uuid& term) {
    const ExecutionRow& row = entry_.row;
    set_.side.of<SearchTermRow>().put({.key = {row.id, term}, .created_at_ms = row.created_at_ms});
}

void Transition::forget_term(const Uuid& term) {
    set_.side.of<SearchTermRow>().erase({entry_.row.id, term});
}

void Transition::set_priority(std::int32_t priority) {
    touch();
    entry_.row.priority = priority;
}

void Transition::replay() {
    touch();
    ExecutionRow& row = entry_.row;
    if (counts_as_failure(row.vector.public_state)) forget_term(term_of_failure());
    row.replay_count += 1;
    row.retry_count = 0;
    row.terminal_at_ms.reset();
    row.result_encoding.reset();
    entry_.result.reset();
    entry_.clear_result = true;
    row.cancellation_reason.reset();
    row.cancelled_by.reset();
    row.cancellation_cause.reset();
    row.failure_reason.reset();
    row.failure_category.reset();
    row.last_release.reset();
    row.deps_blocked = false;
    // A deadline that has passed would end it again at once.
    if (row.deadline_at_ms > now_ms_) row.deadline_check_at_ms = row.deadline_at_ms;
    make_runnable(AttemptState::pending_replay_attempt, BlockingReason::waiting_for_delay);
}

void Transition::join_flow(const FlowId& flow_id) {
    touch();
    entry_.row.flow_id = flow_id;
}

void Transition::hold_for_dependencies(std::string detail) {
    touch();
    ExecutionRow& row = entry_.row;
    row.deps_blocked = true;
    row.blocking_detail = std::move(detail);
    const bool running = row.vector.attempt_state == AttemptState::running_attempt;
    move_to(dependency_vector(running ? AttemptState::attempt_interrupted : row.vector.attempt_state));
}

void Transition::release_dependencies() {
    touch();
    ExecutionRow& row = entry_.row;
    row.deps_blocked = false;
    if (row.vector.eligibility_state != EligibilityState::blocked_by_dependencies) return;
    row.blocking_detail.reset();
    make_runnable(row.vector.attempt_state, BlockingReason::waiting_for_delay);
}

void Transition::skip() {
    touch();
    constexpr std::string_view reason = "dependency_impossible";
    const ExecutionRow& row = entry_.row;
    if (has_open_attempt(row)) end_attempt(attempt_ending::dependency, std::string(reason));
    if (row.vector.ownership_state == OwnershipState::leased) revoke_lease(reason, "backend");
    entry_.row.deps_blocked = false;
    finish(TerminalOutcome::skipped);
}

void Transition::tell_operators(OperatorEventType type, Json details) {
    const ExecutionRow& row = entry_.row;
    set_.events.of<OperatorEvent>().push_back({.event_id = 0,
                                               .partition_key = row.id.partition,
                                               .subject_id = row.id.uuid,
                                               .namespace_name = row.namespace_name,
                                               .instance_tag = row.instance_tag,
                                               .subject_kind = SubjectKind::execution,
                                               .event_type = type,
                                               .details = std::move(details),
                                               .occurred_at_ms = now_ms_});
}

void Transition::finish(TerminalOutcome outcome) {
    if (has_open_waitpoints(entry_.row)) close_open_waitpoints(*this, set_, outcome);
    leave_lease_trace(LeaseTrace::none);
    withdraw_grants();
    stop_timers();
    forget_hindrances();
    become_terminal(outcome);
    if (counts_as_failure(entry_.row.vector.public_state)) note_term(term_of_failure());
    note_retention();
    tell_completion(outcome);
}

void Transition::stop_timers() {
    ExecutionRow& row = entry_.row;
    row.delay_until_ms.reset();
    row.attempt_deadline_at_ms.reset();
    row.reclaimable_since_ms.reset();
    row.deadline_check_at_ms.reset();
}

void Transition::forget_hindrances() {
    ExecutionRow& row = entry_.row;
    row.interrupt_cause.reset();
    row.blocking_detail.reset();
}

void Transition::become_terminal(TerminalOutcome outcome) {
    move_to(terminal_vector(outcome, entry_.row.total_attempt_count > 0));
    entry_.row.terminal_at_ms = now_ms_;
}

void Transition::note_retention() {
    const ExecutionRow& row = entry_.row;
    if (!row.own_retention_ms) return;
    const auto remove_at = saturating_add(now_ms_, *row.own_retention_ms);
    set_.side.of<RetentionRow>().put({.key = {row.id}, .remove_at_ms = remove_at});
}

void Transition::tell_completion(TerminalOutcome outcome) {
    const ExecutionRow& row = entry_.row;
    set_.events.of<CompletionEvent>().push_back(
        {.event_id = 0,
         .execution_id = row.id,
         .namespace_name = row.namespace_name,
         .instance_tag = row.instance_tag,
         .flow_id = row.flow_id,
         .outcome = outcome,
         .occurred_at_ms = now_ms_,
         .dispatched_at_ms = row.flow_id ? std::nullopt : std::optional(now_ms_),
         .cancellation_cause = row.cancellation_cause});
}

void Transition::suspend(const SuspensionId& suspension, const WaitpointId& primary, BlockingReason reason) {
    interrupt_attempt("suspension", "suspended", "suspended:" + suspension.to_string());
    entry_.row.current_suspension_id = suspension;
    entry_.row.current_waitpoint_id = primary;
    move_to(suspended_vector(reason));
    expect_signals();
}

void Transition::leave_suspension() {
    touch();
    entry_.row.current_suspension_id.reset();
    entry_.row.current_waitpoint_id.reset();
    count_open_waitpoints();
}

void Transition::resume_interrupted(std::uint64_t delay_ms) {
    touch();
    if (delay_ms > 0) entry_.row.delay_until_ms = saturating_add(now_ms_, delay_ms);
    make_runnable(AttemptState::attempt_interrupted, BlockingReason::waiting_for_resume_delay);
}

void Transition::wait_for_operator() {
    move_to(suspended_vector(BlockingReason::paused_by_operator));
}

void Transition::expect_signals() {
    touch();
    entry_.row.has_waitpoints = true;
    entry_.row.activity_epoch = entry_.row.lease_epoch;
}

void Transition::count_open_waitpoints() {
    touch();
    entry_.row.has_waitpoints =
        !set_.side.of<WaitpointRow>()
             .where([&](const WaitpointRow& waitpoint) {
                 return waitpoint.owner() == entry_.row.id && waitpoint.state != WaitpointState::closed;
             })
             .empty();
}

std::int32_t Transition::next_signal() {
    touch();
    return entry_.row.signal_count++;
}

void Transition::tell_signal(const SignalRow& signal) {
    const ExecutionRow& row = entry_.row;
    set_.events.of<SignalEvent>().push_back(
        {.event_id = 0,
         .execution_id = row.id,
         .namespace_name = row.namespace_name,
         .instance_tag = row.instance_tag,
         .signal_id = signal.signal_id.uuid,
         .waitpoint_id = signal.waitpoint_id.uuid,
         .source_identity = signal.source_identity.empty() ? std::nullopt : std::optional(signal.source_identity),
         .effect = std::string(to_string(signal.observed_effect)),
         .delivered_at_ms = now_ms_});
}

void Transition::grant_until(std::int64_t until_ms) {
    touch();
    entry_.row.grant_until_ms = until_ms;
}

void Transition::withdraw_grants() {
    if (!entry_.row.grant_until_ms) return;
    touch();
    entry_.row.grant_until_ms.reset();
    auto& grants = set_.side.of<GrantRow>();
    for (const GrantRow& grant : grants.where([&](const GrantRow& g) { return g.owner() == entry_.row.id; })) {
        grants.erase(grant.key);
    }
}

LeaseEvent& Transition::emit(LeaseEventType type, std::uint64_t epoch, std::optional<std::string> reason) {
    const ExecutionRow& row = entry_.row;
    return set_.events.of<LeaseEvent>().emplace_back(
        LeaseEvent{.event_id = 0,
                   .execution_id = row.id,
                   .namespace_name = row.namespace_name,
                   .instance_tag = row.instance_tag,
                   .event_type = type,
                   .lease_id = row.lease_id.value_or(LeaseId{}),
                   .lease_epoch = epoch,
                   .attempt_index = row.attempt_index,
                   .attempt_id = row.attempt_id.value_or(AttemptId{}),
                   .worker_id = row.worker_id.value_or(std::string{}),
                   .worker_instance_id = row.worker_instance_id.value_or(std::string{}),
                   .prev_worker_instance_id = std::nullopt,
                   .reason = std::move(reason),
                   .revoked_by = std::nullopt,
                   .occurred_at_ms = now_ms_});
}

}  // namespace flowfabric
