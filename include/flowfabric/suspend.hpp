#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "flowfabric/condition.hpp"
#include "flowfabric/field.hpp"
#include "flowfabric/handle.hpp"
#include "flowfabric/ids.hpp"
#include "flowfabric/lease_ref.hpp"
#include "flowfabric/limits.hpp"
#include "flowfabric/result.hpp"
#include "flowfabric/signal.hpp"
#include "flowfabric/state.hpp"
#include "flowfabric/waitpoint.hpp"

// Suspending an execution, and letting it go on.
namespace flowfabric {

// ---- suspend ----------------------------------------------------------------------------------------------------

struct ResumePolicy {
    static constexpr std::string_view type_name = "ResumePolicy";

    bool consume_matched_signals = true;
    bool retain_signal_buffer_until_closed = false;
    std::optional<std::uint64_t> resume_delay_ms;
    bool close_waitpoint_on_resume = true;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("consume_matched_signals", &ResumePolicy::consume_matched_signals, field::optional,
              "Kept with the suspension; decides nothing.");
        visit("retain_signal_buffer_until_closed", &ResumePolicy::retain_signal_buffer_until_closed, field::optional,
              "Kept with the suspension; decides nothing.");
        visit("resume_delay_ms", &ResumePolicy::resume_delay_ms, field::optional,
              "How long the execution rests before it goes on.");
        visit("close_waitpoint_on_resume", &ResumePolicy::close_waitpoint_on_resume, field::optional,
              "Kept with the suspension; decides nothing.");
    }

    bool operator==(const ResumePolicy&) const = default;
};

struct SuspensionDetails {
    static constexpr std::string_view type_name = "SuspensionDetails";

    SuspensionId suspension_id;
    SuspendedWaitpoint primary;
    std::vector<SuspendedWaitpoint> additional;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("suspension_id", &SuspensionDetails::suspension_id, field::optional, "The suspension's id, a UUID.");
        visit("primary", &SuspensionDetails::primary, field::optional, "Its first waitpoint.");
        visit("additional", &SuspensionDetails::additional, field::optional, "Its other waitpoints, in order.");
    }

    bool operator==(const SuspensionDetails&) const = default;
};

struct Suspended {
    static constexpr std::string_view type_name = "Suspended";

    SuspensionDetails details;
    Handle handle;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("details", &Suspended::details, field::optional, "The suspension and its waitpoints.");
        visit("handle", &Suspended::handle, field::optional,
              "Names the suspended attempt; no operation takes it for a lease.");
    }

    bool operator==(const Suspended&) const = default;
};

// Nothing is suspended and the lease goes on: kept signals already satisfy the condition, or an earlier suspension of
// this execution with the same idempotency key was satisfied.
struct ConditionAlreadyMet {
    static constexpr std::string_view type_name = "ConditionAlreadyMet";
    static constexpr std::string_view variant_name = "AlreadySatisfied";

    SuspensionDetails details;
    std::vector<ResumeSignal> signals;
    bool more_signals = false;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("details", &ConditionAlreadyMet::details, field::optional, "The suspension that was satisfied.");
        visit("signals", &ConditionAlreadyMet::signals, field::optional,
              "What that suspension received, in order of acceptance.");
        visit("more_signals", &ConditionAlreadyMet::more_signals, field::optional,
              "True: there are others behind them, for observe_signals.");
    }

    bool operator==(const ConditionAlreadyMet&) const = default;
};

using SuspendOutcome = std::variant<Suspended, ConditionAlreadyMet>;

struct Suspend {
    using Answer = SuspendOutcome;
    static constexpr std::string_view type_name = "Suspend";
    static constexpr Operation operation{
        "suspend", "Gives the lease back until the condition is met; the same attempt goes on afterwards."};

    LeaseRef lease;
    std::optional<SuspensionId> suspension_id;
    std::vector<WaitpointBinding> waitpoints;
    ResumeCondition resume_condition;
    ResumePolicy resume_policy;
    SuspensionReason reason_code = SuspensionReason::waiting_for_signal;
    SuspensionRequester requested_by = SuspensionRequester::worker;
    std::optional<std::int64_t> timeout_at_ms;
    std::optional<TimeoutBehavior> timeout_behavior;
    std::optional<std::string> continuation_metadata_pointer;
    // With a key, a repeat gets the first answer while the suspension is open; once it is satisfied, every attempt of
    // the run that repeats the call gets ConditionAlreadyMet.
    std::string idempotency_key;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lease", &Suspend::lease, field::required(), "The lease that is given back.");
        visit("suspension_id", &Suspend::suspension_id, field::optional, "The suspension's id; minted when absent.");
        visit("waitpoints", &Suspend::waitpoints, field::required(field::list(1, max_waitpoints)),
              "The waitpoints that it waits on; the first is the primary one.");
        visit("resume_condition", &Suspend::resume_condition, field::required(), "What has to come before it goes on.");
        visit("resume_policy", &Suspend::resume_policy, field::optional, "What happens when it goes on.");
        visit("reason_code", &Suspend::reason_code, field::optional, "Why it is suspended.");
        visit("requested_by", &Suspend::requested_by, field::optional, "What kind of party asks for it.");
        visit("timeout_at_ms", &Suspend::timeout_at_ms, field::optional,
              "When the wait ends without it; absent: the execution's policy decides.");
        visit("timeout_behavior", &Suspend::timeout_behavior, field::optional,
              "What the timeout does; absent: the execution's policy decides, and else it fails.");
        visit("continuation_metadata_pointer", &Suspend::continuation_metadata_pointer, field::text(max_reason_bytes),
              "The worker's own note of where to go on.");
        visit("idempotency_key", &Suspend::idempotency_key, field::text(max_idempotency_key_bytes),
              "A repeat with the same key gets the same answer; empty: none.");
    }
};

// ---- resume -----------------------------------------------------------------------------------------------------

struct Resumed {
    static constexpr std::string_view type_name = "Resumed";

    PublicState public_state = PublicState::resumable;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("public_state", &Resumed::public_state, field::optional, "Where the execution stands now.");
    }

    bool operator==(const Resumed&) const = default;
};

enum class ResumeTrigger : std::uint8_t { signal, operator_request, auto_resume };

template <>
inline constexpr std::array enum_names<ResumeTrigger> =
    std::to_array<std::string_view>({"signal", "operator", "auto_resume"});

struct ResumeExecution {
    using Answer = Resumed;
    static constexpr std::string_view type_name = "ResumeExecution";
    static constexpr Operation operation{"resume_execution",
                                         "Lets a suspended execution go on, whatever its condition says."};

    ExecutionId execution_id;
    ResumeTrigger trigger = ResumeTrigger::operator_request;
    std::uint64_t resume_delay_ms = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &ResumeExecution::execution_id, field::required(), "The suspended execution.");
        visit("trigger", &ResumeExecution::trigger, field::optional, "What makes it go on.");
        visit("resume_delay_ms", &ResumeExecution::resume_delay_ms, field::optional,
              "How long it rests before it goes on.");
    }
};

// ---- reads ------------------------------------------------------------------------------------------------------

struct SuspendedExecution {
    static constexpr std::string_view type_name = "SuspendedExecution";

    ExecutionId execution_id;
    SuspensionId suspension_id;
    std::int64_t suspended_at_ms = 0;
    SuspensionReason reason = SuspensionReason::waiting_for_signal;
    std::optional<std::int64_t> timeout_at_ms;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &SuspendedExecution::execution_id, field::optional, "The execution's id, {fp:N}:UUID.");
        visit("suspension_id", &SuspendedExecution::suspension_id, field::optional, "The suspension that is open.");
        visit("suspended_at_ms", &SuspendedExecution::suspended_at_ms, field::optional, "When it was suspended.");
        visit("reason_code", &SuspendedExecution::reason, field::optional, "Why it is suspended.");
        visit("timeout_at_ms", &SuspendedExecution::timeout_at_ms, field::optional,
              "When the wait ends without its condition.");
    }

    bool operator==(const SuspendedExecution&) const = default;
};

struct SuspendedPlace {
    std::int64_t suspended_at_ms = 0;
    ExecutionId execution_id;

    // As one word, for the next page's query.
    static Result<SuspendedPlace> parse(std::string_view text);
    std::string to_string() const;

    auto operator<=>(const SuspendedPlace&) const = default;
};

struct SuspendedPage {
    static constexpr std::string_view type_name = "SuspendedPage";

    std::vector<SuspendedExecution> executions;
    std::optional<SuspendedPlace> next;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("executions", &SuspendedPage::executions, field::optional, "By the time of their suspension, and id.");
        visit("next_cursor", &SuspendedPage::next, field::optional, "Where the next page begins; absent at the end.");
    }

    bool operator==(const SuspendedPage&) const = default;
};

struct ListSuspended {
    using Answer = SuspendedPage;
    static constexpr std::string_view type_name = "ListSuspended";
    static constexpr Operation operation{"list_suspended", "Lists suspended executions, page by page."};

    std::optional<std::uint16_t> partition;
    std::optional<SuspendedPlace> after;
    std::uint32_t limit = default_page;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("partition", &ListSuspended::partition, field::partition, "One partition; absent: all of them.");
        visit("cursor", &ListSuspended::after, field::optional, "The last page's next_cursor.");
        visit("limit", &ListSuspended::limit, field::optional, "How many at most; more than 1000 counts as 1000.");
    }
};

}  // namespace flowfabric
