#include <boost/json.hpp>

#include "core/claim/taking.hpp"
#include "core/command/decisions.hpp"
#include "core/execution/fence.hpp"
#include "core/suspension/accepted_signals.hpp"

namespace flowfabric {

std::optional<ClaimedExecution> decide_claim(const AdmittedClaim& command, std::uint32_t n, ExecutionEntry& candidate,
                                             DecisionContext& context) {
    const ExecutionRow& row = candidate.row;
    const bool reclaims = has_lost_lease(row);
    if (!reclaims && !is_waiting(row)) return std::nullopt;

    Transition transition(candidate, context.set);
    const bool granted_elsewhere = row.grant_until_ms && *row.grant_until_ms > transition.now();
    if (granted_elsewhere) return std::nullopt;
    if (reclaims && exceeds_reclaim_cap(row)) {
        fail_over_reclaim_cap(transition);
        return std::nullopt;
    }
    const Claim& claim = command.claim;
    const TakeRequest request{.lease = {.lease_id = LeaseId{command.ids.at(2 * n)},
                                        .worker_id = claim.worker_id,
                                        .worker_instance_id = claim.worker_instance_id,
                                        .ttl_ms = claim.lease_ttl_ms},
                              .fresh_attempt_id = AttemptId{command.ids.at(2 * n + 1)},
                              .attempt_timeout_ms = claim.attempt_timeout_ms,
                              .reason = std::nullopt};
    const HandleKind kind = reclaims ? take_over(transition, request) : take_waiting(transition, request);
    GivenSignals given = signals_of_run(context.set, row);

    return ClaimedExecution{.execution_id = row.id,
                            .handle = handle_of(row, kind, claim.lease_ttl_ms, context.settings.backend),
                            .lease_id = *row.lease_id,
                            .lease_epoch = {row.lease_epoch},
                            .attempt_id = *row.attempt_id,
                            .attempt_index = static_cast<std::uint32_t>(row.attempt_index),
                            .attempt_type = *row.attempt_type,
                            .lease_expires_at_ms = *row.lease_expires_at_ms,
                            .lane_id = row.lane_id,
                            .execution_kind = row.execution_kind,
                            .payload_encoding = row.payload_encoding,
                            .input_payload = candidate.input.value_or(Bytes{}),
                            .signals = std::move(given.signals),
                            .more_signals = given.more};
}

Result<Answer> decide(const AdmittedOperatorClaim& command, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    const ExecutionRow& row = entry.row;
    if (row.vector.attempt_state == AttemptState::running_attempt) {
        return EngineError{.kind = ErrorKind::active_attempt_exists, .detail = row.id.to_string()};
    }
    if (!is_waiting(row)) return refused_in_state(ErrorKind::execution_not_eligible, row);
    const HandleKind kind = take_waiting(transition, {.lease = {.lease_id = LeaseId{command.ids.at(0)},
                                                                .worker_id = "operator",
                                                                .worker_instance_id = "operator",
                                                                .ttl_ms = command.lease_ttl_ms},
                                                      .fresh_attempt_id = AttemptId{command.ids.at(1)},
                                                      .attempt_timeout_ms = std::nullopt,
                                                      .reason = "operator"});
    const boost::json::object details{{"lease_id", row.lease_id->to_string()},
                                      {"lease_epoch", row.lease_epoch},
                                      {"attempt_index", row.attempt_index}};
    transition.tell_operators(OperatorEventType::execution_claimed, {boost::json::serialize(details)});
    return Answer{leased_execution(row, kind, command.lease_ttl_ms, context)};
}

}  // namespace flowfabric
