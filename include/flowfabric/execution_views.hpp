#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/field.hpp"
#include "flowfabric/ids.hpp"
#include "flowfabric/policy.hpp"
#include "flowfabric/state.hpp"
#include "flowfabric/values.hpp"

// Executions, their leases and attempts, as reads show them.
namespace flowfabric {

struct LeaseView {
    static constexpr std::string_view type_name = "LeaseView";

    LeaseId lease_id;
    LeaseEpoch lease_epoch;
    std::uint32_t attempt_index = 0;
    std::string worker_id;
    std::string worker_instance_id;
    std::int64_t acquired_at_ms = 0;
    std::int64_t expires_at_ms = 0;
    std::int64_t last_renewed_at_ms = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lease_id", &LeaseView::lease_id, field::optional, "The lease's id, a UUID.");
        visit("lease_epoch", &LeaseView::lease_epoch, field::optional,
              "The lease's epoch, higher with every new lease.");
        visit("attempt_index", &LeaseView::attempt_index, field::optional, "The attempt that runs under it, from 0.");
        visit("worker_id", &LeaseView::worker_id, field::optional, "The worker that holds it.");
        visit("worker_instance_id", &LeaseView::worker_instance_id, field::optional, "The worker's process.");
        visit("acquired_at_ms", &LeaseView::acquired_at_ms, field::optional, "When it was taken.");
        visit("expires_at_ms", &LeaseView::expires_at_ms, field::optional, "When it ends unless it is renewed.");
        visit("last_renewed_at_ms", &LeaseView::last_renewed_at_ms, field::optional, "When it was last renewed.");
    }

    bool operator==(const LeaseView&) const = default;
};

struct AttemptView {
    static constexpr std::string_view type_name = "AttemptView";

    std::uint32_t attempt_index = 0;
    AttemptId attempt_id;
    AttemptType attempt_type = AttemptType::initial;
    AttemptOutcome outcome = AttemptOutcome::started;
    std::string worker_id;
    std::string worker_instance_id;
    LeaseId lease_id;
    LeaseEpoch lease_epoch;
    std::int64_t started_at_ms = 0;
    std::optional<std::int64_t> ended_at_ms;
    std::optional<std::string> failure_reason;
    std::optional<std::string> failure_category;
    std::optional<std::uint32_t> previous_attempt_index;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("attempt_index", &AttemptView::attempt_index, field::optional, "The attempt's number, from 0.");
        visit("attempt_id", &AttemptView::attempt_id, field::optional, "The attempt's id, a UUID.");
        visit("attempt_type", &AttemptView::attempt_type, field::optional, "Why there is this attempt.");
        visit("outcome", &AttemptView::outcome, field::optional, "How it stands, or how it ended.");
        visit("worker_id", &AttemptView::worker_id, field::optional, "The worker that ran it.");
        visit("worker_instance_id", &AttemptView::worker_instance_id, field::optional, "The worker's process.");
        visit("lease_id", &AttemptView::lease_id, field::optional, "The lease that it last ran under.");
        visit("lease_epoch", &AttemptView::lease_epoch, field::optional,
              "The lease's epoch, higher with every new lease.");
        visit("started_at_ms", &AttemptView::started_at_ms, field::optional, "When it began.");
        visit("ended_at_ms", &AttemptView::ended_at_ms, field::optional, "When it ended.");
        visit("failure_reason", &AttemptView::failure_reason, field::optional, "Why it failed, for people.");
        visit("failure_category", &AttemptView::failure_category, field::optional, "Why it failed, for the policy.");
        visit("previous_attempt_index", &AttemptView::previous_attempt_index, field::optional,
              "The attempt that it follows.");
    }

    bool operator==(const AttemptView&) const = default;
};

struct ExecutionView {
    static constexpr std::string_view type_name = "ExecutionView";

    ExecutionId execution_id;
    std::optional<FlowId> flow_id;
    std::string namespace_name;
    std::string lane_id;
    std::string execution_kind;
    std::int32_t priority = 0;
    StateVector vector;
    std::string blocking_detail;
    std::vector<std::string> required_capabilities;
    Tags tags;
    std::optional<ExecutionPolicy> policy;
    std::int64_t created_at_ms = 0;
    std::optional<std::int64_t> started_at_ms;
    std::optional<std::int64_t> terminal_at_ms;
    std::optional<std::int64_t> delay_until_ms;
    std::optional<std::int64_t> deadline_at_ms;
    std::int64_t last_mutation_at_ms = 0;
    std::uint32_t current_attempt_index = 0;
    std::uint32_t total_attempt_count = 0;
    std::uint32_t retry_count = 0;
    std::uint32_t lease_reclaim_count = 0;
    std::optional<std::string> failure_reason;
    std::optional<std::string> failure_category;
    std::optional<std::string> cancellation_reason;
    std::optional<std::string> cancelled_by;
    std::optional<CancellationCause> cancellation_cause;
    std::optional<std::uint32_t> progress_pct;
    std::optional<std::string> progress_message;
    std::optional<std::int64_t> progress_updated_at_ms;
    std::optional<LeaseView> current_lease;
    std::optional<AttemptView> current_attempt;
    std::optional<std::string> traceparent;
    std::optional<std::string> tracestate;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &ExecutionView::execution_id, field::optional, "The execution's id, {fp:N}:UUID.");
        visit("flow_id", &ExecutionView::flow_id, field::optional, "The flow that it is a member of.");
        visit("namespace", &ExecutionView::namespace_name, field::optional, "The namespace that it belongs to.");
        visit("lane_id", &ExecutionView::lane_id, field::optional, "The lane whose workers may claim it.");
        visit("execution_kind", &ExecutionView::execution_kind, field::optional, "What is to be done.");
        visit("priority", &ExecutionView::priority, field::optional, "Higher is claimed first.");
        visit(
            "public_state", [](auto& view) -> auto& { return view.vector.public_state; }, field::optional,
            "Its state in one word.");
        visit("state_vector", &ExecutionView::vector, field::optional, "Its state in all dimensions.");
        visit("blocking_detail", &ExecutionView::blocking_detail, field::optional,
              "What exactly it waits for; may be empty.");
        visit("required_capabilities", &ExecutionView::required_capabilities, field::optional,
              "What its worker has to be able to do.");
        visit("tags", &ExecutionView::tags, field::optional, "Its tags by key.");
        visit("policy", &ExecutionView::policy, field::optional, "The policy that it was created with, if any.");
        visit("created_at_ms", &ExecutionView::created_at_ms, field::optional, "When it was created.");
        visit("started_at_ms", &ExecutionView::started_at_ms, field::optional, "When it was first claimed.");
        visit("terminal_at_ms", &ExecutionView::terminal_at_ms, field::optional, "When it ended.");
        visit("delay_until_ms", &ExecutionView::delay_until_ms, field::optional, "It is not claimed before.");
        visit("execution_deadline_at_ms", &ExecutionView::deadline_at_ms, field::optional,
              "When it expires if it has not ended.");
        visit("last_mutation_at_ms", &ExecutionView::last_mutation_at_ms, field::optional, "When it last changed.");
        visit("current_attempt_index", &ExecutionView::current_attempt_index, field::optional,
              "The number of the attempt that runs, will run or was the last, from 0.");
        visit("total_attempt_count", &ExecutionView::total_attempt_count, field::optional,
              "How many attempts it has had.");
        visit("retry_count", &ExecutionView::retry_count, field::optional, "How many of them are retries.");
        visit("lease_reclaim_count", &ExecutionView::lease_reclaim_count, field::optional,
              "How often its lease was lost and taken over.");
        visit("failure_reason", &ExecutionView::failure_reason, field::optional, "Why it last failed, for people.");
        visit("failure_category", &ExecutionView::failure_category, field::optional,
              "Why it last failed, for the policy.");
        visit("cancellation_reason", &ExecutionView::cancellation_reason, field::optional, "Why it was cancelled.");
        visit("cancelled_by", &ExecutionView::cancelled_by, field::optional, "On whose behalf it was cancelled.");
        visit("cancellation_cause", &ExecutionView::cancellation_cause, field::optional, "What it was cancelled for.");
        visit("progress_pct", &ExecutionView::progress_pct, field::optional, "How much is done.");
        visit("progress_message", &ExecutionView::progress_message, field::optional, "What is done, for people.");
        visit("progress_updated_at_ms", &ExecutionView::progress_updated_at_ms, field::optional,
              "When progress was last reported.");
        visit("current_lease", &ExecutionView::current_lease, field::optional, "The lease that it runs under.");
        visit("current_attempt", &ExecutionView::current_attempt, field::optional, "The attempt that is open.");
        visit("traceparent", &ExecutionView::traceparent, field::optional, "The trace that it belongs to.");
        visit("tracestate", &ExecutionView::tracestate, field::optional, "What vendors keep with that trace.");
    }

    bool operator==(const ExecutionView&) const = default;
};

struct ExecutionInfo {
    static constexpr std::string_view type_name = "ExecutionInfo";

    ExecutionId execution_id;
    std::string namespace_name;
    std::string lane_id;
    std::int32_t priority = 0;
    std::string execution_kind;
    StateVector vector;
    std::int64_t created_at_ms = 0;
    std::optional<std::int64_t> started_at_ms;
    std::optional<std::int64_t> completed_at_ms;
    std::uint32_t current_attempt_index = 0;
    std::optional<FlowId> flow_id;
    std::string blocking_detail;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &ExecutionInfo::execution_id, field::optional, "The execution's id, {fp:N}:UUID.");
        visit("namespace", &ExecutionInfo::namespace_name, field::optional, "The namespace that it belongs to.");
        visit("lane_id", &ExecutionInfo::lane_id, field::optional, "The lane whose workers may claim it.");
        visit("priority", &ExecutionInfo::priority, field::optional, "Higher is claimed first.");
        visit("execution_kind", &ExecutionInfo::execution_kind, field::optional, "What is to be done.");
        visit(
            "public_state", [](auto& view) -> auto& { return view.vector.public_state; }, field::optional,
            "Its state in one word.");
        visit("state_vector", &ExecutionInfo::vector, field::optional, "Its state in all dimensions.");
        visit("created_at_ms", &ExecutionInfo::created_at_ms, field::optional, "When it was created.");
        visit("started_at_ms", &ExecutionInfo::started_at_ms, field::optional, "When it was first claimed.");
        visit("completed_at_ms", &ExecutionInfo::completed_at_ms, field::optional, "When it ended.");
        visit("current_attempt_index", &ExecutionInfo::current_attempt_index, field::optional,
              "The number of its latest attempt, from 0.");
        visit("flow_id", &ExecutionInfo::flow_id, field::optional, "The flow that it is a member of.");
        visit("blocking_detail", &ExecutionInfo::blocking_detail, field::optional,
              "What exactly it waits for; may be empty.");
    }

    bool operator==(const ExecutionInfo&) const = default;
};

// An execution as a line of a list.
struct ExecutionSummary {
    static constexpr std::string_view type_name = "ExecutionSummary";

    ExecutionId execution_id;
    std::string namespace_name;
    std::string lane_id;
    std::string execution_kind;
    PublicState public_state = PublicState::waiting;
    std::int32_t priority = 0;
    std::int64_t created_at_ms = 0;
    std::optional<std::int64_t> started_at_ms;
    std::optional<std::int64_t> terminal_at_ms;
    std::optional<std::string> failure_category;
    std::optional<FlowId> flow_id;
    std::optional<std::string> node_name;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &ExecutionSummary::execution_id, field::optional, "The execution's id, {fp:N}:UUID.");
        visit("namespace", &ExecutionSummary::namespace_name, field::optional, "The namespace that it belongs to.");
        visit("lane_id", &ExecutionSummary::lane_id, field::optional, "The lane whose workers may claim it.");
        visit("execution_kind", &ExecutionSummary::execution_kind, field::optional, "What is to be done.");
        visit("public_state", &ExecutionSummary::public_state, field::optional, "Its state in one word.");
        visit("priority", &ExecutionSummary::priority, field::optional, "Higher is claimed first.");
        visit("created_at_ms", &ExecutionSummary::created_at_ms, field::optional, "When it was created.");
        visit("started_at_ms", &ExecutionSummary::started_at_ms, field::optional, "When it was first claimed.");
        visit("terminal_at_ms", &ExecutionSummary::terminal_at_ms, field::optional, "When it ended.");
        visit("failure_category", &ExecutionSummary::failure_category, field::optional,
              "Why it last failed, for the policy.");
        visit("flow_id", &ExecutionSummary::flow_id, field::optional, "The flow that it is a member of.");
        visit("node_name", &ExecutionSummary::node_name, field::optional,
              "The name of its node, if it came with its flow.");
    }

    bool operator==(const ExecutionSummary&) const = default;
};

// What a worker needs to run an execution.
struct ExecutionContext {
    static constexpr std::string_view type_name = "ExecutionContext";

    Bytes input_payload;
    std::optional<std::string> payload_encoding;
    std::string execution_kind;
    Tags tags;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("input", &ExecutionContext::input_payload, field::payload("payload_encoding"),
              "What the worker is given.");
        visit("payload_encoding", &ExecutionContext::payload_encoding, field::optional, "How the input is encoded.");
        visit("execution_kind", &ExecutionContext::execution_kind, field::optional, "What is to be done.");
        visit("tags", &ExecutionContext::tags, field::optional, "The execution's tags by key.");
    }

    bool operator==(const ExecutionContext&) const = default;
};

struct ExecutionInput {
    static constexpr std::string_view type_name = "ExecutionInput";

    Bytes input;
    std::optional<std::string> payload_encoding;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("input", &ExecutionInput::input, field::payload("payload_encoding"), "What the worker is given.");
        visit("payload_encoding", &ExecutionInput::payload_encoding, field::optional, "How the input is encoded.");
    }

    bool operator==(const ExecutionInput&) const = default;
};

struct ExecutionResult {
    static constexpr std::string_view type_name = "ExecutionResult";

    PublicState public_state = PublicState::waiting;
    std::optional<Bytes> result;
    std::optional<std::string> result_encoding;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("public_state", &ExecutionResult::public_state, field::optional,
              "Its state in one word; only one that is completed has a result.");
        visit("result", &ExecutionResult::result, field::payload("result_encoding"), "What the worker has given.");
        visit("result_encoding", &ExecutionResult::result_encoding, field::optional, "How the result is encoded.");
    }

    bool operator==(const ExecutionResult&) const = default;
};

// What came of an attempt.
struct AttemptResult {
    static constexpr std::string_view type_name = "AttemptResult";

    AttemptOutcome outcome = AttemptOutcome::started;
    bool superseded = false;
    std::optional<Bytes> result;
    std::optional<std::string> result_encoding;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("outcome", &AttemptResult::outcome, field::optional,
              "How it stands, or how it ended; only one that succeeded has a result.");
        visit("superseded", &AttemptResult::superseded, field::optional,
              "Whether the execution was replayed since: the result went with that.");
        visit("result", &AttemptResult::result, field::payload("result_encoding"), "What the worker has given.");
        visit("result_encoding", &AttemptResult::result_encoding, field::optional, "How the result is encoded.");
    }

    bool operator==(const AttemptResult&) const = default;
};

// ---- why is it not running? -------------------------------------------------------------------------------------

// One predicate that keeps an execution from running (or, for the last of its life, that describes where it stands).
struct Obstacle {
    static constexpr std::string_view type_name = "Obstacle";

    std::string predicate;
    std::string detail;
    std::int64_t since_ms = 0;
    std::optional<std::int64_t> until_ms;
    std::string remedy;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("predicate", &Obstacle::predicate, field::optional, "Such as lane_paused, retry_backoff or lease_held.");
        visit("detail", &Obstacle::detail, field::optional, "The same for people.");
        visit("since_ms", &Obstacle::since_ms, field::optional, "When it began.");
        visit("until_ms", &Obstacle::until_ms, field::optional, "When it ends by itself.");
        visit("remedy", &Obstacle::remedy, field::optional, "What would change it.");
    }

    bool operator==(const Obstacle&) const = default;
};

struct Explanation {
    static constexpr std::string_view type_name = "Explanation";

    ExecutionId execution_id;
    PublicState public_state = PublicState::waiting;
    std::vector<Obstacle> obstacles;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &Explanation::execution_id, field::optional, "The execution's id, {fp:N}:UUID.");
        visit("public_state", &Explanation::public_state, field::optional, "Its state in one word.");
        visit("obstacles", &Explanation::obstacles, field::optional,
              "All that hold now, the one to deal with first in front; never empty.");
    }

    bool operator==(const Explanation&) const = default;
};

}  // namespace flowfabric
