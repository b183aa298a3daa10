#include "core/execution/state_vector.hpp"

namespace flowfabric {
namespace {

StateVector derived(StateVector vector) {
    vector.public_state = derive_public_state(vector);
    return vector;
}

PublicState public_state_of(TerminalOutcome outcome) {
    switch (outcome) {
        case TerminalOutcome::success:
            return PublicState::completed;
        case TerminalOutcome::cancelled:
            return PublicState::cancelled;
        case TerminalOutcome::expired:
            return PublicState::expired;
        case TerminalOutcome::skipped:
            return PublicState::skipped;
        case TerminalOutcome::failed:
        case TerminalOutcome::none:
            return PublicState::failed;
    }
    return PublicState::failed;
}

PublicState public_state_of_runnable(const StateVector& vector) {
    switch (vector.eligibility_state) {
        case EligibilityState::eligible_now:
            return vector.attempt_state == AttemptState::attempt_interrupted ? PublicState::resumable
                                                                             : PublicState::waiting;
        case EligibilityState::not_eligible_until_time:
            return PublicState::delayed;
        case EligibilityState::blocked_by_dependencies:
            return PublicState::waiting_children;
        case EligibilityState::blocked_by_budget:
        case EligibilityState::blocked_by_quota:
            return PublicState::rate_limited;
        case EligibilityState::blocked_by_route:
        case EligibilityState::blocked_by_lane_state:
        case EligibilityState::blocked_by_operator:
        case EligibilityState::not_applicable:
            return PublicState::waiting;
    }
    return PublicState::waiting;
}

bool is_pending_or_interrupted(AttemptState state) {
    return state == AttemptState::pending_first_attempt || state == AttemptState::pending_retry_attempt ||
           state == AttemptState::pending_replay_attempt || state == AttemptState::attempt_interrupted;
}

bool is_pause(BlockingReason reason) {
    return reason == BlockingReason::paused_by_operator || reason == BlockingReason::paused_by_policy ||
           reason == BlockingReason::paused_by_flow_cancel;
}

bool runnable_reason_fits(const StateVector& v) {
    using enum BlockingReason;
    switch (v.eligibility_state) {
        case EligibilityState::eligible_now:
            return v.blocking_reason == waiting_for_worker;
        case EligibilityState::not_eligible_until_time:
            return v.blocking_reason == waiting_for_delay || v.blocking_reason == waiting_for_retry_backoff ||
                   v.blocking_reason == waiting_for_resume_delay;
        case EligibilityState::blocked_by_dependencies:
            return v.blocking_reason == waiting_for_children;
        case EligibilityState::blocked_by_budget:
            return v.blocking_reason == waiting_for_budget;
        case EligibilityState::blocked_by_quota:
            return v.blocking_reason == waiting_for_quota;
        case EligibilityState::blocked_by_route:
            return v.blocking_reason == waiting_for_capable_worker || v.blocking_reason == waiting_for_locality_match;
        case EligibilityState::blocked_by_lane_state:
        case EligibilityState::blocked_by_operator:
            return is_pause(v.blocking_reason);
        case EligibilityState::not_applicable:
            return false;
    }
    return false;
}

bool suspended_reason_fits(BlockingReason reason) {
    using enum BlockingReason;
    return reason == waiting_for_signal || reason == waiting_for_approval || reason == waiting_for_callback ||
           reason == waiting_for_tool_result || reason == waiting_for_budget || is_pause(reason);
}

bool active_fits(const StateVector& v) {
    if (v.eligibility_state != EligibilityState::not_applicable) return false;
    switch (v.ownership_state) {
        case OwnershipState::leased:
            return v.blocking_reason == BlockingReason::none && v.attempt_state == AttemptState::running_attempt;
        case OwnershipState::lease_expired_reclaimable:
        case OwnershipState::lease_revoked:
            return v.blocking_reason == BlockingReason::waiting_for_worker &&
                   v.attempt_state == AttemptState::attempt_interrupted;
        case OwnershipState::unowned:
            return false;
    }
    return false;
}

}  // namespace

PublicState derive_public_state(const StateVector& vector) {
    switch (vector.lifecycle_phase) {
        case LifecyclePhase::terminal:
            return public_state_of(vector.terminal_outcome);
        case LifecyclePhase::suspended:
            return PublicState::suspended;
        case LifecyclePhase::active:
            return PublicState::active;
        case LifecyclePhase::runnable:
            return public_state_of_runnable(vector);
    }
    return PublicState::waiting;
}

bool is_legal(const StateVector& v) {
    if (v.public_state != derive_public_state(v)) return false;
    const bool terminal = v.lifecycle_phase == LifecyclePhase::terminal;
    if ((v.terminal_outcome != TerminalOutcome::none) != terminal) return false;
    switch (v.lifecycle_phase) {
        case LifecyclePhase::runnable:
            return v.ownership_state == OwnershipState::unowned && is_pending_or_interrupted(v.attempt_state) &&
                   runnable_reason_fits(v);
        case LifecyclePhase::active:
            return active_fits(v);
        case LifecyclePhase::suspended:
            return v.ownership_state == OwnershipState::unowned &&
                   v.eligibility_state == EligibilityState::not_applicable &&
                   v.attempt_state == AttemptState::attempt_interrupted && suspended_reason_fits(v.blocking_reason);
        case LifecyclePhase::terminal:
            return v.ownership_state == OwnershipState::unowned &&
                   v.eligibility_state == EligibilityState::not_applicable &&
                   v.blocking_reason == BlockingReason::none &&
                   (v.attempt_state == AttemptState::attempt_terminal || v.attempt_state == AttemptState::none);
    }
    return false;
}

StateVector waiting_vector(AttemptState attempt) {
    return derived({.lifecycle_phase = LifecyclePhase::runnable,
                    .ownership_state = OwnershipState::unowned,
                    .eligibility_state = EligibilityState::eligible_now,
                    .blocking_reason = BlockingReason::waiting_for_worker,
                    .terminal_outcome = TerminalOutcome::none,
                    .attempt_state = attempt,
                    .public_state = {}});
}

StateVector delayed_vector(BlockingReason reason, AttemptState attempt) {
    StateVector vector = waiting_vector(attempt);
    vector.eligibility_state = EligibilityState::not_eligible_until_time;
    vector.blocking_reason = reason;
    return derived(vector);
}

StateVector dependency_vector(AttemptState attempt) {
    StateVector vector = waiting_vector(attempt);
    vector.eligibility_state = EligibilityState::blocked_by_dependencies;
    vector.blocking_reason = BlockingReason::waiting_for_children;
    return derived(vector);
}

StateVector active_vector() {
    return derived({.lifecycle_phase = LifecyclePhase::active,
                    .ownership_state = OwnershipState::leased,
                    .eligibility_state = EligibilityState::not_applicable,
                    .blocking_reason = BlockingReason::none,
                    .terminal_outcome = TerminalOutcome::none,
                    .attempt_state = AttemptState::running_attempt,
                    .public_state = {}});
}

StateVector suspended_vector(BlockingReason reason) {
    StateVector vector = active_vector();
    vector.lifecycle_phase = LifecyclePhase::suspended;
    vector.ownership_state = OwnershipState::unowned;
    vector.blocking_reason = reason;
    vector.attempt_state = AttemptState::attempt_interrupted;
    return derived(vector);
}

StateVector lease_expired_vector() {
    StateVector vector = active_vector();
    vector.ownership_state = OwnershipState::lease_expired_reclaimable;
    vector.blocking_reason = BlockingReason::waiting_for_worker;
    vector.attempt_state = AttemptState::attempt_interrupted;
    return derived(vector);
}

StateVector lease_revoked_vector() {
    StateVector vector = lease_expired_vector();
    vector.ownership_state = OwnershipState::lease_revoked;
    return derived(vector);
}

StateVector terminal_vector(TerminalOutcome outcome, bool ever_claimed) {
    return derived({.lifecycle_phase = LifecyclePhase::terminal,
                    .ownership_state = OwnershipState::unowned,
                    .eligibility_state = EligibilityState::not_applicable,
                    .blocking_reason = BlockingReason::none,
                    .terminal_outcome = outcome,
                    .attempt_state = ever_claimed ? AttemptState::attempt_terminal : AttemptState::none,
                    .public_state = {}});
}

}  // namespace flowfabric
