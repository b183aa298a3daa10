#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/rows/every.hpp"
#include "core/rows/side_row.hpp"
#include "flowfabric/events.hpp"

// Where events are kept. Each type names its outbox and its columns, event_id excepted; every store writes, reads and
// trims outboxes by that alone. The list of all types is `Event`.
namespace flowfabric {

struct Outbox {
    Channel channel;
    std::string_view table;
    std::string_view notification;  // under which PostgreSQL tells others of new events
    std::string_view time_column = "occurred_at_ms";
    bool told_by_trigger = false;  // the schema sends the notification; otherwise writers do, behind their commits
};

template <class E>
extern const Outbox outbox_of;

template <>
inline constexpr Outbox outbox_of<LeaseEvent>{
    .channel = Channel::lease, .table = "ff_lease_event", .notification = "ff_lease_event"};

template <Is<LeaseEvent> Row, class Visitor>
void visit_event_columns(Row& row, Visitor&& visit) {
    visit("partition_key", row.execution_id.partition);
    visit("execution_id", row.execution_id.uuid);
    visit("namespace", row.namespace_name);
    visit("instance_tag", row.instance_tag);
    visit("event_type", row.event_type);
    visit("lease_id", row.lease_id);
    visit("lease_epoch", row.lease_epoch);
    visit("attempt_index", row.attempt_index);
    visit("attempt_id", row.attempt_id);
    visit("worker_id", row.worker_id);
    visit("worker_instance_id", row.worker_instance_id);
    visit("prev_worker_instance_id", row.prev_worker_instance_id);
    visit("reason", row.reason);
    visit("revoked_by", row.revoked_by);
    visit("occurred_at_ms", row.occurred_at_ms);
}

template <>
inline constexpr Outbox outbox_of<CompletionEvent>{
    .channel = Channel::completion, .table = "ff_completion_event", .notification = "ff_completion"};

template <Is<CompletionEvent> Row, class Visitor>
void visit_event_columns(Row& row, Visitor&& visit) {
    visit("partition_key", row.execution_id.partition);
    visit("execution_id", row.execution_id.uuid);
    visit("namespace", row.namespace_name);
    visit("instance_tag", row.instance_tag);
    visit("flow_id", row.flow_id);
    visit("outcome", row.outcome);
    visit("occurred_at_ms", row.occurred_at_ms);
    visit("dispatched_at_ms", row.dispatched_at_ms);
    visit("cancellation_cause", row.cancellation_cause);
}

template <>
inline constexpr Outbox outbox_of<SignalEvent>{.channel = Channel::signal,
                                               .table = "ff_signal_event",
                                               .notification = "ff_signal_event",
                                               .time_column = "delivered_at_ms"};

template <Is<SignalEvent> Row, class Visitor>
void visit_event_columns(Row& row, Visitor&& visit) {
    visit("partition_key", row.execution_id.partition);
    visit("execution_id", row.execution_id.uuid);
    visit("namespace", row.namespace_name);
    visit("instance_tag", row.instance_tag);
    visit("signal_id", row.signal_id);
    visit("waitpoint_id", row.waitpoint_id);
    visit("source_identity", row.source_identity);
    visit("effect", row.effect);
    visit("delivered_at_ms", row.delivered_at_ms);
}

template <>
inline constexpr Outbox outbox_of<OperatorEvent>{.channel = Channel::operators,
                                                 .table = "ff_operator_event",
                                                 .notification = "ff_operator_event",
                                                 .told_by_trigger = true};

template <Is<OperatorEvent> Row, class Visitor>
void visit_event_columns(Row& row, Visitor&& visit) {
    visit("partition_key", row.partition_key);
    visit("execution_id", row.subject_id);
    visit("namespace", row.namespace_name);
    visit("instance_tag", row.instance_tag);
    visit("subject_kind", row.subject_kind);
    visit("event_type", row.event_type);
    visit("details", row.details);
    visit("occurred_at_ms", row.occurred_at_ms);
}

template <>
inline constexpr Outbox outbox_of<AuditEvent>{
    .channel = Channel::audit, .table = "ff_audit_event", .notification = "ff_audit_event"};

template <Is<AuditEvent> Row, class Visitor>
void visit_event_columns(Row& row, Visitor&& visit) {
    visit("actor", row.actor);
    visit("action", row.action);
    visit("subject", row.subject);
    visit("request_id", row.request_id);
    visit("status", row.status);
    visit("occurred_at_ms", row.occurred_at_ms);
}

// ---- all of them ------------------------------------------------------------------------------------------------

namespace detail {

template <class Events>
struct EventTypes;

template <class... E>
struct EventTypes<std::variant<E...>> {
    template <template <class> class Of>
    using For = Every<Of, E...>;

    static constexpr std::array<Channel, sizeof...(E)> channels{outbox_of<E>.channel...};

    template <class First, class... Rest, class Use>
    static decltype(auto) with(Channel channel, Use&& use) {
        if constexpr (sizeof...(Rest) > 0) {
            if (channel != outbox_of<First>.channel) return with<Rest...>(channel, std::forward<Use>(use));
        }
        return use.template operator()<First>();
    }
    template <class Use>
    static decltype(auto) with(Channel channel, Use&& use) {
        return with<E...>(channel, std::forward<Use>(use));
    }
};

}  // namespace detail

// One `Of<E>` for every event type.
template <template <class> class Of>
using ForEvents = detail::EventTypes<Event>::For<Of>;

template <class E>
using EventList = std::vector<E>;
using EventLists = ForEvents<EventList>;

inline constexpr auto channels = detail::EventTypes<Event>::channels;

constexpr std::size_t index_of(Channel channel) {
    return static_cast<std::size_t>(channel);
}

// Event types stand in the order of their channels.
static_assert([] {
    for (std::size_t i = 0; i < channels.size(); ++i) {
        if (index_of(channels[i]) != i) return false;
    }
    return channels.size() == enum_names<Channel>.size();
}());

// Calls use.operator()<E>() with the event type of the channel.
template <class Use>
decltype(auto) with_event_type(Channel channel, Use&& use) {
    return detail::EventTypes<Event>::with(channel, std::forward<Use>(use));
}

inline const Outbox& outbox_of_channel(Channel channel) {
    return with_event_type(channel, []<class E>() -> const Outbox& { return outbox_of<E>; });
}

// What its outbox's time_column holds.
template <class E>
std::int64_t time_of(const E& event) {
    std::int64_t time = 0;
    visit_event_columns(event, [&]<class T>(std::string_view name, const T& field) {
        if constexpr (std::same_as<T, std::int64_t>) {
            if (name == outbox_of<E>.time_column) time = field;
        }
    });
    return time;
}

}  // namespace flowfabric
