#include "conformance/api_test.hpp"
#include "support/outbox.hpp"

namespace flowfabric::test {
namespace {

using enum ErrorKind;
using enum SignalEffect;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr WaitpointId nowhere{Uuid{{1}}};

ResumeCondition named(std::string key, std::string name) {
    return {Single{std::move(key), ByName{std::move(name)}}};
}
ResumeCondition all_of(ResumeCondition first, ResumeCondition second) {
    AllOf all;
    all.members.push_back(std::move(first));
    all.members.push_back(std::move(second));
    return {std::move(all)};
}
ResumeCondition count(std::uint32_t n, CountKind kind, std::vector<std::string> keys,
                      std::optional<SignalMatcher> matcher = {}) {
    return {Count{.n = n, .kind = kind, .matcher = std::move(matcher), .waitpoints = std::move(keys)}};
}

class Signals : public ApiTest {
  protected:
    void SetUp() override {
        ApiTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        value_of(run(SeedWaitpointHmacSecret{"k1", std::string(64, 'a')}));
    }

    // An execution that waits, and what its worker was told.
    struct Parked {
        ExecutionId id;
        ClaimedExecution claimed;
        SuspensionDetails details;

        const SuspendedWaitpoint& at(std::size_t i = 0) const {
            return i == 0 ? details.primary : details.additional.at(i - 1);
        }
    };

    static Suspend until(const Handle& handle, ResumeCondition condition,
                         const std::vector<std::string>& keys = {"k"}) {
        Suspend command{.lease = handle};
        for (const std::string& key : keys) command.waitpoints.emplace_back(FreshWaitpoint{std::nullopt, key});
        command.resume_condition = std::move(condition);
        return command;
    }
    static Suspend until_pending(const Handle& handle, const PendingWaitpoint& pending, ResumeCondition condition,
                                 const std::vector<std::string>& others = {}) {
        Suspend command = until(handle, std::move(condition), others);
        command.waitpoints.insert(command.waitpoints.begin(), UsePendingWaitpoint{pending.waitpoint_id});
        return command;
    }
    Parked park(const ClaimedExecution& claimed, Suspend command) {
        const auto outcome = std::get<Suspended>(value_of(run(std::move(command))));
        return {claimed.execution_id, claimed, outcome.details};
    }
    Parked park(ResumeCondition condition, const std::vector<std::string>& keys = {"k"}, CreateExecution command = {}) {
        create(std::move(command));
        const ClaimedExecution claimed = claim();
        return park(claimed, until(claimed.handle, std::move(condition), keys));
    }
    Parked park_until_ready() { return park(named("k", "ready")); }
    PendingWaitpoint open_waitpoint(const ClaimedExecution& claimed, std::uint64_t expires_in_ms = 3'600'000) {
        return value_of(
            run(CreateWaitpoint{.lease = claimed.handle, .waitpoint_key = "k", .expires_in_ms = expires_in_ms}));
    }

    static DeliverSignal signal(const ExecutionId& id, const WaitpointId& waitpoint, std::string token,
                                std::string name = "ready") {
        DeliverSignal command;
        command.execution_id = id;
        command.waitpoint_id = waitpoint;
        command.waitpoint_token = std::move(token);
        command.signal_name = std::move(name);
        command.signal_category = "test";
        command.source_type = "service";
        command.source_identity = "s1";
        return command;
    }
    static DeliverSignal signal(const Parked& parked, std::string name = "ready", std::size_t i = 0) {
        return signal(parked.id, parked.at(i).waitpoint_id, parked.at(i).token, std::move(name));
    }
    static DeliverSignal signal(const ExecutionId& id, const PendingWaitpoint& pending, std::string name = "ready") {
        return signal(id, pending.waitpoint_id, pending.token, std::move(name));
    }
    static DeliverSignal from(DeliverSignal command, std::string identity) {
        command.source_identity = std::move(identity);
        return command;
    }
    static DeliverSignal keyed(DeliverSignal command, std::string key, std::uint64_t ttl_ms = 1000) {
        command.idempotency_key = std::move(key);
        command.dedup_ttl_ms = ttl_ms;
        return command;
    }
    static DeliverApprovalSignal approval(const Parked& parked, std::string name = "approved",
                                          std::string suffix = "1") {
        return {.execution_id = parked.id,
                .waitpoint_id = parked.at().waitpoint_id,
                .signal_name = std::move(name),
                .idempotency_suffix = std::move(suffix)};
    }
    template <class C>
    SignalAccepted accepted(C command) {
        return std::get<SignalAccepted>(value_of(run(std::move(command))));
    }
    template <class C>
    SignalEffect effect_of(C command) {
        return accepted(std::move(command)).effect;
    }
    template <class C>
    SignalId duplicate_of(C command) {
        return std::get<DuplicateSignal>(value_of(run(std::move(command)))).existing_signal_id;
    }
    Result<Resumed> resume(const ExecutionId& id, std::uint64_t delay_ms = 0) {
        return run(ResumeExecution{.execution_id = id, .resume_delay_ms = delay_ms});
    }

    SuspensionRow suspension(const ExecutionId& id) { return snapshot().of<SuspensionRow>().at({id}); }
    WaitpointRow waitpoint(const ExecutionId& id, const WaitpointId& waitpoint_id) {
        return snapshot().of<WaitpointRow>().at({id.partition, waitpoint_id});
    }
    std::vector<SignalRow> signals(const ExecutionId& id) {
        std::vector<SignalRow> found;
        for (const auto& [key, stored] : snapshot().of<SignalRow>()) {
            if (key.execution_id == id) found.push_back(stored);
        }
        return found;
    }
    std::vector<SignalEvent> signal_events() {
        std::vector<SignalEvent> found;
        for (const Event& event : read_outbox(backend(), Channel::signal)) {
            found.push_back(std::get<SignalEvent>(event));
        }
        return found;
    }
    std::vector<std::string> told_effects() {
        std::vector<std::string> found;
        for (const SignalEvent& event : signal_events()) found.push_back(event.effect);
        return found;
    }
    std::vector<std::string> observed(const Handle& handle) {
        std::vector<std::string> names;
        for (const ResumeSignal& one : value_of(api().observe_signals(handle))) names.push_back(one.signal_name);
        return names;
    }

    // Neither a row nor a signal's event.
    template <class Action>
    void expect_nothing_new(Action action) {
        const std::size_t told = signal_events().size();
        expect_no_change(action);
        EXPECT_THAT(signal_events(), SizeIs(told));
    }
    void expect_closed(const Parked& parked, WaitpointCloseReason reason) {
        const SuspensionRow stored = suspension(parked.id);
        EXPECT_EQ(stored.closed_at_ms, now());
        EXPECT_EQ(stored.close_reason, reason);
        EXPECT_EQ(stored.timeout_at_ms, std::nullopt);
        for (std::size_t i = 0; i <= parked.details.additional.size(); ++i) {
            const WaitpointRow one = waitpoint(parked.id, parked.at(i).waitpoint_id);
            EXPECT_EQ(one.state, WaitpointState::closed);
            EXPECT_EQ(one.close_reason, reason);
            EXPECT_EQ(one.closed_at_ms, now());
        }
        EXPECT_EQ(row(parked.id).current_suspension_id, std::nullopt);
        EXPECT_EQ(row(parked.id).current_waitpoint_id, std::nullopt);
        EXPECT_FALSE(row(parked.id).has_waitpoints);
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, Signals, all_stores(), name_of_param);

// ---- conditions ---------------------------------------------------------------------------------------------------

TEST_P(Signals, OnlyTheNamedOneResumes) {
    const Parked parked = park_until_ready();
    advance(10);
    EXPECT_EQ(effect_of(signal(parked, "other")), no_op);
    EXPECT_EQ(effect_of(signal(parked, "Ready")), no_op);
    EXPECT_EQ(state(parked.id), PublicState::suspended);
    advance(10);
    const SignalAccepted last = accepted(signal(parked, "ready"));
    EXPECT_EQ(last.effect, resume_condition_satisfied);

    EXPECT_EQ(row(parked.id).vector, (StateVector{.lifecycle_phase = LifecyclePhase::runnable,
                                                  .ownership_state = OwnershipState::unowned,
                                                  .eligibility_state = EligibilityState::eligible_now,
                                                  .blocking_reason = BlockingReason::waiting_for_worker,
                                                  .terminal_outcome = TerminalOutcome::none,
                                                  .attempt_state = AttemptState::attempt_interrupted,
                                                  .public_state = PublicState::resumable}));
    expect_closed(parked, WaitpointCloseReason::resumed);
    EXPECT_EQ(suspension(parked.id).closer_signal_id, last.signal_id);
    EXPECT_EQ(suspension(parked.id).satisfied_at_ms, now());
    const WaitpointRow stored = waitpoint(parked.id, parked.at().waitpoint_id);
    EXPECT_EQ(stored.signal_count, 3);
    EXPECT_EQ(stored.matched_signal_count, 1);
    EXPECT_EQ(stored.last_signal_at_ms, now());
    EXPECT_EQ(row(parked.id).signal_count, 3);
}

TEST_P(Signals, AWildcardIsMetByAnyName) {
    const Parked parked = park({Single{"k", Wildcard{}}});
    EXPECT_EQ(effect_of(signal(parked, "whatever")), resume_condition_satisfied);
}

TEST_P(Signals, CountsOfSourcesTakeEachSourceOnce) {
    const Parked parked = park(count(2, CountKind::distinct_sources, {"k"}));
    EXPECT_EQ(effect_of(from(signal(parked), "s1")), appended_to_waitpoint);
    EXPECT_EQ(effect_of(from(signal(parked), "s1")), appended_to_waitpoint_duplicate);
    EXPECT_EQ(state(parked.id), PublicState::suspended);
    EXPECT_EQ(effect_of(from(signal(parked), "s2")), resume_condition_satisfied);
    const auto stored = signals(parked.id);
    ASSERT_THAT(stored, SizeIs(3));
    EXPECT_TRUE(stored[0].matched);
    EXPECT_FALSE(stored[1].matched);
    EXPECT_TRUE(stored[2].matched);
}

TEST_P(Signals, ASourceIsItsTypeAndItsIdentity) {
    const Parked parked = park(count(2, CountKind::distinct_sources, {"k"}));
    EXPECT_EQ(effect_of(signal(parked)), appended_to_waitpoint);
    DeliverSignal same_name = signal(parked);
    same_name.source_type = "person";
    EXPECT_EQ(effect_of(same_name), resume_condition_satisfied);
}

TEST_P(Signals, CountsOfSignalsTakeEveryId) {
    const Parked parked = park(count(2, CountKind::distinct_signals, {"k"}));
    DeliverSignal first = signal(parked);
    first.signal_id = SignalId{Uuid{{7}}};
    EXPECT_EQ(accepted(first), (SignalAccepted{*first.signal_id, appended_to_waitpoint}));
    EXPECT_EQ(effect_of(first), appended_to_waitpoint_duplicate) << "one id, twice";
    EXPECT_EQ(effect_of(signal(parked)), resume_condition_satisfied) << "from the same source";
}

TEST_P(Signals, CountsOfWaitpointsTakeEachWaitpointOnce) {
    const Parked parked = park(count(2, CountKind::distinct_waitpoints, {"a", "b", "c"}), {"a", "b", "c"});
    EXPECT_EQ(effect_of(signal(parked, "x", 2)), appended_to_waitpoint);
    EXPECT_EQ(effect_of(signal(parked, "y", 2)), appended_to_waitpoint_duplicate);
    EXPECT_EQ(effect_of(signal(parked, "x", 0)), resume_condition_satisfied);
    expect_closed(parked, WaitpointCloseReason::resumed);
}

TEST_P(Signals, ACountIgnoresWhatItsMatcherRefuses) {
    const Parked parked = park(count(1, CountKind::distinct_signals, {"k"}, ByName{"ready"}));
    EXPECT_EQ(effect_of(signal(parked, "other")), signal_ignored_matcher_failed);
    EXPECT_THAT(signals(parked.id), SizeIs(1)) << "recorded and counted all the same";
    EXPECT_EQ(effect_of(signal(parked, "ready")), resume_condition_satisfied);
}

TEST_P(Signals, AllOfNeedsEveryMemberInEitherOrder) {
    for (const std::size_t first : {0U, 1U}) {
        const Parked parked = park(all_of(named("a", "x"), named("b", "y")), {"a", "b"});
        const std::vector<std::string> names{"x", "y"};
        EXPECT_EQ(effect_of(signal(parked, names[1 - first], first)), signal_ignored_matcher_failed);
        EXPECT_EQ(effect_of(signal(parked, names[first], first)), appended_to_waitpoint);
        EXPECT_EQ(effect_of(signal(parked, names[first], first)), appended_to_waitpoint_duplicate);
        EXPECT_EQ(state(parked.id), PublicState::suspended);
        EXPECT_EQ(effect_of(signal(parked, names[1 - first], 1 - first)), resume_condition_satisfied);
        expect_closed(parked, WaitpointCloseReason::resumed);
        const ClaimedExecution resumed = claim("w2");
        EXPECT_THAT(observed(resumed.handle), ElementsAre(names[first], names[1 - first]));
        value_of(complete(resumed.handle));
    }
}

TEST_P(Signals, NoneResumesWhatOnlyAnOperatorMay) {
    const Parked parked = park({OperatorOnly{}});
    EXPECT_EQ(effect_of(signal(parked)), no_op);
    EXPECT_EQ(effect_of(approval(parked)), no_op);
    EXPECT_EQ(state(parked.id), PublicState::suspended);
    EXPECT_EQ(value_of(resume(parked.id)), Resumed{PublicState::resumable});
}

TEST_P(Signals, NoneResumesWhatOnlyTimeMay) {
    create();
    const ClaimedExecution claimed = claim();
    Suspend command = until(claimed.handle, {TimeoutOnly{}});
    command.timeout_at_ms = now() + 1000;
    const Parked parked = park(claimed, command);
    EXPECT_EQ(effect_of(signal(parked)), no_op);
    EXPECT_EQ(state(parked.id), PublicState::suspended);
}

TEST_P(Signals, Ga20_ReservedNamesAreRefused) {
    const Parked parked = park({OperatorOnly{}});
    for (const char* name : {"__operator_only__", "__timeout_only__", "__timeout__", "__"}) {
        expect_nothing_new([&] { expect_error(run(signal(parked, name)), invalid_input, "signal_name"); });
        expect_nothing_new([&] { expect_error(run(approval(parked, name)), invalid_input, "signal_name"); });
    }
    expect_nothing_new([&] { expect_error(run(signal(parked, "")), invalid_input, "signal_name"); });
    EXPECT_EQ(effect_of(signal(parked, "_one")), no_op);
}

TEST_P(Signals, Ga21_CountsOfOneKindDoNotShareTheirSignals) {
    const Parked parked = park(
        all_of(count(2, CountKind::distinct_signals, {"a"}), count(2, CountKind::distinct_signals, {"b"})), {"a", "b"});
    for (int i = 0; i < 4; ++i) EXPECT_NE(effect_of(signal(parked, "x", 0)), resume_condition_satisfied);
    EXPECT_EQ(state(parked.id), PublicState::suspended);
    EXPECT_EQ(effect_of(signal(parked, "x", 1)), appended_to_waitpoint);
    EXPECT_EQ(effect_of(signal(parked, "x", 1)), resume_condition_satisfied);
}

// ---- what is kept of a signal -------------------------------------------------------------------------------------

TEST_P(Signals, EverythingThatWasSentIsOnRecord) {
    const Parked parked = park_until_ready();
    advance(5);
    DeliverSignal full = keyed(signal(parked, "other"), "key");
    full.signal_id = SignalId{Uuid{{9}}};
    full.payload = std::string("\0\xff{}", 4);
    full.payload_encoding = "raw";
    full.correlation_id = "c-1";
    full.target_scope = SignalScope::execution;
    full.created_at_ms = 12;
    EXPECT_EQ(accepted(full).signal_id, *full.signal_id);
    const auto stored = signals(parked.id);
    ASSERT_THAT(stored, SizeIs(1));
    EXPECT_EQ(stored[0], (SignalRow{.key = {parked.id, 0},
                                    .signal_id = *full.signal_id,
                                    .waitpoint_id = parked.at().waitpoint_id,
                                    .waitpoint_key = "k",
                                    .signal_name = "other",
                                    .signal_category = "test",
                                    .source_type = "service",
                                    .source_identity = "s1",
                                    .correlation_id = "c-1",
                                    .idempotency_key = "key",
                                    .payload_encoding = "raw",
                                    .target_scope = SignalScope::execution,
                                    .created_at_ms = 12,
                                    .accepted_at_ms = now(),
                                    .observed_effect = no_op,
                                    .matched = false,
                                    .live = true}));
    const auto payloads = snapshot().of<SignalPayloadRow>();
    ASSERT_THAT(payloads, SizeIs(1));
    EXPECT_EQ(payloads.begin()->second.payload.bytes, *full.payload);
}

TEST_P(Signals, APayloadHasUpTo64KiB) {
    const Parked parked = park_until_ready();
    DeliverSignal large = signal(parked, "other");
    large.payload = std::string(65'537, 'x');
    expect_nothing_new([&] { expect_error(run(large), payload_too_large); });
    large.payload->pop_back();
    EXPECT_EQ(effect_of(large), no_op);
}

TEST_P(Signals, WhatIsWrongWithOneIsToldOnlyToWhoHoldsTheToken) {
    const Parked parked = park_until_ready();
    DeliverSignal large = signal(parked, "__x");
    large.payload = std::string(65'537, 'x');
    large.waitpoint_token = "k1:" + std::string(64, '0');
    expect_nothing_new([&] { expect_error(run(large), invalid_token); });
}

TEST_P(Signals, AnEmptyPayloadIsNotNone) {
    const Parked parked = park_until_ready();
    DeliverSignal empty = signal(parked);
    empty.payload = "";
    EXPECT_EQ(effect_of(empty), resume_condition_satisfied);
    const auto seen = value_of(api().observe_signals(parked.claimed.handle));
    ASSERT_THAT(seen, SizeIs(1));
    EXPECT_EQ(seen[0].payload, "");
}

// ---- repeats ------------------------------------------------------------------------------------------------------

TEST_P(Signals, Ga03_ARepeatIsADuplicateUntilItsMemoryEnds) {
    const Parked parked = park_until_ready();
    const SignalId first = accepted(keyed(signal(parked, "other"), "once")).signal_id;
    advance(999);
    expect_nothing_new([&] { EXPECT_EQ(duplicate_of(keyed(signal(parked, "other"), "once")), first); });
    expect_nothing_new([&] { EXPECT_EQ(duplicate_of(keyed(signal(parked, "ready"), "once")), first); });
    EXPECT_THAT(signals(parked.id), SizeIs(1));
    advance(1);
    EXPECT_NE(accepted(keyed(signal(parked, "other"), "once")).signal_id, first);
    EXPECT_THAT(signals(parked.id), SizeIs(2));
    advance(999);
    EXPECT_NE(duplicate_of(keyed(signal(parked, "other"), "once")), first) << "the memory starts anew";
}

TEST_P(Signals, WithoutAKeyOrAMemoryNothingIsARepeat) {
    const Parked parked = park_until_ready();
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(effect_of(keyed(signal(parked, "other"), "")), no_op);
        EXPECT_EQ(effect_of(keyed(signal(parked, "other"), "key", 0)), no_op);
    }
    EXPECT_THAT(signals(parked.id), SizeIs(4));
    EXPECT_THAT(snapshot().of<SignalDedupRow>(), IsEmpty());
}

TEST_P(Signals, AKeyIsOfItsWaitpoint) {
    const Parked parked = park(all_of(named("a", "x"), named("b", "x")), {"a", "b"});
    EXPECT_EQ(effect_of(keyed(signal(parked, "x", 0), "key")), appended_to_waitpoint);
    EXPECT_EQ(effect_of(keyed(signal(parked, "x", 1), "key")), resume_condition_satisfied);
}

TEST_P(Signals, Ga31_TheOneThatResumedMayBeRepeated) {
    const Parked parked = park_until_ready();
    const SignalId first = accepted(keyed(signal(parked), "once")).signal_id;
    expect_nothing_new([&] { EXPECT_EQ(duplicate_of(keyed(signal(parked), "once")), first); });
    expect_nothing_new([&] { expect_error(run(keyed(signal(parked), "another")), waitpoint_closed); });
    value_of(complete(claim("w2").handle));
    expect_nothing_new([&] { EXPECT_EQ(duplicate_of(keyed(signal(parked), "once")), first); });
    expect_nothing_new([&] { expect_error(run(keyed(signal(parked), "another")), target_not_signalable); });
}

// ---- limits -------------------------------------------------------------------------------------------------------

TEST_P(Signals, Ga03_ThePolicyLimitsHowManyAnExecutionGets) {
    CreateExecution command;
    command.policy.emplace().max_signals_per_execution = 2;
    const Parked parked = park(named("k", "ready"), {"k"}, command);
    const SignalId first = accepted(keyed(signal(parked, "other"), "one")).signal_id;
    EXPECT_EQ(effect_of(signal(parked, "other")), no_op);
    expect_nothing_new([&] { expect_error(run(signal(parked)), signal_limit_exceeded); });
    expect_nothing_new([&] { expect_error(run(approval(parked)), signal_limit_exceeded); });
    expect_nothing_new([&] { EXPECT_EQ(duplicate_of(keyed(signal(parked, "other"), "one")), first); });
    DeliverSignal third = signal(parked);
    third.max_signals_per_execution = 3;
    EXPECT_EQ(effect_of(third), resume_condition_satisfied) << "the call's own limit counts";
}

TEST_P(Signals, ACallMayLimitThemAndZeroIsNoLimit) {
    const Parked parked = park_until_ready();
    DeliverSignal limited = signal(parked, "other");
    limited.max_signals_per_execution = 1;
    EXPECT_EQ(effect_of(limited), no_op);
    expect_nothing_new([&] { expect_error(run(limited), signal_limit_exceeded); });
    limited.max_signals_per_execution = 0;
    EXPECT_EQ(effect_of(limited), no_op);
    EXPECT_EQ(effect_of(signal(parked)), resume_condition_satisfied);
}

TEST_P(Signals, TheLimitCountsAllThatTheExecutionEverGot) {
    CreateExecution command;
    command.policy.emplace().max_signals_per_execution = 2;
    const ExecutionId id = park(named("k", "ready"), {"k"}, command).id;
    value_of(resume(id));
    const ClaimedExecution claimed = claim("w2");
    const PendingWaitpoint pending = open_waitpoint(claimed);
    EXPECT_EQ(effect_of(signal(id, pending, "other")), buffered_for_pending_waitpoint);
    const Parked again = park(claimed, until(claimed.handle, named("k2", "ready"), {"k2"}));
    EXPECT_EQ(effect_of(signal(again, "other")), no_op);
    expect_nothing_new([&] { expect_error(run(signal(again)), signal_limit_exceeded); });
}

// ---- before the suspension ----------------------------------------------------------------------------------------

TEST_P(Signals, ArriveAheadOfTheSuspensionAndAreKept) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    const PendingWaitpoint pending = open_waitpoint(claimed);
    EXPECT_EQ(effect_of(signal(id, pending)), buffered_for_pending_waitpoint);
    EXPECT_EQ(state(id), PublicState::active);
    EXPECT_TRUE(renew(claimed.handle)) << "the lease goes on";
    const auto outcome = value_of(run(until_pending(claimed.handle, pending, named("k", "ready"))));
    EXPECT_TRUE(std::holds_alternative<ConditionAlreadyMet>(outcome));
    EXPECT_EQ(state(id), PublicState::active);
    EXPECT_EQ(row(id).lease_epoch, 1U);
    EXPECT_THAT(lease_event_types(id), ElementsAre(LeaseEventType::acquired, LeaseEventType::renewed));
    EXPECT_THAT(observed(claimed.handle), ElementsAre("ready"));
    expect_nothing_new([&] { expect_error(run(signal(id, pending)), waitpoint_closed); });
    value_of(complete(claimed.handle));
}

TEST_P(Signals, KeptOnesCountTowardsEveryKindOfCondition) {
    const std::vector<ResumeCondition> conditions{count(2, CountKind::distinct_signals, {"k"}),
                                                  count(2, CountKind::distinct_sources, {"k"}),
                                                  all_of(named("k", "early"), named("k", "late"))};
    for (const ResumeCondition& condition : conditions) {
        create();
        const ClaimedExecution claimed = claim();
        const PendingWaitpoint pending = open_waitpoint(claimed);
        EXPECT_EQ(effect_of(from(signal(claimed.execution_id, pending, "early"), "s1")),
                  buffered_for_pending_waitpoint);
        const Parked parked = park(claimed, until_pending(claimed.handle, pending, condition));
        EXPECT_EQ(parked.at().token, pending.token);
        EXPECT_EQ(effect_of(from(signal(parked, "late"), "s2")), resume_condition_satisfied) << condition.to_json();
        const ClaimedExecution resumed = claim("w2");
        EXPECT_THAT(observed(resumed.handle), ElementsAre("early", "late")) << condition.to_json();
        value_of(complete(resumed.handle));
    }
}

TEST_P(Signals, AnotherPendingWaitpointOutlivesAResume) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    const PendingWaitpoint later = open_waitpoint(claimed);
    const Parked parked = park(claimed, until(claimed.handle, named("first", "go"), {"first"}));
    EXPECT_EQ(effect_of(signal(id, later, "ready")), buffered_for_pending_waitpoint);
    EXPECT_EQ(state(id), PublicState::suspended) << "it is not of this suspension";
    EXPECT_EQ(effect_of(signal(parked, "go")), resume_condition_satisfied);
    EXPECT_EQ(waitpoint(id, later.waitpoint_id).state, WaitpointState::pending);
    const ClaimedExecution resumed = claim("w2");
    EXPECT_THAT(observed(resumed.handle), ElementsAre("go"));
    EXPECT_TRUE(std::holds_alternative<ConditionAlreadyMet>(
        value_of(run(until_pending(resumed.handle, later, named("k", "ready"))))));
}

TEST_P(Signals, Ga12_ALapsedPendingWaitpointIsClosedAndKeepsWhatItGot) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    const PendingWaitpoint pending = open_waitpoint(claimed, 1000);
    EXPECT_EQ(effect_of(signal(id, pending)), buffered_for_pending_waitpoint);
    advance(999);
    expect_nothing_new([&] { EXPECT_FALSE(value_of(run(FireTimer{id, Timer::waitpoint_expiry})).changed); });
    advance(1);
    reconcile();
    EXPECT_EQ(waitpoint(id, pending.waitpoint_id).close_reason, WaitpointCloseReason::never_committed);
    const auto stored = signals(id);
    ASSERT_THAT(stored, SizeIs(1));
    EXPECT_EQ(stored[0].signal_name, "ready");
    EXPECT_FALSE(stored[0].live);
    expect_nothing_new([&] { expect_error(run(signal(id, pending)), waitpoint_closed); });
    EXPECT_EQ(state(id), PublicState::active);
}

TEST_P(Signals, Ga12_AnActiveWaitpointIsNotClosedAsPending) {
    create();
    const ClaimedExecution claimed = claim();
    Suspend command = until(claimed.handle, named("k", "ready"));
    command.timeout_at_ms = now() + 1000;
    const Parked parked = park(claimed, command);
    EXPECT_EQ(effect_of(signal(parked, "other")), no_op);
    advance(1000);
    expect_nothing_new([&] { EXPECT_FALSE(value_of(run(FireTimer{parked.id, Timer::waitpoint_expiry})).changed); });
    EXPECT_EQ(effect_of(signal(parked)), resume_condition_satisfied) << "nobody has noticed the time yet";
}

TEST_P(Signals, ALapsedPendingWaitpointTakesNoneBeforeItIsSwept) {
    const ExecutionId id = create();
    const PendingWaitpoint pending = open_waitpoint(claim(), 1000);
    advance(1000);
    expect_error(run(signal(id, pending)), waitpoint_closed);
    EXPECT_THAT(signals(id), IsEmpty());
    EXPECT_THAT(told_effects(), IsEmpty());
}

// ---- after it -----------------------------------------------------------------------------------------------------

TEST_P(Signals, ALateOneFindsTheWaitpointClosed) {
    const Parked parked = park_until_ready();
    EXPECT_EQ(effect_of(signal(parked)), resume_condition_satisfied);
    expect_nothing_new([&] { expect_error(run(signal(parked)), waitpoint_closed); });
    const ClaimedExecution resumed = claim("w2");
    expect_nothing_new([&] { expect_error(run(signal(parked)), waitpoint_closed); });
    expect_nothing_new([&] { expect_error(run(approval(parked)), waitpoint_closed); });
    value_of(complete(resumed.handle));
    expect_nothing_new([&] { expect_error(run(signal(parked)), target_not_signalable); });
}

TEST_P(Signals, ACloseKeepsThemOut) {
    const Parked parked = park_until_ready();
    EXPECT_TRUE(value_of(run(CloseWaitpoint{parked.id, parked.at().waitpoint_id})).was_open);
    expect_nothing_new([&] { expect_error(run(signal(parked)), waitpoint_closed); });
    EXPECT_EQ(state(parked.id), PublicState::suspended);
    EXPECT_EQ(value_of(resume(parked.id)), Resumed{PublicState::resumable});
}

TEST_P(Signals, WhatAMemberGotBeforeItsWaitpointWasClosedStillCounts) {
    const Parked parked = park(all_of(named("a", "x"), named("b", "x")), {"a", "b"});
    EXPECT_EQ(effect_of(signal(parked, "x", 0)), appended_to_waitpoint);
    value_of(run(CloseWaitpoint{parked.id, parked.at(0).waitpoint_id}));
    EXPECT_EQ(effect_of(signal(parked, "x", 1)), resume_condition_satisfied);
}

TEST_P(Signals, Ga02_ACancelledExecutionStaysCancelled) {
    const Parked parked = park_until_ready();
    value_of(cancel_by("operator_override", parked.id));
    expect_closed(parked, WaitpointCloseReason::cancelled);
    expect_nothing_new([&] { expect_error(run(signal(parked)), target_not_signalable); });
    expect_nothing_new([&] { expect_error(run(approval(parked)), target_not_signalable); });
    EXPECT_EQ(state(parked.id), PublicState::cancelled);
    EXPECT_THAT(outcomes(parked.id), ElementsAre(TerminalOutcome::cancelled));
    EXPECT_EQ(attempts(parked.id).at(0).outcome, AttemptOutcome::ended_cancelled);
    EXPECT_THAT(lease_event_types(parked.id), ElementsAre(LeaseEventType::acquired, LeaseEventType::released));
}

TEST_P(Signals, Ga02_ACompletedExecutionLeavesNoWaitpointOpen) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    const PendingWaitpoint pending = open_waitpoint(claimed);
    value_of(complete(claimed.handle));
    EXPECT_EQ(waitpoint(id, pending.waitpoint_id).state, WaitpointState::closed);
    expect_nothing_new([&] { expect_error(run(signal(id, pending)), target_not_signalable); });
}

TEST_P(Signals, Ga01_ATimeoutIsDisarmedByAResume) {
    const auto park_with_timeout = [&] {
        create();
        const ClaimedExecution claimed = claim();
        Suspend command = until(claimed.handle, named("k", "ready"));
        command.timeout_at_ms = now() + 1000;
        return park(claimed, command);
    };
    const Parked done = park_with_timeout();
    EXPECT_EQ(effect_of(signal(done)), resume_condition_satisfied);
    value_of(complete(claim("w2").handle));
    const Parked running = park_with_timeout();
    value_of(resume(running.id));
    const ClaimedExecution claimed = claim("w3");
    const Parked waiting = park_with_timeout();
    EXPECT_EQ(effect_of(signal(waiting)), resume_condition_satisfied);
    advance(5000);
    expect_nothing_new([&] {
        reconcile();
        for (const auto& id : {done.id, running.id, waiting.id}) {
            EXPECT_FALSE(value_of(run(FireTimer{id, Timer::suspension_timeout})).changed);
        }
    });
    EXPECT_THAT(outcomes(done.id), ElementsAre(TerminalOutcome::success));
    EXPECT_EQ(state(waiting.id), PublicState::resumable);
    value_of(complete(claimed.handle));
}

// ---- tokens -------------------------------------------------------------------------------------------------------

TEST_P(Signals, EveryWrongTokenGetsTheSameRefusal) {
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

TEST_P(Signals, AnotherExecutionsTokenIsNoToken) {
    const Parked mine = park_until_ready();
    const Parked other = park_until_ready();
    ASSERT_EQ(mine.id.partition, other.id.partition);
    DeliverSignal command = signal(mine);
    command.execution_id = other.id;
    expect_nothing_new([&] { expect_error(run(command), invalid_token); });
}

TEST_P(Signals, WhatDoesNotExistIsNotToldApart) {
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

TEST_P(Signals, AWrongTokenLearnsNothingOfWhatIsClosed) {
    const Parked parked = park_until_ready();
    EXPECT_EQ(effect_of(keyed(signal(parked), "once")), resume_condition_satisfied);
    DeliverSignal command = keyed(signal(parked), "once");
    command.waitpoint_token = "k1:" + std::string(64, '0');
    expect_nothing_new([&] { expect_error(run(command), invalid_token); });
    value_of(cancel_by("operator_override", parked.id));
    expect_nothing_new([&] { expect_error(run(command), invalid_token); });
}

TEST_P(Signals, ARetiredKeyVerifiesUntilItsGraceIsOver) {
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

TEST_P(Signals, TwoRotationsLeaveTheFirstKeyItsGrace) {
    const Parked parked = park_until_ready();
    value_of(run(RotateWaitpointHmacSecret{"k2", std::string(64, 'b'), 10'000}));
    advance(100);
    value_of(run(RotateWaitpointHmacSecret{"k3", std::string(64, 'c'), 10'000}));
    advance(9899);
    EXPECT_EQ(effect_of(signal(parked)), resume_condition_satisfied);
}

TEST_P(Signals, ARemovedKeyIsAnUnknownOne) {
    const Parked parked = park_until_ready();
    value_of(run(RotateWaitpointHmacSecret{"k2", std::string(64, 'b'), 0}));
    value_of(run(RotateWaitpointHmacSecret{"k3", std::string(64, 'c'), 0}));
    expect_nothing_new([&] { expect_error(run(signal(parked)), invalid_token); });
}

// ---- approvals ----------------------------------------------------------------------------------------------------

TEST_P(Signals, AnApprovalNeedsNoToken) {
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

TEST_P(Signals, AnApprovalMustNameWhatThereIs) {
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

TEST_P(Signals, Ga03_ARepeatedApprovalIsADuplicate) {
    const Parked parked = park_until_ready();
    const SignalId first = accepted(approval(parked)).signal_id;
    expect_nothing_new([&] { EXPECT_EQ(duplicate_of(approval(parked)), first); });
    EXPECT_EQ(effect_of(approval(parked, "approved", "2")), no_op);
    EXPECT_EQ(effect_of(approval(parked, "rejected", "1")), no_op);
    advance(86'400'000);
    EXPECT_EQ(effect_of(approval(parked)), no_op);
}

TEST_P(Signals, AnApprovalOutlivesTheKeyThatMintedTheToken) {
    const Parked parked = park(named("k", "approved"));
    value_of(run(RotateWaitpointHmacSecret{"k2", std::string(64, 'b'), 0}));
    advance(1);
    expect_error(run(signal(parked, "approved")), invalid_token);
    EXPECT_EQ(effect_of(approval(parked)), resume_condition_satisfied);
}

// ---- delays -------------------------------------------------------------------------------------------------------

TEST_P(Signals, AResumeMayBePutOff) {
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

TEST_P(Signals, ThePolicyOfTheSuspensionMayPutItOff) {
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

// ---- operators ----------------------------------------------------------------------------------------------------

TEST_P(Signals, Ga08_AnOperatorsResumeIsLikeAnyOther) {
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

TEST_P(Signals, Ga09_AnOperatorsDelayEnds) {
    const Parked parked = park_until_ready();
    EXPECT_EQ(value_of(resume(parked.id, 250)), Resumed{PublicState::delayed});
    EXPECT_EQ(row(parked.id).delay_until_ms, now() + 250);
    EXPECT_EQ(operator_events(parked.id).at(0).details.text, R"({"resume_delay_ms":2.5E2})");
    advance(250);
    reconcile();
    EXPECT_EQ(claim("w2").execution_id, parked.id);
}

TEST_P(Signals, OnlyASuspendedExecutionIsResumed) {
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

TEST_P(Signals, AResumeByAnotherTriggerIsNoOperatorsAction) {
    const Parked parked = park_until_ready();
    value_of(run(ResumeExecution{.execution_id = parked.id, .trigger = ResumeTrigger::signal}));
    EXPECT_EQ(state(parked.id), PublicState::resumable);
    EXPECT_THAT(operator_events(parked.id), IsEmpty());
}

// ---- the resumed attempt ------------------------------------------------------------------------------------------

TEST_P(Signals, TheSameAttemptGoesOnUnderANewLease) {
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

TEST_P(Signals, Ga23_AResumedAttemptIsClaimedByItsGrantOnce) {
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

TEST_P(Signals, Ga23_WhatIsStillSuspendedIsNobodys) {
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

TEST_P(Signals, TheAttemptsTimeLimitStandsStillMeanwhile) {
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

TEST_P(Signals, Ga22_AWorkerSeesWhatResumedItAndNothingElse) {
    const Parked parked = park_until_ready();
    EXPECT_THAT(observed(parked.claimed.handle), IsEmpty());
    EXPECT_EQ(effect_of(signal(parked, "a")), no_op);
    EXPECT_EQ(effect_of(signal(parked, "b")), no_op);
    EXPECT_THAT(observed(parked.claimed.handle), IsEmpty());
    advance(10);
    DeliverSignal last = signal(parked);
    last.payload = std::string("\0\x01\xfe", 3);
    last.payload_encoding = "raw";
    last.correlation_id = "c-1";
    const SignalId id = accepted(last).signal_id;
    const std::int64_t at = now();
    advance(10);
    const auto seen = value_of(api().observe_signals(claim("w2").handle));
    ASSERT_THAT(seen, SizeIs(1));
    EXPECT_EQ(seen[0], (ResumeSignal{.signal_id = id,
                                     .waitpoint_id = parked.at().waitpoint_id,
                                     .signal_name = "ready",
                                     .signal_category = "test",
                                     .source_type = "service",
                                     .source_identity = "s1",
                                     .correlation_id = "c-1",
                                     .accepted_at_ms = at,
                                     .payload = last.payload,
                                     .payload_encoding = "raw"}));
}

TEST_P(Signals, Ga22_TheyAreSeenInTheOrderOfTheirAcceptance) {
    const Parked parked = park(count(3, CountKind::distinct_waitpoints, {"a", "b", "c"}), {"a", "b", "c"});
    for (const std::size_t i : {2U, 0U, 1U}) accepted(signal(parked, std::string(1, static_cast<char>('a' + i)), i));
    EXPECT_THAT(observed(claim("w2").handle), ElementsAre("c", "a", "b"));
}

TEST_P(Signals, TheNextSuspensionHasItsOwn) {
    const Parked first = park_until_ready();
    accepted(signal(first));
    const ClaimedExecution resumed = claim("w2");
    EXPECT_THAT(observed(resumed.handle), ElementsAre("ready"));
    const Parked second = park(resumed, until(resumed.handle, named("k2", "again"), {"k2"}));
    EXPECT_THAT(observed(resumed.handle), IsEmpty());
    EXPECT_EQ(effect_of(signal(second, "ready")), no_op) << "the first suspension's signals count no more";
    EXPECT_EQ(effect_of(signal(second, "again")), resume_condition_satisfied);
    const ClaimedExecution last = claim("w3");
    EXPECT_THAT(observed(last.handle), ElementsAre("again"));
    EXPECT_EQ(last.attempt_id, first.claimed.attempt_id);
    EXPECT_EQ(last.lease_epoch, LeaseEpoch{3});
    EXPECT_THAT(signals(first.id), SizeIs(3)) << "all stay on record";
}

TEST_P(Signals, AnotherAttemptSeesNone) {
    const Parked parked = park_until_ready();
    accepted(signal(parked));
    claim("w2");
    let_lease_lapse();
    const ClaimedExecution next = claim("w3");
    EXPECT_EQ(next.attempt_index, 1U);
    EXPECT_THAT(observed(next.handle), IsEmpty());
    EXPECT_THAT(observed(parked.claimed.handle), ElementsAre("ready"));
}

// ---- events -------------------------------------------------------------------------------------------------------

TEST_P(Signals, EachAcceptedOneIsOneEvent) {
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

TEST_P(Signals, ABufferedOneIsAnEventToo) {
    const ExecutionId id = create();
    const PendingWaitpoint pending = open_waitpoint(claim());
    EXPECT_THAT(told_effects(), IsEmpty()) << "nothing is told of a waitpoint";
    accepted(signal(id, pending));
    EXPECT_THAT(told_effects(), ElementsAre("buffered_for_pending_waitpoint"));
}

TEST_P(Signals, Ga11_AResumeIsNoCompletion) {
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
