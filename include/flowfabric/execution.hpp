#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "flowfabric/field.hpp"
#include "flowfabric/ids.hpp"
#include "flowfabric/lease_ref.hpp"
#include "flowfabric/limits.hpp"
#include "flowfabric/policy.hpp"
#include "flowfabric/state.hpp"
#include "flowfabric/values.hpp"

// Creating an execution, and changing it without its lease.
namespace flowfabric {

struct Created {
    static constexpr std::string_view type_name = "Created";

    ExecutionId execution_id;
    bool duplicate = false;
    std::optional<PublicState> public_state;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &Created::execution_id, field::optional,
              "The new execution, or the original of a duplicate.");
        visit("duplicate", &Created::duplicate, field::optional, "Whether the execution was there already.");
        visit("public_state", &Created::public_state, field::optional,
              "The state of a new execution; absent for a duplicate, whose original is not read.");
    }

    bool operator==(const Created&) const = default;
};

struct CreateExecution {
    using Answer = Created;
    static constexpr std::string_view type_name = "CreateExecution";
    static constexpr Operation operation{"create_execution", "Creates an execution, once for each idempotency key."};

    std::optional<ExecutionId> execution_id;
    std::string namespace_name = "default";
    std::string lane_id = "default";
    std::string execution_kind;
    Bytes input_payload;
    std::optional<std::string> payload_encoding;
    std::int32_t priority = 0;
    std::string creator_identity;
    std::string idempotency_key;
    Tags tags;
    std::optional<ExecutionPolicy> policy;
    std::optional<std::int64_t> delay_until_ms;
    std::optional<std::int64_t> execution_deadline_at_ms;
    std::optional<std::string> request_digest;
    std::optional<std::string> traceparent;
    std::optional<std::string> tracestate;
    std::optional<FlowId> flow_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &CreateExecution::execution_id, field::optional,
              "An id of the caller's own; absent: minted on the lane's partition.");
        visit("flow_id", &CreateExecution::flow_id, field::optional,
              "A flow that it may join later: an id that is minted is on that flow's partition.");
        visit("namespace", &CreateExecution::namespace_name, field::identity,
              "The namespace of the execution and of its idempotency key.");
        visit("lane_id", &CreateExecution::lane_id, field::lane, "The lane whose workers may claim it.");
        visit("execution_kind", &CreateExecution::execution_kind, field::required(field::text(max_label_bytes)),
              "What is to be done; it chooses the worker's handler.");
        visit("input", &CreateExecution::input_payload, field::payload("payload_encoding", default_max_payload_bytes),
              "What the worker is given.");
        visit("payload_encoding", &CreateExecution::payload_encoding, field::text(max_label_bytes),
              "How the input is encoded.");
        visit("priority", &CreateExecution::priority, field::between(0, max_priority),
              "Higher is claimed first; what is out of range becomes the nearest end, 0 leaves it to the policy.");
        visit("creator_identity", &CreateExecution::creator_identity, field::text(max_label_bytes),
              "Who asks for the execution.");
        visit("idempotency_key", &CreateExecution::idempotency_key, field::text(max_idempotency_key_bytes),
              "Under the same key there is only one execution; empty: none.");
        visit("tags", &CreateExecution::tags, field::text(max_tag_bytes), "Tags by key, such as owner.name.");
        visit("policy", &CreateExecution::policy, field::optional,
              "Retries, time limits and the rest that the execution is held to.");
        visit("delay_until_ms", &CreateExecution::delay_until_ms, field::time,
              "Not to be claimed before; absent: the policy decides.");
        visit("execution_deadline_at_ms", &CreateExecution::execution_deadline_at_ms, field::time,
              "When the execution expires if it has not ended; absent: the policy decides.");
        visit("request_digest", &CreateExecution::request_digest, field::line(max_label_bytes),
              "Tells requests under one idempotency_key apart: one with another digest is refused, one with the same "
              "gets the first answer.");
        visit("traceparent", &CreateExecution::traceparent, field::line(max_traceparent_bytes),
              "The trace that it belongs to, as W3C Trace Context writes it; its workers get it.");
        visit("tracestate", &CreateExecution::tracestate, field::line(max_tracestate_bytes),
              "What vendors keep with that trace; only beside a traceparent.");
    }
};

struct Cancelled {
    static constexpr std::string_view type_name = "Cancelled";

    ExecutionId execution_id;
    PublicState public_state = PublicState::cancelled;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &Cancelled::execution_id, field::optional, "The execution that is cancelled.");
        visit("public_state", &Cancelled::public_state, field::optional, "The execution's state in one word.");
    }

    bool operator==(const Cancelled&) const = default;
};

// Only the source `lease_holder` has to prove that it holds a live lease.
struct CancelExecution {
    using Answer = Cancelled;
    static constexpr std::string_view type_name = "CancelExecution";
    static constexpr Operation operation{"cancel_execution",
                                         "Cancels an execution for an operator or a part of the system."};

    Fence execution;
    std::string reason;
    std::string source = "operator_override";

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution", &CancelExecution::execution, field::required(), "The execution; its lease may be left out.");
        visit("reason", &CancelExecution::reason, field::required(field::text(max_reason_bytes)), "Why, for people.");
        visit("source", &CancelExecution::source, field::text(max_label_bytes),
              "On whose behalf: operator_override, lease_holder, flow_cascade, system_timeout or a text of your own.");
    }
};

struct TagsSet {
    static constexpr std::string_view type_name = "TagsSet";

    std::uint32_t count = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("count", &TagsSet::count, field::optional, "How many tags were given.");
    }

    bool operator==(const TagsSet&) const = default;
};

struct SetExecutionTags {
    using Answer = TagsSet;
    static constexpr std::string_view type_name = "SetExecutionTags";
    static constexpr Operation operation{"set_execution_tags",
                                         "Adds or replaces tags of an execution, all of them or none."};

    ExecutionId execution_id;
    Tags tags;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &SetExecutionTags::execution_id, field::required(), "The execution's id, {fp:N}:UUID.");
        visit("tags", &SetExecutionTags::tags, field::required(field::text(max_tag_bytes)),
              "Tags by key, such as owner.name.");
    }
};

struct PriorityChanged {
    static constexpr std::string_view type_name = "PriorityChanged";

    ExecutionId execution_id;
    std::int32_t old_priority = 0;
    std::int32_t new_priority = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &PriorityChanged::execution_id, field::optional, "The execution's id, {fp:N}:UUID.");
        visit("old_priority", &PriorityChanged::old_priority, field::optional, "Its priority before.");
        visit("new_priority", &PriorityChanged::new_priority, field::optional, "Its priority now.");
    }

    bool operator==(const PriorityChanged&) const = default;
};

struct ChangePriority {
    using Answer = PriorityChanged;
    static constexpr std::string_view type_name = "ChangePriority";
    static constexpr Operation operation{"change_priority",
                                         "Changes the priority of an execution that waits for a worker."};

    ExecutionId execution_id;
    std::int32_t new_priority = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &ChangePriority::execution_id, field::required(), "The execution's id, {fp:N}:UUID.");
        visit("new_priority", &ChangePriority::new_priority, field::required(field::between(0, max_priority)),
              "Higher is claimed first; what is out of range becomes the nearest end.");
    }
};

struct Replayed {
    static constexpr std::string_view type_name = "Replayed";

    ExecutionId execution_id;
    PublicState public_state = PublicState::waiting;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &Replayed::execution_id, field::optional, "The execution's id, {fp:N}:UUID.");
        visit("public_state", &Replayed::public_state, field::optional, "The execution's state in one word.");
    }

    bool operator==(const Replayed&) const = default;
};

struct ReplayExecution {
    using Answer = Replayed;
    static constexpr std::string_view type_name = "ReplayExecution";
    static constexpr Operation operation{"replay_execution",
                                         "Runs an execution that has ended once more, as a new attempt."};

    ExecutionId execution_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &ReplayExecution::execution_id, field::required(), "The execution's id, {fp:N}:UUID.");
    }
};

struct Purged {
    static constexpr std::string_view type_name = "Purged";

    ExecutionId execution_id;
    PublicState public_state = PublicState::completed;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &Purged::execution_id, field::optional, "The execution's id, {fp:N}:UUID.");
        visit("public_state", &Purged::public_state, field::optional, "How it had ended, in one word.");
    }

    bool operator==(const Purged&) const = default;
};

struct PurgeExecution {
    using Answer = Purged;
    static constexpr std::string_view type_name = "PurgeExecution";
    static constexpr Operation operation{
        "purge_execution", "Removes an execution that has ended, with all that it owns, before its retention does."};

    ExecutionId execution_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &PurgeExecution::execution_id, field::required(), "The execution's id, {fp:N}:UUID.");
    }
};

struct TimerFired {
    static constexpr std::string_view type_name = "TimerFired";

    bool changed = false;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("changed", &TimerFired::changed, field::optional,
              "Whether this call did it; otherwise it was not due, or another call was faster.");
    }

    bool operator==(const TimerFired&) const = default;
};

struct FireTimer {
    using Answer = TimerFired;
    static constexpr std::string_view type_name = "FireTimer";
    static constexpr Operation operation{"fire_timer",
                                         "Does what a reconciler does to an execution whose time has come, if it has."};

    ExecutionId execution_id;
    Timer timer = Timer::lease_expiry;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &FireTimer::execution_id, field::required(), "The execution's id, {fp:N}:UUID.");
        visit("timer", &FireTimer::timer, field::required(), "Which of its times.");
    }
};

}  // namespace flowfabric
