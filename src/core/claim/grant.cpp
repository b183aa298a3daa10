#include "core/claim/grant.hpp"

#include "core/execution/failure.hpp"

namespace flowfabric {

bool has_live_grant(const ExecutionRow& row, std::int64_t now_ms) {
    return row.grant_until_ms && *row.grant_until_ms > now_ms;
}

Result<bool> can_be_reclaimed(Transition& transition) {
    const ExecutionRow& row = transition.row();
    const bool lapsed =
        row.vector.ownership_state == OwnershipState::leased && row.lease_expires_at_ms <= transition.now();
    if (lapsed) {
        if (auto ended = end_overdue_lease(transition); !ended) return ended.error();
    }
    return has_lost_lease(row);
}

NotReclaimable not_reclaimable(const ExecutionRow& row) {
    return {"execution is " + std::string(to_string(row.vector.public_state)) + ", " +
            std::string(to_string(row.vector.ownership_state))};
}

EngineError refused_execution(ErrorKind kind, const ExecutionRow& row) {
    return {.kind = kind, .detail = row.id.to_string()};
}

}  // namespace flowfabric
