#include "core/base/names.hpp"
#include "core/claim/grant.hpp"
#include "core/claim/grant_key.hpp"
#include "core/claim/taking.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/command/on_execution.hpp"
#include "core/execution/fence.hpp"
#include "core/signing/keyring.hpp"

namespace flowfabric {
namespace {

// What a grant is redeemed for.
enum class GrantUse : std::uint8_t {
    fresh_attempt,
    resumed_attempt,
    resumed_attempt_if_any,  // the answer is nothing if no attempt is interrupted
    reclaim,
};

bool is_interrupted(const ExecutionRow& row) {
    return row.vector.attempt_state == AttemptState::attempt_interrupted;
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

class RedeemGrantBody final : public OnExecution {
  public:
    // The claim's lease and attempt ids are set.
    RedeemGrantBody(GrantUse use, GrantRedemption claim, std::optional<std::uint32_t> max_reclaim_count)
        : OnExecution(claim.execution_id), use_(use), claim_(std::move(claim)), max_reclaim_count_(max_reclaim_count) {}

    CommandTraits traits() const override { return {.name = "claim_execution", .urgency = Urgency::claim}; }
    std::size_t bytes() const override {
        return sizeof(*this) + contents_of(claim_.worker_id, claim_.worker_instance_id, claim_.grant_key);
    }
    void name_rows(NamedRows& rows) const override {
        rows.signals_of.push_back(execution_id());
        rows.side.of<SigningKeyRow>().all = true;
    }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        Transition transition(entry, context.set);
        if (use_ == GrantUse::reclaim) return reclaim(transition, context);
        if (use_ == GrantUse::resumed_attempt_if_any) return resume_if_any(transition, context);
        auto leased = take(transition, context);
        if (!leased) return leased.error();
        return Answer::of<LeasedExecution>(std::move(*leased));
    }

  private:
    Result<LeasedExecution> take(Transition& transition, DecisionContext& context) const {
        const ExecutionRow& row = transition.row();
        if (auto refused = refuse_claim(row)) return *refused;
        const auto grant = find_grant(GrantKind::claim, context.set);
        if (!grant || grant->worker_id != claim_.worker_id) {
            return refused_execution(ErrorKind::invalid_claim_grant, row);
        }
        if (grant->expires_at_ms <= transition.now()) {
            transition.withdraw_grants();
            return refused_execution(ErrorKind::claim_grant_expired, row);
        }
        if (auto refused = refuse_key(*grant, context, transition.now())) return *refused;
        const HandleKind kind = take_waiting(transition, take_request(claim_));
        return leased_execution(row, kind, claim_.lease_ttl_ms, context);
    }

    Result<Answer> resume_if_any(Transition& transition, DecisionContext& context) const {
        using Leased = std::optional<LeasedExecution>;
        const ExecutionRow& row = transition.row();
        if (!is_waiting(row) || !is_interrupted(row)) return Answer::of<Leased>(std::nullopt);
        auto leased = take(transition, context);
        if (!leased) return leased.error();
        return Answer::of<Leased>(std::move(*leased));
    }

    Result<Answer> reclaim(Transition& transition, DecisionContext& context) const {
        const ExecutionRow& row = transition.row();
        const auto grant = find_grant(GrantKind::reclaim, context.set);
        if (!grant) return Answer::of<ReclaimOutcome>(GrantNotFound{});
        if (grant->worker_id != claim_.worker_id) return invalid_input("worker_id", "the grant is another worker's");
        if (grant->expires_at_ms <= transition.now()) {
            transition.withdraw_grants();
            return Answer::of<ReclaimOutcome>(GrantNotFound{});
        }
        if (auto refused = refuse_key(*grant, context, transition.now())) return *refused;
        const auto lost = can_be_reclaimed(transition);
        if (!lost) return lost.error();
        if (!*lost) {
            transition.withdraw_grants();
            return Answer::of<ReclaimOutcome>(not_reclaimable(row));
        }
        if (exceeds_reclaim_cap(row, max_reclaim_count_)) {
            const auto count = static_cast<std::uint32_t>(row.lease_reclaim_count);
            fail_over_reclaim_cap(transition);
            return Answer::of<ReclaimOutcome>(ReclaimCapExceeded{count});
        }
        const HandleKind kind = take_over(transition, take_request(claim_));
        return Answer::of<ReclaimOutcome>(leased_execution(row, kind, claim_.lease_ttl_ms, context));
    }

    std::optional<EngineError> refuse_claim(const ExecutionRow& row) const {
        const bool resumes = use_ != GrantUse::fresh_attempt;
        if (row.vector.attempt_state == AttemptState::running_attempt && !resumes) {
            return refused_execution(ErrorKind::active_attempt_exists, row);
        }
        if (!is_waiting(row)) return refused_in_state(ErrorKind::execution_not_leaseable, row);
        if (is_interrupted(row) && !resumes) return refused_execution(ErrorKind::use_claim_resumed_execution, row);
        if (!is_interrupted(row) && resumes) return refused_execution(ErrorKind::not_a_resumed_execution, row);
        const auto index = static_cast<std::uint32_t>(resumes ? row.attempt_index : row.total_attempt_count);
        if (claim_.expected_attempt_index.value_or(index) == index) return std::nullopt;
        return refused_in_state(ErrorKind::execution_not_leaseable, row);
    }

    // The grant of the presented key; without a key, the execution's grant.
    std::optional<GrantRow> find_grant(GrantKind kind, const WorkingSet& set) const {
        const auto& presented = claim_.grant_key;
        const auto found = set.side.of<GrantRow>().where([&](const GrantRow& grant) {
            const bool named = !presented || grant.key.grant_id.bytes == grant_id_of(*presented);
            return grant.owner() == execution_id() && grant.kind == kind && named;
        });
        return found.empty() ? std::nullopt : std::optional(found.front());
    }

    // The presented key must be the one that was signed for the grant's worker.
    std::optional<EngineError> refuse_key(const GrantRow& grant, DecisionContext& context, std::int64_t now) const {
        if (!claim_.grant_key) return std::nullopt;
        const auto keyring = Keyring::open(context.set.side.of<SigningKeyRow>(), context.settings, now);
        if (!keyring) return keyring.error();
        const GrantHolder holder{grant.worker_id, grant.worker_instance_id};
        const auto verified =
            verify_grant_key(*claim_.grant_key, &holder, [&](std::string_view kid) { return keyring->find(kid); }, now);
        if (verified) return std::nullopt;
        return error_of(verified.error());
    }

    GrantUse use_;
    GrantRedemption claim_;
    std::optional<std::uint32_t> max_reclaim_count_;
};

Result<Command> admit_redemption(GrantUse use, GrantRedemption claim, const IdSource& ids,
                                 std::optional<std::uint32_t> max_reclaim_count = {}) {
    Checks check;
    check(check_partition(claim.execution_id));
    check(check_identity("worker_id", claim.worker_id));
    check(check_identity("worker_instance_id", claim.worker_instance_id));
    check(check_ttl(claim.lease_ttl_ms));
    if (claim.grant_key) check(check_text("grant_key", *claim.grant_key, max_reason_bytes));
    if (check.fault()) return *check.fault();
    if (!claim.lease_id) claim.lease_id = LeaseId{ids.at(0)};
    if (!claim.attempt_id) claim.attempt_id = AttemptId{ids.at(1)};
    return Command::make<RedeemGrantBody>(use, std::move(claim), max_reclaim_count);
}

}  // namespace

template <>
Result<Command> admit(ClaimExecution command, const Settings&, const IdSource& ids) {
    return admit_redemption(GrantUse::fresh_attempt, std::move(command.claim), ids);
}

template <>
Result<Command> admit(ClaimResumedExecution command, const Settings&, const IdSource& ids) {
    return admit_redemption(GrantUse::resumed_attempt, std::move(command.claim), ids);
}

template <>
Result<Command> admit(ClaimFromResumeGrant command, const Settings&, const IdSource& ids) {
    GrantRedemption claim{.execution_id = command.grant.execution_id,
                          .worker_id = std::move(command.worker_id),
                          .worker_instance_id = std::move(command.worker_instance_id),
                          .grant_key = std::move(command.grant.grant_key),
                          .lease_ttl_ms = command.lease_ttl_ms};
    return admit_redemption(GrantUse::resumed_attempt_if_any, std::move(claim), ids);
}

template <>
Result<Command> admit(ReclaimExecution command, const Settings&, const IdSource& ids) {
    return admit_redemption(GrantUse::reclaim, std::move(command.claim), ids, command.max_reclaim_count);
}

}  // namespace flowfabric
