#pragma once

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

// Waitpoints: what signals are sent to. A suspension waits on one or more of them.
namespace flowfabric {

// ---- ahead of a suspension --------------------------------------------------------------------------------------

struct PendingWaitpoint {
    static constexpr std::string_view type_name = "PendingWaitpoint";

    WaitpointId waitpoint_id;
    std::string token;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("waitpoint_id", &PendingWaitpoint::waitpoint_id, field::optional, "The new waitpoint.");
        visit("token", &PendingWaitpoint::token, field::secret(max_token_bytes),
              "Its holder may signal the waitpoint.");
    }

    bool operator==(const PendingWaitpoint&) const = default;
};

struct CreateWaitpoint {
    using Answer = PendingWaitpoint;
    static constexpr std::string_view type_name = "CreateWaitpoint";
    static constexpr Operation operation{
        "create_waitpoint", "Opens another waitpoint ahead of a suspension, which keeps its signals until then."};

    LeaseRef lease;
    std::string waitpoint_key;
    std::uint64_t expires_in_ms = 3'600'000;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lease", &CreateWaitpoint::lease, field::required(), "The lease of the execution that will wait.");
        visit("waitpoint_key", &CreateWaitpoint::waitpoint_key, field::line(max_label_bytes),
              "The name by which conditions speak of it.");
        visit("expires_in_ms", &CreateWaitpoint::expires_in_ms, field::optional,
              "How long it stays open when no suspension uses it.");
    }
};

// ---- in a suspension --------------------------------------------------------------------------------------------

// A waitpoint that is created with its suspension.
struct FreshWaitpoint {
    static constexpr std::string_view type_name = "FreshWaitpoint";
    static constexpr std::string_view variant_name = "Fresh";

    std::optional<WaitpointId> waitpoint_id;
    std::string waitpoint_key;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("waitpoint_id", &FreshWaitpoint::waitpoint_id, field::optional, "Its id; minted when absent.");
        visit("waitpoint_key", &FreshWaitpoint::waitpoint_key, field::line(max_label_bytes),
              "The name by which conditions speak of it.");
    }
};

// A waitpoint that create_waitpoint opened ahead. Only the first waitpoint of a suspension may be one.
struct UsePendingWaitpoint {
    static constexpr std::string_view type_name = "UsePendingWaitpoint";
    static constexpr std::string_view variant_name = "UsePending";

    WaitpointId waitpoint_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("waitpoint_id", &UsePendingWaitpoint::waitpoint_id, field::required(),
              "A waitpoint that was created ahead.");
    }
};

using WaitpointBinding = std::variant<FreshWaitpoint, UsePendingWaitpoint>;

struct SuspendedWaitpoint {
    static constexpr std::string_view type_name = "SuspendedWaitpoint";

    WaitpointId waitpoint_id;
    std::string waitpoint_key;
    std::string token;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("waitpoint_id", &SuspendedWaitpoint::waitpoint_id, field::optional, "The waitpoint's id, a UUID.");
        visit("waitpoint_key", &SuspendedWaitpoint::waitpoint_key, field::optional,
              "The name by which conditions speak of it.");
        visit("token", &SuspendedWaitpoint::token, field::secret(max_token_bytes),
              "Its holder may signal the waitpoint; empty when its key is gone.");
    }

    bool operator==(const SuspendedWaitpoint&) const = default;
};

// ---- closing ----------------------------------------------------------------------------------------------------

struct WaitpointClosed {
    static constexpr std::string_view type_name = "WaitpointClosed";

    bool was_open = true;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("was_open", &WaitpointClosed::was_open, field::optional, "False: it had been closed before.");
    }

    bool operator==(const WaitpointClosed&) const = default;
};

struct CloseWaitpoint {
    using Answer = WaitpointClosed;
    static constexpr std::string_view type_name = "CloseWaitpoint";
    static constexpr Operation operation{"close_waitpoint", "Closes a waitpoint, so that nothing can signal it."};

    ExecutionId execution_id;
    WaitpointId waitpoint_id;
    std::string reason = "proactive_close";

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &CloseWaitpoint::execution_id, field::required(), "The waitpoint's execution.");
        visit("waitpoint_id", &CloseWaitpoint::waitpoint_id, field::required(), "The waitpoint to close.");
        visit("reason", &CloseWaitpoint::reason, field::line(max_label_bytes),
              "One of the reasons to close a waitpoint, such as proactive_close or cancelled.");
    }
};

// ---- reads ------------------------------------------------------------------------------------------------------

struct WaitpointView {
    static constexpr std::string_view type_name = "WaitpointView";

    WaitpointId waitpoint_id;
    ExecutionId execution_id;
    std::string waitpoint_key;
    WaitpointState state = WaitpointState::pending;
    std::vector<std::string> required_signal_names;
    std::int64_t created_at_ms = 0;
    std::optional<std::int64_t> activated_at_ms;
    std::optional<std::int64_t> expires_at_ms;
    std::string token_kid;
    std::string token_fingerprint;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("waitpoint_id", &WaitpointView::waitpoint_id, field::optional, "The waitpoint's id, a UUID.");
        visit("execution_id", &WaitpointView::execution_id, field::optional, "The execution that it belongs to.");
        visit("waitpoint_key", &WaitpointView::waitpoint_key, field::optional,
              "The name by which conditions speak of it.");
        visit("state", &WaitpointView::state, field::optional, "Whether a suspension uses it yet.");
        visit("required_signal_names", &WaitpointView::required_signal_names, field::optional,
              "The signals that its condition names; none: any signal.");
        visit("created_at_ms", &WaitpointView::created_at_ms, field::optional, "When it was opened.");
        visit("activated_at_ms", &WaitpointView::activated_at_ms, field::optional, "When a suspension took it.");
        visit("expires_at_ms", &WaitpointView::expires_at_ms, field::optional, "When it closes by itself.");
        visit("token_kid", &WaitpointView::token_kid, field::optional, "The key that signed its token.");
        visit("token_fingerprint", &WaitpointView::token_fingerprint, field::optional,
              "The beginning of its token's digest, in hex.");
    }

    bool operator==(const WaitpointView&) const = default;
};

struct WaitpointPage {
    static constexpr std::string_view type_name = "WaitpointPage";

    std::vector<WaitpointView> waitpoints;
    std::optional<WaitpointId> next;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("waitpoints", &WaitpointPage::waitpoints, field::optional, "Waitpoints that are open, by id.");
        visit("next_cursor", &WaitpointPage::next, field::optional, "Where the next page begins; absent at the end.");
    }

    bool operator==(const WaitpointPage&) const = default;
};

struct ListPendingWaitpoints {
    using Answer = WaitpointPage;
    static constexpr std::string_view type_name = "ListPendingWaitpoints";
    static constexpr Operation operation{"list_pending_waitpoints",
                                         "Lists the waitpoints of an execution that can be signalled, page by page."};

    ExecutionId execution_id;
    std::optional<WaitpointId> after;
    std::uint32_t limit = 100;  // as published clients expect

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &ListPendingWaitpoints::execution_id, field::required(), "The waitpoints' execution.");
        visit("cursor", &ListPendingWaitpoints::after, field::optional, "The last page's next_cursor.");
        visit("limit", &ListPendingWaitpoints::limit, field::optional,
              "How many at most; more than 1000 counts as 1000.");
    }
};

struct WaitpointToken {
    static constexpr std::string_view type_name = "WaitpointToken";

    std::string token;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("token", &WaitpointToken::token, field::secret(max_token_bytes), "Its holder may signal the waitpoint.");
    }

    bool operator==(const WaitpointToken&) const = default;
};

struct ReadWaitpointToken {
    using Answer = std::optional<WaitpointToken>;
    static constexpr std::string_view type_name = "ReadWaitpointToken";
    static constexpr Operation operation{
        "read_waitpoint_token", "Gives an operator the token of a waitpoint; nothing if it is unknown or closed."};

    std::uint16_t partition = 0;
    WaitpointId waitpoint_id;
    std::optional<ExecutionId> execution_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("partition", &ReadWaitpointToken::partition, field::required(field::partition),
              "The partition of the execution that it belongs to.");
        visit("waitpoint_id", &ReadWaitpointToken::waitpoint_id, field::required(), "The waitpoint's id, a UUID.");
        visit("execution_id", &ReadWaitpointToken::execution_id, field::optional,
              "The execution that it must belong to; absent: any of the partition.");
    }
};

}  // namespace flowfabric
