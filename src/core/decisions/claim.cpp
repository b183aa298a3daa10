#include <boost/json.hpp>

#include "core/decisions.hpp"
#include "core/handle_codec.hpp"
#include "core/transition.hpp"

namespace flowfabric {
namespace {

constexpr std::uint32_t default_reclaim_cap = 1000;

AttemptType type_of_next_attempt(const ExecutionRow& row) {
    switch (row.vector.attempt_state) {
        case AttemptState::pending_retry_attempt:
            // A reclaim that was given back unstarted is still to be done.
            return row.interrupt_cause == "lease" ? AttemptType::reclaim : AttemptType::retry;
        case AttemptState::pending_replay_attempt:
            return AttemptType::replay;
        default:
            return AttemptType::initial;
    }
}

std::optional<ExecutionPolicy> policy_of(const ExecutionRow& row) {
    if (!row.policy) return std::nullopt;
    auto policy = ExecutionPolicy::parse(row.policy->text);
    return policy ? std::optional(std::move(*policy)) : std::nullopt;
}

std::optional<std::uint64_t> attempt_timeout(const Claim& claim, const std::optional<ExecutionPolicy>& policy) {
    if (claim.attempt_timeout_ms) return claim.attempt_timeout_ms;
    if (policy && policy->timeout_policy) return policy->timeout_policy->attempt_timeout_ms;
    return std::nullopt;
}

bool is_reclaimable(const StateVector& vector) {
    return vector.ownership_state == OwnershipState::lease_expired_reclaimable ||
           vector.ownership_state == OwnershipState::lease_revoked;
}

bool is_waiting(const StateVector& vector) {
    return vector.lifecycle_phase == LifecyclePhase::runnable &&
           vector.eligibility_state == EligibilityState::eligible_now;
}

void fail_over_reclaim_cap(Transition& transition) {
    const std::string reason = "max_reclaims_exceeded";
    transition.end_attempt(AttemptOutcome::interrupted_reclaimed, reason);
    transition.set_failure(reason, "infra_crash");
    transition.finish(TerminalOutcome::failed);
}

// A waiting row's lease: of its interrupted attempt, or of a new one.
HandleKind take_waiting(Transition& transition, const LeaseGrant& grant, AttemptId fresh_id,
                        std::optional<std::uint64_t> timeout_ms, std::optional<std::string> reason) {
    const ExecutionRow& row = transition.row();
    if (row.vector.attempt_state == AttemptState::attempt_interrupted) {
        transition.acquire_lease(grant, LeaseEventType::acquired, reason.value_or("claim_resumed"));
        transition.resume_attempt_deadline();
        return HandleKind::resumed;
    }
    transition.open_attempt(fresh_id, type_of_next_attempt(row));
    transition.acquire_lease(grant, LeaseEventType::acquired, std::move(reason));
    transition.set_attempt_deadline(timeout_ms);
    return HandleKind::fresh;
}

Handle handle_of(const ExecutionRow& row, HandleKind kind, std::uint64_t ttl_ms, BackendTag backend) {
    return encode_handle(backend, kind,
                         {.execution_id = row.id,
                          .attempt_index = static_cast<std::uint32_t>(row.attempt_index),
                          .attempt_id = *row.attempt_id,
                          .lease_id = *row.lease_id,
                          .lease_epoch = row.lease_epoch,
                          .lease_ttl_ms = ttl_ms,
                          .lane_id = row.lane_id,
                          .worker_instance_id = *row.worker_instance_id});
}

}  // namespace

std::optional<ClaimedExecution> decide_claim(const AdmittedClaim& command, std::uint32_t n, ExecutionEntry& candidate,
                                             DecisionContext& context) {
    const ExecutionRow& row = candidate.row;
    const bool reclaims = is_reclaimable(row.vector);
    if (!reclaims && !is_waiting(row.vector)) return std::nullopt;

    Transition transition(candidate, context.set);
    const Claim& claim = command.claim;
    const auto policy = policy_of(row);
    const LeaseGrant grant{.lease_id = LeaseId{command.ids.at(2 * n)},
                           .worker_id = claim.worker_id,
                           .worker_instance_id = claim.worker_instance_id,
                           .ttl_ms = claim.lease_ttl_ms};
    const AttemptId fresh_id{command.ids.at(2 * n + 1)};
    HandleKind kind = HandleKind::fresh;

    if (reclaims) {
        const std::uint32_t cap =
            policy && policy->max_reclaim_count ? *policy->max_reclaim_count : default_reclaim_cap;
        if (static_cast<std::uint32_t>(row.lease_reclaim_count) >= cap) {
            fail_over_reclaim_cap(transition);
            return std::nullopt;
        }
        const std::string old_epoch = "previous_epoch:" + std::to_string(epoch_of_last_lease(row));
        transition.end_attempt(AttemptOutcome::interrupted_reclaimed);
        transition.open_attempt(fresh_id, AttemptType::reclaim);
        transition.count_reclaim();
        transition.acquire_lease(grant, LeaseEventType::reclaimed, old_epoch);
        transition.set_attempt_deadline(attempt_timeout(claim, policy));
        kind = HandleKind::reclaimed;
    } else {
        kind = take_waiting(transition, grant, fresh_id, attempt_timeout(claim, policy), std::nullopt);
    }

    return ClaimedExecution{.execution_id = row.id,
                            .handle = handle_of(row, kind, claim.lease_ttl_ms, context.settings.backend),
                            .lease_id = grant.lease_id,
                            .lease_epoch = {row.lease_epoch},
                            .attempt_id = *row.attempt_id,
                            .attempt_index = static_cast<std::uint32_t>(row.attempt_index),
                            .attempt_type = *row.attempt_type,
                            .lease_expires_at_ms = *row.lease_expires_at_ms,
                            .lane_id = row.lane_id,
                            .execution_kind = row.execution_kind,
                            .payload_encoding = row.payload_encoding,
                            .input_payload = candidate.input.value_or(Bytes{})};
}

Result<Answer> decide(const AdmittedOperatorClaim& command, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    const ExecutionRow& row = entry.row;
    if (row.vector.attempt_state == AttemptState::running_attempt) {
        return EngineError{.kind = ErrorKind::active_attempt_exists, .detail = row.id.to_string()};
    }
    if (!is_waiting(row.vector)) {
        return EngineError{.kind = ErrorKind::execution_not_eligible,
                           .detail = row.id.to_string() + " is " + std::string(to_string(row.vector.public_state))};
    }
    const LeaseGrant grant{.lease_id = LeaseId{command.ids.at(0)},
                           .worker_id = "operator",
                           .worker_instance_id = "operator",
                           .ttl_ms = command.lease_ttl_ms};
    const HandleKind kind =
        take_waiting(transition, grant, AttemptId{command.ids.at(1)}, attempt_timeout({}, policy_of(row)), "operator");
    const boost::json::object details{{"lease_id", grant.lease_id.to_string()},
                                      {"lease_epoch", row.lease_epoch},
                                      {"attempt_index", row.attempt_index}};
    transition.tell_operators(OperatorEventType::execution_claimed, {boost::json::serialize(details)});
    return Answer{OperatorClaimed{.execution_id = row.id,
                                  .handle = handle_of(row, kind, command.lease_ttl_ms, context.settings.backend),
                                  .lease_id = grant.lease_id,
                                  .lease_epoch = {row.lease_epoch},
                                  .attempt_id = *row.attempt_id,
                                  .attempt_index = static_cast<std::uint32_t>(row.attempt_index)}};
}

}  // namespace flowfabric
