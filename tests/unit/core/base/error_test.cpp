#include "flowfabric/error.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace flowfabric {
namespace {

struct Expected {
    ErrorKind kind;
    std::string_view name;
    ErrorFamily family;
    ErrorClass error_class;
};

// The taxonomy of the specification, for the kinds that exist.
const std::vector<Expected> taxonomy{
    {ErrorKind::execution_not_found, "execution_not_found", ErrorFamily::not_found, ErrorClass::terminal},
    {ErrorKind::attempt_not_found, "attempt_not_found", ErrorFamily::not_found, ErrorClass::terminal},
    {ErrorKind::consumer_not_found, "consumer_not_found", ErrorFamily::not_found, ErrorClass::terminal},
    {ErrorKind::no_such_waitpoint, "no_such_waitpoint", ErrorFamily::not_found, ErrorClass::terminal},
    {ErrorKind::webhook_not_found, "webhook_not_found", ErrorFamily::not_found, ErrorClass::terminal},
    {ErrorKind::budget_not_found, "budget_not_found", ErrorFamily::not_found, ErrorClass::terminal},
    {ErrorKind::budget_has_children, "budget_has_children", ErrorFamily::state, ErrorClass::terminal},
    {ErrorKind::invalid_input, "invalid_input", ErrorFamily::validation, ErrorClass::terminal},
    {ErrorKind::capability_mismatch, "capability_mismatch", ErrorFamily::validation, ErrorClass::terminal},
    {ErrorKind::invalid_capabilities, "invalid_capabilities", ErrorFamily::validation, ErrorClass::terminal},
    {ErrorKind::invalid_policy_json, "invalid_policy_json", ErrorFamily::validation, ErrorClass::terminal},
    {ErrorKind::corruption, "corruption", ErrorFamily::validation, ErrorClass::terminal},
    {ErrorKind::handle_from_other_backend, "handle_from_other_backend", ErrorFamily::validation, ErrorClass::terminal},
    {ErrorKind::payload_too_large, "payload_too_large", ErrorFamily::validation, ErrorClass::terminal},
    {ErrorKind::cursor_expired, "cursor_expired", ErrorFamily::validation, ErrorClass::terminal},
    {ErrorKind::invalid_kid, "invalid_kid", ErrorFamily::validation, ErrorClass::terminal},
    {ErrorKind::invalid_secret_hex, "invalid_secret_hex", ErrorFamily::validation, ErrorClass::terminal},
    {ErrorKind::invalid_grace_ms, "invalid_grace_ms", ErrorFamily::validation, ErrorClass::terminal},
    {ErrorKind::invalid_token, "invalid_token", ErrorFamily::validation, ErrorClass::terminal},
    {ErrorKind::invalid_waitpoint_for_execution, "invalid_waitpoint_for_execution", ErrorFamily::validation,
     ErrorClass::terminal},
    {ErrorKind::waitpoint_not_token_bound, "waitpoint_not_token_bound", ErrorFamily::validation, ErrorClass::terminal},
    {ErrorKind::signal_limit_exceeded, "signal_limit_exceeded", ErrorFamily::validation, ErrorClass::terminal},
    {ErrorKind::retention_limit_exceeded, "retention_limit_exceeded", ErrorFamily::validation, ErrorClass::terminal},
    {ErrorKind::execution_not_active, "execution_not_active", ErrorFamily::contention, ErrorClass::terminal},
    {ErrorKind::execution_not_eligible, "execution_not_eligible", ErrorFamily::contention, ErrorClass::informational},
    {ErrorKind::execution_not_leaseable, "execution_not_leaseable", ErrorFamily::contention, ErrorClass::retryable},
    {ErrorKind::lease_conflict, "lease_conflict", ErrorFamily::contention, ErrorClass::retryable},
    {ErrorKind::use_claim_resumed_execution, "use_claim_resumed_execution", ErrorFamily::contention,
     ErrorClass::retryable},
    {ErrorKind::not_a_resumed_execution, "not_a_resumed_execution", ErrorFamily::contention, ErrorClass::retryable},
    {ErrorKind::invalid_claim_grant, "invalid_claim_grant", ErrorFamily::contention, ErrorClass::retryable},
    {ErrorKind::claim_grant_expired, "claim_grant_expired", ErrorFamily::contention, ErrorClass::retryable},
    {ErrorKind::waitpoint_not_found, "waitpoint_not_found", ErrorFamily::contention, ErrorClass::retryable},
    {ErrorKind::retry_exhausted, "retry_exhausted", ErrorFamily::contention, ErrorClass::retryable},
    {ErrorKind::active_attempt_exists, "active_attempt_exists", ErrorFamily::conflict, ErrorClass::terminal},
    {ErrorKind::rotation_conflict, "rotation_conflict", ErrorFamily::conflict, ErrorClass::terminal},
    {ErrorKind::waitpoint_already_exists, "waitpoint_already_exists", ErrorFamily::conflict, ErrorClass::terminal},
    {ErrorKind::webhook_already_exists, "webhook_already_exists", ErrorFamily::conflict, ErrorClass::terminal},
    {ErrorKind::stale_lease, "stale_lease", ErrorFamily::state, ErrorClass::terminal},
    {ErrorKind::lease_expired, "lease_expired", ErrorFamily::state, ErrorClass::terminal},
    {ErrorKind::lease_revoked, "lease_revoked", ErrorFamily::state, ErrorClass::terminal},
    {ErrorKind::execution_not_terminal, "execution_not_terminal", ErrorFamily::state, ErrorClass::terminal},
    {ErrorKind::attempt_already_started, "attempt_already_started", ErrorFamily::state, ErrorClass::terminal},
    {ErrorKind::max_replays_exhausted, "max_replays_exhausted", ErrorFamily::state, ErrorClass::terminal},
    {ErrorKind::grant_already_exists, "grant_already_exists", ErrorFamily::state, ErrorClass::informational},
    {ErrorKind::already_suspended, "already_suspended", ErrorFamily::state, ErrorClass::informational},
    {ErrorKind::execution_not_suspended, "execution_not_suspended", ErrorFamily::state, ErrorClass::informational},
    {ErrorKind::waitpoint_closed, "waitpoint_closed", ErrorFamily::state, ErrorClass::informational},
    {ErrorKind::waitpoint_not_pending, "waitpoint_not_pending", ErrorFamily::state, ErrorClass::informational},
    {ErrorKind::pending_waitpoint_expired, "pending_waitpoint_expired", ErrorFamily::state, ErrorClass::informational},
    {ErrorKind::target_not_signalable, "target_not_signalable", ErrorFamily::state, ErrorClass::terminal},
    {ErrorKind::stream_closed, "stream_closed", ErrorFamily::state, ErrorClass::terminal},
    {ErrorKind::stale_owner_cannot_append, "stale_owner_cannot_append", ErrorFamily::state, ErrorClass::terminal},
    {ErrorKind::flow_not_found, "flow_not_found", ErrorFamily::not_found, ErrorClass::terminal},
    {ErrorKind::edge_not_found, "edge_not_found", ErrorFamily::not_found, ErrorClass::terminal},
    {ErrorKind::token_not_found, "token_not_found", ErrorFamily::not_found, ErrorClass::terminal},
    {ErrorKind::bulk_operation_not_found, "bulk_operation_not_found", ErrorFamily::not_found, ErrorClass::terminal},
    {ErrorKind::stale_graph_revision, "stale_graph_revision", ErrorFamily::contention, ErrorClass::retryable},
    {ErrorKind::idempotency_conflict, "idempotency_conflict", ErrorFamily::conflict, ErrorClass::terminal},
    {ErrorKind::flow_already_exists, "flow_already_exists", ErrorFamily::conflict, ErrorClass::terminal},
    {ErrorKind::execution_already_in_flow, "execution_already_in_flow", ErrorFamily::conflict, ErrorClass::terminal},
    {ErrorKind::self_referencing_edge, "self_referencing_edge", ErrorFamily::conflict, ErrorClass::terminal},
    {ErrorKind::cycle_detected, "cycle_detected", ErrorFamily::conflict, ErrorClass::terminal},
    {ErrorKind::dependency_already_exists, "dependency_already_exists", ErrorFamily::conflict, ErrorClass::terminal},
    {ErrorKind::token_already_exists, "token_already_exists", ErrorFamily::conflict, ErrorClass::terminal},
    {ErrorKind::flow_already_terminal, "flow_already_terminal", ErrorFamily::state, ErrorClass::terminal},
    {ErrorKind::flow_sealed, "flow_sealed", ErrorFamily::state, ErrorClass::terminal},
    {ErrorKind::execution_not_in_flow, "execution_not_in_flow", ErrorFamily::state, ErrorClass::terminal},
    {ErrorKind::execution_terminal, "execution_terminal", ErrorFamily::state, ErrorClass::terminal},
    {ErrorKind::replay_not_allowed, "replay_not_allowed", ErrorFamily::state, ErrorClass::terminal},
    {ErrorKind::internal, "internal", ErrorFamily::bug, ErrorClass::bug},
    {ErrorKind::transport, "transport", ErrorFamily::transport, ErrorClass::terminal},
    {ErrorKind::unavailable, "unavailable", ErrorFamily::unavailable, ErrorClass::terminal},
    {ErrorKind::resource_exhausted, "resource_exhausted", ErrorFamily::resource_exhausted, ErrorClass::retryable},
    {ErrorKind::timeout, "timeout", ErrorFamily::timeout, ErrorClass::terminal},
    {ErrorKind::unknown_outcome, "unknown_outcome", ErrorFamily::timeout, ErrorClass::terminal},
};

TEST(EngineError, EveryKindHasTheNameFamilyAndClassOfTheTaxonomy) {
    for (const Expected& expected : taxonomy) {
        EXPECT_EQ(name_of(expected.kind), expected.name);
        EXPECT_EQ(family_of(expected.kind), expected.family) << expected.name;
        EXPECT_EQ(class_of({.kind = expected.kind}), expected.error_class) << expected.name;
        EXPECT_EQ(is_retryable({.kind = expected.kind}), expected.error_class == ErrorClass::retryable);
    }
}

TEST(EngineError, TheTaxonomyKnowsEveryKind) {
    std::set<ErrorKind> known;
    for (const Expected& expected : taxonomy) known.insert(expected.kind);
    EXPECT_EQ(known.size(), taxonomy.size());
    EXPECT_EQ(known.size(), static_cast<std::size_t>(ErrorKind::unknown_outcome) + 1);
}

TEST(EngineError, ATransportErrorIsRetryableWhenTheConnectionIsToBlame) {
    EXPECT_TRUE(is_retryable({.kind = ErrorKind::transport, .connection_fault = true}));
    EXPECT_FALSE(is_retryable({.kind = ErrorKind::transport}));
}

TEST(EngineError, TextNamesFamilyKindAndDetail) {
    EXPECT_EQ(to_string(EngineError{.kind = ErrorKind::stale_lease, .detail = "{fp:1}:x"}),
              "state/stale_lease: {fp:1}:x");
    EXPECT_EQ(to_string(invalid_input("lane_id", "Empty")), "validation/invalid_input: lane_id: Empty");
    EXPECT_EQ(to_string(EngineError{.kind = ErrorKind::timeout}), "timeout/timeout");
}

TEST(EngineError, FamiliesHaveNames) {
    EXPECT_EQ(name_of(ErrorFamily::not_found), "not_found");
    EXPECT_EQ(name_of(ErrorFamily::contention), "contention");
    EXPECT_EQ(name_of(ErrorFamily::timeout), "timeout");
}

}  // namespace
}  // namespace flowfabric
