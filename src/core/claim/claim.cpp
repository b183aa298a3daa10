#include <algorithm>

#include "core/base/names.hpp"
#include "core/claim/admitted_claim.hpp"
#include "core/claim/grant.hpp"
#include "core/claim/taking.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/suspension/accepted_signals.hpp"

namespace flowfabric {

std::optional<ClaimedExecution> decide_claim(const AdmittedClaim& command, std::uint32_t n, ExecutionEntry& candidate,
                                             DecisionContext& context) {
    const ExecutionRow& row = candidate.row;
    const bool reclaims = has_lost_lease(row);
    if (!reclaims && !is_waiting(row)) return std::nullopt;

    Transition transition(candidate, context.set);
    if (has_live_grant(row, transition.now())) return std::nullopt;
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

namespace {

class ClaimBody final : public CommandBody {
  public:
    explicit ClaimBody(AdmittedClaim claim) : claim_(std::move(claim)) {}

    CommandTraits traits() const override { return {.name = "claim", .urgency = Urgency::claim}; }
    std::size_t bytes() const override {
        const Claim& claim = claim_.claim;
        return sizeof(*this) + contents_of(claim.lanes, claim.capabilities, claim.worker_id, claim.worker_instance_id);
    }
    std::span<const ExecutionId> executions() const override { return {}; }
    void name_rows(NamedRows&) const override {}
    std::size_t rows() const override { return claim_.claim.max_count; }
    const AdmittedClaim* claim() const override { return &claim_; }

    Result<Answer> decide(BatchRows& rows, DecisionContext& context) const override {
        Claimed claimed;
        while (claimed.executions.size() < claim_.claim.max_count) {
            ExecutionEntry* candidate = rows.next_candidate();
            if (candidate == nullptr) break;
            const auto n = static_cast<std::uint32_t>(claimed.executions.size());
            if (auto taken = decide_claim(claim_, n, *candidate, context)) {
                claimed.executions.push_back(std::move(*taken));
            }
        }
        return Answer::of<Claimed>(std::move(claimed));
    }

  private:
    AdmittedClaim claim_;
};

}  // namespace

template <>
Result<Command> admit(Claim command, const Settings&, const IdSource& ids) {
    Checks check;
    check(check_lanes(command.lanes));
    check(check_identity("worker_id", command.worker_id));
    check(check_identity("worker_instance_id", command.worker_instance_id));
    check(check_ttl(command.lease_ttl_ms));
    check(check_range("max_count", command.max_count, 0, max_claim_count));
    if (check.fault()) return *check.fault();
    auto capabilities = normalise_capabilities("worker", std::move(command.capabilities));
    if (!capabilities) return capabilities.error();
    command.capabilities = std::move(*capabilities);
    std::ranges::sort(command.lanes);
    command.lanes.erase(std::ranges::unique(command.lanes).begin(), command.lanes.end());
    return Command::make<ClaimBody>(AdmittedClaim{std::move(command), ids});
}

}  // namespace flowfabric
