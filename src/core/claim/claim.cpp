#include <algorithm>

#include "core/base/names.hpp"
#include "core/claim/admitted_claim.hpp"
#include "core/claim/claim_request.hpp"
#include "core/claim/grant.hpp"
#include "core/claim/taking.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/suspension/accepted_signals.hpp"
#include "core/worker/worker_mode.hpp"

namespace flowfabric {
namespace {

// The answer for a row that is leased by now.
ClaimedExecution claimed_execution(const ExecutionEntry& entry, HandleKind kind, std::uint64_t ttl_ms,
                                   const DecisionContext& context) {
    const ExecutionRow& row = entry.row;
    GivenSignals given = signals_of_run(context.set, row);
    return {.execution_id = row.id,
            .handle = handle_of(row, kind, ttl_ms, context.settings.backend),
            .lease_id = *row.lease_id,
            .lease_epoch = {row.lease_epoch},
            .attempt_id = *row.attempt_id,
            .attempt_index = static_cast<std::uint32_t>(row.attempt_index),
            .attempt_type = *row.attempt_type,
            .lease_expires_at_ms = *row.lease_expires_at_ms,
            .lane_id = row.lane_id,
            .execution_kind = row.execution_kind,
            .payload_encoding = row.payload_encoding,
            .input_payload = entry.input.value_or(Bytes{}),
            .signals = std::move(given.signals),
            .more_signals = given.more,
            .traceparent = row.traceparent,
            .tracestate = row.tracestate};
}

}  // namespace

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
    return claimed_execution(candidate, kind, claim.lease_ttl_ms, context);
}

namespace {

class ClaimBody final : public CommandBody {
  public:
    explicit ClaimBody(AdmittedClaim claim) : claim_(std::move(claim)), request_(request_key(claim_.claim)) {}

    CommandTraits traits() const override { return {.name = "claim", .urgency = Urgency::claim}; }
    std::size_t bytes() const override {
        const Claim& claim = claim_.claim;
        return sizeof(*this) + contents_of(claim.lanes, claim.capabilities, claim.worker_id, claim.worker_instance_id,
                                           claim.request_id, claim.namespace_name);
    }
    std::span<const ExecutionId> executions() const override { return repeated_; }
    void name_rows(NamedRows& rows) const override {
        const Claim& claim = claim_.claim;
        if (request_) rows.side.of<ClaimRequestRow>().keys.push_back(*request_);
        if (claim.namespace_name) name_modes(rows, *claim.namespace_name, claim.worker_id, claim.worker_instance_id);
        rows.inputs_of.insert(rows.inputs_of.end(), repeated_.begin(), repeated_.end());
        rows.signals_of.insert(rows.signals_of.end(), repeated_.begin(), repeated_.end());
    }
    std::size_t rows() const override { return claim_.claim.max_count; }
    // A repeat looks for no work.
    const AdmittedClaim* claim() const override { return repeated_.empty() ? &claim_ : nullptr; }
    bool found_nothing(const Answer& answer) const override {
        const auto& claimed = answer.as<Claimed>();
        return claimed.executions.empty() && claimed.worker == WorkerMode::run;
    }
    bool looks_in_inbox() const override { return false; }
    void widen(const MoreRows& more) override {
        repeated_ = more.executions;
        std::ranges::sort(repeated_);
    }

    Result<Answer> decide(BatchRows& rows, DecisionContext& context) const override {
        Claimed claimed{.executions = {}, .worker = mode_asked(context.set)};
        if (request_) {
            if (auto wider = repeat(rows, context, claimed)) return Answer::of<MoreRows>(*std::move(wider));
            if (!claimed.executions.empty()) return Answer::of<Claimed>(std::move(claimed));
        }
        if (claimed.worker != WorkerMode::run || claim_.claim.is_withdrawn()) {
            return Answer::of<Claimed>(std::move(claimed));
        }
        while (claimed.executions.size() < claim_.claim.max_count) {
            ExecutionEntry* candidate = rows.next_candidate();
            if (candidate == nullptr) break;
            const auto n = static_cast<std::uint32_t>(claimed.executions.size());
            if (auto taken = decide_claim(claim_, n, *candidate, context)) {
                claimed.executions.push_back(std::move(*taken));
            }
        }
        keep_request(claim_.claim, claimed, context.set);
        return Answer::of<Claimed>(std::move(claimed));
    }

  private:
    WorkerMode mode_asked(const WorkingSet& set) const {
        const Claim& claim = claim_.claim;
        if (!claim.namespace_name) return WorkerMode::run;
        return mode_of(set, *claim.namespace_name, claim.worker_id, claim.worker_instance_id);
    }

    // Puts into `claimed` what the request has taken before, as far as it is still held, or tells which rows that
    // takes. A request of which nothing is held any more is forgotten.
    std::optional<MoreRows> repeat(BatchRows& rows, DecisionContext& context, Claimed& claimed) const {
        auto& requests = context.set.side.of<ClaimRequestRow>();
        if (const ClaimRequestRow* earlier = requests.find(*request_)) {
            const auto leases = taken_by(*earlier, context.set.now_ms);
            if (auto missing = missing_for(leases)) return missing;
            for (const TakenLease& lease : leases) {
                const ExecutionEntry* entry = rows.find(lease.execution_id);
                if (entry == nullptr || !is_held(lease, entry->row, context.set.now_ms)) continue;
                claimed.executions.push_back(claimed_execution(*entry, lease.kind, claim_.claim.lease_ttl_ms, context));
            }
            if (!claimed.executions.empty()) return std::nullopt;
            requests.erase(*request_);
        }
        // Without rows of its own it looks for work again.
        return repeated_.empty() ? std::nullopt : std::optional(MoreRows{});
    }

    std::optional<MoreRows> missing_for(const std::vector<TakenLease>& leases) const {
        const bool at_hand = std::ranges::all_of(
            leases, [&](const TakenLease& lease) { return std::ranges::binary_search(repeated_, lease.execution_id); });
        if (at_hand) return std::nullopt;
        MoreRows missing;
        for (const TakenLease& lease : leases) missing.executions.push_back(lease.execution_id);
        return missing;
    }

    AdmittedClaim claim_;
    std::optional<ClaimRequestKey> request_;
    std::vector<ExecutionId> repeated_;  // what the request has taken before, sorted
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
    check(check_line("request_id", command.request_id, max_identity_bytes));
    if (command.namespace_name) check(check_identity("namespace", *command.namespace_name));
    if (check.fault()) return *check.fault();
    auto capabilities = normalise_capabilities("worker", std::move(command.capabilities));
    if (!capabilities) return capabilities.error();
    command.capabilities = std::move(*capabilities);
    std::ranges::sort(command.lanes);
    command.lanes.erase(std::ranges::unique(command.lanes).begin(), command.lanes.end());
    return Command::make<ClaimBody>(AdmittedClaim{std::move(command), ids});
}

}  // namespace flowfabric
