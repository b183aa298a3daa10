#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "flowfabric/condition.hpp"
#include "flowfabric/handle.hpp"
#include "flowfabric/lease_ref.hpp"

// Parking an execution until signals arrive, an operator says so, or time runs out.
namespace flowfabric {

// ---- waitpoints -------------------------------------------------------------------------------------------------

struct PendingWaitpoint {
    WaitpointId waitpoint_id;
    std::string token;  // whoever holds it may signal the waitpoint

    bool operator==(const PendingWaitpoint&) const = default;
};

// Opens a waitpoint ahead of the suspension that will use it; signals to it are kept until then. Every call opens
// another one.
struct CreateWaitpoint {
    using Answer = PendingWaitpoint;

    LeaseRef lease;
    std::string waitpoint_key;
    std::uint64_t expires_in_ms = 3'600'000;
};

// A waitpoint of a suspension: a new one …
struct FreshWaitpoint {
    std::optional<WaitpointId> waitpoint_id;  // absent: minted
    std::string waitpoint_key;
};

// … or one that was created ahead; only the first may be.
struct UsePendingWaitpoint {
    WaitpointId waitpoint_id;
};

using WaitpointBinding = std::variant<FreshWaitpoint, UsePendingWaitpoint>;

struct WaitpointClosed {
    bool was_open = true;

    bool operator==(const WaitpointClosed&) const = default;
};

// Nobody can signal it any more.
struct CloseWaitpoint {
    using Answer = WaitpointClosed;

    ExecutionId execution_id;
    WaitpointId waitpoint_id;
    std::string reason = "proactive_close";
};

// ---- suspend ----------------------------------------------------------------------------------------------------

struct ResumePolicy {
    bool consume_matched_signals = true;
    bool retain_signal_buffer_until_closed = false;
    std::optional<std::uint64_t> resume_delay_ms;
    bool close_waitpoint_on_resume = true;

    bool operator==(const ResumePolicy&) const = default;
};

struct SuspendedWaitpoint {
    WaitpointId waitpoint_id;
    std::string waitpoint_key;
    std::string token;

    bool operator==(const SuspendedWaitpoint&) const = default;
};

struct SuspensionDetails {
    SuspensionId suspension_id;
    SuspendedWaitpoint primary;
    std::vector<SuspendedWaitpoint> additional;

    bool operator==(const SuspensionDetails&) const = default;
};

struct Suspended {
    SuspensionDetails details;
    Handle handle;  // names the suspended attempt; no operation takes it for a lease

    bool operator==(const Suspended&) const = default;
};

// An accepted signal. It belongs to its execution: whichever attempt runs next is told of it as well.
struct ResumeSignal {
    SignalId signal_id;
    WaitpointId waitpoint_id;
    std::string signal_name;
    std::string signal_category;
    std::string source_type;
    std::string source_identity;
    std::optional<std::string> correlation_id;
    std::int64_t accepted_at_ms = 0;
    std::optional<std::string> payload;
    std::string payload_encoding;
    std::optional<SuspensionId> suspension_id;  // absent: its waitpoint has been in none
    std::string waitpoint_key;
    bool satisfied = false;  // one of those that satisfied the condition of its suspension

    bool operator==(const ResumeSignal&) const = default;
};

// What one answer carries of an execution's signals; `observe_signals` gives all.
inline constexpr std::size_t max_given_signals = 100;
inline constexpr std::size_t max_given_signal_bytes = 65'536;  // of payloads

// The signals that had been kept satisfy the condition, or this execution was suspended with the same idempotency key
// before and that suspension was satisfied: the lease goes on as if nothing had been asked.
struct ConditionAlreadyMet {
    SuspensionDetails details;          // of the suspension that was satisfied; a token whose key is gone is empty
    std::vector<ResumeSignal> signals;  // what that suspension received, in order of acceptance
    bool more_signals = false;          // and others behind them, for observe_signals

    bool operator==(const ConditionAlreadyMet&) const = default;
};

using SuspendOutcome = std::variant<Suspended, ConditionAlreadyMet>;

// Gives the lease back until the condition is met; the same attempt goes on afterwards.
struct Suspend {
    using Answer = SuspendOutcome;

    LeaseRef lease;
    std::optional<SuspensionId> suspension_id;  // absent: minted
    std::vector<WaitpointBinding> waitpoints;   // the first is the primary one
    ResumeCondition resume_condition;
    ResumePolicy resume_policy;
    SuspensionReason reason_code = SuspensionReason::waiting_for_signal;
    SuspensionRequester requested_by = SuspensionRequester::worker;
    std::optional<std::int64_t> timeout_at_ms;        // absent: the execution's policy decides
    std::optional<TimeoutBehavior> timeout_behavior;  // likewise; fail if it says nothing
    std::optional<std::string> continuation_metadata_pointer;
    // Empty: none. With one, a repeat gets the first answer while the suspension is open, and once it was satisfied
    // every attempt of this run is told so.
    std::string idempotency_key;
};

// ---- signals ----------------------------------------------------------------------------------------------------

// What a signal did to its waitpoint, as its event says.
enum class SignalEffect : std::uint8_t {
    resume_condition_satisfied,
    appended_to_waitpoint,
    appended_to_waitpoint_duplicate,
    signal_ignored_not_in_condition,
    signal_ignored_matcher_failed,
    no_op,
    buffered_for_pending_waitpoint,
};

template <>
inline constexpr std::array enum_names<SignalEffect> = std::to_array<std::string_view>(
    {"resume_condition_satisfied", "appended_to_waitpoint", "appended_to_waitpoint_duplicate",
     "signal_ignored_not_in_condition", "signal_ignored_matcher_failed", "no_op", "buffered_for_pending_waitpoint"});

struct SignalAccepted {
    SignalId signal_id;
    SignalEffect effect = SignalEffect::no_op;

    bool operator==(const SignalAccepted&) const = default;
};

struct DuplicateSignal {
    SignalId existing_signal_id;

    bool operator==(const DuplicateSignal&) const = default;
};

using SignalOutcome = std::variant<SignalAccepted, DuplicateSignal>;

enum class SignalScope : std::uint8_t { waitpoint, execution };

template <>
inline constexpr std::array enum_names<SignalScope> = std::to_array<std::string_view>({"waitpoint", "execution"});

struct DeliverSignal {
    using Answer = SignalOutcome;

    ExecutionId execution_id;
    WaitpointId waitpoint_id;
    std::string waitpoint_token;
    std::optional<SignalId> signal_id;  // absent: minted
    std::string signal_name;
    std::string signal_category;
    std::string source_type;
    std::string source_identity;
    std::optional<std::string> payload;  // bytes, at most 64 KiB
    std::string payload_encoding = "json";
    std::optional<std::string> correlation_id;
    std::string idempotency_key;  // empty: none
    SignalScope target_scope = SignalScope::waitpoint;
    std::optional<std::int64_t> created_at_ms;  // by the sender's clock; kept as it is
    std::uint64_t dedup_ttl_ms = 86'400'000;
    std::optional<std::uint64_t> resume_delay_ms;  // absent: the suspension's policy decides
    std::optional<std::uint32_t> max_signals_per_execution;
};

// By an operator, who needs no token.
struct DeliverApprovalSignal {
    using Answer = SignalOutcome;

    ExecutionId execution_id;
    std::string lane_id = "default";
    WaitpointId waitpoint_id;
    std::string signal_name;  // by convention `approved` or `rejected`
    std::string idempotency_suffix;
    std::uint64_t signal_dedup_ttl_ms = 86'400'000;
    std::optional<std::uint32_t> max_signals_per_execution;
};

// ---- resume -----------------------------------------------------------------------------------------------------

struct Resumed {
    PublicState public_state = PublicState::resumable;

    bool operator==(const Resumed&) const = default;
};

enum class ResumeTrigger : std::uint8_t { signal, operator_request, auto_resume };

template <>
inline constexpr std::array enum_names<ResumeTrigger> =
    std::to_array<std::string_view>({"signal", "operator", "auto_resume"});

// Whatever the condition says.
struct ResumeExecution {
    using Answer = Resumed;

    ExecutionId execution_id;
    ResumeTrigger trigger = ResumeTrigger::operator_request;
    std::uint64_t resume_delay_ms = 0;
};

// ---- reads ------------------------------------------------------------------------------------------------------

struct SuspendedPlace {
    std::int64_t suspended_at_ms = 0;
    ExecutionId execution_id;

    auto operator<=>(const SuspendedPlace&) const = default;
};

struct SuspendedListQuery {
    std::optional<std::uint16_t> partition;
    std::optional<SuspendedPlace> after;
    std::uint32_t limit = 50;
};

struct SuspendedExecution {
    ExecutionId execution_id;
    SuspensionId suspension_id;
    std::int64_t suspended_at_ms = 0;
    SuspensionReason reason = SuspensionReason::waiting_for_signal;
    std::optional<std::int64_t> timeout_at_ms;

    bool operator==(const SuspendedExecution&) const = default;
};

struct SuspendedPage {
    std::vector<SuspendedExecution> executions;
    std::optional<SuspendedPlace> next;
};

struct WaitpointListQuery {
    ExecutionId execution_id;
    std::optional<WaitpointId> after;
    std::uint32_t limit = 100;
};

struct WaitpointView {
    WaitpointId waitpoint_id;
    ExecutionId execution_id;
    std::string waitpoint_key;
    WaitpointState state = WaitpointState::pending;
    std::vector<std::string> required_signal_names;  // none: any signal
    std::int64_t created_at_ms = 0;
    std::optional<std::int64_t> activated_at_ms;
    std::optional<std::int64_t> expires_at_ms;
    std::string token_kid;
    std::string token_fingerprint;

    bool operator==(const WaitpointView&) const = default;
};

struct WaitpointPage {
    std::vector<WaitpointView> waitpoints;
    std::optional<WaitpointId> next;
};

}  // namespace flowfabric
