#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "flowfabric/field.hpp"

namespace flowfabric {

// The seven dimensions of an execution's state. `PublicState` is a pure function of the other six
// (core/execution/state_vector.hpp).

enum class LifecyclePhase : std::uint8_t { runnable, active, suspended, terminal };

enum class OwnershipState : std::uint8_t { unowned, leased, lease_expired_reclaimable, lease_revoked };

enum class EligibilityState : std::uint8_t {
    eligible_now,
    not_eligible_until_time,
    blocked_by_dependencies,
    blocked_by_budget,
    blocked_by_quota,
    blocked_by_route,
    blocked_by_lane_state,
    blocked_by_operator,
    not_applicable,
};

enum class BlockingReason : std::uint8_t {
    none,
    waiting_for_worker,
    waiting_for_retry_backoff,
    waiting_for_resume_delay,
    waiting_for_delay,
    waiting_for_signal,
    waiting_for_approval,
    waiting_for_callback,
    waiting_for_tool_result,
    waiting_for_children,
    waiting_for_budget,
    waiting_for_quota,
    waiting_for_capable_worker,
    waiting_for_locality_match,
    paused_by_operator,
    paused_by_policy,
    paused_by_flow_cancel,
};

enum class TerminalOutcome : std::uint8_t { none, success, failed, cancelled, expired, skipped };

// Why an execution was cancelled: a call on it, its flow's own cancellation, a group that was decided without it,
// or the timeout of its suspension.
enum class CancellationCause : std::uint8_t { request, flow, sibling, timeout };

enum class AttemptState : std::uint8_t {
    none,
    pending_first_attempt,
    running_attempt,
    attempt_interrupted,
    pending_retry_attempt,
    pending_replay_attempt,
    attempt_terminal,
};

enum class PublicState : std::uint8_t {
    waiting,
    delayed,
    rate_limited,
    waiting_children,
    active,
    suspended,
    resumable,
    completed,
    failed,
    cancelled,
    expired,
    skipped,
};

enum class AttemptType : std::uint8_t { initial, retry, reclaim, replay, fallback };

// How an attempt stands: `started` and `suspended` while it is open, the others once it has ended.
enum class AttemptOutcome : std::uint8_t {
    started,
    suspended,
    ended_success,
    ended_failure,
    ended_cancelled,
    interrupted_reclaimed,
};

enum class LeaseEventType : std::uint8_t { acquired, renewed, reclaimed, released, expired, revoked };

enum class OperatorEventType : std::uint8_t {
    priority_changed,
    replayed,
    flow_cancel_requested,
    execution_cancelled,
    lease_revoked,
    execution_claimed,
    execution_resumed,
    suspension_escalated,
    lane_state_changed,
    budget_breached,
    budget_reset,
    setting_changed,
    execution_purged,
};

enum class SubjectKind : std::uint8_t { execution, flow, budget, lane, setting };

enum class LaneState : std::uint8_t {
    active,
    paused,    // accepts work, hands out none
    draining,  // hands out what it has, accepts none
    disabled,  // neither
};

// What happens to an execution at a given time.
enum class Timer : std::uint8_t {
    lease_expiry,
    delayed_promotion,
    attempt_timeout,
    execution_deadline,
    grant_expiry,
    retention,
    suspension_timeout,
    waitpoint_expiry,
    stream_expiry,
};

// Why an execution is suspended.
enum class SuspensionReason : std::uint8_t {
    waiting_for_signal,
    waiting_for_approval,
    waiting_for_callback,
    waiting_for_tool_result,
    waiting_for_operator_review,
    paused_by_policy,
    paused_by_budget,
    step_boundary,
    manual_pause,
};

enum class SuspensionRequester : std::uint8_t { worker, operator_request, policy, system_timeout_policy };

// What happens to an execution when its suspension reaches the deadline.
enum class TimeoutBehavior : std::uint8_t { fail, cancel, expire, auto_resume_with_timeout_signal, escalate };

enum class WaitpointState : std::uint8_t {
    pending,  // created ahead of its suspension
    active,
    closed,
};

enum class WaitpointCloseReason : std::uint8_t {
    resumed,
    cancelled,
    never_committed,
    proactive_close,
    timed_out_fail,
    timed_out_cancel,
    timed_out_expire,
    timed_out_auto_resume,
};

enum class GrantKind : std::uint8_t { claim, reclaim };

// What an operator asks of a worker.
enum class WorkerMode : std::uint8_t {
    run,
    quiet,  // finishes what it has, and claims nothing
    stop,   // finishes what it has, and ends
};

enum class WorkerEventKind : std::uint8_t { registered, heartbeat, marked_dead, ttl_swept };

// The streams of events.
enum class Channel : std::uint8_t { lease, completion, signal, operators, audit };

// The literal that is stored and sent for each enumerator, in the enumerators' order.
template <class E>
inline constexpr std::array<std::string_view, 0> enum_names{};

template <>
inline constexpr std::array enum_names<LifecyclePhase> =
    std::to_array<std::string_view>({"runnable", "active", "suspended", "terminal"});

template <>
inline constexpr std::array enum_names<OwnershipState> =
    std::to_array<std::string_view>({"unowned", "leased", "lease_expired_reclaimable", "lease_revoked"});

template <>
inline constexpr std::array enum_names<EligibilityState> = std::to_array<std::string_view>(
    {"eligible_now", "not_eligible_until_time", "blocked_by_dependencies", "blocked_by_budget", "blocked_by_quota",
     "blocked_by_route", "blocked_by_lane_state", "blocked_by_operator", "not_applicable"});

template <>
inline constexpr std::array enum_names<BlockingReason> = std::to_array<std::string_view>(
    {"none", "waiting_for_worker", "waiting_for_retry_backoff", "waiting_for_resume_delay", "waiting_for_delay",
     "waiting_for_signal", "waiting_for_approval", "waiting_for_callback", "waiting_for_tool_result",
     "waiting_for_children", "waiting_for_budget", "waiting_for_quota", "waiting_for_capable_worker",
     "waiting_for_locality_match", "paused_by_operator", "paused_by_policy", "paused_by_flow_cancel"});

template <>
inline constexpr std::array enum_names<TerminalOutcome> =
    std::to_array<std::string_view>({"none", "success", "failed", "cancelled", "expired", "skipped"});

template <>
inline constexpr std::array enum_names<CancellationCause> =
    std::to_array<std::string_view>({"request", "flow", "sibling", "timeout"});

template <>
inline constexpr std::array enum_names<AttemptState> =
    std::to_array<std::string_view>({"none", "pending_first_attempt", "running_attempt", "attempt_interrupted",
                                     "pending_retry_attempt", "pending_replay_attempt", "attempt_terminal"});

template <>
inline constexpr std::array enum_names<PublicState> =
    std::to_array<std::string_view>({"waiting", "delayed", "rate_limited", "waiting_children", "active", "suspended",
                                     "resumable", "completed", "failed", "cancelled", "expired", "skipped"});

template <>
inline constexpr std::array enum_names<AttemptType> =
    std::to_array<std::string_view>({"initial", "retry", "reclaim", "replay", "fallback"});

template <>
inline constexpr std::array enum_names<AttemptOutcome> = std::to_array<std::string_view>(
    {"started", "suspended", "ended_success", "ended_failure", "ended_cancelled", "interrupted_reclaimed"});

template <>
inline constexpr std::array enum_names<LeaseEventType> =
    std::to_array<std::string_view>({"acquired", "renewed", "reclaimed", "released", "expired", "revoked"});

template <>
inline constexpr std::array enum_names<OperatorEventType> = std::to_array<std::string_view>(
    {"priority_changed", "replayed", "flow_cancel_requested", "execution_cancelled", "lease_revoked",
     "execution_claimed", "execution_resumed", "suspension_escalated", "lane_state_changed", "budget_breached",
     "budget_reset", "setting_changed", "execution_purged"});

template <>
inline constexpr std::array enum_names<SubjectKind> =
    std::to_array<std::string_view>({"execution", "flow", "budget", "lane", "setting"});

template <>
inline constexpr std::array enum_names<LaneState> =
    std::to_array<std::string_view>({"active", "paused", "draining", "disabled"});

template <>
inline constexpr std::array enum_names<Timer> = std::to_array<std::string_view>(
    {"lease_expiry", "delayed_promotion", "attempt_timeout", "execution_deadline", "grant_expiry", "retention",
     "suspension_timeout", "waitpoint_expiry", "stream_expiry"});

template <>
inline constexpr std::array enum_names<SuspensionReason> = std::to_array<std::string_view>(
    {"waiting_for_signal", "waiting_for_approval", "waiting_for_callback", "waiting_for_tool_result",
     "waiting_for_operator_review", "paused_by_policy", "paused_by_budget", "step_boundary", "manual_pause"});

template <>
inline constexpr std::array enum_names<SuspensionRequester> =
    std::to_array<std::string_view>({"worker", "operator", "policy", "system_timeout_policy"});

template <>
inline constexpr std::array enum_names<TimeoutBehavior> =
    std::to_array<std::string_view>({"fail", "cancel", "expire", "auto_resume_with_timeout_signal", "escalate"});

template <>
inline constexpr std::array enum_names<WaitpointState> =
    std::to_array<std::string_view>({"pending", "active", "closed"});

template <>
inline constexpr std::array enum_names<WaitpointCloseReason> =
    std::to_array<std::string_view>({"resumed", "cancelled", "never_committed", "proactive_close", "timed_out_fail",
                                     "timed_out_cancel", "timed_out_expire", "timed_out_auto_resume"});

template <>
inline constexpr std::array enum_names<GrantKind> = std::to_array<std::string_view>({"claim", "reclaim"});

template <>
inline constexpr std::array enum_names<WorkerMode> = std::to_array<std::string_view>({"run", "quiet", "stop"});

template <>
inline constexpr std::array enum_names<WorkerEventKind> =
    std::to_array<std::string_view>({"registered", "heartbeat", "marked_dead", "ttl_swept"});

template <>
inline constexpr std::array enum_names<Channel> =
    std::to_array<std::string_view>({"lease", "completion", "signal", "operator", "audit"});

template <class E>
constexpr std::string_view to_string(E value)
    requires(!enum_names<E>.empty())
{
    return enum_names<E>[static_cast<std::size_t>(value)];
}

template <class E>
constexpr std::optional<E> parse_enum(std::string_view text)
    requires(!enum_names<E>.empty())
{
    for (std::size_t i = 0; i < enum_names<E>.size(); ++i) {
        if (enum_names<E>[i] == text) return static_cast<E>(i);
    }
    return std::nullopt;
}

struct StateVector {
    static constexpr std::string_view type_name = "StateVector";

    LifecyclePhase lifecycle_phase = LifecyclePhase::runnable;
    OwnershipState ownership_state = OwnershipState::unowned;
    EligibilityState eligibility_state = EligibilityState::eligible_now;
    BlockingReason blocking_reason = BlockingReason::waiting_for_worker;
    TerminalOutcome terminal_outcome = TerminalOutcome::none;
    AttemptState attempt_state = AttemptState::pending_first_attempt;
    PublicState public_state = PublicState::waiting;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lifecycle_phase", &StateVector::lifecycle_phase, field::optional, "Which part of its life it is in.");
        visit("ownership_state", &StateVector::ownership_state, field::optional, "Whether a worker holds it.");
        visit("eligibility_state", &StateVector::eligibility_state, field::optional, "Whether it may be claimed.");
        visit("blocking_reason", &StateVector::blocking_reason, field::optional, "What it waits for.");
        visit("terminal_outcome", &StateVector::terminal_outcome, field::optional, "How it ended.");
        visit("attempt_state", &StateVector::attempt_state, field::optional, "How its latest attempt stands.");
        visit("public_state", &StateVector::public_state, field::optional, "All of that in one word.");
    }

    bool operator==(const StateVector&) const = default;
};

}  // namespace flowfabric
