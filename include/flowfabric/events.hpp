#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "flowfabric/commands.hpp"
#include "flowfabric/result.hpp"

// What happened, as subscribers see it. Every change is an event in the outbox of its channel, written in the
// transaction of the change; a subscription follows one channel from a cursor and misses nothing.
namespace flowfabric {

struct Json {
    std::string text;
    bool operator==(const Json&) const = default;
};

// A stored literal that a newer version may have added to: what we do not know reaches the reader as it is.
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

    bool operator==(const LeaseEvent&) const = default;
};

struct CompletionEvent {
    std::int64_t event_id = 0;
    ExecutionId execution_id;
    std::string namespace_name;
    std::optional<std::string> instance_tag;
    std::optional<FlowId> flow_id;
    Open<TerminalOutcome> outcome = TerminalOutcome::success;
    std::int64_t occurred_at_ms = 0;
    std::optional<std::int64_t> dispatched_at_ms;
    std::optional<Open<CancellationCause>> cancellation_cause;

    bool operator==(const CompletionEvent&) const = default;
};

struct SignalEvent {
    std::int64_t event_id = 0;
    ExecutionId execution_id;
    std::optional<std::string> namespace_name;
    std::optional<std::string> instance_tag;
    Uuid signal_id;
    Uuid waitpoint_id;
    std::optional<std::string> source_identity;
    std::string effect;
    std::int64_t delivered_at_ms = 0;

    bool operator==(const SignalEvent&) const = default;
};

// An operator's action, or something that operators want to know of.
struct OperatorEvent {
    std::int64_t event_id = 0;
    std::uint16_t partition_key = 0;
    std::optional<Uuid> subject_id;  // of an execution, flow or budget; a lane is named in `details`
    std::optional<std::string> namespace_name;
    std::optional<std::string> instance_tag;
    Open<SubjectKind> subject_kind = SubjectKind::execution;
    Open<OperatorEventType> event_type = OperatorEventType::execution_cancelled;
    Json details;
    std::int64_t occurred_at_ms = 0;

    bool operator==(const OperatorEvent&) const = default;
};

using Event = std::variant<LeaseEvent, CompletionEvent, SignalEvent, OperatorEvent>;  // in the channels' order

std::int64_t id_of(const Event& event);

// Where a subscription stands: 0x02 and the event's id, big-endian. Empty means "from now".
Bytes cursor_at(std::int64_t event_id);
Bytes cursor_of(const Event& event);
Result<std::optional<std::int64_t>> parse_cursor(const Bytes& cursor);

}  // namespace flowfabric
