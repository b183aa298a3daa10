#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "flowfabric/claim.hpp"
#include "flowfabric/field.hpp"
#include "flowfabric/ids.hpp"
#include "flowfabric/limits.hpp"

// Grants: permission for one worker to claim one execution.
namespace flowfabric {

struct GrantRequest {
    static constexpr std::string_view type_name = "GrantRequest";

    ExecutionId execution_id;
    std::string worker_id;
    std::string worker_instance_id;
    std::string lane_id = "default";
    std::vector<std::string> capabilities;
    std::uint64_t grant_ttl_ms = 5000;
    std::optional<std::string> capability_hash;
    std::optional<std::string> route_snapshot_json;
    std::optional<std::string> admission_summary;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &GrantRequest::execution_id, field::required(), "The execution to be claimed.");
        visit("worker_id", &GrantRequest::worker_id, field::required(field::identity),
              "The worker's name, which its processes share.");
        visit("worker_instance_id", &GrantRequest::worker_instance_id, field::required(field::identity),
              "The process of the worker that runs.");
        visit("lane_id", &GrantRequest::lane_id, field::required(field::lane), "The lane that the execution is in.");
        visit("capabilities", &GrantRequest::capabilities,
              field::list(0, max_capabilities, field::line(max_capability_bytes)),
              "What the worker can do: words without commas and blanks.");
        visit("grant_ttl_ms", &GrantRequest::grant_ttl_ms, field::between(1, max_grant_ttl_ms),
              "How long the worker may take to redeem it.");
        visit("capability_hash", &GrantRequest::capability_hash, field::text(max_reason_bytes),
              "Kept with the grant as it is.");
        visit("route_snapshot_json", &GrantRequest::route_snapshot_json, field::text(max_reason_bytes),
              "Kept with the grant as it is.");
        visit("admission_summary", &GrantRequest::admission_summary, field::text(max_reason_bytes),
              "Kept with the grant as it is.");
    }
};

struct ClaimGrant {
    static constexpr std::string_view type_name = "ClaimGrant";

    ExecutionId execution_id;
    std::string grant_key;
    std::int64_t expires_at_ms = 0;
    std::string lane_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &ClaimGrant::execution_id, field::required(), "The execution to be claimed.");
        visit("grant_key", &ClaimGrant::grant_key, field::required(field::secret(max_reason_bytes)),
              "Proves the grant; it is signed and of no use to another worker.");
        visit("expires_at_ms", &ClaimGrant::expires_at_ms, field::optional, "When the grant lapses.");
        visit("lane_id", &ClaimGrant::lane_id, field::optional, "The lane that the execution is in.");
    }

    bool operator==(const ClaimGrant&) const = default;
};

// Claims of other workers pass the execution over until the grant is redeemed or has lapsed.
struct IssueClaimGrant {
    using Answer = ClaimGrant;
    static constexpr std::string_view type_name = "IssueClaimGrant";
    static constexpr Operation operation{"issue_claim_grant",
                                         "Permits one worker to claim an execution that waits for a worker."};

    GrantRequest grant;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("grant", &IssueClaimGrant::grant, field::required(), "Which execution, and to which worker.");
    }
};

struct ClaimForWorker {
    using Answer = std::optional<ClaimGrant>;
    static constexpr std::string_view type_name = "ClaimForWorker";
    static constexpr Operation operation{
        "claim_for_worker",
        "Permits one worker to claim the first execution of a lane that it can do; nothing if none waits."};

    std::string lane_id = "default";
    std::string worker_id;
    std::string worker_instance_id;
    std::vector<std::string> capabilities;
    std::uint64_t grant_ttl_ms = 5000;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lane_id", &ClaimForWorker::lane_id, field::required(field::lane), "The lane to take from.");
        visit("worker_id", &ClaimForWorker::worker_id, field::required(field::identity),
              "The worker's name, which its processes share.");
        visit("worker_instance_id", &ClaimForWorker::worker_instance_id, field::required(field::identity),
              "The process of the worker that runs.");
        visit("capabilities", &ClaimForWorker::capabilities,
              field::list(0, max_capabilities, field::line(max_capability_bytes)),
              "What the worker can do: words without commas and blanks.");
        visit("grant_ttl_ms", &ClaimForWorker::grant_ttl_ms, field::required(field::between(1, max_grant_ttl_ms)),
              "How long the worker may take to redeem it.");
    }
};

struct GrantRedemption {
    static constexpr std::string_view type_name = "GrantRedemption";

    ExecutionId execution_id;
    std::string worker_id;
    std::string worker_instance_id;
    std::optional<std::string> grant_key;
    std::uint64_t lease_ttl_ms = 30'000;
    std::optional<LeaseId> lease_id;
    std::optional<AttemptId> attempt_id;
    std::optional<std::uint32_t> expected_attempt_index;
    std::optional<std::uint64_t> attempt_timeout_ms;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &GrantRedemption::execution_id, field::required(), "The execution to be claimed.");
        visit("worker_id", &GrantRedemption::worker_id, field::required(field::identity),
              "The worker's name, which its processes share.");
        visit("worker_instance_id", &GrantRedemption::worker_instance_id, field::required(field::identity),
              "The process of the worker that runs.");
        visit("grant_key", &GrantRedemption::grant_key, field::secret(max_reason_bytes),
              "Proves the grant; absent: the worker's grant for this execution, if it has one.");
        visit("lease_ttl_ms", &GrantRedemption::lease_ttl_ms, field::between(min_ttl_ms, max_ttl_ms),
              "How long the lease lasts unless it is renewed.");
        visit("lease_id", &GrantRedemption::lease_id, field::optional, "An id for the lease; absent: minted.");
        visit("attempt_id", &GrantRedemption::attempt_id, field::optional, "An id for a new attempt; absent: minted.");
        visit("expected_attempt_index", &GrantRedemption::expected_attempt_index, field::optional,
              "Claim this attempt and no other; absent: whichever it is.");
        visit("attempt_timeout_ms", &GrantRedemption::attempt_timeout_ms, field::optional,
              "How long the attempt may take; absent: the execution's policy decides.");
    }
};

struct ClaimExecution {
    using Answer = LeasedExecution;
    static constexpr std::string_view type_name = "ClaimExecution";
    static constexpr Operation operation{"claim_execution", "Redeems a claim grant for a new attempt."};

    GrantRedemption claim;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("claim", &ClaimExecution::claim, field::required(), "The grant, and the lease that is wanted.");
    }
};

struct ClaimResumedExecution {
    using Answer = LeasedExecution;
    static constexpr std::string_view type_name = "ClaimResumedExecution";
    static constexpr Operation operation{"claim_resumed_execution",
                                         "Redeems a claim grant to go on with an attempt that was interrupted."};

    GrantRedemption claim;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("claim", &ClaimResumedExecution::claim, field::required(), "The grant, and the lease that is wanted.");
    }
};

struct ClaimFromResumeGrant {
    using Answer = std::optional<LeasedExecution>;
    static constexpr std::string_view type_name = "ClaimFromResumeGrant";
    static constexpr Operation operation{
        "claim_from_resume_grant",
        "Redeems a grant that a scheduler passed on; nothing if no interrupted attempt is left to go on with."};

    ClaimGrant grant;
    std::string worker_id;
    std::string worker_instance_id;
    std::uint64_t lease_ttl_ms = 30'000;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("grant", &ClaimFromResumeGrant::grant, field::required(), "The grant, as it was issued.");
        visit("worker_id", &ClaimFromResumeGrant::worker_id, field::required(field::identity),
              "The worker's name, which its processes share.");
        visit("worker_instance_id", &ClaimFromResumeGrant::worker_instance_id, field::required(field::identity),
              "The process of the worker that runs.");
        visit("lease_ttl_ms", &ClaimFromResumeGrant::lease_ttl_ms, field::between(min_ttl_ms, max_ttl_ms),
              "How long the lease lasts unless it is renewed.");
    }
};

struct NotReclaimable {
    static constexpr std::string_view type_name = "NotReclaimable";

    std::string detail;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("detail", &NotReclaimable::detail, field::optional, "Why the execution cannot be reclaimed.");
    }

    bool operator==(const NotReclaimable&) const = default;
};

struct ReclaimCapExceeded {
    static constexpr std::string_view type_name = "ReclaimCapExceeded";

    std::uint32_t reclaim_count = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("reclaim_count", &ReclaimCapExceeded::reclaim_count, field::optional,
              "How often the execution has been reclaimed.");
    }

    bool operator==(const ReclaimCapExceeded&) const = default;
};

struct GrantNotFound {
    static constexpr std::string_view type_name = "GrantNotFound";

    bool operator==(const GrantNotFound&) const = default;
};

using ReclaimGrantOutcome = std::variant<ClaimGrant, NotReclaimable, ReclaimCapExceeded>;
using ReclaimOutcome = std::variant<LeasedExecution, NotReclaimable, ReclaimCapExceeded, GrantNotFound>;

struct IssueReclaimGrant {
    using Answer = ReclaimGrantOutcome;
    static constexpr std::string_view type_name = "IssueReclaimGrant";
    static constexpr Operation operation{"issue_reclaim_grant",
                                         "Permits one worker to take over an execution whose lease was lost."};

    GrantRequest grant;
    std::optional<std::uint32_t> max_reclaim_count;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("grant", &IssueReclaimGrant::grant, field::required(), "Which execution, and to which worker.");
        visit("max_reclaim_count", &IssueReclaimGrant::max_reclaim_count, field::optional,
              "How often at the most, where the execution's policy does not say.");
    }
};

struct ReclaimExecution {
    using Answer = ReclaimOutcome;
    static constexpr std::string_view type_name = "ReclaimExecution";
    static constexpr Operation operation{"reclaim_execution",
                                         "Redeems a reclaim grant for a new attempt after a lost lease."};

    GrantRedemption claim;
    std::optional<std::uint32_t> max_reclaim_count;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("claim", &ReclaimExecution::claim, field::required(), "The grant, and the lease that is wanted.");
        visit("max_reclaim_count", &ReclaimExecution::max_reclaim_count, field::optional,
              "How often at the most, where the execution's policy does not say.");
    }
};

}  // namespace flowfabric
