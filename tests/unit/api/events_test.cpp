#include <gtest/gtest.h>

#include "flowfabric/events.hpp"
#include "flowfabric/subscription.hpp"
#include "unit/api/documents.hpp"

// What subscribers see, as documents.
namespace flowfabric::api::test {
namespace {

TEST(ApiEvents, ALeaseEventShowsTheLeaseAndItsWorker) {
    LeaseEvent event;
    event.event_id = 11;
    event.execution_id = execution('1');
    event.namespace_name = "billing";
    event.instance_tag = "acme";
    event.event_type = LeaseEventType::reclaimed;
    event.lease_id = id<LeaseId>('2');
    event.lease_epoch = 3;
    event.attempt_index = 1;
    event.attempt_id = id<AttemptId>('4');
    event.worker_id = "w";
    event.worker_instance_id = "w-2";
    event.prev_worker_instance_id = "w-1";
    event.occurred_at_ms = 1000;
    expect_document(Event{event}, R"({
        "LeaseEvent": {
            "event_id": 11,
            "execution_id": "{fp:7}:00000000-0000-7000-8000-000000000001",
            "namespace": "billing",
            "instance_tag": "acme",
            "event_type": "reclaimed",
            "lease_id": "00000000-0000-7000-8000-000000000002",
            "lease_epoch": 3,
            "attempt_index": 1,
            "attempt_id": "00000000-0000-7000-8000-000000000004",
            "worker_id": "w",
            "worker_instance_id": "w-2",
            "prev_worker_instance_id": "w-1",
            "occurred_at_ms": 1000
        }
    })");
}

TEST(ApiEvents, ACompletionEventKeepsLiteralsThatAreNotKnownYet) {
    CompletionEvent event;
    event.event_id = 12;
    event.execution_id = execution('1');
    event.namespace_name = "billing";
    event.flow_id = id<FlowId>('2');
    event.outcome = TerminalOutcome::cancelled;
    event.cancellation_cause = Open<CancellationCause>::parse("budget");
    event.occurred_at_ms = 1000;
    event.dispatched_at_ms = 1100;
    expect_document(Event{event}, R"({
        "CompletionEvent": {
            "event_id": 12,
            "execution_id": "{fp:7}:00000000-0000-7000-8000-000000000001",
            "namespace": "billing",
            "flow_id": "00000000-0000-7000-8000-000000000002",
            "outcome": "cancelled",
            "cancellation_cause": "budget",
            "occurred_at_ms": 1000,
            "dispatched_at_ms": 1100
        }
    })");
}

TEST(ApiEvents, ASignalEventShowsItsEffect) {
    SignalEvent event;
    event.event_id = 13;
    event.execution_id = execution('1');
    event.signal_id = id<Uuid>('2');
    event.waitpoint_id = id<Uuid>('3');
    event.source_identity = "mailer";
    event.effect = "resume_condition_satisfied";
    event.delivered_at_ms = 1000;
    expect_document(Event{event}, R"({
        "SignalEvent": {
            "event_id": 13,
            "execution_id": "{fp:7}:00000000-0000-7000-8000-000000000001",
            "signal_id": "00000000-0000-7000-8000-000000000002",
            "waitpoint_id": "00000000-0000-7000-8000-000000000003",
            "source_identity": "mailer",
            "effect": "resume_condition_satisfied",
            "delivered_at_ms": 1000
        }
    })");
}

TEST(ApiEvents, AnOperatorEventCarriesItsDetailsAsADocument) {
    OperatorEvent event;
    event.event_id = 14;
    event.partition_key = 7;
    event.subject_id = id<Uuid>('1');
    event.subject_kind = SubjectKind::execution;
    event.event_type = OperatorEventType::priority_changed;
    event.details = {R"({"old_priority":0,"new_priority":5})"};
    event.occurred_at_ms = 1000;
    expect_document(Event{event}, R"({
        "OperatorEvent": {
            "event_id": 14,
            "partition": 7,
            "subject_kind": "execution",
            "subject_id": "00000000-0000-7000-8000-000000000001",
            "event_type": "priority_changed",
            "details": {"old_priority": 0, "new_priority": 5},
            "occurred_at_ms": 1000
        }
    })");
}

TEST(ApiEvents, AConsumerStandsAtACursorInHex) {
    const ConsumerView consumer{.channel = Channel::operators,
                                .name = "audit",
                                .cursor = cursor_at(258),
                                .registered_at_ms = 1000,
                                .acknowledged_at_ms = 2000};
    expect_document(consumer, R"({
        "channel": "operator",
        "consumer": "audit",
        "cursor": "020000000000000102",
        "registered_at_ms": 1000,
        "acknowledged_at_ms": 2000
    })");
}

}  // namespace
}  // namespace flowfabric::api::test
