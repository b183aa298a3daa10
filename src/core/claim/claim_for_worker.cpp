#include "core/base/names.hpp"
#include "core/claim/admitted_claim.hpp"
#include "core/claim/grant.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/signing/keyring.hpp"

namespace flowfabric {
namespace {

// Work is found as a claim finds it, and granted instead of leased.
class ClaimForWorkerBody final : public CommandBody {
  public:
    // The request names no execution.
    ClaimForWorkerBody(GrantRequest request, AdmittedClaim wanted)
        : request_(std::move(request)), wanted_(std::move(wanted)) {}

    CommandTraits traits() const override { return {.name = "claim_for_worker", .urgency = Urgency::claim}; }
    std::size_t bytes() const override {
        return sizeof(*this) + 2 * contents_of(request_.worker_id, request_.worker_instance_id, request_.lane_id,
                                               request_.capabilities);
    }
    std::span<const ExecutionId> executions() const override { return {}; }
    void name_rows(NamedRows& rows) const override { rows.side.of<SigningKeyRow>().all = true; }
    const AdmittedClaim* claim() const override { return &wanted_; }
    bool found_nothing(const Answer& answer) const override { return !answer.as<std::optional<ClaimGrant>>(); }
    bool looks_in_inbox() const override { return false; }

    Result<Answer> decide(BatchRows& rows, DecisionContext& context) const override {
        const auto keyring = Keyring::open(context.set.side.of<SigningKeyRow>(), context.settings, context.set.now_ms);
        if (!keyring) return keyring.error();
        while (ExecutionEntry* candidate = rows.next_candidate()) {
            // What a dead worker has left goes by reclaim grants.
            if (!is_waiting(candidate->row)) continue;
            Transition transition(*candidate, context.set);
            if (has_live_grant(transition.row(), transition.now())) continue;
            return Answer::of<std::optional<ClaimGrant>>(
                issue_grant(transition, context.set, GrantKind::claim, request_, keyring->active()));
        }
        return Answer::of<std::optional<ClaimGrant>>(std::nullopt);
    }

  private:
    GrantRequest request_;
    AdmittedClaim wanted_;
};

}  // namespace

template <>
Result<Command> admit(ClaimForWorker command, const Settings&, const IdSource& ids) {
    Checks check;
    check(check_lane_id(command.lane_id));
    check(check_identity("worker_id", command.worker_id));
    check(check_identity("worker_instance_id", command.worker_instance_id));
    check(check_range("grant_ttl_ms", command.grant_ttl_ms, 1, max_grant_ttl_ms));
    if (check.fault()) return *check.fault();
    auto capabilities = normalise_capabilities("worker", std::move(command.capabilities));
    if (!capabilities) return capabilities.error();
    Claim wanted{.lanes = {command.lane_id},
                 .capabilities = *capabilities,
                 .worker_id = command.worker_id,
                 .worker_instance_id = command.worker_instance_id};
    GrantRequest request{.worker_id = std::move(command.worker_id),
                         .worker_instance_id = std::move(command.worker_instance_id),
                         .lane_id = std::move(command.lane_id),
                         .capabilities = *std::move(capabilities),
                         .grant_ttl_ms = command.grant_ttl_ms};
    return Command::make<ClaimForWorkerBody>(std::move(request), AdmittedClaim{std::move(wanted), ids});
}

}  // namespace flowfabric
