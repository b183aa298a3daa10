#include "conformance/suspending.hpp"

namespace flowfabric::test {
namespace {

using enum ErrorKind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

INSTANTIATE_TEST_SUITE_P(Stores, Unsigned, all_stores(), name_of_param);
INSTANTIATE_TEST_SUITE_P(Stores, Suspending, all_stores(), name_of_param);

// ---- tokens and keys ----------------------------------------------------------------------------------------------

TEST_P(Unsigned, TheKnownSecretSignsTheKnownToken) {
    const std::string half = "00112233445566778899aabbccddeeff";
    value_of(run(SeedWaitpointHmacSecret{"k1", half + half}));
    CreateExecution command;
    command.execution_id = value_of(ExecutionId::parse("{fp:7}:11111111-1111-4111-8111-111111111111"));
    const auto id = create(command);
    const auto chosen = value_of(WaitpointId::parse("22222222-2222-4222-8222-222222222222"));
    const Suspended done = suspend(until(claim().handle, single("a"), {fresh("a", chosen)}));
    EXPECT_EQ(done.details.primary.token, "k1:d4083cf73e78f2f5fe3204b1b54f111dd945829efbaabf951e1fef13edd86ba1");
    EXPECT_EQ(waitpoint_row(id, chosen).token_fingerprint, "d4083cf73e78f2f5");
    EXPECT_EQ(waitpoint_row(id, chosen).token_kid, "k1");
}

TEST_P(Unsigned, WithoutASigningKeyNothingIsSuspended) {
    const auto id = create();
    const auto claimed = claim();
    expect_suspend_refused(until_signal(claimed.handle), unavailable, "hmac_secret_not_initialized");
    expect_suspend_refused(keyed(until_signal(claimed.handle), "once"), unavailable);
    expect_no_change([&] {
        expect_error(run(CreateWaitpoint{claimed.handle, "a", 1000}), unavailable, "hmac_secret_not_initialized");
        expect_error(signal(id, waitpoint(1), "k1:" + std::string(64, '0')), unavailable);
    });
    EXPECT_EQ(state(id), PublicState::active);
    EXPECT_TRUE(complete(claimed.handle));
}

TEST_P(Suspending, AChangedDigitMakesATokenInvalid) {
    const auto id = create();
    const auto door = park();
    for (const std::size_t place : {std::size_t{3}, std::size_t{18}, std::size_t{19}, door.token.size() - 1}) {
        std::string changed = door.token;
        changed[place] = changed[place] == '0' ? '1' : '0';
        expect_no_change([&] { expect_error(signal(id, door.waitpoint_id, changed), invalid_token, "invalid_token"); });
    }
    EXPECT_TRUE(signal(id, door));
}

TEST_P(Suspending, AMalformedTokenIsInvalid) {
    const auto id = create();
    const auto door = park();
    const std::string digest = door.token.substr(3);
    expect_no_change([&] {
        expect_error(signal(id, door.waitpoint_id, ""), invalid_token, "missing_token");
        for (const std::string& bad :
             {digest, ":" + digest, std::string("k1:"), "k1:" + digest.substr(1), "k1:" + digest + "0", "k9:" + digest,
              "k1:" + std::string(64, 'g'), "k1::" + digest}) {
            expect_error(signal(id, door.waitpoint_id, bad), invalid_token, "invalid_token");
        }
    });
}

TEST_P(Suspending, Ga18_AnUnknownWaitpointLooksLikeABadToken) {
    const auto id = create();
    const auto door = park();
    const auto bad = signal(id, door.waitpoint_id, "k1:" + std::string(64, '0'));
    expect_error(bad, invalid_token);
    const SigningKey key{"k1", Bytes(32, '\xaa')};
    expect_no_change([&] {
        for (const std::string& token :
             {door.token, "k1:" + std::string(64, '0'), waitpoint_token(key, id, waitpoint(9))}) {
            EXPECT_EQ(signal(id, waitpoint(9), token), bad);
        }
        const ExecutionId nobody{id.partition, Uuid{{9}}};
        EXPECT_EQ(signal(nobody, door.waitpoint_id, door.token), bad);
        EXPECT_EQ(signal(nobody, waitpoint(9), waitpoint_token(key, nobody, waitpoint(9))), bad);
    });
}

TEST_P(Suspending, Ga18_ATokenIsCheckedBeforeAnythingElseIsTold) {
    const auto id = create();
    const auto door = park();
    value_of(cancel_by("operator_override", id));
    const std::string wrong = "k1:" + std::string(64, '0');
    expect_no_change([&] {
        expect_error(signal(id, door.waitpoint_id, wrong), invalid_token);
        expect_error(signal(id, door.waitpoint_id, wrong, "__reserved"), invalid_token);
        expect_error(signal(id, door.waitpoint_id, wrong, ""), invalid_token);
        expect_error(signal(id, door), target_not_signalable);
    });
}

TEST_P(Suspending, ATokenIsGoodForOneExecutionOnly) {
    const auto mine = create();
    const auto my_door = park();
    const auto other = create();
    const auto other_door = park();
    ASSERT_EQ(mine.partition, other.partition);
    expect_no_change([&] {
        expect_error(signal(other, my_door.waitpoint_id, my_door.token), invalid_token);
        expect_error(signal(other, other_door.waitpoint_id, my_door.token), invalid_token);
        expect_error(signal(mine, other_door.waitpoint_id, my_door.token), invalid_token);
    });
}

TEST_P(Suspending, Ga05_ARetiredKeyVerifiesUntilItsGraceIsOver) {
    const auto id = create();
    const auto door = park();
    rotate_to("k2", 'b', 1000);
    advance(999);
    EXPECT_TRUE(signal(id, door));
    advance(1);
    expect_no_change([&] { expect_error(signal(id, door), invalid_token, "token_expired"); });
    const auto young = create();
    const auto young_door = park();
    EXPECT_THAT(young_door.token, testing::StartsWith("k2:"));
    EXPECT_TRUE(signal(young, young_door));
}

TEST_P(Suspending, Ga05_RapidRotationsLeaveEveryKeyItsOwnGrace) {
    const auto id = create();
    const auto door = park();
    rotate_to("k2", 'b', 10'000);
    const auto second = create();
    const auto second_door = park();
    advance(10);
    rotate_to("k3", 'c', 100);
    EXPECT_TRUE(signal(id, door));
    EXPECT_TRUE(signal(second, second_door));
    advance(100);
    EXPECT_TRUE(signal(id, door));
    expect_error(signal(second, second_door), invalid_token, "token_expired");
    advance(9890);
    expect_error(signal(id, door), invalid_token, "token_expired");
}

TEST_P(Suspending, Ga05_BadKeysAreNotInstalled) {
    const std::string secret(64, 'b');
    expect_no_change([&] {
        for (const char* kid : {"a:b", "", ":"}) {
            expect_error(run(RotateWaitpointHmacSecret{kid, secret, 0}), invalid_kid);
            expect_error(run(SeedWaitpointHmacSecret{kid, secret}), invalid_kid);
        }
        for (const char* bad : {"", "abc", "zz"}) {
            expect_error(run(RotateWaitpointHmacSecret{"k2", bad, 0}), invalid_secret_hex);
        }
        expect_error(run(RotateWaitpointHmacSecret{"k2", secret, -1}), invalid_grace_ms);
        expect_error(run(SeedWaitpointHmacSecret{"k2", secret}), invalid_input);
    });
}

TEST_P(Suspending, ARotationThatConflictsLeavesTheOldSecretInForce) {
    const auto id = create();
    const auto door = park();
    expect_no_change([&] {
        EXPECT_FALSE(value_of(run(RotateWaitpointHmacSecret{"k1", std::string(64, 'a'), 0})).changed);
        expect_error(run(RotateWaitpointHmacSecret{"k1", std::string(64, 'b'), 0}), rotation_conflict);
    });
    EXPECT_TRUE(signal(id, door));
}

TEST_P(Suspending, NoTokenIsStoredAnywhere) {
    const auto id = create();
    const auto claimed = claim();
    const PendingWaitpoint ahead = create_waitpoint(claimed.handle);
    const PendingWaitpoint unused = create_waitpoint(claimed.handle, "later");
    value_of(signal(id, ahead.waitpoint_id, ahead.token, "early"));
    const auto both = all_of({single("a", ByName{"never"}), single("b")});
    const Suspended done = suspend(keyed(until(claimed.handle, both, {pending(ahead.waitpoint_id), fresh("b")}), "k"));
    EXPECT_EQ(done.details.primary.token, ahead.token);
    ASSERT_THAT(done.details.additional, SizeIs(1));
    for (const std::string& token : {ahead.token, unused.token, done.details.additional[0].token}) {
        ASSERT_EQ(token.size(), 3U + 64U);
        const std::string text = to_text(snapshot());
        EXPECT_THAT(text, HasSubstr(fingerprint_of(token)));
        EXPECT_THAT(text, Not(HasSubstr(token.substr(3)))) << "the digest";
        EXPECT_THAT(text, Not(HasSubstr(token.substr(3, 17)))) << "more than the fingerprint";
    }
    const auto refused = run(until_signal(claimed.handle));
    expect_error(refused, already_suspended);
    EXPECT_THAT(to_string(refused.error()), Not(HasSubstr(ahead.token.substr(3))));
}

// ---- what suspending does -----------------------------------------------------------------------------------------

TEST_P(Suspending, GivesTheLeaseBackAndKeepsTheAttempt) {
    const auto id = create();
    const auto claimed = claim();
    advance(10);
    const Suspended done = suspend(until_signal(claimed.handle));
    const ExecutionRow after = row(id);
    EXPECT_EQ(after.vector, (StateVector{.lifecycle_phase = LifecyclePhase::suspended,
                                         .ownership_state = OwnershipState::unowned,
                                         .eligibility_state = EligibilityState::not_applicable,
                                         .blocking_reason = BlockingReason::waiting_for_signal,
                                         .terminal_outcome = TerminalOutcome::none,
                                         .attempt_state = AttemptState::attempt_interrupted,
                                         .public_state = PublicState::suspended}));
    EXPECT_EQ(after.lease_epoch, claimed.lease_epoch.value);
    EXPECT_EQ(after.attempt_id, claimed.attempt_id);
    EXPECT_EQ(after.total_attempt_count, 1);
    EXPECT_EQ(after.lease_expires_at_ms, std::nullopt);
    EXPECT_EQ(after.current_suspension_id, done.details.suspension_id);
    EXPECT_EQ(after.current_waitpoint_id, done.details.primary.waitpoint_id);
    EXPECT_EQ(after.last_transition_at_ms, now());
    EXPECT_FALSE(view(id).current_lease);
    EXPECT_EQ(done.handle.kind, HandleKind::suspended);

    EXPECT_THAT(snapshot().executions.at(id).attempts, IsEmpty()) << "the attempt is open";
    ASSERT_THAT(attempts(id), SizeIs(1));
    EXPECT_EQ(attempts(id)[0].outcome, AttemptOutcome::suspended);
    const auto events = lease_events(id);
    ASSERT_THAT(events, SizeIs(2));
    EXPECT_EQ(events[1].event_type, LeaseEventType::released);
    EXPECT_EQ(events[1].reason, "suspended");
    EXPECT_EQ(events[1].lease_id, claimed.lease_id);
    EXPECT_EQ(events[1].lease_epoch, claimed.lease_epoch.value);
    EXPECT_THAT(outcomes(id), IsEmpty());
    EXPECT_THAT(operator_events(id), IsEmpty());
    EXPECT_THAT(claimed_ids(claim_by("w2")), IsEmpty());
    advance(1'000'000);
    reconcile();
    expect_no_change([&] { reconcile(); });
}

TEST_P(Suspending, RecordsWhatItWasTold) {
    const auto id = create();
    const auto condition = count_of(2, CountKind::distinct_waitpoints, {"a", "b"}, ByName{"go"});
    Suspend command = until(claim().handle, condition, {fresh("a", waitpoint(2)), fresh("b", waitpoint(1))});
    command.suspension_id = SuspensionId{Uuid{{7}}};
    command.reason_code = SuspensionReason::waiting_for_callback;
    command.requested_by = SuspensionRequester::policy;
    command.timeout_at_ms = now() + 5000;
    command.timeout_behavior = TimeoutBehavior::escalate;
    command.continuation_metadata_pointer = "s3://there";
    command.resume_policy.resume_delay_ms = 70;
    const Suspended done = suspend(command);
    EXPECT_EQ(done.details.suspension_id, command.suspension_id);
    EXPECT_EQ(done.details.primary.waitpoint_id, waitpoint(2));
    EXPECT_EQ(done.details.primary.waitpoint_key, "a");
    ASSERT_THAT(done.details.additional, SizeIs(1));
    EXPECT_EQ(done.details.additional[0].waitpoint_id, waitpoint(1));
    EXPECT_EQ(done.details.additional[0].waitpoint_key, "b");
    EXPECT_NE(done.details.additional[0].token, done.details.primary.token);

    const SuspensionRow stored = suspension_row(id);
    EXPECT_EQ(stored.suspension_id, command.suspension_id);
    EXPECT_EQ(stored.attempt_index, 0);
    EXPECT_EQ(stored.suspended_at_ms, now());
    EXPECT_EQ(stored.timeout_at_ms, now() + 5000);
    EXPECT_EQ(stored.reason_code, SuspensionReason::waiting_for_callback);
    EXPECT_EQ(stored.timeout_behavior, TimeoutBehavior::escalate);
    EXPECT_EQ(stored.requested_by, SuspensionRequester::policy);
    EXPECT_EQ(stored.continuation_pointer, "s3://there");
    SideRowsWanted wanted;
    wanted.of<SuspensionRow>().keys = {{id}};
    const auto raw = std::move(*(*backend().open_reader())->side_rows(wanted));
    EXPECT_EQ(value_of(ResumeCondition::parse(raw.of<SuspensionRow>().find({id})->condition.text)), condition);
    EXPECT_THAT(stored.resume_policy.text, HasSubstr("resume_delay_ms"));
    EXPECT_EQ(stored.closed_at_ms, std::nullopt);
    for (const WaitpointId& which : {waitpoint(1), waitpoint(2)}) {
        const WaitpointRow door = waitpoint_row(id, which);
        EXPECT_EQ(door.state, WaitpointState::active);
        EXPECT_EQ(door.suspension_id, command.suspension_id);
        EXPECT_EQ(door.created_at_ms, now());
        EXPECT_EQ(door.activated_at_ms, now());
        EXPECT_EQ(door.expires_at_ms, now() + 5000);
        EXPECT_THAT(door.required_signal_names.values, ElementsAre("go"));
    }
}

TEST_P(Suspending, TheOldHandleIsRefusedAndTheSuspendedOneToo) {
    const auto id = create();
    const auto claimed = claim();
    const Suspended done = suspend(until_signal(claimed.handle));
    const auto refused = complete(claimed.handle);
    expect_error(refused, execution_not_active);
    EXPECT_EQ(refused.error().not_active, (NotActiveFacts{.terminal_outcome = "none",
                                                          .lease_epoch = 1,
                                                          .lifecycle_phase = "suspended",
                                                          .attempt_id = claimed.attempt_id.to_string()}));
    expect_refused(claimed.handle, execution_not_active);
    expect_suspend_refused(until_signal(done.handle), already_suspended);

    resume(id);
    expect_refused(claimed.handle, execution_not_active);
    const auto resumed = claim("w2");
    EXPECT_EQ(resumed.attempt_id, claimed.attempt_id);
    EXPECT_EQ(resumed.lease_epoch.value, claimed.lease_epoch.value + 1);
    expect_refused(claimed.handle, stale_lease);
    expect_refused(done.handle, stale_lease);
    expect_suspend_refused(until_signal(claimed.handle), stale_lease);
    expect_suspend_refused(until_signal(done.handle), stale_lease);
    EXPECT_TRUE(complete(resumed.handle));
}

TEST_P(Suspending, TheSameAttemptCanBeSuspendedAgain) {
    const auto id = create();
    const Suspended first = suspend(until_signal(claim().handle));
    EXPECT_EQ(effect_of(signal(id, first.details.primary)), SignalEffect::resume_condition_satisfied);
    const auto resumed = claim("w2");
    const Suspended second = suspend(until_signal(resumed.handle));
    EXPECT_NE(second.details.suspension_id, first.details.suspension_id);
    EXPECT_EQ(suspension_row(id).suspension_id, second.details.suspension_id);
    EXPECT_EQ(suspension_row(id).closed_at_ms, std::nullopt);
    EXPECT_THAT(snapshot().of<SuspensionRow>(), SizeIs(1)) << "the closed one is replaced";
    EXPECT_THAT(snapshot().of<SignalRow>(), SizeIs(1)) << "its signals stay on record";
    const auto kept = value_of(api().observe_signals(resumed.handle));
    ASSERT_THAT(kept, SizeIs(1));
    EXPECT_EQ(kept[0].suspension_id, first.details.suspension_id) << "this suspension has none yet";
    EXPECT_EQ(state(id), PublicState::suspended);
    expect_error(signal(id, first.details.primary), waitpoint_closed);
    EXPECT_EQ(effect_of(signal(id, second.details.primary)), SignalEffect::resume_condition_satisfied);
}

TEST_P(Suspending, EveryReasonShowsWhatItIsBlockedBy) {
    using Reason = SuspensionReason;
    using Blocked = BlockingReason;
    const std::vector<std::pair<Reason, Blocked>> table{
        {Reason::waiting_for_signal, Blocked::waiting_for_signal},
        {Reason::waiting_for_approval, Blocked::waiting_for_approval},
        {Reason::waiting_for_callback, Blocked::waiting_for_callback},
        {Reason::waiting_for_tool_result, Blocked::waiting_for_tool_result},
        {Reason::waiting_for_operator_review, Blocked::paused_by_operator},
        {Reason::paused_by_policy, Blocked::paused_by_policy},
        {Reason::paused_by_budget, Blocked::waiting_for_budget},
        {Reason::step_boundary, Blocked::waiting_for_signal},
        {Reason::manual_pause, Blocked::paused_by_operator}};
    for (const auto& [reason, blocked] : table) {
        const auto id = create();
        Suspend command = until_signal(claim().handle);
        command.reason_code = reason;
        suspend(command);
        EXPECT_EQ(row(id).vector.blocking_reason, blocked) << to_string(reason);
        EXPECT_EQ(state(id), PublicState::suspended) << to_string(reason);
    }
}

TEST_P(Suspending, WhatIsLeftOfAnAttemptsTimeCountsAfterwards) {
    const auto id = create();
    Claim limited = claim_by("w1");
    limited.attempt_timeout_ms = 10'000;
    const auto claimed = claim(limited);
    advance(4000);
    suspend(until_signal(claimed.handle));
    advance(500'000);
    reconcile();
    EXPECT_EQ(state(id), PublicState::suspended);
    resume(id);
    claim("w2");
    EXPECT_EQ(row(id).attempt_deadline_at_ms, now() + 6000);
}

// ---- arguments ----------------------------------------------------------------------------------------------------

TEST_P(Suspending, Ga13_EveryBadArgumentIsNamedAndChangesNothing) {
    create();
    const auto claimed = claim();
    const PendingWaitpoint ahead = create_waitpoint(claimed.handle, "b");
    const auto a = single("a");
    const auto b = single("b");
    const auto nameless = single("a", ByName{""});
    const auto by_signal = CountKind::distinct_signals;
    const auto by_waitpoint = CountKind::distinct_waitpoints;
    const std::string no_name = "resume_condition: empty signal name (use Wildcard instead)";
    const std::string deep = "depth 5 exceeds cap 4 at path members[0].members[0].members[0].members[0]";
    ResumeCondition deep_count = count_of(1, by_signal, {"a"});
    for (int i = 0; i < 4; ++i) deep_count = all_of({deep_count});

    struct Case {
        ResumeCondition condition;
        std::vector<WaitpointBinding> bindings;
        std::string detail;
    };
    const std::vector<Case> cases{
        {a, {}, "waitpoints_empty"},
        {a, {fresh("b")}, "waitpoint_key_mismatch"},
        {all_of({a, single("")}), {fresh("a"), fresh("")}, "additional_waitpoint_binding_empty_key at waitpoints[1]"},
        {all_of({a, b}),
         {fresh("a"), pending(ahead.waitpoint_id)},
         "additional_waitpoint_binding_must_be_fresh at waitpoints[1]"},
        {all_of({a, b}),
         {fresh("a"), pending(waitpoint(9))},
         "additional_waitpoint_binding_must_be_fresh at waitpoints[1]"},
        {all_of({a, b, single("c")}), {fresh("a"), fresh("b")}, "referenced_waitpoint_key_missing_binding: c"},
        {all_of({a}), {fresh("a"), fresh("b")}, "extra_binding_not_referenced_by_condition: b"},
        {{TimeoutOnly{}}, {fresh("a")}, "timeout_only_without_deadline"},
        {nameless, {fresh("a")}, no_name},
        {all_of({a, all_of({nameless})}), {fresh("a")}, no_name},
        {count_of(1, by_signal, {"a"}, ByName{""}), {fresh("a")}, no_name},
        {all_of({}), {fresh("a")}, "allof_empty_members at path <root>"},
        {all_of({a, all_of({})}), {fresh("a")}, "allof_empty_members at path members[1]"},
        {count_of(0, by_signal, {"a"}), {fresh("a")}, "count_n_zero at path <root>"},
        {all_of({a, count_of(0, by_signal, {"a"})}), {fresh("a")}, "count_n_zero at path members[1]"},
        {count_of(1, by_signal, {}), {fresh("a")}, "count_waitpoints_empty at path <root>"},
        {all_of({count_of(1, by_signal, {})}), {fresh("a")}, "count_waitpoints_empty at path members[0]"},
        {count_of(3, by_waitpoint, {"a", "b"}), {fresh("a"), fresh("b")}, "count_exceeds_waitpoint_set: "},
        {nested(5), {fresh("a")}, deep},
        {deep_count, {fresh("a")}, deep},
        // Beyond the reference.
        {all_of({a, b}), {fresh("a"), fresh("b"), fresh("a")}, "at waitpoints[2]"},
        {count_of(1, by_signal, {"b"}), {fresh("a")}, "referenced_waitpoint_key_missing_binding: b"},
        {single("a"), {pending(ahead.waitpoint_id)}, "referenced_waitpoint_key_missing_binding: a"},
        {all_of({a, {OperatorOnly{}}}), {fresh("a")}, "members[1]"},
        {all_of({a, {TimeoutOnly{}}}), {fresh("a")}, "members[1]"},
        {count_of(1, by_signal, {"a", "a"}), {fresh("a")}, "a"},
        {{UnknownCondition{R"({"AnyOf":[]})"}}, {fresh("a")}, ""},
    };
    expect_no_change([&] {
        for (const Case& one : cases) {
            SCOPED_TRACE(one.detail + " in " + one.condition.to_json());
            expect_error(run(until(claimed.handle, one.condition, one.bindings)), invalid_input, one.detail);
            expect_error(run(until(fence_of(claimed), one.condition, one.bindings)), invalid_input, one.detail);
        }
        expect_error(run(with_timeout(until_signal(claimed.handle), now() - 600'000)), invalid_input,
                     "timeout_at_in_past");
    });
    EXPECT_TRUE(complete(claimed.handle));
}

TEST_P(Suspending, WhatIsJustWithinTheLimitsIsAccepted) {
    const auto accepted = [&](ResumeCondition condition) {
        const auto id = create();
        suspend(until(claim().handle, std::move(condition), {fresh("a")}));
        EXPECT_EQ(state(id), PublicState::suspended);
    };
    accepted(nested(4));
    accepted(count_of(1, CountKind::distinct_waitpoints, {"a"}));
    accepted(count_of(9, CountKind::distinct_sources, {"a"}));
    accepted({OperatorOnly{}});
    create();
    suspend(with_timeout(until(claim().handle, {TimeoutOnly{}}, {fresh("a")}), now() + 1));
    const auto late = create();
    suspend(with_timeout(until_signal(claim().handle), now() - 599'999));
    reconcile();
    EXPECT_EQ(state(late), PublicState::failed) << "it was due at once";
}

TEST_P(Suspending, BadArgumentsAreToldWhateverTheStateIs) {
    create();
    const auto claimed = claim();
    suspend(until_signal(claimed.handle));
    expect_suspend_refused(until(claimed.handle, all_of({}), {fresh("a")}), invalid_input, "allof_empty_members");
    create();
    const auto lapsed = claim();
    advance(30'000);
    expect_suspend_refused(until(lapsed.handle, all_of({}), {fresh("a")}), invalid_input, "allof_empty_members");
}

TEST_P(Suspending, TextsHaveLimits) {
    create();
    const auto claimed = claim();
    const std::string long_key(257, 'k');
    expect_suspend_refused(until(claimed.handle, single(long_key), {fresh(long_key)}), invalid_input, "waitpoint_key");
    expect_suspend_refused(keyed(until_signal(claimed.handle), std::string(1025, 'k')), invalid_input,
                           "idempotency_key");
    Suspend command = until_signal(claimed.handle);
    command.reason_code = static_cast<SuspensionReason>(99);
    expect_suspend_refused(command, invalid_input, "reason_code");
}

// ---- whose lease it is --------------------------------------------------------------------------------------------

TEST_P(Suspending, Ga14_ALapsedLeaseIsExpiredAndNothingElseIsWritten) {
    const auto id = create();
    const auto claimed = claim();
    advance(30'000);
    expect_error(run(keyed(until_signal(claimed.handle), "k")), lease_expired);
    EXPECT_EQ(row(id).vector.ownership_state, OwnershipState::lease_expired_reclaimable);
    EXPECT_EQ(row(id).lease_epoch, 2U);
    EXPECT_THAT(lease_event_types(id), ElementsAre(LeaseEventType::acquired, LeaseEventType::expired));
    EXPECT_THAT(snapshot().of<SuspensionRow>(), IsEmpty());
    EXPECT_THAT(snapshot().of<WaitpointRow>(), IsEmpty());
    EXPECT_THAT(snapshot().of<SuspendDedupRow>(), IsEmpty());
    expect_suspend_refused(until_signal(claimed.handle), lease_expired);
    claim("w2");
    expect_suspend_refused(until_signal(claimed.handle), stale_lease);
    expect_suspend_refused(until_signal(fence_of(claimed)), stale_lease);
}

TEST_P(Suspending, Ga14_ARevokedLeaseCannotSuspend) {
    const auto id = create();
    const auto claimed = claim();
    value_of(run(RevokeLease{.execution_id = id, .reason = "stuck"}));
    expect_suspend_refused(until_signal(claimed.handle), lease_revoked);
    expect_no_change([&] { expect_error(run(CreateWaitpoint{claimed.handle, "a", 1000}), lease_revoked); });
}

TEST_P(Suspending, Ga14_WhatHasEndedOrWaitsCannotBeSuspended) {
    const auto id = create();
    const auto claimed = claim();
    value_of(cancel_by("operator_override", id));
    const auto refused = run(until_signal(claimed.handle));
    expect_error(refused, execution_not_active);
    ASSERT_TRUE(refused.error().not_active);
    EXPECT_EQ(refused.error().not_active->terminal_outcome, "cancelled");
    EXPECT_EQ(refused.error().not_active->attempt_id, claimed.attempt_id.to_string());
    Fence elsewhere = fence_of(claimed);
    elsewhere.execution_id = create();
    expect_suspend_refused(until_signal(elsewhere), execution_not_active);
    elsewhere.execution_id.uuid = Uuid{};
    expect_suspend_refused(until_signal(elsewhere), execution_not_found);
}

TEST_P(Suspending, Ga14_EveryPartOfTheFenceMustMatch) {
    const auto id = create();
    const auto claimed = claim();
    Fence lease = fence_of(claimed);
    lease.lease_id = LeaseId{};
    Fence epoch = fence_of(claimed);
    epoch.lease_epoch = LeaseEpoch{9};
    Fence attempt = fence_of(claimed);
    attempt.attempt_id = AttemptId{};
    for (const Fence& wrong : {lease, epoch, attempt}) expect_suspend_refused(until_signal(wrong), stale_lease);
    expect_suspend_refused(
        until_signal(forged(claimed.handle, [](HandleContent& content) { content.attempt_index = 7; })), stale_lease);
    lease.lease_id.reset();
    expect_suspend_refused(until_signal(lease), invalid_input, "partial_fence_triple");
    expect_suspend_refused(until_signal(Fence{.execution_id = id}), invalid_input, "fence_required");
    Handle foreign = claimed.handle;
    foreign.backend = foreign.backend == BackendTag::postgres ? BackendTag::sqlite : BackendTag::postgres;
    expect_suspend_refused(until_signal(foreign), handle_from_other_backend);
}

TEST_P(Suspending, Ga14_AnOpenSuspensionIsNotOverwritten) {
    create();
    const auto claimed = claim();
    suspend(until_signal(claimed.handle));
    expect_suspend_refused(until_signal(claimed.handle), already_suspended);
    expect_suspend_refused(until_signal(fence_of(claimed)), already_suspended);
    expect_suspend_refused(keyed(until_signal(claimed.handle), "new"), already_suspended);
}

TEST_P(Suspending, Ga14_AFenceIsAskedForBeforeAnythingIsTold) {
    const auto id = create();
    const auto claimed = claim();
    suspend(keyed(until_signal(claimed.handle), "once"));
    const Fence none{.execution_id = id};
    Fence partial = fence_of(claimed);
    partial.attempt_id.reset();
    expect_suspend_refused(until_signal(none), invalid_input, "fence_required");
    expect_suspend_refused(until_signal(partial), invalid_input, "partial_fence_triple");
    expect_suspend_refused(keyed(until_signal(none), "once"), invalid_input, "fence_required");
    expect_suspend_refused(keyed(until_signal(partial), "once"), invalid_input, "partial_fence_triple");
}

TEST_P(Suspending, AFenceDoesWhatTheHandleDoes) {
    const auto suspended_by = [&](bool by_fence) {
        const auto id = create();
        const auto claimed = claim();
        const LeaseRef lease = by_fence ? LeaseRef{fence_of(claimed)} : LeaseRef{claimed.handle};
        const Suspended done = suspend(keyed(until_signal(lease), "k"));
        EXPECT_EQ(done.handle.kind, HandleKind::suspended);
        const LeaseRef other = by_fence ? LeaseRef{claimed.handle} : LeaseRef{fence_of(claimed)};
        EXPECT_EQ(suspend(keyed(until_signal(other), "k")), done) << "either recalls what the other did";
        const HandleContent content = value_of(decode_handle(done.handle, done.handle.backend));
        EXPECT_EQ(content.execution_id, id);
        EXPECT_EQ(content.attempt_id, claimed.attempt_id);
        return row(id).vector;
    };
    EXPECT_EQ(suspended_by(true), suspended_by(false));
}

}  // namespace
}  // namespace flowfabric::test
