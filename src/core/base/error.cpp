#include "flowfabric/error.hpp"

#include <array>
#include <cstddef>

namespace flowfabric {
namespace {

struct KindFacts {
    ErrorKind kind;
    std::string_view name;
    ErrorFamily family;
    ErrorClass error_class;
};

// In the enumerators' order; a unit test walks it.
constexpr auto kinds = std::to_array<KindFacts>({
    {ErrorKind::execution_not_found, "execution_not_found", ErrorFamily::not_found, ErrorClass::terminal},
    {ErrorKind::attempt_not_found, "attempt_not_found", ErrorFamily::not_found, ErrorClass::terminal},
    {ErrorKind::consumer_not_found, "consumer_not_found", ErrorFamily::not_found, ErrorClass::terminal},
    {ErrorKind::no_such_waitpoint, "no_such_waitpoint", ErrorFamily::not_found, ErrorClass::terminal},
    {ErrorKind::flow_not_found, "flow_not_found", ErrorFamily::not_found, ErrorClass::terminal},
    {ErrorKind::edge_not_found, "edge_not_found", ErrorFamily::not_found, ErrorClass::terminal},
    {ErrorKind::token_not_found, "token_not_found", ErrorFamily::not_found, ErrorClass::terminal},
    {ErrorKind::bulk_operation_not_found, "bulk_operation_not_found", ErrorFamily::not_found, ErrorClass::terminal},
    {ErrorKind::webhook_not_found, "webhook_not_found", ErrorFamily::not_found, ErrorClass::terminal},
    {ErrorKind::budget_not_found, "budget_not_found", ErrorFamily::not_found, ErrorClass::terminal},
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
    {ErrorKind::stale_graph_revision, "stale_graph_revision", ErrorFamily::contention, ErrorClass::retryable},
    {ErrorKind::retry_exhausted, "retry_exhausted", ErrorFamily::contention, ErrorClass::retryable},
    {ErrorKind::active_attempt_exists, "active_attempt_exists", ErrorFamily::conflict, ErrorClass::terminal},
    {ErrorKind::rotation_conflict, "rotation_conflict", ErrorFamily::conflict, ErrorClass::terminal},
    {ErrorKind::waitpoint_already_exists, "waitpoint_already_exists", ErrorFamily::conflict, ErrorClass::terminal},
    {ErrorKind::idempotency_conflict, "idempotency_conflict", ErrorFamily::conflict, ErrorClass::terminal},
    {ErrorKind::flow_already_exists, "flow_already_exists", ErrorFamily::conflict, ErrorClass::terminal},
    {ErrorKind::execution_already_in_flow, "execution_already_in_flow", ErrorFamily::conflict, ErrorClass::terminal},
    {ErrorKind::self_referencing_edge, "self_referencing_edge", ErrorFamily::conflict, ErrorClass::terminal},
    {ErrorKind::cycle_detected, "cycle_detected", ErrorFamily::conflict, ErrorClass::terminal},
    {ErrorKind::dependency_already_exists, "dependency_already_exists", ErrorFamily::conflict, ErrorClass::terminal},
    {ErrorKind::token_already_exists, "token_already_exists", ErrorFamily::conflict, ErrorClass::terminal},
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
    {ErrorKind::flow_already_terminal, "flow_already_terminal", ErrorFamily::state, ErrorClass::terminal},
    {ErrorKind::flow_sealed, "flow_sealed", ErrorFamily::state, ErrorClass::terminal},
    {ErrorKind::execution_not_in_flow, "execution_not_in_flow", ErrorFamily::state, ErrorClass::terminal},
    {ErrorKind::execution_terminal, "execution_terminal", ErrorFamily::state, ErrorClass::terminal},
    {ErrorKind::replay_not_allowed, "replay_not_allowed", ErrorFamily::state, ErrorClass::terminal},
    {ErrorKind::budget_has_children, "budget_has_children", ErrorFamily::state, ErrorClass::terminal},
    {ErrorKind::internal, "internal", ErrorFamily::bug, ErrorClass::bug},
    {ErrorKind::transport, "transport", ErrorFamily::transport, ErrorClass::terminal},
    {ErrorKind::unavailable, "unavailable", ErrorFamily::unavailable, ErrorClass::terminal},
    {ErrorKind::resource_exhausted, "resource_exhausted", ErrorFamily::resource_exhausted, ErrorClass::retryable},
    {ErrorKind::timeout, "timeout", ErrorFamily::timeout, ErrorClass::terminal},
    {ErrorKind::unknown_outcome, "unknown_outcome", ErrorFamily::timeout, ErrorClass::terminal},
});

constexpr bool in_order() {
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        if (static_cast<std::size_t>(kinds[i].kind) != i) return false;
    }
    return true;
}
static_assert(in_order());

const KindFacts& facts_of(ErrorKind kind) {
    return kinds[static_cast<std::size_t>(kind)];
}

constexpr auto family_names =
    std::to_array<std::string_view>({"not_found", "validation", "contention", "conflict", "state", "bug", "transport",
                                     "unavailable", "resource_exhausted", "timeout"});

}  // namespace

ErrorFamily family_of(ErrorKind kind) {
    return facts_of(kind).family;
}

ErrorClass class_of(const EngineError& error) {
    if (error.kind == ErrorKind::transport && error.connection_fault) return ErrorClass::retryable;
    return facts_of(error.kind).error_class;
}

bool is_retryable(const EngineError& error) {
    return class_of(error) == ErrorClass::retryable;
}

std::string_view name_of(ErrorKind kind) {
    return facts_of(kind).name;
}

std::string_view name_of(ErrorFamily family) {
    return family_names[static_cast<std::size_t>(family)];
}

std::string to_string(const EngineError& error) {
    std::string text{name_of(family_of(error.kind))};
    text.append("/").append(name_of(error.kind));
    if (!error.detail.empty()) text.append(": ").append(error.detail);
    return text;
}

EngineError invalid_input(std::string_view field, std::string_view reason) {
    return {.kind = ErrorKind::invalid_input, .detail = std::string(field).append(": ").append(reason)};
}

EngineError corruption(std::string detail) {
    return {.kind = ErrorKind::corruption, .detail = std::move(detail)};
}

}  // namespace flowfabric
