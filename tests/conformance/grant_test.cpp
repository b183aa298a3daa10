#include "conformance/with_key.hpp"

namespace flowfabric::test {
namespace {

using enum ErrorKind;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class Grants : public WithKey<ApiTest> {
  protected:
    static GrantRequest asks(const ExecutionId& id, std::string worker = "w1") {
        return {.execution_id = id, .worker_id = worker, .worker_instance_id = worker + "-1"};
    }
    static GrantRedemption redeems(const ExecutionId& id, std::string worker = "w1") {
        return {.execution_id = id, .worker_id = worker, .worker_instance_id = worker + "-1"};
    }
    ClaimGrant grant(const ExecutionId& id, std::string worker = "w1") {
        return value_of(run(IssueClaimGrant{asks(id, std::move(worker))}));
    }
    Result<LeasedExecution> redeem(GrantRedemption redemption) { return run(ClaimExecution{std::move(redemption)}); }
    ClaimGrant reclaim_grant(const ExecutionId& id, std::string worker = "w2") {
        return std::get<ClaimGrant>(value_of(run(IssueReclaimGrant{asks(id, std::move(worker)), {}})));
    }
    ReclaimOutcome reclaim(const ExecutionId& id, std::string worker = "w2") {
        return value_of(run(ReclaimExecution{redeems(id, std::move(worker)), {}}));
    }
    static CreateExecution needing(std::vector<std::string> capabilities) {
        CreateExecution command;
        command.policy.emplace().routing_requirements = RoutingRequirements{std::move(capabilities)};
        return command;
    }
    std::unique_ptr<Simulation> engine_with_master_key(std::uint8_t byte) {
        Settings settings;
        settings.master_key.emplace().fill(byte);
        settings.backend = backend().traits().tag;
        return another_engine(settings);
    }
    ExecutionId interrupted() {
        const auto id = create();
        value_of(delay(claim().handle, now() - 1));
        return id;
    }
    ExecutionId lost() {
        const auto id = create();
        claim();
        let_lease_lapse();
        return id;
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, Grants, all_stores(), name_of_param);

// ---- claim grants -------------------------------------------------------------------------------------------------

TEST_P(Grants, LeaveTheExecutionAsItIsAndKeepOthersAway) {
    const auto id = create();
    const StateVector before = row(id).vector;
    const ClaimGrant given = grant(id);
    EXPECT_EQ(given.expires_at_ms, now() + 5000);
    EXPECT_TRUE(given.grant_key.starts_with("pg:" + id.to_string() + ":" + std::to_string(now() + 5000) + ":k1:"));
    EXPECT_EQ(row(id).vector, before);
    EXPECT_THAT(claimed_ids(claim_by("w2")), IsEmpty());
    const auto behind = create();
    EXPECT_THAT(claimed_ids(claim_by("w2")), ElementsAre(behind)) << "what is granted hides nothing";
}

TEST_P(Grants, AtTheHeadsOfManyClassesHideNoOtherClass) {
    Claim command = claim_by("w2");
    for (unsigned bit = 0; bit < 7; ++bit) command.capabilities.push_back("c" + std::to_string(bit));
    const auto create_in = [&](unsigned number) {
        std::vector<std::string> required;
        for (unsigned bit = 0; bit < 7; ++bit) {
            if ((number >> bit & 1U) != 0) required.push_back(command.capabilities[bit]);
        }
        return create(needing(std::move(required)));
    };
    for (unsigned number = 1; number <= 40; ++number) {
        GrantRequest request = asks(create_in(number));
        request.capabilities = command.capabilities;
        value_of(run(IssueClaimGrant{std::move(request)}));
    }
    std::vector<ExecutionId> free;
    for (unsigned number = 41; number < 80; ++number) free.push_back(create_in(number));
    EXPECT_THAT(claimed_ids(command), ElementsAre(testing::AnyOfArray(free)));
}

TEST_P(Grants, AreRedeemedOnceByTheirWorker) {
    const auto id = create();
    const ClaimGrant given = grant(id);
    expect_no_change([&] { expect_error(redeem(redeems(id, "w2")), invalid_claim_grant); });
    GrantRedemption wish = redeems(id);
    wish.grant_key = given.grant_key;
    wish.worker_instance_id = "another-instance";
    wish.lease_id = LeaseId{Uuid{{1}}};
    wish.attempt_id = AttemptId{Uuid{{2}}};
    wish.expected_attempt_index = 0;
    const auto taken = value_of(redeem(wish));
    EXPECT_EQ(taken.lease_id, wish.lease_id);
    EXPECT_EQ(taken.attempt_id, wish.attempt_id);
    EXPECT_EQ(taken.attempt_index, 0U);
    EXPECT_EQ(taken.attempt_type, AttemptType::initial);
    EXPECT_EQ(taken.lease_epoch.value, 1U);
    EXPECT_EQ(taken.lease_expires_at_ms, now() + 30'000);
    EXPECT_EQ(row(id).worker_instance_id, "another-instance");
    EXPECT_THAT(lease_event_types(id), ElementsAre(LeaseEventType::acquired));
    EXPECT_THAT(snapshot().of<GrantRow>(), IsEmpty());
    expect_no_change([&] { expect_error(redeem(redeems(id)), active_attempt_exists); });
    value_of(complete(taken.handle));
    expect_no_change([&] { expect_error(redeem(redeems(id)), execution_not_leaseable); });
}

TEST_P(Grants, LapseWithoutAnyoneSweeping) {
    const auto id = create();
    grant(id);
    advance(5000);
    expect_error(redeem(redeems(id)), claim_grant_expired);
    EXPECT_THAT(snapshot().of<GrantRow>(), IsEmpty()) << "the dead grant is gone";
    EXPECT_EQ(claim("w2").execution_id, id);
}

TEST_P(Grants, ThatLapsedDoNotKeepOthersFromClaiming) {
    const auto id = create();
    grant(id);
    advance(5000);
    EXPECT_EQ(claim("w2").execution_id, id);
    reconcile();
    EXPECT_THAT(snapshot().of<GrantRow>(), IsEmpty());
}

TEST_P(Grants, AreSweptWhenTheyHaveLapsed) {
    const auto id = create();
    grant(id);
    advance(4999);
    expect_no_change([&] { EXPECT_FALSE(value_of(run(FireTimer{id, Timer::grant_expiry})).changed); });
    advance(1);
    reconcile();
    EXPECT_THAT(snapshot().of<GrantRow>(), IsEmpty());
    EXPECT_EQ(row(id).grant_until_ms, std::nullopt);
    expect_no_change([&] { reconcile(); });
    expect_error(redeem(redeems(id)), invalid_claim_grant);
}

TEST_P(Grants, OneLiveGrantPerExecution) {
    const auto id = create();
    grant(id);
    expect_no_change([&] { expect_error(run(IssueClaimGrant{asks(id, "w2")}), grant_already_exists); });
    advance(5000);
    grant(id, "w2");
    EXPECT_THAT(snapshot().of<GrantRow>(), SizeIs(1));
    EXPECT_TRUE(redeem(redeems(id, "w2")));
}

TEST_P(Grants, NeedEveryCapability) {
    const auto id = create(needing({"b", "a"}));
    GrantRequest request = asks(id);
    request.capabilities = {"a"};
    expect_no_change([&] {
        const auto refused = run(IssueClaimGrant{request});
        expect_error(refused, capability_mismatch);
        EXPECT_EQ(refused.error().detail, "b");
        request.capabilities = {"A", "B"};
        EXPECT_EQ(run(IssueClaimGrant{request}).error().detail, "a,b") << "exact and case-sensitive";
    });
    request.capabilities = {"b", "c", "a"};
    EXPECT_TRUE(run(IssueClaimGrant{request}));
}

TEST_P(Grants, AreOnlyForWhatWaits) {
    const auto id = create();
    claim();
    expect_no_change([&] { expect_error(run(IssueClaimGrant{asks(id)}), execution_not_eligible); });
    const ExecutionId unknown{7, {}};
    expect_error(run(IssueClaimGrant{asks(unknown)}), execution_not_found);
    expect_error(redeem(redeems(unknown)), execution_not_found);
}

TEST_P(Grants, EndWithTheExecution) {
    const auto id = create();
    grant(id);
    value_of(cancel_by("operator_override", id));
    EXPECT_THAT(snapshot().of<GrantRow>(), IsEmpty());
    EXPECT_EQ(row(id).grant_until_ms, std::nullopt);
}

TEST_P(Grants, AnOperatorNeedsNone) {
    const auto id = create();
    grant(id);
    value_of(run(IssueGrantAndClaim{id, 5000}));
    EXPECT_THAT(snapshot().of<GrantRow>(), IsEmpty());
}

TEST_P(Grants, AForgedKeyIsRefusedAndTheGrantSurvives) {
    const auto id = create();
    const std::string key = grant(id).grant_key;
    std::string other = key;
    other.back() = other.back() == '0' ? '1' : '0';
    for (const std::string& forged :
         {std::string(), std::string("pg:nonsense"), other, key.substr(0, key.size() - 1)}) {
        GrantRedemption wish = redeems(id);
        wish.grant_key = forged;
        expect_no_change([&] { expect_error(redeem(wish), invalid_claim_grant); });
    }
    GrantRedemption wish = redeems(id);
    wish.grant_key = key;
    EXPECT_TRUE(redeem(wish));
}

TEST_P(Grants, AKeyOfAnotherExecutionIsRefused) {
    const auto mine = create();
    const auto other = create();
    const std::string key = grant(other).grant_key;
    grant(mine);
    GrantRedemption wish = redeems(mine);
    wish.grant_key = key;
    expect_no_change([&] { expect_error(redeem(wish), invalid_claim_grant); });
}

TEST_P(Grants, AnUnexpectedAttemptIndexIsRefused) {
    const auto id = create();
    grant(id);
    GrantRedemption wish = redeems(id);
    wish.expected_attempt_index = 1;
    expect_no_change([&] { expect_error(redeem(wish), execution_not_leaseable); });
}

TEST_P(Grants, AnInterruptedAttemptIsResumedNotStartedAnew) {
    const auto id = interrupted();
    const auto before = row(id);
    grant(id);
    expect_no_change([&] { expect_error(redeem(redeems(id)), use_claim_resumed_execution); });
    const auto resumed = value_of(run(ClaimResumedExecution{redeems(id)}));
    EXPECT_EQ(resumed.attempt_index, 0U);
    EXPECT_EQ(resumed.attempt_id, before.attempt_id);
    EXPECT_GT(resumed.lease_epoch.value, before.lease_epoch);
    value_of(complete(resumed.handle));

    const auto fresh = create();
    grant(fresh);
    expect_no_change([&] { expect_error(run(ClaimResumedExecution{redeems(fresh)}), not_a_resumed_execution); });
    expect_no_change([&] { expect_error(run(ClaimResumedExecution{redeems(id)}), execution_not_leaseable); });
}

TEST_P(Grants, WithoutASigningKeyNothingIsWritten) {
    value_of(run(RotateWaitpointHmacSecret{"k2", std::string(64, 'b'), 0}));
    const auto id = create();
    const std::string key = grant(id).grant_key;
    EXPECT_NE(key.find(":k2:"), std::string::npos);
}

class NoKeys : public ApiTest {};
INSTANTIATE_TEST_SUITE_P(Stores, NoKeys, all_stores(), name_of_param);

TEST_P(NoKeys, NoGrantIsIssued) {
    const auto id = create();
    expect_no_change([&] {
        expect_error(run(IssueClaimGrant{{.execution_id = id, .worker_id = "w", .worker_instance_id = "w-1"}}),
                     unavailable, "hmac_secret_not_initialized");
    });
}

TEST_P(Grants, ExplainWhyNobodyElseGetsIt) {
    const auto id = create();
    grant(id);
    const auto explanation = value_of(api().explain_execution(id));
    ASSERT_TRUE(explanation);
    EXPECT_EQ(explanation->obstacles.front().predicate, "granted");
    EXPECT_EQ(explanation->obstacles.front().until_ms, now() + 5000);
}

// ---- reclaim grants -----------------------------------------------------------------------------------------------

TEST_P(Grants, ALostExecutionIsTakenOverByReclaimGrant) {
    const auto id = lost();
    const auto old_epoch = row(id).lease_epoch;
    const ClaimGrant given = reclaim_grant(id);
    EXPECT_TRUE(given.grant_key.starts_with("pg:reclaim:" + id.to_string()));
    EXPECT_THAT(claimed_ids(claim_by("w3")), IsEmpty()) << "it is granted";
    const auto taken = std::get<LeasedExecution>(reclaim(id));
    EXPECT_EQ(taken.attempt_index, 1U);
    EXPECT_EQ(taken.attempt_type, AttemptType::reclaim);
    EXPECT_EQ(taken.handle.kind, HandleKind::reclaimed);
    EXPECT_EQ(taken.lease_epoch.value, old_epoch + 1);
    EXPECT_EQ(row(id).lease_reclaim_count, 1);
    ASSERT_THAT(attempts(id), SizeIs(2));
    EXPECT_EQ(attempts(id)[0].outcome, AttemptOutcome::interrupted_reclaimed);
    EXPECT_THAT(lease_event_types(id),
                ElementsAre(LeaseEventType::acquired, LeaseEventType::expired, LeaseEventType::reclaimed));
    EXPECT_EQ(lease_events(id).back().prev_worker_instance_id, "w1-1");
    EXPECT_THAT(snapshot().of<GrantRow>(), IsEmpty());
    EXPECT_EQ(reclaim(id), ReclaimOutcome{GrantNotFound{}});
}

TEST_P(Grants, ALeaseThatLapsedUnnoticedIsExpiredOnTheWay) {
    const auto id = create();
    claim();
    expect_no_change(
        [&] { EXPECT_TRUE(std::holds_alternative<NotReclaimable>(value_of(run(IssueReclaimGrant{asks(id), {}})))); });
    advance(30'000);
    reclaim_grant(id);
    EXPECT_THAT(lease_event_types(id), ElementsAre(LeaseEventType::acquired, LeaseEventType::expired));
    EXPECT_TRUE(std::holds_alternative<LeasedExecution>(reclaim(id)));
}

TEST_P(Grants, AReclaimGrantIsItsWorkers) {
    const auto id = lost();
    reclaim_grant(id, "w2");
    expect_no_change([&] { expect_error(run(ReclaimExecution{redeems(id, "w3"), {}}), invalid_input, "worker_id"); });
    advance(5000);
    EXPECT_EQ(reclaim(id), ReclaimOutcome{GrantNotFound{}});
    EXPECT_EQ(claim("w3").execution_id, id) << "a lapsed grant holds nothing back";
}

TEST_P(Grants, WhoeverTookItMeanwhileKeepsIt) {
    const auto id = lost();
    reclaim_grant(id);
    value_of(cancel_by("operator_override", id));
    EXPECT_EQ(reclaim(id), ReclaimOutcome{GrantNotFound{}});
    EXPECT_EQ(state(id), PublicState::cancelled);
}

TEST_P(Grants, ReclaimsAreCapped) {
    CreateExecution command;
    command.policy.emplace().max_reclaim_count = 1;
    const auto id = create(command);
    claim();
    let_lease_lapse();
    reclaim_grant(id);
    ASSERT_TRUE(std::holds_alternative<LeasedExecution>(reclaim(id)));
    let_lease_lapse();
    expect_no_change(
        [&] { EXPECT_EQ(value_of(run(IssueReclaimGrant{asks(id), {}})), ReclaimGrantOutcome{ReclaimCapExceeded{1}}); });
}

TEST_P(Grants, TheCapAtRedemptionEndsIt) {
    const auto id = lost();
    reclaim_grant(id);
    EXPECT_EQ(value_of(run(ReclaimExecution{redeems(id, "w2"), 0U})), ReclaimOutcome{ReclaimCapExceeded{0}});
    EXPECT_EQ(row(id).vector.terminal_outcome, TerminalOutcome::failed);
    EXPECT_EQ(row(id).failure_reason, "max_reclaims_exceeded");
    EXPECT_THAT(outcomes(id), ElementsAre(TerminalOutcome::failed));
    EXPECT_THAT(lease_event_types(id), ElementsAre(LeaseEventType::acquired, LeaseEventType::expired));
    EXPECT_THAT(snapshot().of<GrantRow>(), IsEmpty());
}

TEST_P(Grants, AReclaimNeedsTheCapabilitiesToo) {
    const auto id = create(needing({"gpu"}));
    Claim capable = claim_by("w1");
    capable.capabilities = {"gpu"};
    claim(capable);
    let_lease_lapse();
    EXPECT_EQ(value_of(run(IssueReclaimGrant{asks(id), {}})),
              ReclaimGrantOutcome{NotReclaimable{"capability_mismatch: gpu"}});
}

TEST_P(Grants, ARevokedLeaseIsReclaimable) {
    const auto id = create();
    claim();
    value_of(run(RevokeLease{.execution_id = id, .reason = "stuck"}));
    reclaim_grant(id);
    EXPECT_TRUE(std::holds_alternative<LeasedExecution>(reclaim(id)));
}

// ---- signing keys -------------------------------------------------------------------------------------------------

TEST_P(Grants, AKeyIsSeededOnce) {
    const std::string same(64, 'a');
    expect_no_change([&] {
        EXPECT_EQ(value_of(run(SeedWaitpointHmacSecret{"k1", same})), (KeySeeded{"k1", true, true}));
        EXPECT_EQ(value_of(run(SeedWaitpointHmacSecret{"k1", std::string(64, 'b')})), (KeySeeded{"k1", true, false}));
        expect_error(run(SeedWaitpointHmacSecret{"k9", same}), invalid_input, "rotate");
        expect_error(run(SeedWaitpointHmacSecret{"k9", "abc"}), invalid_secret_hex);
        expect_error(run(SeedWaitpointHmacSecret{"a:b", same}), invalid_kid);
    });
    EXPECT_EQ(value_of(api().list_waitpoint_hmac_kids()), (SigningKids{"k1", {}}));
}

TEST_P(Grants, RotationKeepsEveryOldKeyForItsGrace) {
    EXPECT_EQ(value_of(run(RotateWaitpointHmacSecret{"k2", std::string(64, 'b'), 1000})),
              (KeyRotated{"k1", "k2", 0, true}));
    EXPECT_EQ(value_of(run(RotateWaitpointHmacSecret{"k3", std::string(64, 'c'), 5000})),
              (KeyRotated{"k2", "k3", 0, true}));
    EXPECT_EQ(value_of(api().list_waitpoint_hmac_kids()),
              (SigningKids{"k3", {{"k1", now() + 1000}, {"k2", now() + 5000}}}));
    advance(1000);
    EXPECT_EQ(value_of(api().list_waitpoint_hmac_kids()), (SigningKids{"k3", {{"k2", now() + 4000}}}));
    expect_no_change([&] {
        EXPECT_FALSE(value_of(run(RotateWaitpointHmacSecret{"k3", std::string(64, 'c'), 0})).changed);
        expect_error(run(RotateWaitpointHmacSecret{"k3", std::string(64, 'd'), 0}), rotation_conflict, "k3");
        expect_error(run(RotateWaitpointHmacSecret{"k4", "", 0}), invalid_secret_hex);
        expect_error(run(RotateWaitpointHmacSecret{"k4", "aa", -1}), invalid_grace_ms);
    });
    EXPECT_EQ(value_of(run(RotateWaitpointHmacSecret{"k4", "aabb", 0})), (KeyRotated{"k3", "k4", 1, true}));
}

TEST_P(Grants, AGrantOutlivesTheRotationOfItsKey) {
    const auto id = create();
    GrantRedemption wish = redeems(id);
    wish.grant_key = grant(id).grant_key;
    value_of(run(RotateWaitpointHmacSecret{"k2", std::string(64, 'b'), 1000}));
    EXPECT_TRUE(redeem(wish));

    const auto late = create();
    GrantRedemption too_late = redeems(late);
    too_late.grant_key = grant(late).grant_key;
    value_of(run(RotateWaitpointHmacSecret{"k3", std::string(64, 'c'), 0}));
    expect_no_change([&] { expect_error(redeem(too_late), invalid_claim_grant); });
}

TEST_P(Grants, SecretsAreSealedUnderAMasterKey) {
    const auto keeper = engine_with_master_key(7);
    const std::string secret_hex(64, 'd');
    value_of(keeper->run(RotateWaitpointHmacSecret{"k2", secret_hex, 0}));
    const Bytes stored = snapshot().of<SigningKeyRow>().at({"k2"}).secret.bytes;
    EXPECT_EQ(stored.find(std::string(32, '\xdd')), std::string::npos);
    const auto id = create();
    expect_error(run(IssueClaimGrant{asks(id)}), unavailable);
    EXPECT_TRUE(keeper->run(IssueClaimGrant{asks(id)}));
}

TEST_P(Grants, NoPlainSecretIsAddedWhereSealedOnesAre) {
    const auto keeper = engine_with_master_key(7);
    value_of(keeper->run(RotateWaitpointHmacSecret{"k2", std::string(64, 'b'), 0}));
    expect_no_change([&] {
        expect_error(run(RotateWaitpointHmacSecret{"k3", std::string(64, 'c'), 0}), unavailable, "FF_MASTER_KEY");
        expect_error(run(SeedWaitpointHmacSecret{"k3", std::string(64, 'c')}), unavailable, "FF_MASTER_KEY");
    });
    EXPECT_TRUE(keeper->run(RotateWaitpointHmacSecret{"k3", std::string(64, 'c'), 0}));
}

TEST_P(Grants, PlainSecretsAreResealed) {
    const auto id = create();
    GrantRedemption wish = redeems(id);
    wish.grant_key = grant(id).grant_key;
    value_of(run(RotateWaitpointHmacSecret{"k2", std::string(64, 'b'), 1000}));
    using State = SigningKeyView::State;
    EXPECT_EQ(value_of(api().list_signing_keys()),
              (std::vector<SigningKeyView>{{"k1", State::verifying, false, now(), now() + 1000},
                                           {"k2", State::active, false, now(), std::nullopt}}));
    expect_no_change([&] { expect_error(run(ResealSigningKeys{}), unavailable, "FF_MASTER_KEY"); });

    const auto keeper = engine_with_master_key(7);
    EXPECT_EQ(value_of(keeper->run(ResealSigningKeys{})), (KeysResealed{2, 2}));
    for (const auto& key : value_of(api().list_signing_keys())) EXPECT_TRUE(key.sealed) << key.kid;
    const auto stored = snapshot().of<SigningKeyRow>();
    EXPECT_EQ(stored.at({"k1"}).secret.bytes.find(std::string(32, '\xaa')), std::string::npos);
    EXPECT_NE(stored.at({"k1"}).secret.bytes.substr(1, 12), stored.at({"k2"}).secret.bytes.substr(1, 12)) << "a nonce";
    expect_no_change([&] {
        EXPECT_EQ(value_of(keeper->run(ResealSigningKeys{})), (KeysResealed{0, 2}));
        expect_error(engine_with_master_key(8)->run(ResealSigningKeys{}), corruption);
    });
    EXPECT_TRUE(keeper->run(ClaimExecution{wish}));
}

}  // namespace
}  // namespace flowfabric::test
