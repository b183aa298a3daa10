#include <algorithm>
#include <boost/json.hpp>
#include <iterator>

#include "core/base/names.hpp"
#include "core/claim/grant.hpp"
#include "core/claim/grant_key.hpp"
#include "core/claim/taking.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/command/on_execution.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/retry.hpp"
#include "core/signing/keyring.hpp"

namespace flowfabric {
namespace {

class IssueGrantBody final : public OnExecution {
  public:
    // The request's capabilities are sorted, without repeats.
    IssueGrantBody(GrantKind kind, GrantRequest request, std::optional<std::uint32_t> max_reclaim_count)
        : OnExecution(request.execution_id),
          kind_(kind),
          request_(std::move(request)),
          max_reclaim_count_(max_reclaim_count) {}

    CommandTraits traits() const override { return {.name = "issue_grant"}; }
    std::size_t bytes() const override {
        return sizeof(*this) + contents_of(request_.worker_id, request_.worker_instance_id, request_.lane_id,
                                           request_.capabilities, request_.capability_hash,
                                           request_.route_snapshot_json, request_.admission_summary);
    }
    void name_rows(NamedRows& rows) const override { rows.side.of<SigningKeyRow>().all = true; }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        Transition transition(entry, context.set);
        return kind_ == GrantKind::reclaim ? for_reclaim(transition, context) : for_claim(transition, context);
    }

  private:
    Result<Answer> for_claim(Transition& transition, DecisionContext& context) const {
        const ExecutionRow& row = transition.row();
        if (!is_waiting(row)) return refused_in_state(ErrorKind::execution_not_eligible, row);
        if (has_live_grant(row, transition.now())) return refused_execution(ErrorKind::grant_already_exists, row);
        const std::string missing = missing_capabilities(row);
        if (!missing.empty()) return EngineError{.kind = ErrorKind::capability_mismatch, .detail = missing};
        auto grant = issue(transition, context);
        if (!grant) return grant.error();
        return Answer::of<ClaimGrant>(std::move(*grant));
    }

    Result<Answer> for_reclaim(Transition& transition, DecisionContext& context) const {
        const ExecutionRow& row = transition.row();
        const auto lost = can_be_reclaimed(transition);
        if (!lost) return lost.error();
        if (*lost && exceeds_reclaim_cap(row, max_reclaim_count_)) {
            const auto count = static_cast<std::uint32_t>(row.lease_reclaim_count);
            return Answer::of<ReclaimGrantOutcome>(ReclaimCapExceeded{count});
        }
        if (!*lost) return Answer::of<ReclaimGrantOutcome>(not_reclaimable(row));
        if (has_live_grant(row, transition.now())) return refused_execution(ErrorKind::grant_already_exists, row);
        const std::string missing = missing_capabilities(row);
        if (!missing.empty()) {
            return Answer::of<ReclaimGrantOutcome>(NotReclaimable{"capability_mismatch: " + missing});
        }
        auto grant = issue(transition, context);
        if (!grant) return grant.error();
        return Answer::of<ReclaimGrantOutcome>(std::move(*grant));
    }

    std::string missing_capabilities(const ExecutionRow& row) const {
        std::vector<std::string> missing;
        std::ranges::set_difference(row.required_capabilities, request_.capabilities, std::back_inserter(missing));
        return csv_of(missing);
    }

    Result<ClaimGrant> issue(Transition& transition, DecisionContext& context) const {
        const auto keyring = Keyring::open(context.set.side.of<SigningKeyRow>(), context.settings, transition.now());
        if (!keyring) return keyring.error();
        return issue_grant(transition, context.set, kind_, request_, keyring->active());
    }

    GrantKind kind_;
    GrantRequest request_;
    std::optional<std::uint32_t> max_reclaim_count_;
};

Result<Command> admit_grant(GrantKind kind, GrantRequest request, std::optional<std::uint32_t> max_reclaim_count) {
    Checks check;
    check(check_partition(request.execution_id));
    check(check_identity("worker_id", request.worker_id));
    check(check_identity("worker_instance_id", request.worker_instance_id));
    check(check_lane_id(request.lane_id));
    check(check_range("grant_ttl_ms", request.grant_ttl_ms, 1, max_grant_ttl_ms));
    const auto check_note = [&](std::string_view field, const std::optional<std::string>& text) {
        if (text) check(check_text(field, *text, max_reason_bytes));
    };
    check_note("capability_hash", request.capability_hash);
    check_note("route_snapshot_json", request.route_snapshot_json);
    check_note("admission_summary", request.admission_summary);
    if (check.fault()) return *check.fault();
    auto capabilities = normalise_capabilities("worker", std::move(request.capabilities));
    if (!capabilities) return capabilities.error();
    request.capabilities = std::move(*capabilities);
    return Command::make<IssueGrantBody>(kind, std::move(request), max_reclaim_count);
}

GrantRow row_of(GrantKind kind, const GrantRequest& request, const ClaimGrant& grant, std::int64_t now_ms) {
    boost::json::array capabilities;
    for (const std::string& token : request.capabilities) capabilities.emplace_back(token);
    return {.key = {grant.execution_id.partition, {grant_id_of(grant.grant_key)}},
            .execution_uuid = grant.execution_id.uuid,
            .kind = kind,
            .worker_id = request.worker_id,
            .worker_instance_id = request.worker_instance_id,
            .lane_id = request.lane_id,
            .capability_hash = request.capability_hash,
            .worker_capabilities = {boost::json::serialize(capabilities)},
            .route_snapshot_json = request.route_snapshot_json,
            .admission_summary = request.admission_summary,
            .grant_ttl_ms = static_cast<std::int64_t>(request.grant_ttl_ms),
            .issued_at_ms = now_ms,
            .expires_at_ms = grant.expires_at_ms};
}

}  // namespace

ClaimGrant issue_grant(Transition& transition, WorkingSet& set, GrantKind kind, const GrantRequest& request,
                       const SigningKey& key) {
    const ExecutionId id = transition.row().id;
    const std::int64_t until = saturating_add(transition.now(), request.grant_ttl_ms);
    ClaimGrant grant{.execution_id = id,
                     .grant_key = mint_grant_key(key, kind, id, {request.worker_id, request.worker_instance_id}, until),
                     .expires_at_ms = until,
                     .lane_id = request.lane_id};
    transition.withdraw_grants();
    transition.grant_until(until);
    set.side.of<GrantRow>().put(row_of(kind, request, grant, transition.now()));
    return grant;
}

template <>
Result<Command> admit(IssueClaimGrant command, const Settings&, const IdSource&) {
    return admit_grant(GrantKind::claim, std::move(command.grant), std::nullopt);
}

template <>
Result<Command> admit(IssueReclaimGrant command, const Settings&, const IdSource&) {
    return admit_grant(GrantKind::reclaim, std::move(command.grant), command.max_reclaim_count);
}

}  // namespace flowfabric
