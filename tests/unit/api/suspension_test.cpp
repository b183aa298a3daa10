#include <gtest/gtest.h>

#include "flowfabric/suspension.hpp"
#include "unit/api/documents.hpp"

// What suspending and signalling answer, as documents.
namespace flowfabric::api::test {
namespace {

SuspensionDetails two_waitpoints() {
    return {.suspension_id = id<SuspensionId>('1'),
            .primary = {id<WaitpointId>('2'), "approval", "k1:aa"},
            .additional = {{id<WaitpointId>('3'), "payment", "k1:bb"}}};
}

TEST(ApiSuspendOutcomes, ASuspensionGivesTheTokensOfItsWaitpoints) {
    const Handle handle{.backend = BackendTag::memory, .kind = HandleKind::suspended, .opaque = "bytes"};
    expect_document(SuspendOutcome{Suspended{two_waitpoints(), handle}}, R"({
        "Suspended": {
            "details": {
                "suspension_id": "00000000-0000-7000-8000-000000000001",
                "primary": {
                    "waitpoint_id": "00000000-0000-7000-8000-000000000002",
                    "waitpoint_key": "approval",
                    "token": "k1:aa"
                },
                "additional": [
                    {
                        "waitpoint_id": "00000000-0000-7000-8000-000000000003",
                        "waitpoint_key": "payment",
                        "token": "k1:bb"
                    }
                ]
            },
            "handle": "BAJieXRlcw"
        }
    })");
}

TEST(ApiSuspendOutcomes, AConditionThatWasMetGivesTheSignalsThatMetIt) {
    ConditionAlreadyMet met;
    met.details = {
        .suspension_id = id<SuspensionId>('1'), .primary = {id<WaitpointId>('2'), "approval", ""}, .additional = {}};
    ResumeSignal approved;
    approved.signal_id = id<SignalId>('4');
    approved.waitpoint_id = id<WaitpointId>('2');
    approved.waitpoint_key = "approval";
    approved.suspension_id = id<SuspensionId>('1');
    approved.signal_name = "approved";
    approved.source_type = "user";
    approved.source_identity = "ada";
    approved.payload = R"({"amount":12})";
    approved.payload_encoding = "json";
    approved.accepted_at_ms = 1000;
    approved.satisfied = true;
    ResumeSignal early = approved;
    early.signal_id = id<SignalId>('5');
    early.suspension_id.reset();
    early.correlation_id = "order-7";
    early.payload = "\x01\xFF";
    early.payload_encoding = "binary";
    early.satisfied = false;
    met.signals = {approved, early};
    met.more_signals = true;
    expect_document(SuspendOutcome{met}, R"({
        "AlreadySatisfied": {
            "details": {
                "suspension_id": "00000000-0000-7000-8000-000000000001",
                "primary": {
                    "waitpoint_id": "00000000-0000-7000-8000-000000000002",
                    "waitpoint_key": "approval",
                    "token": ""
                },
                "additional": []
            },
            "signals": [
                {
                    "signal_id": "00000000-0000-7000-8000-000000000004",
                    "waitpoint_id": "00000000-0000-7000-8000-000000000002",
                    "waitpoint_key": "approval",
                    "suspension_id": "00000000-0000-7000-8000-000000000001",
                    "signal_name": "approved",
                    "signal_category": "",
                    "source_type": "user",
                    "source_identity": "ada",
                    "payload": {"amount": 12},
                    "payload_encoding": "json",
                    "accepted_at_ms": 1000,
                    "satisfied": true
                },
                {
                    "signal_id": "00000000-0000-7000-8000-000000000005",
                    "waitpoint_id": "00000000-0000-7000-8000-000000000002",
                    "waitpoint_key": "approval",
                    "signal_name": "approved",
                    "signal_category": "",
                    "source_type": "user",
                    "source_identity": "ada",
                    "correlation_id": "order-7",
                    "payload_b64": "Af8=",
                    "payload_encoding": "binary",
                    "accepted_at_ms": 1000,
                    "satisfied": false
                }
            ],
            "more_signals": true
        }
    })");
}

TEST(ApiSignalOutcomes, ASignalIsAcceptedOrADuplicate) {
    expect_document(SignalOutcome{SignalAccepted{id<SignalId>('1'), SignalEffect::appended_to_waitpoint}}, R"({
        "Accepted": {"signal_id": "00000000-0000-7000-8000-000000000001", "effect": "appended_to_waitpoint"}
    })");
    expect_document(SignalOutcome{DuplicateSignal{id<SignalId>('1')}},
                    R"({"Duplicate": {"existing_signal_id": "00000000-0000-7000-8000-000000000001"}})");
}

}  // namespace
}  // namespace flowfabric::api::test
