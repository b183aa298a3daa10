#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "flowfabric/events.hpp"

// The columns of the outboxes, event_id excepted.
namespace flowfabric {

template <class Row, class Visitor>
void visit_lease_event_columns(Row& row, Visitor&& visit) {
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

template <class Row, class Visitor>
void visit_completion_event_columns(Row& row, Visitor&& visit) {
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

template <class Row, class Visitor>
void visit_signal_event_columns(Row& row, Visitor&& visit) {
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

template <class Row, class Visitor>
void visit_operator_event_columns(Row& row, Visitor&& visit) {
    visit("partition_key", row.partition_key);
    visit("execution_id", row.subject_id);
    visit("namespace", row.namespace_name);
    visit("instance_tag", row.instance_tag);
    visit("subject_kind", row.subject_kind);
    visit("event_type", row.event_type);
    visit("details", row.details);
    visit("occurred_at_ms", row.occurred_at_ms);
}

// Whichever of the above fits the event.
template <class Row, class Visitor>
void visit_event_columns(Row& row, Visitor&& visit) {
    using Plain = std::remove_const_t<Row>;
    if constexpr (std::same_as<Plain, LeaseEvent>) {
        visit_lease_event_columns(row, visit);
    } else if constexpr (std::same_as<Plain, CompletionEvent>) {
        visit_completion_event_columns(row, visit);
    } else if constexpr (std::same_as<Plain, SignalEvent>) {
        visit_signal_event_columns(row, visit);
    } else {
        visit_operator_event_columns(row, visit);
    }
}

template <class E>
std::int64_t time_of(const E& event) {
    if constexpr (requires { event.delivered_at_ms; }) {
        return event.delivered_at_ms;
    } else {
        return event.occurred_at_ms;
    }
}

}  // namespace flowfabric
