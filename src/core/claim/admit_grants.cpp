#include "core/base/names.hpp"
#include "core/command/admission.hpp"

namespace flowfabric {
namespace {

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
    return Command{AdmittedGrant{request.execution_id, kind, std::move(request), max_reclaim_count}};
}

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
    return Command{AdmittedRedemption{claim.execution_id, use, std::move(claim), max_reclaim_count}};
}

Binary stored_form(const SigningKey& key, const Settings& settings, const IdSource& ids) {
    if (!settings.master_key) return {stored_plain(key)};
    return {stored_sealed(key, *settings.master_key, nonce_of(ids.at(0)))};
}

}  // namespace

Result<Command> admit(IssueClaimGrant command, const Settings&, const IdSource&) {
    return admit_grant(GrantKind::claim, std::move(command.grant), std::nullopt);
}

Result<Command> admit(IssueReclaimGrant command, const Settings&, const IdSource&) {
    return admit_grant(GrantKind::reclaim, std::move(command.grant), command.max_reclaim_count);
}

Result<Command> admit(ClaimExecution command, const Settings&, const IdSource& ids) {
    return admit_redemption(GrantUse::fresh_attempt, std::move(command.claim), ids);
}

Result<Command> admit(ClaimResumedExecution command, const Settings&, const IdSource& ids) {
    return admit_redemption(GrantUse::resumed_attempt, std::move(command.claim), ids);
}

Result<Command> admit(ClaimFromResumeGrant command, const Settings&, const IdSource& ids) {
    GrantRedemption claim{.execution_id = command.grant.execution_id,
                          .worker_id = std::move(command.worker_id),
                          .worker_instance_id = std::move(command.worker_instance_id),
                          .grant_key = std::move(command.grant.grant_key),
                          .lease_ttl_ms = command.lease_ttl_ms};
    return admit_redemption(GrantUse::resumed_attempt_if_any, std::move(claim), ids);
}

Result<Command> admit(ReclaimExecution command, const Settings&, const IdSource& ids) {
    return admit_redemption(GrantUse::reclaim, std::move(command.claim), ids, command.max_reclaim_count);
}

Result<Command> admit(const SeedWaitpointHmacSecret& command, const Settings& settings, const IdSource& ids) {
    if (auto checked = check_kid("kid", command.kid); !checked) return checked.error();
    auto secret = seed_secret_of_hex("secret_hex", command.secret_hex);
    if (!secret) return secret.error();
    SigningKey key{command.kid, std::move(*secret)};
    Binary stored = stored_form(key, settings, ids);
    return Command{AdmittedKeySeed{std::move(key), std::move(stored)}};
}

Result<Command> admit(const RotateWaitpointHmacSecret& command, const Settings& settings, const IdSource& ids) {
    if (auto checked = check_kid("new_kid", command.new_kid); !checked) return checked.error();
    auto secret = secret_of_hex("new_secret_hex", command.new_secret_hex);
    if (!secret) return secret.error();
    if (auto checked = check_grace_ms(command.grace_ms); !checked) return checked.error();
    SigningKey key{command.new_kid, std::move(*secret)};
    Binary stored = stored_form(key, settings, ids);
    return Command{AdmittedKeyRotation{std::move(key), std::move(stored), command.grace_ms}};
}

Result<Command> admit(const ResealSigningKeys&, const Settings& settings, const IdSource& ids) {
    if (!settings.master_key) return missing_master_key("nothing to seal with");
    return Command{AdmittedReseal{ids}};
}

}  // namespace flowfabric
