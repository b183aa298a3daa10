#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "flowfabric/field.hpp"
#include "flowfabric/ids.hpp"
#include "flowfabric/lease_ref.hpp"
#include "flowfabric/limits.hpp"
#include "flowfabric/state.hpp"

// Signals: messages to a waitpoint, which the execution that waits there is given when it goes on.
namespace flowfabric {

// ---- as the execution gets them ---------------------------------------------------------------------------------

// An accepted signal. It belongs to its execution: every later attempt of the same run gets it too.
struct ResumeSignal {
    static constexpr std::string_view type_name = "ResumeSignal";

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
    std::optional<SuspensionId> suspension_id;
    std::string waitpoint_key;
    bool satisfied = false;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("signal_id", &ResumeSignal::signal_id, field::optional, "The signal's id, a UUID.");
        visit("waitpoint_id", &ResumeSignal::waitpoint_id, field::optional, "The waitpoint that it was sent to.");
        visit("waitpoint_key", &ResumeSignal::waitpoint_key, field::optional, "The waitpoint's key.");
        visit("suspension_id", &ResumeSignal::suspension_id, field::optional,
              "The suspension that it was for; absent: its waitpoint has been in none.");
        visit("signal_name", &ResumeSignal::signal_name, field::optional, "What the signal is called.");
        visit("signal_category", &ResumeSignal::signal_category, field::optional, "The sender's category for it.");
        visit("source_type", &ResumeSignal::source_type, field::optional, "What kind of sender it came from.");
        visit("source_identity", &ResumeSignal::source_identity, field::optional, "Which sender it came from.");
        visit("correlation_id", &ResumeSignal::correlation_id, field::optional, "What the sender knows the matter by.");
        visit("payload", &ResumeSignal::payload, field::payload("payload_encoding", max_signal_payload_bytes),
              "What the sender has to say.");
        visit("payload_encoding", &ResumeSignal::payload_encoding, field::optional, "How the payload is encoded.");
        visit("accepted_at_ms", &ResumeSignal::accepted_at_ms, field::optional, "When it was accepted.");
        visit("satisfied", &ResumeSignal::satisfied, field::optional,
              "True: one of those that satisfied the condition of its suspension.");
    }

    bool operator==(const ResumeSignal&) const = default;
};

// What one answer carries of an execution's signals; `observe_signals` gives all.
inline constexpr std::size_t max_given_signals = 100;
inline constexpr std::size_t max_given_signal_bytes = 65'536;  // of payloads

// ---- sending one ------------------------------------------------------------------------------------------------

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
    static constexpr std::string_view type_name = "SignalAccepted";
    static constexpr std::string_view variant_name = "Accepted";

    SignalId signal_id;
    SignalEffect effect = SignalEffect::no_op;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("signal_id", &SignalAccepted::signal_id, field::optional, "The signal's id, a UUID.");
        visit("effect", &SignalAccepted::effect, field::optional, "What it did to its waitpoint.");
    }

    bool operator==(const SignalAccepted&) const = default;
};

struct DuplicateSignal {
    static constexpr std::string_view type_name = "DuplicateSignal";
    static constexpr std::string_view variant_name = "Duplicate";

    SignalId existing_signal_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("existing_signal_id", &DuplicateSignal::existing_signal_id, field::optional,
              "The signal that came first with the same idempotency key.");
    }

    bool operator==(const DuplicateSignal&) const = default;
};

using SignalOutcome = std::variant<SignalAccepted, DuplicateSignal>;

enum class SignalScope : std::uint8_t { waitpoint, execution };

template <>
inline constexpr std::array enum_names<SignalScope> = std::to_array<std::string_view>({"waitpoint", "execution"});

struct DeliverSignal {
    using Answer = SignalOutcome;
    static constexpr std::string_view type_name = "DeliverSignal";
    static constexpr Operation operation{"deliver_signal", "Sends a signal to a waitpoint."};

    ExecutionId execution_id;
    WaitpointId waitpoint_id;
    std::string waitpoint_token;
    std::optional<SignalId> signal_id;
    std::string signal_name;
    std::string signal_category;
    std::string source_type;
    std::string source_identity;
    std::optional<std::string> payload;
    std::string payload_encoding = "json";
    std::optional<std::string> correlation_id;
    std::string idempotency_key;
    SignalScope target_scope = SignalScope::waitpoint;
    std::optional<std::int64_t> created_at_ms;
    std::uint64_t dedup_ttl_ms = 86'400'000;
    std::optional<std::uint64_t> resume_delay_ms;
    std::optional<std::uint32_t> max_signals_per_execution;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &DeliverSignal::execution_id, field::required(), "The execution that waits.");
        visit("waitpoint_id", &DeliverSignal::waitpoint_id, field::required(), "The waitpoint to signal.");
        visit("waitpoint_token", &DeliverSignal::waitpoint_token, field::required(field::secret(max_token_bytes)),
              "The waitpoint's token.");
        visit("signal_id", &DeliverSignal::signal_id, field::optional, "The signal's id; minted when absent.");
        visit("signal_name", &DeliverSignal::signal_name, field::required(field::line(max_label_bytes)),
              "What the signal is called; names that begin with __ are reserved.");
        visit("signal_category", &DeliverSignal::signal_category, field::required(field::text(max_label_bytes)),
              "The sender's category for it.");
        visit("source_type", &DeliverSignal::source_type, field::required(field::text(max_label_bytes)),
              "What kind of sender it is.");
        visit("source_identity", &DeliverSignal::source_identity, field::required(field::text(max_label_bytes)),
              "Which sender it is.");
        visit("payload", &DeliverSignal::payload, field::payload("payload_encoding", max_signal_payload_bytes),
              "What the sender has to say.");
        visit("payload_encoding", &DeliverSignal::payload_encoding, field::text(max_label_bytes),
              "How the payload is encoded.");
        visit("correlation_id", &DeliverSignal::correlation_id, field::text(max_label_bytes),
              "What the sender knows the matter by.");
        visit("idempotency_key", &DeliverSignal::idempotency_key, field::text(max_idempotency_key_bytes),
              "A repeat with the same key is not accepted again; empty: none.");
        visit("target_scope", &DeliverSignal::target_scope, field::optional, "Kept with the signal; decides nothing.");
        visit("created_at_ms", &DeliverSignal::created_at_ms, field::optional,
              "When it was made, by the sender's clock; kept as it is.");
        visit("dedup_ttl_ms", &DeliverSignal::dedup_ttl_ms, field::optional, "How long the key is remembered.");
        visit("resume_delay_ms", &DeliverSignal::resume_delay_ms, field::optional,
              "How long the execution rests before it goes on; absent: the suspension's policy decides.");
        visit("max_signals_per_execution", &DeliverSignal::max_signals_per_execution, field::optional,
              "How many signals the execution accepts; absent: its policy decides.");
    }
};

struct DeliverApprovalSignal {
    using Answer = SignalOutcome;
    static constexpr std::string_view type_name = "DeliverApprovalSignal";
    static constexpr Operation operation{"deliver_approval_signal",
                                         "Sends an operator's signal to a waitpoint, which needs no token."};

    ExecutionId execution_id;
    std::string lane_id = "default";
    WaitpointId waitpoint_id;
    std::string signal_name;
    std::string idempotency_suffix;
    std::uint64_t signal_dedup_ttl_ms = 86'400'000;
    std::optional<std::uint32_t> max_signals_per_execution;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &DeliverApprovalSignal::execution_id, field::required(), "The execution that waits.");
        visit("lane_id", &DeliverApprovalSignal::lane_id, field::required(), "The lane that the execution is on.");
        visit("waitpoint_id", &DeliverApprovalSignal::waitpoint_id, field::required(), "The waitpoint to signal.");
        visit("signal_name", &DeliverApprovalSignal::signal_name, field::required(field::line(max_label_bytes)),
              "By convention approved or rejected; names that begin with __ are reserved.");
        visit("idempotency_suffix", &DeliverApprovalSignal::idempotency_suffix,
              field::required(field::text(max_idempotency_key_bytes)),
              "A repeat with the same suffix and name is not accepted again.");
        visit("dedup_ttl_ms", &DeliverApprovalSignal::signal_dedup_ttl_ms, field::optional,
              "How long the suffix is remembered.");
        visit("max_signals_per_execution", &DeliverApprovalSignal::max_signals_per_execution, field::optional,
              "How many signals the execution accepts; absent: its policy decides.");
    }
};

// ---- reads ------------------------------------------------------------------------------------------------------

struct ObserveSignals {
    using Answer = std::vector<ResumeSignal>;
    static constexpr std::string_view type_name = "ObserveSignals";
    static constexpr Operation operation{
        "observe_signals",
        "Gives all signals that an execution has accepted since it was created or last replayed, in their order."};

    LeaseRef lease;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lease", &ObserveSignals::lease, field::required(), "A lease of the execution, past or present.");
    }
};

}  // namespace flowfabric
