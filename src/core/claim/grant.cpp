#include <algorithm>
#include <boost/json.hpp>
#include <iterator>

#include "core/base/names.hpp"
#include "core/claim/grant_key.hpp"
#include "core/claim/taking.hpp"
#include "core/command/decisions.hpp"
#include "core/execution/failure.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/retry.hpp"
#include "core/signing/keyring.hpp"

// Grants: one worker's permission to claim one execution. Issuing one leaves the execution's state as it is; claims of
// others pass it over while the grant lives.
namespace flowfabric {
namespace {

EngineError refusal(ErrorKind kind, const ExecutionRow& row) {
    return {.kind = kind, .detail = row.id.to_string()};
}

std::string missing_capabilities(const ExecutionRow& row, const std::vector<std::string>& offered) {
    std::vector<std::string> missing;
    std::ranges::set_difference(row.required_capabilities, offered, std::back_inserter(missing));
    return csv_of(missing);
}

// A lease that lapsed unnoticed is ended first. False: somebody holds it, or nobody ever lost it.
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

GrantRow grant_row(const AdmittedGrant& command, const std::string& grant_key, std::int64_t now, std::int64_t until) {
    boost::json::array capabilities;
    for (const std::string& token : command.request.capabilities) capabilities.emplace_back(token);
    return {.key = {command.execution_id.partition, {grant_id_of(grant_key)}},
            .execution_uuid = command.execution_id.uuid,
            .kind = command.kind,
            .worker_id = command.request.worker_id,
            .worker_instance_id = command.request.worker_instance_id,
            .lane_id = command.request.lane_id,
            .capability_hash = command.request.capability_hash,
            .worker_capabilities = {boost::json::serialize(capabilities)},
            .route_snapshot_json = command.request.route_snapshot_json,
            .admission_summary = command.request.admission_summary,
            .grant_ttl_ms = static_cast<std::int64_t>(command.request.grant_ttl_ms),
            .issued_at_ms = now,
            .expires_at_ms = until};
}

Result<ClaimGrant> issue(const AdmittedGrant& command, Transition& transition, DecisionContext& context) {
    const std::int64_t now = transition.now();
    const auto keyring = Keyring::open(context.set.side.of<SigningKeyRow>(), context.settings, now);
    if (!keyring) return keyring.error();
    const std::int64_t until = saturating_add(now, command.request.grant_ttl_ms);
    std::string grant_key = mint_grant_key(keyring->active(), command.kind, command.execution_id,
                                           {command.request.worker_id, command.request.worker_instance_id}, until);
    transition.withdraw_grants();
    transition.grant_until(until);
    context.set.side.of<GrantRow>().put(grant_row(command, grant_key, now, until));
    return ClaimGrant{.execution_id = command.execution_id,
                      .grant_key = std::move(grant_key),
                      .expires_at_ms = until,
                      .lane_id = command.request.lane_id};
}

bool has_live_grant(const ExecutionRow& row, std::int64_t now) {
    return row.grant_until_ms && *row.grant_until_ms > now;
}

Result<Answer> issue_claim_grant(const AdmittedGrant& command, Transition& transition, DecisionContext& context) {
    const ExecutionRow& row = transition.row();
    if (!is_waiting(row)) return refused_in_state(ErrorKind::execution_not_eligible, row);
    if (has_live_grant(row, transition.now())) return refusal(ErrorKind::grant_already_exists, row);
    const std::string missing = missing_capabilities(row, command.request.capabilities);
    if (!missing.empty()) return EngineError{.kind = ErrorKind::capability_mismatch, .detail = missing};
    auto grant = issue(command, transition, context);
    if (!grant) return grant.error();
    return Answer{std::move(*grant)};
}

Result<Answer> issue_reclaim_grant(const AdmittedGrant& command, Transition& transition, DecisionContext& context) {
    const ExecutionRow& row = transition.row();
    const auto answer = [](ReclaimGrantOutcome outcome) { return Answer{std::move(outcome)}; };
    const auto lost = can_be_reclaimed(transition);
    if (!lost) return lost.error();
    if (*lost && exceeds_reclaim_cap(row, command.max_reclaim_count)) {
        return answer(ReclaimCapExceeded{static_cast<std::uint32_t>(row.lease_reclaim_count)});
    }
    if (!*lost) return answer(not_reclaimable(row));
    if (has_live_grant(row, transition.now())) return refusal(ErrorKind::grant_already_exists, row);
    const std::string missing = missing_capabilities(row, command.request.capabilities);
    if (!missing.empty()) return answer(NotReclaimable{"capability_mismatch: " + missing});
    auto grant = issue(command, transition, context);
    if (!grant) return grant.error();
    return answer(std::move(*grant));
}

// ---- redeeming --------------------------------------------------------------------------------------------------

// The grant that the caller speaks of: by its key, or whichever this execution has.
std::optional<GrantRow> find_grant(const AdmittedRedemption& command, GrantKind kind, const WorkingSet& set) {
    const auto& presented = command.claim.grant_key;
    const auto found = set.side.of<GrantRow>().where([&](const GrantRow& grant) {
        const bool named = !presented || grant.key.grant_id.bytes == grant_id_of(*presented);
        return grant.owner() == command.execution_id && grant.kind == kind && named;
    });
    return found.empty() ? std::nullopt : std::optional(found.front());
}

// Whether the presented key is what was signed for this grant's worker.
std::optional<EngineError> refuse_key(const AdmittedRedemption& command, const GrantRow& grant,
                                      DecisionContext& context, std::int64_t now) {
    if (!command.claim.grant_key) return std::nullopt;
    const auto keyring = Keyring::open(context.set.side.of<SigningKeyRow>(), context.settings, now);
    if (!keyring) return keyring.error();
    const GrantHolder holder{grant.worker_id, grant.worker_instance_id};
    const auto verified = verify_grant_key(
        *command.claim.grant_key, &holder, [&](std::string_view kid) { return keyring->find(kid); }, now);
    if (verified) return std::nullopt;
    return error_of(verified.error());
}

bool is_interrupted(const ExecutionRow& row) {
    return row.vector.attempt_state == AttemptState::attempt_interrupted;
}

std::optional<EngineError> refuse_claim(const AdmittedRedemption& command, const ExecutionRow& row) {
    const bool resumes = command.use != GrantUse::fresh_attempt;
    if (row.vector.attempt_state == AttemptState::running_attempt && !resumes) {
        return refusal(ErrorKind::active_attempt_exists, row);
    }
    if (!is_waiting(row)) return refused_in_state(ErrorKind::execution_not_leaseable, row);
    if (is_interrupted(row) && !resumes) return refusal(ErrorKind::use_claim_resumed_execution, row);
    if (!is_interrupted(row) && resumes) return refusal(ErrorKind::not_a_resumed_execution, row);
    const auto index = static_cast<std::uint32_t>(resumes ? row.attempt_index : row.total_attempt_count);
    if (command.claim.expected_attempt_index.value_or(index) == index) return std::nullopt;
    return refused_in_state(ErrorKind::execution_not_leaseable, row);
}

TakeRequest take_request(const GrantRedemption& claim) {
    return {.lease = {.lease_id = *claim.lease_id,
                      .worker_id = claim.worker_id,
                      .worker_instance_id = claim.worker_instance_id,
                      .ttl_ms = claim.lease_ttl_ms},
            .fresh_attempt_id = *claim.attempt_id,
            .attempt_timeout_ms = claim.attempt_timeout_ms,
            .reason = std::nullopt};
}

Result<LeasedExecution> redeem_claim_grant(const AdmittedRedemption& command, Transition& transition,
                                           DecisionContext& context) {
    const ExecutionRow& row = transition.row();
    if (auto refused = refuse_claim(command, row)) return *refused;
    const auto grant = find_grant(command, GrantKind::claim, context.set);
    if (!grant || grant->worker_id != command.claim.worker_id) {
        return refusal(ErrorKind::invalid_claim_grant, row);
    }
    if (grant->expires_at_ms <= transition.now()) {
        transition.withdraw_grants();
        return refusal(ErrorKind::claim_grant_expired, row);
    }
    if (auto refused = refuse_key(command, *grant, context, transition.now())) return *refused;
    const HandleKind kind = take_waiting(transition, take_request(command.claim));
    return leased_execution(row, kind, command.claim.lease_ttl_ms, context);
}

Result<Answer> redeem_resume_grant(const AdmittedRedemption& command, Transition& transition,
                                   DecisionContext& context) {
    const ExecutionRow& row = transition.row();
    if (!is_waiting(row) || !is_interrupted(row)) return Answer{std::optional<LeasedExecution>{}};
    auto leased = redeem_claim_grant(command, transition, context);
    if (!leased) return leased.error();
    return Answer{std::optional(std::move(*leased))};
}

Result<Answer> redeem_reclaim_grant(const AdmittedRedemption& command, Transition& transition,
                                    DecisionContext& context) {
    const ExecutionRow& row = transition.row();
    const auto answer = [](ReclaimOutcome outcome) { return Answer{std::move(outcome)}; };
    const auto grant = find_grant(command, GrantKind::reclaim, context.set);
    if (!grant) return answer(GrantNotFound{});
    if (grant->worker_id != command.claim.worker_id) return invalid_input("worker_id", "the grant is another worker's");
    if (grant->expires_at_ms <= transition.now()) {
        transition.withdraw_grants();
        return answer(GrantNotFound{});
    }
    if (auto refused = refuse_key(command, *grant, context, transition.now())) return *refused;
    const auto lost = can_be_reclaimed(transition);
    if (!lost) return lost.error();
    if (!*lost) {
        transition.withdraw_grants();
        return answer(not_reclaimable(row));
    }
    if (exceeds_reclaim_cap(row, command.max_reclaim_count)) {
        const auto count = static_cast<std::uint32_t>(row.lease_reclaim_count);
        fail_over_reclaim_cap(transition);
        return answer(ReclaimCapExceeded{count});
    }
    const HandleKind kind = take_over(transition, take_request(command.claim));
    return answer(leased_execution(row, kind, command.claim.lease_ttl_ms, context));
}

}  // namespace

Result<Answer> decide(const AdmittedGrant& command, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    if (command.kind == GrantKind::reclaim) return issue_reclaim_grant(command, transition, context);
    return issue_claim_grant(command, transition, context);
}

Result<Answer> decide(const AdmittedRedemption& command, ExecutionEntry& entry, DecisionContext& context) {
    Transition transition(entry, context.set);
    if (command.use == GrantUse::reclaim) return redeem_reclaim_grant(command, transition, context);
    if (command.use == GrantUse::resumed_attempt_if_any) return redeem_resume_grant(command, transition, context);
    auto leased = redeem_claim_grant(command, transition, context);
    if (!leased) return leased.error();
    return Answer{std::move(*leased)};
}

}  // namespace flowfabric
