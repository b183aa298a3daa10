#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "flowfabric/commands.hpp"
#include "flowfabric/field.hpp"
#include "flowfabric/result.hpp"

// What happened, as subscribers see it. Every change is an event in the outbox of its channel, written in the
// transaction of the change; a subscription follows one channel from a cursor and misses nothing.
namespace flowfabric {

struct Json {
    std::string text;
    bool operator==(const Json&) const = default;
};

// An enumerator, or the literal that a newer version stored and this one does not know, passed on unchanged.
template <class E>
class Open {
  public:
    Open(E value = {}) : value_(value) {}  // NOLINT(google-explicit-constructor): an enumerator is what it mostly is
    static Open parse(std::string_view text) {
        const auto known = parse_enum<E>(text);
        Open open(known.value_or(E{}));
        if (!known) open.unknown_ = text;
        return open;
    }

    std::string_view text() const { return unknown_.empty() ? to_string(value_) : std::string_view(unknown_); }
    std::optional<E> known() const { return unknown_.empty() ? std::optional(value_) : std::nullopt; }

    bool operator==(const Open&) const = default;
    bool operator==(E value) const { return known() == value; }

  private:
    E value_;
    std::string unknown_;
};

// `event_id` is drawn by the store when the row is saved; it is 0 until then.
struct LeaseEvent {
    static constexpr std::string_view type_name = "LeaseEvent";

    std::int64_t event_id = 0;
    ExecutionId execution_id;
    std::string namespace_name;
    std::optional<std::string> instance_tag;
    Open<LeaseEventType> event_type = LeaseEventType::acquired;
    LeaseId lease_id;
    std::uint64_t lease_epoch = 0;
    std::int32_t attempt_index = 0;
    AttemptId attempt_id;
    std::string worker_id;
    std::string worker_instance_id;
    std::optional<std::string> prev_worker_instance_id;
    std::optional<std::string> reason;
    std::optional<std::string> revoked_by;
    std::int64_t occurred_at_ms = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("event_id", &LeaseEvent::event_id, field::optional, "Its place on the channel.");
        visit("execution_id", &LeaseEvent::execution_id, field::optional, "The execution's id, {fp:N}:UUID.");
        visit("namespace", &LeaseEvent::namespace_name, field::optional, "The execution's namespace.");
        visit("instance_tag", &LeaseEvent::instance_tag, field::optional, "The execution's tag for subscriptions.");
        visit("event_type", &LeaseEvent::event_type, field::optional, "What happened to the lease.");
        visit("lease_id", &LeaseEvent::lease_id, field::optional, "The lease's id, a UUID.");
        visit("lease_epoch", &LeaseEvent::lease_epoch, field::optional,
              "The lease's epoch, higher with every new lease.");
        visit("attempt_index", &LeaseEvent::attempt_index, field::optional, "The attempt's number, from 0.");
        visit("attempt_id", &LeaseEvent::attempt_id, field::optional, "The attempt that runs under the lease.");
        visit("worker_id", &LeaseEvent::worker_id, field::optional, "The worker that holds or held it.");
        visit("worker_instance_id", &LeaseEvent::worker_instance_id, field::optional, "The worker's process.");
        visit("prev_worker_instance_id", &LeaseEvent::prev_worker_instance_id, field::optional,
              "The process that it was taken over from.");
        visit("reason", &LeaseEvent::reason, field::optional, "Why it happened.");
        visit("revoked_by", &LeaseEvent::revoked_by, field::optional, "On whose behalf it was revoked.");
        visit("occurred_at_ms", &LeaseEvent::occurred_at_ms, field::optional, "When it happened.");
    }

    bool operator==(const LeaseEvent&) const = default;
};

struct CompletionEvent {
    static constexpr std::string_view type_name = "CompletionEvent";

    std::int64_t event_id = 0;
    ExecutionId execution_id;
    std::string namespace_name;
    std::optional<std::string> instance_tag;
    std::optional<FlowId> flow_id;
    Open<TerminalOutcome> outcome = TerminalOutcome::success;
    std::int64_t occurred_at_ms = 0;
    std::optional<std::int64_t> dispatched_at_ms;
    std::optional<Open<CancellationCause>> cancellation_cause;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("event_id", &CompletionEvent::event_id, field::optional, "Its place on the channel.");
        visit("execution_id", &CompletionEvent::execution_id, field::optional, "The execution that ended.");
        visit("namespace", &CompletionEvent::namespace_name, field::optional, "The execution's namespace.");
        visit("instance_tag", &CompletionEvent::instance_tag, field::optional,
              "The execution's tag for subscriptions.");
        visit("flow_id", &CompletionEvent::flow_id, field::optional, "The flow that it is a member of.");
        visit("outcome", &CompletionEvent::outcome, field::optional, "How it ended.");
        visit("cancellation_cause", &CompletionEvent::cancellation_cause, field::optional,
              "What it was cancelled for.");
        visit("occurred_at_ms", &CompletionEvent::occurred_at_ms, field::optional, "When it ended.");
        visit("dispatched_at_ms", &CompletionEvent::dispatched_at_ms, field::optional,
              "When all edges from a member were resolved.");
    }

    bool operator==(const CompletionEvent&) const = default;
};

struct SignalEvent {
    static constexpr std::string_view type_name = "SignalEvent";

    std::int64_t event_id = 0;
    ExecutionId execution_id;
    std::optional<std::string> namespace_name;
    std::optional<std::string> instance_tag;
    Uuid signal_id;
    Uuid waitpoint_id;
    std::optional<std::string> source_identity;
    std::string effect;
    std::int64_t delivered_at_ms = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("event_id", &SignalEvent::event_id, field::optional, "Its place on the channel.");
        visit("execution_id", &SignalEvent::execution_id, field::optional, "The execution that was signalled.");
        visit("namespace", &SignalEvent::namespace_name, field::optional, "The execution's namespace.");
        visit("instance_tag", &SignalEvent::instance_tag, field::optional, "The execution's tag for subscriptions.");
        visit("signal_id", &SignalEvent::signal_id, field::optional, "The signal's id, a UUID.");
        visit("waitpoint_id", &SignalEvent::waitpoint_id, field::optional, "The waitpoint that it was sent to.");
        visit("source_identity", &SignalEvent::source_identity, field::optional, "Which sender it came from.");
        visit("effect", &SignalEvent::effect, field::optional, "What it did to its waitpoint.");
        visit("delivered_at_ms", &SignalEvent::delivered_at_ms, field::optional, "When it was delivered.");
    }

    bool operator==(const SignalEvent&) const = default;
};

// An operator's action, or something that operators want to know of.
struct OperatorEvent {
    static constexpr std::string_view type_name = "OperatorEvent";

    std::int64_t event_id = 0;
    std::uint16_t partition_key = 0;
    std::optional<Uuid> subject_id;
    std::optional<std::string> namespace_name;
    std::optional<std::string> instance_tag;
    Open<SubjectKind> subject_kind = SubjectKind::execution;
    Open<OperatorEventType> event_type = OperatorEventType::execution_cancelled;
    Json details;
    std::int64_t occurred_at_ms = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("event_id", &OperatorEvent::event_id, field::optional, "Its place on the channel.");
        visit("partition", &OperatorEvent::partition_key, field::optional, "The subject's partition.");
        visit("subject_kind", &OperatorEvent::subject_kind, field::optional, "What kind of thing it is about.");
        visit("subject_id", &OperatorEvent::subject_id, field::optional,
              "The execution, flow or budget that it is about; a lane is named in the details.");
        visit("namespace", &OperatorEvent::namespace_name, field::optional, "The subject's namespace.");
        visit("instance_tag", &OperatorEvent::instance_tag, field::optional, "The subject's tag for subscriptions.");
        visit("event_type", &OperatorEvent::event_type, field::optional, "What has happened.");
        visit("details", &OperatorEvent::details, field::optional, "The facts, which depend on what happened.");
        visit("occurred_at_ms", &OperatorEvent::occurred_at_ms, field::optional, "When it happened.");
    }

    bool operator==(const OperatorEvent&) const = default;
};

// What an operator asked for, and what came of it.
struct AuditEvent {
    static constexpr std::string_view type_name = "AuditEvent";

    std::int64_t event_id = 0;
    std::string actor;
    std::string action;
    std::optional<std::string> subject;
    std::optional<std::string> request_id;
    std::int32_t status = 0;
    std::int64_t occurred_at_ms = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("event_id", &AuditEvent::event_id, field::optional, "Its place on the channel.");
        visit("actor", &AuditEvent::actor, field::optional, "The token that was presented, - without one.");
        visit("action", &AuditEvent::action, field::optional, "The operation that was asked for.");
        visit("subject", &AuditEvent::subject, field::optional, "What it was about, as the request named it.");
        visit("request_id", &AuditEvent::request_id, field::optional, "The id of the request.");
        visit("status", &AuditEvent::status, field::optional, "The status of the answer, as HTTP has it.");
        visit("occurred_at_ms", &AuditEvent::occurred_at_ms, field::optional, "When it was recorded.");
    }

    bool operator==(const AuditEvent&) const = default;
};

using Event =
    std::variant<LeaseEvent, CompletionEvent, SignalEvent, OperatorEvent, AuditEvent>;  // in the channels' order

std::int64_t id_of(const Event& event);

// Where a subscription stands: 0x02 and the event's id, big-endian. Empty means "from now".
Bytes cursor_at(std::int64_t event_id);
Bytes cursor_of(const Event& event);
Result<std::optional<std::int64_t>> parse_cursor(const Bytes& cursor);

}  // namespace flowfabric
