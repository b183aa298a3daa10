#include "conformance/signalling.hpp"

namespace flowfabric::test {
namespace {

using enum ErrorKind;
using enum SignalEffect;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class SignalsAndTokens : public Signals {};
INSTANTIATE_TEST_SUITE_P(Stores, SignalsAndTokens, all_stores(), name_of_param);

// ---- tokens -------------------------------------------------------------------------------------------------------

TEST_P(SignalsAndTokens, EveryWrongTokenGetsTheSameRefusal) {
    const Parked parked = park_until_ready();
    const Parked other = park_until_ready();
    ASSERT_EQ(parked.id.partition, other.id.partition);
    const std::string token = parked.at().token;
    std::string flipped = token;
    flipped.back() = flipped.back() == '0' ? '1' : '0';
    const std::vector<std::string> tokens{"",
                                          "k1",
                                          "k1:",
                                          ":" + token.substr(3),
                                          token.substr(3),
                                          token.substr(0, token.size() - 1),
                                          token + "0",
                                          flipped,
                                          "k9" + token.substr(2),
                                          std::string("k1:") + std::string(64, 'z'),
                                          other.at().token};
    for (const std::string& wrong : tokens) {
        DeliverSignal command = signal(parked);
        command.waitpoint_token = wrong;
        expect_nothing_new([&] { expect_error(run(command), invalid_token); });
    }
    EXPECT_EQ(effect_of(signal(parked)), resume_condition_satisfied);
}

TEST_P(SignalsAndTokens, AnotherExecutionsTokenIsNoToken) {
    const Parked mine = park_until_ready();
    const Parked other = park_until_ready();
    ASSERT_EQ(mine.id.partition, other.id.partition);
    DeliverSignal command = signal(mine);
    command.execution_id = other.id;
    expect_nothing_new([&] { expect_error(run(command), invalid_token); });
}

TEST_P(SignalsAndTokens, WhatDoesNotExistIsNotToldApart) {
    const Parked parked = park_until_ready();
    DeliverSignal unknown = signal(parked);
    unknown.waitpoint_id = nowhere;
    expect_nothing_new([&] { expect_error(run(unknown), invalid_token, "invalid_token"); });
    unknown = signal(parked);
    unknown.execution_id = ExecutionId{parked.id.partition, {}};
    expect_nothing_new([&] { expect_error(run(unknown), invalid_token, "invalid_token"); });
    unknown.waitpoint_token = "";
    expect_nothing_new([&] { expect_error(run(unknown), invalid_token); });
}

TEST_P(SignalsAndTokens, AWrongTokenLearnsNothingOfWhatIsClosed) {
    const Parked parked = park_until_ready();
    EXPECT_EQ(effect_of(keyed(signal(parked), "once")), resume_condition_satisfied);
    DeliverSignal command = keyed(signal(parked), "once");
    command.waitpoint_token = "k1:" + std::string(64, '0');
    expect_nothing_new([&] { expect_error(run(command), invalid_token); });
    value_of(cancel_by("operator_override", parked.id));
    expect_nothing_new([&] { expect_error(run(command), invalid_token); });
}

TEST_P(SignalsAndTokens, ARetiredKeyVerifiesUntilItsGraceIsOver) {
    const Parked parked = park_until_ready();
    value_of(run(RotateWaitpointHmacSecret{"k2", std::string(64, 'b'), 1000}));
    advance(999);
    EXPECT_EQ(effect_of(signal(parked, "other")), no_op);
    advance(1);
    expect_nothing_new([&] { expect_error(run(signal(parked)), invalid_token, "token_expired"); });
    const Parked newer = park_until_ready();
    EXPECT_TRUE(newer.at().token.starts_with("k2:"));
    EXPECT_EQ(effect_of(signal(newer)), resume_condition_satisfied);
}

TEST_P(SignalsAndTokens, TwoRotationsLeaveTheFirstKeyItsGrace) {
    const Parked parked = park_until_ready();
    value_of(run(RotateWaitpointHmacSecret{"k2", std::string(64, 'b'), 10'000}));
    advance(100);
    value_of(run(RotateWaitpointHmacSecret{"k3", std::string(64, 'c'), 10'000}));
    advance(9899);
    EXPECT_EQ(effect_of(signal(parked)), resume_condition_satisfied);
}

TEST_P(SignalsAndTokens, ARemovedKeyIsAnUnknownOne) {
    const Parked parked = park_until_ready();
    value_of(run(RotateWaitpointHmacSecret{"k2", std::string(64, 'b'), 0}));
    value_of(run(RotateWaitpointHmacSecret{"k3", std::string(64, 'c'), 0}));
    expect_nothing_new([&] { expect_error(run(signal(parked)), invalid_token); });
}

// ---- approvals ----------------------------------------------------------------------------------------------------

TEST_P(SignalsAndTokens, AnApprovalNeedsNoToken) {
    const Parked parked = park(named("k", "approved"));
    EXPECT_EQ(effect_of(approval(parked, "rejected")), no_op);
    EXPECT_EQ(effect_of(approval(parked)), resume_condition_satisfied);
    const auto stored = signals(parked.id);
    ASSERT_THAT(stored, SizeIs(2));
    EXPECT_EQ(stored[1].signal_category, "approval");
    EXPECT_EQ(stored[1].source_type, "operator");
    EXPECT_EQ(stored[1].source_identity, "");
    EXPECT_EQ(stored[1].target_scope, SignalScope::execution);
    EXPECT_EQ(stored[1].idempotency_key, "approval:approved:1");
    EXPECT_EQ(stored[1].correlation_id, std::nullopt);
    EXPECT_THAT(snapshot().of<SignalPayloadRow>(), IsEmpty());
    EXPECT_EQ(signal_events().at(1).source_identity, std::nullopt);
}

TEST_P(SignalsAndTokens, AnApprovalMustNameWhatThereIs) {
    const Parked parked = park_until_ready();
    DeliverApprovalSignal command = approval(parked);
    command.lane_id = "elsewhere";
    expect_nothing_new([&] { expect_error(run(command), invalid_input, "lane_mismatch"); });
    command = approval(parked);
    command.waitpoint_id = nowhere;
    expect_nothing_new([&] { expect_error(run(command), no_such_waitpoint); });
    command = approval(parked);
    command.execution_id = ExecutionId{7, {}};
    expect_nothing_new([&] { expect_error(run(command), execution_not_found); });
    const Parked other = park_until_ready();
    command = approval(parked);
    command.waitpoint_id = other.at().waitpoint_id;
    expect_nothing_new([&] { expect_error(run(command), no_such_waitpoint); });
}

TEST_P(SignalsAndTokens, Ga03_ARepeatedApprovalIsADuplicate) {
    const Parked parked = park_until_ready();
    const SignalId first = accepted(approval(parked)).signal_id;
    expect_nothing_new([&] { EXPECT_EQ(duplicate_of(approval(parked)), first); });
    EXPECT_EQ(effect_of(approval(parked, "approved", "2")), no_op);
    EXPECT_EQ(effect_of(approval(parked, "rejected", "1")), no_op);
    advance(86'400'000);
    EXPECT_EQ(effect_of(approval(parked)), no_op);
}

TEST_P(SignalsAndTokens, AnApprovalOutlivesTheKeyThatMintedTheToken) {
    const Parked parked = park(named("k", "approved"));
    value_of(run(RotateWaitpointHmacSecret{"k2", std::string(64, 'b'), 0}));
    advance(1);
    expect_error(run(signal(parked, "approved")), invalid_token);
    EXPECT_EQ(effect_of(approval(parked)), resume_condition_satisfied);
}

// ---- delays -------------------------------------------------------------------------------------------------------

TEST_P(SignalsAndTokens, AResumeMayBePutOff) {
    const Parked parked = park_until_ready();
    DeliverSignal command = signal(parked);
    command.resume_delay_ms = 1000;
    EXPECT_EQ(effect_of(command), resume_condition_satisfied);
    EXPECT_EQ(row(parked.id).vector.eligibility_state, EligibilityState::not_eligible_until_time);
    EXPECT_EQ(row(parked.id).vector.blocking_reason, BlockingReason::waiting_for_resume_delay);
    EXPECT_EQ(row(parked.id).vector.attempt_state, AttemptState::attempt_interrupted);
    EXPECT_EQ(state(parked.id), PublicState::delayed);
    EXPECT_EQ(row(parked.id).delay_until_ms, now() + 1000);
    expect_closed(parked, WaitpointCloseReason::resumed);
    advance(999);
    reconcile();
    EXPECT_THAT(claimed_ids(claim_by("w2")), IsEmpty());
    advance(1);
    reconcile();
    EXPECT_EQ(state(parked.id), PublicState::resumable);
    EXPECT_EQ(claim("w2").attempt_id, parked.claimed.attempt_id);
}

TEST_P(SignalsAndTokens, ThePolicyOfTheSuspensionMayPutItOff) {
    const auto park_with_delay = [&] {
        create();
        const ClaimedExecution claimed = claim();
        Suspend command = until(claimed.handle, named("k", "ready"));
        command.resume_policy.resume_delay_ms = 1000;
        return park(claimed, command);
    };
    const Parked delayed = park_with_delay();
    EXPECT_EQ(effect_of(signal(delayed)), resume_condition_satisfied);
    EXPECT_EQ(row(delayed.id).delay_until_ms, now() + 1000);
    const Parked at_once = park_with_delay();
    DeliverSignal command = signal(at_once);
    command.resume_delay_ms = 0;
    EXPECT_EQ(effect_of(command), resume_condition_satisfied);
    EXPECT_EQ(state(at_once.id), PublicState::resumable) << "the signal's own delay counts";
}

TEST_P(SignalsAndTokens, ThePolicysFlagsAreKeptAndDecideNothing) {
    create();
    const ClaimedExecution claimed = claim();
    Suspend command = until(claimed.handle, named("k", "ready"));
    command.resume_policy.consume_matched_signals = false;
    command.resume_policy.retain_signal_buffer_until_closed = true;
    command.resume_policy.close_waitpoint_on_resume = false;
    const Parked parked = park(claimed, command);
    EXPECT_EQ(effect_of(signal(parked)), resume_condition_satisfied);
    expect_closed(parked, WaitpointCloseReason::resumed);
    EXPECT_THAT(suspension(parked.id).resume_policy.text,
                testing::AllOf(HasSubstr("consume_matched_signals"), HasSubstr("retain_signal_buffer_until_closed"),
                               HasSubstr("close_waitpoint_on_resume")));
    expect_nothing_new([&] { expect_error(run(signal(parked)), waitpoint_closed); });

    const ClaimedExecution resumed = claim("w2");
    const Parked again = park(resumed, until(resumed.handle, named("k", "ready")));
    EXPECT_EQ(state(again.id), PublicState::suspended) << "signals of an earlier suspension do not count";
}

// ---- operators ----------------------------------------------------------------------------------------------------

TEST_P(SignalsAndTokens, Ga08_AnOperatorsResumeIsLikeAnyOther) {
    const Parked parked = park({OperatorOnly{}});
    EXPECT_EQ(value_of(resume(parked.id)), Resumed{PublicState::resumable});
    expect_closed(parked, WaitpointCloseReason::resumed);
    EXPECT_EQ(suspension(parked.id).closer_signal_id, std::nullopt);
    const auto events = operator_events(parked.id);
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_EQ(events[0].event_type, OperatorEventType::execution_resumed);
    EXPECT_EQ(events[0].details.text, R"({"resume_delay_ms":0E0})");
    EXPECT_THAT(told_effects(), IsEmpty());
    EXPECT_THAT(value_of(api().list_pending_waitpoints({.execution_id = parked.id})).waitpoints, IsEmpty());
    const ClaimedExecution resumed = claim("w2");
    EXPECT_EQ(resumed.handle.kind, HandleKind::resumed);
    EXPECT_EQ(resumed.attempt_id, parked.claimed.attempt_id);
    EXPECT_THAT(observed(resumed.handle), IsEmpty());
}

TEST_P(SignalsAndTokens, Ga09_AnOperatorsDelayEnds) {
    const Parked parked = park_until_ready();
    EXPECT_EQ(value_of(resume(parked.id, 250)), Resumed{PublicState::delayed});
    EXPECT_EQ(row(parked.id).delay_until_ms, now() + 250);
    EXPECT_EQ(operator_events(parked.id).at(0).details.text, R"({"resume_delay_ms":2.5E2})");
    advance(250);
    reconcile();
    EXPECT_EQ(claim("w2").execution_id, parked.id);
}

TEST_P(SignalsAndTokens, OnlyASuspendedExecutionIsResumed) {
    const ExecutionId id = create();
    const auto expect_refused = [&] { expect_nothing_new([&] { expect_error(resume(id), execution_not_suspended); }); };
    expect_refused();
    const ClaimedExecution claimed = claim();
    expect_refused();
    park(claimed, until(claimed.handle, named("k", "ready")));
    value_of(resume(id));
    expect_refused();
    value_of(complete(claim("w2").handle));
    expect_refused();
    expect_error(resume(ExecutionId{7, {}}), execution_not_found);
}

TEST_P(SignalsAndTokens, AResumeByAnotherTriggerIsNoOperatorsAction) {
    const Parked parked = park_until_ready();
    value_of(run(ResumeExecution{.execution_id = parked.id, .trigger = ResumeTrigger::signal}));
    EXPECT_EQ(state(parked.id), PublicState::resumable);
    EXPECT_THAT(operator_events(parked.id), IsEmpty());
}

// ---- the resumed attempt ------------------------------------------------------------------------------------------

TEST_P(SignalsAndTokens, TheSameAttemptGoesOnUnderANewLease) {
    const Parked parked = park_until_ready();
    EXPECT_EQ(effect_of(signal(parked)), resume_condition_satisfied);
    advance(10);
    const ClaimedExecution resumed = claim("w2");
    EXPECT_EQ(resumed.execution_id, parked.id);
    EXPECT_EQ(resumed.handle.kind, HandleKind::resumed);
    EXPECT_EQ(resumed.attempt_index, 0U);
    EXPECT_EQ(resumed.attempt_id, parked.claimed.attempt_id);
    EXPECT_EQ(resumed.lease_epoch, LeaseEpoch{2});
    EXPECT_NE(resumed.lease_id, parked.claimed.lease_id);
    EXPECT_EQ(row(parked.id).vector.attempt_state, AttemptState::running_attempt);
    EXPECT_EQ(row(parked.id).started_at_ms, now() - 10);
    EXPECT_EQ(row(parked.id).total_attempt_count, 1);
    const auto events = lease_events(parked.id);
    ASSERT_THAT(events, SizeIs(3));
    EXPECT_EQ(events[1].reason, "suspended");
    EXPECT_EQ(events[2].event_type, LeaseEventType::acquired);
    EXPECT_EQ(events[2].reason, "claim_resumed");
    expect_nothing_new([&] { expect_error(complete(parked.claimed.handle), stale_lease); });
    value_of(complete(resumed.handle));
    ASSERT_THAT(attempts(parked.id), SizeIs(1));
    EXPECT_EQ(attempts(parked.id)[0].outcome, AttemptOutcome::ended_success);
}

TEST_P(SignalsAndTokens, Ga23_AResumedAttemptIsClaimedByItsGrantOnce) {
    const Parked parked = park_until_ready();
    EXPECT_EQ(effect_of(signal(parked)), resume_condition_satisfied);
    const GrantRequest request{.execution_id = parked.id, .worker_id = "w2", .worker_instance_id = "w2-1"};
    const auto redeems = [&](std::string worker) {
        return GrantRedemption{.execution_id = parked.id, .worker_id = worker, .worker_instance_id = worker + "-1"};
    };
    expect_nothing_new([&] { expect_error(run(ClaimResumedExecution{redeems("w2")}), invalid_claim_grant); });
    value_of(run(IssueClaimGrant{request}));
    expect_nothing_new([&] { expect_error(run(ClaimResumedExecution{redeems("w3")}), invalid_claim_grant); });
    expect_nothing_new([&] { expect_error(run(ClaimExecution{redeems("w2")}), use_claim_resumed_execution); });
    GrantRedemption wrong_index = redeems("w2");
    wrong_index.expected_attempt_index = 1;
    expect_nothing_new([&] { expect_error(run(ClaimResumedExecution{wrong_index}), execution_not_leaseable); });
    advance(5000);
    expect_error(run(ClaimResumedExecution{redeems("w2")}), claim_grant_expired);

    value_of(run(IssueClaimGrant{request}));
    const LeasedExecution resumed = value_of(run(ClaimResumedExecution{redeems("w2")}));
    EXPECT_EQ(resumed.handle.kind, HandleKind::resumed);
    EXPECT_EQ(resumed.attempt_index, 0U);
    EXPECT_EQ(resumed.attempt_id, parked.claimed.attempt_id);
    EXPECT_EQ(resumed.lease_epoch, LeaseEpoch{2});
    EXPECT_EQ(lease_events(parked.id).back().reason, "claim_resumed");
    EXPECT_THAT(snapshot().of<GrantRow>(), IsEmpty());
    expect_nothing_new([&] { EXPECT_FALSE(run(ClaimResumedExecution{redeems("w2")})); });
}

TEST_P(SignalsAndTokens, AResumeGrantGivesNothingOnceThereIsNothingToResume) {
    const Parked parked = park_until_ready();
    EXPECT_EQ(effect_of(signal(parked)), resume_condition_satisfied);
    const ClaimGrant grant =
        value_of(run(IssueClaimGrant{{.execution_id = parked.id, .worker_id = "w2", .worker_instance_id = "w2-1"}}));
    ClaimFromResumeGrant redeems{.grant = grant, .worker_id = "w2", .worker_instance_id = "w2-1"};
    ClaimFromResumeGrant forged = redeems;
    forged.grant.grant_key += "0";
    expect_nothing_new([&] { expect_error(run(forged), invalid_claim_grant); });

    const auto resumed = value_of(run(redeems));
    ASSERT_TRUE(resumed);
    EXPECT_EQ(resumed->handle.kind, HandleKind::resumed);
    EXPECT_EQ(resumed->attempt_id, parked.claimed.attempt_id);
    EXPECT_EQ(resumed->lease_epoch, LeaseEpoch{2});
    expect_nothing_new([&] { EXPECT_EQ(value_of(run(redeems)), std::nullopt); });
    value_of(complete(resumed->handle));
    expect_nothing_new([&] { EXPECT_EQ(value_of(run(redeems)), std::nullopt); });

    redeems.grant.execution_id = create();
    expect_nothing_new([&] { EXPECT_EQ(value_of(run(redeems)), std::nullopt); });
    redeems.grant.execution_id = ExecutionId{7, {}};
    expect_error(run(redeems), execution_not_found);
}

TEST_P(SignalsAndTokens, AResumeGrantThatHasLapsedOrWasUsedIsRefused) {
    const Parked parked = park_until_ready();
    EXPECT_EQ(effect_of(signal(parked)), resume_condition_satisfied);
    const GrantRequest request{.execution_id = parked.id, .worker_id = "w2", .worker_instance_id = "w2-1"};
    const auto redeems = [](const ClaimGrant& grant) {
        return ClaimFromResumeGrant{.grant = grant, .worker_id = "w2", .worker_instance_id = "w2-1"};
    };
    const ClaimGrant lapsed = value_of(run(IssueClaimGrant{request}));
    advance(5000);
    expect_error(run(redeems(lapsed)), claim_grant_expired);

    const ClaimGrant used = value_of(run(IssueClaimGrant{request}));
    const auto resumed = value_of(run(redeems(used)));
    ASSERT_TRUE(resumed);
    value_of(delay(resumed->handle, now() + 10));
    advance(10);
    value_of(run(FireTimer{parked.id, Timer::delayed_promotion}));
    EXPECT_EQ(state(parked.id), PublicState::resumable);
    expect_nothing_new([&] { expect_error(run(redeems(used)), invalid_claim_grant); });
}

TEST_P(SignalsAndTokens, Ga23_WhatIsStillSuspendedIsNobodys) {
    const Parked parked = park_until_ready();
    const GrantRedemption redemption{.execution_id = parked.id, .worker_id = "w2", .worker_instance_id = "w2-1"};
    expect_nothing_new([&] {
        EXPECT_THAT(claimed_ids(claim_by("w2")), IsEmpty());
        expect_error(run(IssueClaimGrant{{.execution_id = parked.id, .worker_id = "w2", .worker_instance_id = "w2-1"}}),
                     execution_not_eligible);
        EXPECT_FALSE(run(ClaimExecution{redemption}));
        EXPECT_FALSE(run(ClaimResumedExecution{redemption}));
        EXPECT_FALSE(run(IssueGrantAndClaim{parked.id, 5000}));
    });
}

TEST_P(SignalsAndTokens, TheAttemptsTimeLimitStandsStillMeanwhile) {
    create();
    Claim command = claim_by("w1");
    command.attempt_timeout_ms = 10'000;
    const ClaimedExecution claimed = claim(command);
    advance(4000);
    const Parked parked = park(claimed, until(claimed.handle, named("k", "ready")));
    advance(500'000);
    reconcile();
    EXPECT_EQ(state(parked.id), PublicState::suspended);
    EXPECT_EQ(effect_of(signal(parked)), resume_condition_satisfied);
    claim("w2");
    EXPECT_EQ(row(parked.id).attempt_deadline_at_ms, now() + 6000);
    advance(6000);
    reconcile();
    EXPECT_EQ(row(parked.id).failure_reason, "attempt_timeout");
}

// ---- what the worker sees -----------------------------------------------------------------------------------------

TEST_P(SignalsAndTokens, Ga22_AWorkerSeesWhatWasAcceptedAndWhatOfItResumed) {
    const Parked parked = park_until_ready();
    EXPECT_THAT(observed(parked.claimed.handle), IsEmpty());
    EXPECT_EQ(effect_of(signal(parked, "a")), no_op);
    EXPECT_EQ(effect_of(signal(parked, "b")), no_op);
    EXPECT_THAT(observed(parked.claimed.handle), ElementsAre("a", "b"));
    advance(10);
    DeliverSignal last = signal(parked);
    last.payload = std::string("\0\x01\xfe", 3);
    last.payload_encoding = "raw";
    last.correlation_id = "c-1";
    const SignalId id = accepted(last).signal_id;
    const std::int64_t at = now();
    advance(10);
    const ClaimedExecution resumed = claim("w2");
    const auto seen = value_of(api().observe_signals(resumed.handle));
    ASSERT_THAT(seen, SizeIs(3));
    EXPECT_EQ(resumed.signals, seen) << "a claim is given the same";
    EXPECT_FALSE(resumed.more_signals);
    EXPECT_FALSE(seen[0].satisfied);
    EXPECT_FALSE(seen[1].satisfied);
    EXPECT_EQ(seen[2], (ResumeSignal{.signal_id = id,
                                     .waitpoint_id = parked.at().waitpoint_id,
                                     .signal_name = "ready",
                                     .signal_category = "test",
                                     .source_type = "service",
                                     .source_identity = "s1",
                                     .correlation_id = "c-1",
                                     .accepted_at_ms = at,
                                     .payload = last.payload,
                                     .payload_encoding = "raw",
                                     .suspension_id = parked.details.suspension_id,
                                     .waitpoint_key = "k",
                                     .satisfied = true}));
}

TEST_P(SignalsAndTokens, Ga22_TheyAreSeenInTheOrderOfTheirAcceptance) {
    const Parked parked = park(count(3, CountKind::distinct_waitpoints, {"a", "b", "c"}), {"a", "b", "c"});
    for (const std::size_t i : {2U, 0U, 1U}) accepted(signal(parked, std::string(1, static_cast<char>('a' + i)), i));
    EXPECT_THAT(observed(claim("w2").handle), ElementsAre("c", "a", "b"));
}

TEST_P(SignalsAndTokens, TheNextSuspensionHasItsOwnAndThoseOfBeforeStay) {
    const Parked first = park_until_ready();
    accepted(signal(first));
    const ClaimedExecution resumed = claim("w2");
    EXPECT_THAT(observed(resumed.handle), ElementsAre("ready"));
    const Parked second = park(resumed, until(resumed.handle, named("k2", "again"), {"k2"}));
    EXPECT_EQ(effect_of(signal(second, "ready")), no_op) << "the first suspension's signals count no more";
    EXPECT_EQ(effect_of(signal(second, "again")), resume_condition_satisfied);
    const ClaimedExecution last = claim("w3");
    ASSERT_THAT(observed(last.handle), ElementsAre("ready", "ready", "again"));
    const auto suspension_of = [&](std::size_t i) { return last.signals.at(i).suspension_id; };
    EXPECT_EQ(suspension_of(0), first.details.suspension_id);
    EXPECT_EQ(suspension_of(1), second.details.suspension_id);
    EXPECT_EQ(suspension_of(2), second.details.suspension_id);
    EXPECT_EQ(last.attempt_id, first.claimed.attempt_id);
    EXPECT_EQ(last.lease_epoch, LeaseEpoch{3});
    EXPECT_THAT(signals(first.id), SizeIs(3)) << "all stay on record";
}

TEST_P(SignalsAndTokens, AnApprovalIsNotLostWhenTheWorkerDiesAfterResuming) {
    const Parked parked = park_until_ready();
    accepted(signal(parked));
    claim("w2");
    let_lease_lapse();
    const ClaimedExecution next = claim("w3");
    EXPECT_EQ(next.attempt_index, 1U);
    EXPECT_THAT(observed(next.handle), ElementsAre("ready"));
    EXPECT_EQ(next.signals, value_of(api().observe_signals(next.handle)));
}

// ---- events -------------------------------------------------------------------------------------------------------

TEST_P(SignalsAndTokens, EachAcceptedOneIsOneEvent) {
    CreateExecution command;
    command.namespace_name = "shop";
    command.tags["cairn.instance_id"] = "blue";
    const Parked parked = park(count(2, CountKind::distinct_sources, {"k"}, ByName{"ready"}), {"k"}, command);
    advance(10);
    const SignalId first = accepted(keyed(signal(parked), "key")).signal_id;
    duplicate_of(keyed(signal(parked), "key"));
    accepted(signal(parked));
    accepted(signal(parked, "other"));
    accepted(from(signal(parked), "s2"));
    expect_error(run(signal(parked)), waitpoint_closed);
    EXPECT_THAT(told_effects(), ElementsAre("appended_to_waitpoint", "appended_to_waitpoint_duplicate",
                                            "signal_ignored_matcher_failed", "resume_condition_satisfied"));
    SignalEvent told = signal_events().at(0);
    told.event_id = 0;
    EXPECT_EQ(told, (SignalEvent{.execution_id = parked.id,
                                 .namespace_name = "shop",
                                 .instance_tag = "blue",
                                 .signal_id = first.uuid,
                                 .waitpoint_id = parked.at().waitpoint_id.uuid,
                                 .source_identity = "s1",
                                 .effect = "appended_to_waitpoint",
                                 .delivered_at_ms = now()}));
    EXPECT_EQ(signal_events().at(3).source_identity, "s2");
}

TEST_P(SignalsAndTokens, ABufferedOneIsAnEventToo) {
    const ExecutionId id = create();
    const PendingWaitpoint pending = open_waitpoint(claim());
    EXPECT_THAT(told_effects(), IsEmpty()) << "nothing is told of a waitpoint";
    accepted(signal(id, pending));
    EXPECT_THAT(told_effects(), ElementsAre("buffered_for_pending_waitpoint"));
}

TEST_P(SignalsAndTokens, Ga11_AResumeIsNoCompletion) {
    const Parked by_signal = park_until_ready();
    const Parked by_operator = park_until_ready();
    accepted(signal(by_signal));
    value_of(resume(by_operator.id));
    EXPECT_THAT(snapshot().completion_events, IsEmpty());
    value_of(complete(claim("w2").handle));
    value_of(complete(claim("w2").handle));
    EXPECT_THAT(outcomes(by_signal.id), ElementsAre(TerminalOutcome::success));
    EXPECT_THAT(outcomes(by_operator.id), ElementsAre(TerminalOutcome::success));
}

}  // namespace
}  // namespace flowfabric::test
