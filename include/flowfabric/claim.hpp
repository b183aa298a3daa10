#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/field.hpp"
#include "flowfabric/handle.hpp"
#include "flowfabric/ids.hpp"
#include "flowfabric/limits.hpp"
#include "flowfabric/state.hpp"
#include "flowfabric/suspension.hpp"
#include "flowfabric/values.hpp"

// Taking work: a lease on an execution, and the attempt that runs under it.
namespace flowfabric {

struct ClaimedExecution {
    static constexpr std::string_view type_name = "ClaimedExecution";

    ExecutionId execution_id;
    Handle handle;
    LeaseId lease_id;
    LeaseEpoch lease_epoch;
    AttemptId attempt_id;
    std::uint32_t attempt_index = 0;
    AttemptType attempt_type = AttemptType::initial;
    std::int64_t lease_expires_at_ms = 0;
    std::string lane_id;
    std::string execution_kind;
    std::optional<std::string> payload_encoding;
    Bytes input_payload;
    std::vector<ResumeSignal> signals;
    bool more_signals = false;
    std::optional<std::string> traceparent;
    std::optional<std::string> tracestate;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &ClaimedExecution::execution_id, field::optional, "The execution that is leased.");
        visit("handle", &ClaimedExecution::handle, field::optional, "Proves the lease in every call of the worker.");
        visit("lease_id", &ClaimedExecution::lease_id, field::optional, "The lease's id, a UUID.");
        visit("lease_epoch", &ClaimedExecution::lease_epoch, field::optional,
              "The lease's epoch, higher with every new lease.");
        visit("attempt_id", &ClaimedExecution::attempt_id, field::optional, "The attempt that runs under the lease.");
        visit("attempt_index", &ClaimedExecution::attempt_index, field::optional, "The attempt's number, from 0.");
        visit("attempt_type", &ClaimedExecution::attempt_type, field::optional, "Why there is this attempt.");
        visit("lease_expires_at_ms", &ClaimedExecution::lease_expires_at_ms, field::optional,
              "When the lease ends unless it is renewed.");
        visit("lane_id", &ClaimedExecution::lane_id, field::optional, "The lane that it was taken from.");
        visit("execution_kind", &ClaimedExecution::execution_kind, field::optional, "What is to be done.");
        visit("input", &ClaimedExecution::input_payload, field::payload("payload_encoding"),
              "What the worker is given.");
        visit("payload_encoding", &ClaimedExecution::payload_encoding, field::optional, "How the input is encoded.");
        visit("signals", &ClaimedExecution::signals, field::optional,
              "Signals that were accepted in this run, in order, whichever attempt asked for them.");
        visit("more_signals", &ClaimedExecution::more_signals, field::optional,
              "Whether others follow, for observe_signals.");
        visit("traceparent", &ClaimedExecution::traceparent, field::optional, "The trace that it belongs to.");
        visit("tracestate", &ClaimedExecution::tracestate, field::optional, "What vendors keep with that trace.");
    }

    bool operator==(const ClaimedExecution&) const = default;
};

struct Claimed {
    static constexpr std::string_view type_name = "Claimed";

    std::vector<ClaimedExecution> executions;
    WorkerMode worker = WorkerMode::run;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("executions", &Claimed::executions, field::optional, "What was taken; none is not an error.");
        visit("worker", &Claimed::worker, field::optional,
              "What the worker is asked to do; run unless the claim names its namespace.");
    }

    bool operator==(const Claimed&) const = default;
};

struct Claim {
    using Answer = Claimed;
    static constexpr std::string_view type_name = "Claim";
    static constexpr Operation operation{"claim", "Leases waiting executions to a worker."};

    std::vector<std::string> lanes = {"default"};
    std::vector<std::string> capabilities;
    std::string worker_id;
    std::string worker_instance_id;
    std::uint64_t lease_ttl_ms = 30'000;
    std::optional<std::uint64_t> attempt_timeout_ms;
    std::uint32_t max_count = 1;
    std::uint64_t max_wait_ms = 0;
    std::string request_id;
    std::optional<std::string> namespace_name;
    // True once the answer would reach nothing any more: a claim that waits then ends with nothing taken. Called from
    // threads of the engine, which it must not hold up.
    std::function<bool()> withdrawn;

    bool is_withdrawn() const { return withdrawn && withdrawn(); }

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lanes", &Claim::lanes, field::list(1, max_claim_lanes, field::lane), "The lanes to take from.");
        visit("capabilities", &Claim::capabilities, field::list(0, max_capabilities, field::line(max_capability_bytes)),
              "What the worker can do: words without commas and blanks.");
        visit("worker_id", &Claim::worker_id, field::required(field::identity),
              "The worker's name, which its processes share.");
        visit("worker_instance_id", &Claim::worker_instance_id, field::required(field::identity),
              "The process of the worker that runs.");
        visit("lease_ttl_ms", &Claim::lease_ttl_ms, field::between(min_ttl_ms, max_ttl_ms),
              "How long the leases last unless they are renewed.");
        visit("attempt_timeout_ms", &Claim::attempt_timeout_ms, field::optional,
              "How long the attempts may take; absent: the execution's policy decides.");
        visit("max_count", &Claim::max_count, field::between(0, max_claim_count), "How many executions at the most.");
        visit("max_wait_ms", &Claim::max_wait_ms, field::optional, "How long to wait for work when there is none.");
        visit(
            "request_id", &Claim::request_id, field::line(max_identity_bytes),
            "The same one from the same process gets the same leases again while they live; empty: each claim is new.");
        visit("namespace", &Claim::namespace_name, field::identity,
              "Where operators know the worker: one that is to be quiet or to stop is told so and gets nothing.");
    }
};

// The lease on one execution, and the attempt that runs under it.
struct LeasedExecution {
    static constexpr std::string_view type_name = "LeasedExecution";

    ExecutionId execution_id;
    Handle handle;
    LeaseId lease_id;
    LeaseEpoch lease_epoch;
    AttemptId attempt_id;
    std::uint32_t attempt_index = 0;
    AttemptType attempt_type = AttemptType::initial;
    std::int64_t lease_expires_at_ms = 0;
    std::vector<ResumeSignal> signals;
    bool more_signals = false;
    std::optional<std::string> traceparent;
    std::optional<std::string> tracestate;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &LeasedExecution::execution_id, field::optional, "The execution that is leased.");
        visit("handle", &LeasedExecution::handle, field::optional, "Proves the lease in every call of the worker.");
        visit("lease_id", &LeasedExecution::lease_id, field::optional, "The lease's id, a UUID.");
        visit("lease_epoch", &LeasedExecution::lease_epoch, field::optional,
              "The lease's epoch, higher with every new lease.");
        visit("attempt_id", &LeasedExecution::attempt_id, field::optional, "The attempt that runs under the lease.");
        visit("attempt_index", &LeasedExecution::attempt_index, field::optional, "The attempt's number, from 0.");
        visit("attempt_type", &LeasedExecution::attempt_type, field::optional, "Why there is this attempt.");
        visit("lease_expires_at_ms", &LeasedExecution::lease_expires_at_ms, field::optional,
              "When the lease ends unless it is renewed.");
        visit("signals", &LeasedExecution::signals, field::optional,
              "Signals that were accepted in this run, in order, whichever attempt asked for them.");
        visit("more_signals", &LeasedExecution::more_signals, field::optional,
              "Whether others follow, for observe_signals.");
        visit("traceparent", &LeasedExecution::traceparent, field::optional, "The trace that it belongs to.");
        visit("tracestate", &LeasedExecution::tracestate, field::optional, "What vendors keep with that trace.");
    }

    bool operator==(const LeasedExecution&) const = default;
};

struct IssueGrantAndClaim {
    using Answer = LeasedExecution;
    static constexpr std::string_view type_name = "IssueGrantAndClaim";
    static constexpr Operation operation{
        "issue_grant_and_claim", "Leases one waiting execution to an operator, whatever its lane or capabilities say."};

    ExecutionId execution_id;
    std::uint64_t lease_ttl_ms = 30'000;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &IssueGrantAndClaim::execution_id, field::required(), "The execution's id, {fp:N}:UUID.");
        visit("lease_ttl_ms", &IssueGrantAndClaim::lease_ttl_ms, field::between(min_ttl_ms, max_ttl_ms),
              "How long the lease lasts unless it is renewed.");
    }
};

}  // namespace flowfabric
