#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flowfabric {

// What kind of thing went wrong; every ErrorKind belongs to exactly one family.
enum class ErrorFamily : std::uint8_t {
    not_found,
    validation,
    contention,
    conflict,
    state,
    bug,
    transport,
    unavailable,
    resource_exhausted,
    timeout,
};

// What a caller should do about it.
enum class ErrorClass : std::uint8_t {
    terminal,
    retryable,
    cooperative,
    informational,
    bug,
};

enum class ErrorKind : std::uint8_t {
    execution_not_found,
    attempt_not_found,
    consumer_not_found,
    no_such_waitpoint,
    flow_not_found,
    edge_not_found,
    token_not_found,
    bulk_operation_not_found,
    webhook_not_found,
    budget_not_found,

    invalid_input,
    capability_mismatch,
    invalid_capabilities,
    invalid_policy_json,
    corruption,
    handle_from_other_backend,
    payload_too_large,
    cursor_expired,
    invalid_kid,
    invalid_secret_hex,
    invalid_grace_ms,
    invalid_token,
    invalid_waitpoint_for_execution,
    waitpoint_not_token_bound,
    signal_limit_exceeded,
    retention_limit_exceeded,

    execution_not_active,
    execution_not_eligible,
    execution_not_leaseable,
    lease_conflict,
    use_claim_resumed_execution,
    not_a_resumed_execution,
    invalid_claim_grant,
    claim_grant_expired,
    waitpoint_not_found,
    stale_graph_revision,
    retry_exhausted,

    active_attempt_exists,
    rotation_conflict,
    waitpoint_already_exists,
    idempotency_conflict,
    flow_already_exists,
    execution_already_in_flow,
    self_referencing_edge,
    cycle_detected,
    dependency_already_exists,
    token_already_exists,
    webhook_already_exists,

    stale_lease,
    lease_expired,
    lease_revoked,
    execution_not_terminal,
    attempt_already_started,
    max_replays_exhausted,
    grant_already_exists,
    already_suspended,
    execution_not_suspended,
    waitpoint_closed,
    waitpoint_not_pending,
    pending_waitpoint_expired,
    target_not_signalable,
    stream_closed,
    stale_owner_cannot_append,
    flow_already_terminal,
    flow_sealed,
    execution_not_in_flow,
    execution_terminal,
    replay_not_allowed,
    budget_has_children,

    internal,
    transport,
    unavailable,
    resource_exhausted,
    timeout,
    unknown_outcome,
};

// The facts that a refused lease operation reports about the execution as it stands.
struct NotActiveFacts {
    std::string terminal_outcome;
    std::uint64_t lease_epoch = 0;
    std::string lifecycle_phase;
    std::string attempt_id;

    bool operator==(const NotActiveFacts&) const = default;
};

struct EngineError {
    ErrorKind kind = ErrorKind::internal;
    std::string detail;
    std::optional<NotActiveFacts> not_active;
    std::optional<std::string> oldest_cursor;  // with cursor_expired: the first one that still works
    // Set for transport errors only: whether the connection, not the request, is to blame.
    bool connection_fault = false;

    bool operator==(const EngineError&) const = default;
};

ErrorFamily family_of(ErrorKind kind);
ErrorClass class_of(const EngineError& error);
bool is_retryable(const EngineError& error);

// The kind's wire name, such as `stale_lease`.
std::string_view name_of(ErrorKind kind);
std::string_view name_of(ErrorFamily family);

// "state/stale_lease: detail", for logs and people.
std::string to_string(const EngineError& error);

// The errors that are raised in more than one place.
EngineError invalid_input(std::string_view field, std::string_view reason);
EngineError corruption(std::string detail);

}  // namespace flowfabric
