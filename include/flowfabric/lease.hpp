#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "flowfabric/execution.hpp"
#include "flowfabric/field.hpp"
#include "flowfabric/ids.hpp"
#include "flowfabric/lease_ref.hpp"
#include "flowfabric/limits.hpp"
#include "flowfabric/state.hpp"
#include "flowfabric/values.hpp"

// What the holder of a lease does with it, and how it is taken away.
namespace flowfabric {

struct Renewed {
    static constexpr std::string_view type_name = "Renewed";

    std::int64_t lease_expires_at_ms = 0;
    LeaseEpoch lease_epoch;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lease_expires_at_ms", &Renewed::lease_expires_at_ms, field::optional,
              "When the lease ends unless it is renewed again.");
        visit("lease_epoch", &Renewed::lease_epoch, field::optional, "The lease's epoch, higher with every new lease.");
    }

    bool operator==(const Renewed&) const = default;
};

struct Renew {
    using Answer = Renewed;
    static constexpr std::string_view type_name = "Renew";
    static constexpr Operation operation{"renew", "Makes a lease last longer."};

    LeaseRef lease;
    std::optional<std::uint64_t> lease_ttl_ms;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lease", &Renew::lease, field::required(), "The lease that the worker holds.");
        visit("lease_ttl_ms", &Renew::lease_ttl_ms, field::between(min_ttl_ms, max_ttl_ms),
              "How long from now; absent: as long as the handle says, so that a lease without a handle needs it.");
    }
};

struct Completed {
    static constexpr std::string_view type_name = "Completed";

    ExecutionId execution_id;
    PublicState public_state = PublicState::completed;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &Completed::execution_id, field::optional, "The execution's id, {fp:N}:UUID.");
        visit("public_state", &Completed::public_state, field::optional, "The execution's state in one word.");
    }

    bool operator==(const Completed&) const = default;
};

struct Complete {
    using Answer = Completed;
    static constexpr std::string_view type_name = "Complete";
    static constexpr Operation operation{"complete",
                                         "Ends an execution with success, and with a result if it has one."};

    LeaseRef lease;
    std::optional<Bytes> result;
    std::optional<std::string> result_encoding;
    Source source = Source::lease_holder;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lease", &Complete::lease, field::required(), "The lease that the worker holds.");
        visit("result", &Complete::result, field::payload("result_encoding", default_max_payload_bytes),
              "What came out of it.");
        visit("result_encoding", &Complete::result_encoding, field::text(max_label_bytes),
              "How the result is encoded.");
        visit("source", &Complete::source, field::optional,
              "On whose behalf; operator_override needs no lease, only its execution.");
    }
};

struct RetryScheduled {
    static constexpr std::string_view type_name = "RetryScheduled";

    std::int64_t delay_until_ms = 0;
    std::uint32_t next_attempt_index = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("delay_until_ms", &RetryScheduled::delay_until_ms, field::optional, "When the next attempt may begin.");
        visit("next_attempt_index", &RetryScheduled::next_attempt_index, field::optional,
              "The number of the next attempt.");
    }

    bool operator==(const RetryScheduled&) const = default;
};

struct TerminalFailed {
    static constexpr std::string_view type_name = "TerminalFailed";

    bool operator==(const TerminalFailed&) const = default;
};

using Failed = std::variant<RetryScheduled, TerminalFailed>;

struct Fail {
    using Answer = Failed;
    static constexpr std::string_view type_name = "Fail";
    static constexpr Operation operation{"fail",
                                         "Ends an attempt that failed; the policy decides whether another follows."};

    LeaseRef lease;
    std::string reason;
    std::string category = "transient";
    Source source = Source::lease_holder;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lease", &Fail::lease, field::required(), "The lease that the worker holds.");
        visit("reason", &Fail::reason, field::required(field::text(max_reason_bytes)), "Why, for people.");
        visit("category", &Fail::category, field::text(max_label_bytes),
              "Why, for the policy: transient, permanent, infra_crash, timeout, cancelled or your own.");
        visit("source", &Fail::source, field::optional,
              "On whose behalf; operator_override needs no lease, only its execution.");
    }
};

struct ProgressRecorded {
    static constexpr std::string_view type_name = "ProgressRecorded";

    std::int64_t progress_updated_at_ms = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("progress_updated_at_ms", &ProgressRecorded::progress_updated_at_ms, field::optional,
              "When it was recorded.");
    }

    bool operator==(const ProgressRecorded&) const = default;
};

struct Progress {
    using Answer = ProgressRecorded;
    static constexpr std::string_view type_name = "Progress";
    static constexpr Operation operation{"progress", "Reports how far an attempt has got; what is absent stays."};

    LeaseRef lease;
    std::optional<std::uint32_t> percent;
    std::optional<std::string> message;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lease", &Progress::lease, field::required(), "The lease that the worker holds.");
        visit("progress_pct", &Progress::percent, field::between(0, max_progress_percent), "How much is done.");
        visit("progress_message", &Progress::message, field::text(max_progress_bytes), "What is done, for people.");
    }
};

struct Delayed {
    static constexpr std::string_view type_name = "Delayed";

    PublicState public_state = PublicState::delayed;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("public_state", &Delayed::public_state, field::optional,
              "The execution's state: delayed, or resumable when the time has already come.");
    }

    bool operator==(const Delayed&) const = default;
};

struct Delay {
    using Answer = Delayed;
    static constexpr std::string_view type_name = "Delay";
    static constexpr Operation operation{"delay",
                                         "Gives the lease back until a time; the same attempt goes on afterwards."};

    LeaseRef lease;
    std::int64_t delay_until_ms = 0;
    Source source = Source::lease_holder;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lease", &Delay::lease, field::required(), "The lease that the worker holds.");
        visit("delay_until_ms", &Delay::delay_until_ms, field::required(field::time), "Not to be claimed before.");
        visit("source", &Delay::source, field::optional,
              "On whose behalf; operator_override needs no lease, only its execution.");
    }
};

struct Released {
    static constexpr std::string_view type_name = "Released";

    ExecutionId execution_id;
    PublicState public_state = PublicState::waiting;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &Released::execution_id, field::optional, "The execution's id, {fp:N}:UUID.");
        visit("public_state", &Released::public_state, field::optional, "The execution's state in one word.");
    }

    bool operator==(const Released&) const = default;
};

struct ReleaseUnstarted {
    using Answer = Released;
    static constexpr std::string_view type_name = "ReleaseUnstarted";
    static constexpr Operation operation{"release_unstarted",
                                         "Gives back work that was never started, as if it had not been claimed."};

    LeaseRef lease;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lease", &ReleaseUnstarted::lease, field::required(), "The lease that the worker holds.");
    }
};

struct Cancel {
    using Answer = Cancelled;
    static constexpr std::string_view type_name = "Cancel";
    static constexpr Operation operation{"cancel", "Cancels an execution for the worker that holds its lease."};

    LeaseRef lease;
    std::string reason;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lease", &Cancel::lease, field::required(), "The lease that the worker holds.");
        visit("reason", &Cancel::reason, field::required(field::text(max_reason_bytes)), "Why, for people.");
    }
};

struct Revoked {
    static constexpr std::string_view type_name = "Revoked";

    LeaseId lease_id;
    LeaseEpoch lease_epoch;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lease_id", &Revoked::lease_id, field::optional, "The lease that is no more.");
        visit("lease_epoch", &Revoked::lease_epoch, field::optional, "The epoch that is now in force.");
    }

    bool operator==(const Revoked&) const = default;
};

struct NothingToRevoke {
    static constexpr std::string_view type_name = "NothingToRevoke";
    static constexpr std::string_view variant_name = "AlreadySatisfied";

    std::string reason;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("reason", &NothingToRevoke::reason, field::optional, "Why there was nothing to revoke.");
    }

    bool operator==(const NothingToRevoke&) const = default;
};

using Revocation = std::variant<Revoked, NothingToRevoke>;

struct RevokeLease {
    using Answer = Revocation;
    static constexpr std::string_view type_name = "RevokeLease";
    static constexpr Operation operation{"revoke_lease",
                                         "Takes a live lease away; the execution can be claimed again."};

    ExecutionId execution_id;
    std::optional<LeaseId> expected_lease_id;
    std::string worker_instance_id;
    std::string reason;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &RevokeLease::execution_id, field::required(), "The execution that is leased.");
        visit("expected_lease_id", &RevokeLease::expected_lease_id, field::optional,
              "Revoke this lease and no other; absent: whichever it is.");
        visit("worker_instance_id", &RevokeLease::worker_instance_id, field::line(max_identity_bytes),
              "Revoke only a lease of this process; empty: any.");
        visit("reason", &RevokeLease::reason, field::text(max_reason_bytes), "Why, for people.");
    }
};

}  // namespace flowfabric
