#include "core/execution/fence.hpp"

#include "core/execution/failure.hpp"

namespace flowfabric {
namespace {

bool matches(const ExecutionRow& row, const HeldLease::Triple& triple) {
    return row.lease_id == triple.lease_id && row.lease_epoch == triple.lease_epoch &&
           row.attempt_id == triple.attempt_id &&
           (!triple.attempt_index || *triple.attempt_index == static_cast<std::uint32_t>(row.attempt_index));
}

}  // namespace

EngineError execution_not_found(const ExecutionId& id) {
    return {.kind = ErrorKind::execution_not_found, .detail = id.to_string()};
}

EngineError refused_in_state(ErrorKind kind, const ExecutionRow& row) {
    return {.kind = kind, .detail = row.id.to_string() + " is " + std::string(to_string(row.vector.public_state))};
}

EngineError execution_not_active(const ExecutionRow& row) {
    EngineError error = refused_in_state(ErrorKind::execution_not_active, row);
    error.not_active = NotActiveFacts{.terminal_outcome = std::string(to_string(row.vector.terminal_outcome)),
                                      .lease_epoch = row.lease_epoch,
                                      .lifecycle_phase = std::string(to_string(row.vector.lifecycle_phase)),
                                      .attempt_id = row.attempt_id ? row.attempt_id->to_string() : std::string{}};
    return error;
}

std::optional<EngineError> refuse_without_fence(const HeldLease& lease) {
    if (lease.partial_triple) return invalid_input("fence", "partial_fence_triple");
    if (!lease.triple) return invalid_input("fence", "fence_required");
    return std::nullopt;
}

std::optional<EngineError> refuse_by_fence(Transition& transition, const HeldLease& lease, OverrideRule rule) {
    const ExecutionRow& row = transition.row();
    const bool overrides = lease.source == Source::operator_override && rule == OverrideRule::operator_may_override;

    auto shown = refuse_without_fence(lease);
    if (shown && (lease.partial_triple || !overrides)) return shown;
    if (row.vector.lifecycle_phase != LifecyclePhase::active) return execution_not_active(row);
    if (row.vector.ownership_state == OwnershipState::lease_revoked) {
        return EngineError{.kind = ErrorKind::lease_revoked, .detail = row.id.to_string()};
    }
    const bool leased = row.vector.ownership_state == OwnershipState::leased;
    if (!leased || row.lease_expires_at_ms <= transition.now()) {
        if (leased) {
            if (auto ended = end_overdue_lease(transition); !ended) return ended.error();
        }
        return EngineError{.kind = ErrorKind::lease_expired, .detail = row.id.to_string()};
    }
    if (lease.suspended_handle || (lease.triple && !matches(row, *lease.triple))) {
        return EngineError{.kind = ErrorKind::stale_lease, .detail = row.id.to_string()};
    }
    return std::nullopt;
}

bool names_last_attempt(const ExecutionRow& row, const HeldLease& lease) {
    return lease.triple && !lease.suspended_handle && row.lease_epoch == lease.triple->lease_epoch &&
           row.attempt_id == lease.triple->attempt_id;
}

bool is_repeated_release(const EngineError& refusal, const ExecutionRow& row, const HeldLease& lease,
                         std::string_view call) {
    return refusal.kind == ErrorKind::execution_not_active && names_last_attempt(row, lease) &&
           row.last_release == call;
}

}  // namespace flowfabric
