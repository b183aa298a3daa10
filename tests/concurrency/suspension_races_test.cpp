#include <algorithm>
#include <array>

#include "concurrency/engine_test.hpp"
#include "runtime/engine_impl.hpp"
#include "support/outbox.hpp"
#include "support/parked.hpp"

// A suspension ends once, whoever wants to end it at the same moment, and each caller is told what happened.
namespace flowfabric::test {
namespace {

using enum LeaseEventType;

// Two engines on a clock that the racers move.
class SuspensionRaces : public ::testing::TestWithParam<StoreKind> {
  protected:
    static constexpr int rounds = 40;

    void SetUp() override {
        if (!have_store(GetParam())) return;
        store_ = std::make_unique<TestStore>(GetParam());
        for (auto& engine : engines_) {
            engine = value_of(open_engine(store_->backend(), {.migrate = false, .run_reconcilers = false}));
        }
        value_of(first().seed_waitpoint_hmac_secret({"k1", std::string(64, 'a')}));
    }
    void TearDown() override {
        for (auto& engine : engines_) engine.reset();
        if (store_) expect_invariants(*store_->backend());
    }

    Engine& first() { return *engines_[0]; }
    Engine& second() { return *engines_[1]; }
    Engine& engine_of(int thread) { return *engines_[static_cast<std::size_t>(thread) % engines_.size()]; }
    TestClock& clock() { return store_->clock(); }
    Dump snapshot() { return dump(*store_->backend()); }

    // The last of two threads to start is the first to run: the racers take turns at being it.
    template <class One, class Other>
    static void race(int round, const One& one, const Other& other) {
        on_threads(2, [&](int thread) {
            if (thread == round % 2) {
                one();
            } else {
                other();
            }
        });
    }
    // Every other pair of rounds, long enough for the other racer to get somewhere.
    static void hesitate(int round, Engine& engine) {
        if (round % 4 < 2) value_of(engine.create_execution({.lane_id = "elsewhere"}));
    }

    ClaimedExecution claim_new() {
        const ExecutionId id = value_of(first().create_execution({})).execution_id;
        ClaimedExecution claimed = value_of(first().claim(claim_by("w1"))).executions.at(0);
        EXPECT_EQ(claimed.execution_id, id);
        return claimed;
    }
    static ResumeCondition by_name(std::string name) { return {Single{"k", ByName{std::move(name)}}}; }
    static Suspend until(const ClaimedExecution& claimed, ResumeCondition condition) {
        Suspend command{.lease = claimed.handle};
        command.waitpoints.emplace_back(FreshWaitpoint{std::nullopt, "k"});
        command.resume_condition = std::move(condition);
        return command;
    }
    Parked park(ResumeCondition condition, std::optional<std::int64_t> timeout_in_ms = {},
                TimeoutBehavior behavior = TimeoutBehavior::fail) {
        const ClaimedExecution claimed = claim_new();
        Suspend command = until(claimed, std::move(condition));
        if (timeout_in_ms) command.timeout_at_ms = clock().now_ms() + *timeout_in_ms;
        command.timeout_behavior = behavior;
        const auto outcome = std::get<Suspended>(value_of(first().suspend(std::move(command))));
        return {claimed.execution_id, claimed, outcome.details};
    }
    static DeliverSignal signal(const Parked& parked, std::string name, std::string source = "s1") {
        DeliverSignal command;
        command.execution_id = parked.id;
        command.waitpoint_id = parked.details.primary.waitpoint_id;
        command.waitpoint_token = parked.details.primary.token;
        command.signal_name = std::move(name);
        command.source_type = "service";
        command.source_identity = std::move(source);
        return command;
    }
    static bool satisfied(const Result<SignalOutcome>& answer) {
        if (!answer) return false;
        const auto* accepted = std::get_if<SignalAccepted>(&*answer);
        return accepted != nullptr && accepted->effect == SignalEffect::resume_condition_satisfied;
    }
    // The resumed attempt is the one that was suspended; it ends well.
    void finish_resumed(const Parked& parked) {
        const ClaimedExecution resumed = value_of(second().claim(claim_by("w2"))).executions.at(0);
        EXPECT_EQ(resumed.execution_id, parked.id);
        EXPECT_EQ(resumed.attempt_id, parked.claimed.attempt_id);
        EXPECT_EQ(resumed.lease_epoch, LeaseEpoch{2});
        EXPECT_EQ(resumed.handle.kind, HandleKind::resumed);
        value_of(second().complete({.lease = resumed.handle}));
    }
    void expect_nothing_to_claim() { EXPECT_TRUE(value_of(second().claim(claim_by("w2"))).executions.empty()); }

    static std::vector<LeaseEventType> lease_events_of(const Dump& stored, const ExecutionId& id) {
        std::vector<LeaseEventType> types;
        for (const LeaseEvent& event : stored.lease_events) {
            if (event.execution_id == id) types.push_back(*event.event_type.known());
        }
        return types;
    }
    static void expect_outcome(const Dump& stored, const ExecutionId& id, TerminalOutcome outcome) {
        EXPECT_EQ(stored.executions.at(id).row.vector.terminal_outcome, outcome);
        const auto of_this = [&](const CompletionEvent& event) { return event.execution_id == id; };
        EXPECT_EQ(std::ranges::count_if(stored.completion_events, of_this), 1) << id.to_string();
    }
    static void expect_ended(const Dump& stored, const ExecutionId& id, WaitpointCloseReason reason) {
        const SuspensionRow& suspension = stored.of<SuspensionRow>().at({id});
        EXPECT_TRUE(suspension.closed_at_ms);
        EXPECT_EQ(suspension.close_reason, reason);
        EXPECT_FALSE(suspension.timeout_at_ms);
        for (const auto& [key, waitpoint] : stored.of<WaitpointRow>()) {
            const bool of_this = waitpoint.owner() == id;
            EXPECT_TRUE(!of_this || waitpoint.state == WaitpointState::closed);
        }
    }
    static std::size_t signals_of(const Dump& stored, const ExecutionId& id) {
        const auto of_this = [&](const auto& entry) { return entry.first.execution_id == id; };
        return static_cast<std::size_t>(std::ranges::count_if(stored.of<SignalRow>(), of_this));
    }
    std::size_t events_of_signals() { return read_outbox(*store_->backend(), Channel::signal).size(); }

    // Of a deadline a second away. What the signal's sender was told; one of the two has an effect.
    Result<SignalOutcome> signal_against_timeout(int round, const Parked& parked) {
        std::optional<Result<SignalOutcome>> delivered;
        std::optional<Result<TimerFired>> timeout;
        race(
            round, [&] { delivered = first().deliver_signal(signal(parked, "ready")); },
            [&] {
                hesitate(round, second());
                clock().advance(1000);
                timeout = second().fire_timer({parked.id, Timer::suspension_timeout});
            });
        EXPECT_NE(value_of(*timeout).changed, satisfied(*delivered)) << "round " << round;
        return *delivered;
    }

  private:
    std::unique_ptr<TestStore> store_;
    std::array<std::unique_ptr<Engine>, 2> engines_;
};
INSTANTIATE_TEST_SUITE_P(Stores, SuspensionRaces, all_stores(), name_of_param);

// ---- against time -------------------------------------------------------------------------------------------------

TEST_P(SuspensionRaces, ASignalAgainstTheTimeoutHasOneWinner) {
    std::map<ExecutionId, bool> in_time;
    for (int round = 0; round < rounds; ++round) {
        const Parked parked = park(by_name("ready"), 1000);
        const Result<SignalOutcome> delivered = signal_against_timeout(round, parked);
        in_time[parked.id] = satisfied(delivered);
        if (in_time[parked.id]) {
            finish_resumed(parked);
        } else {
            expect_error(delivered, ErrorKind::target_not_signalable);
            expect_nothing_to_claim();
        }
        EXPECT_FALSE(value_of(first().fire_timer({parked.id, Timer::suspension_timeout})).changed);
    }
    const Dump stored = snapshot();
    std::size_t signals = 0;
    for (const auto& [id, resumed] : in_time) {
        expect_outcome(stored, id, resumed ? TerminalOutcome::success : TerminalOutcome::failed);
        expect_ended(stored, id, resumed ? WaitpointCloseReason::resumed : WaitpointCloseReason::timed_out_fail);
        EXPECT_EQ(signals_of(stored, id), resumed ? 1U : 0U);
        const auto expected =
            resumed ? std::vector{acquired, released, acquired, released} : std::vector{acquired, released};
        EXPECT_EQ(lease_events_of(stored, id), expected);
        signals += resumed ? 1 : 0;
    }
    EXPECT_EQ(events_of_signals(), signals);
}

TEST_P(SuspensionRaces, ASignalAgainstAnAutomaticResumeResumesOnce) {
    std::map<ExecutionId, bool> in_time;
    for (int round = 0; round < rounds; ++round) {
        const Parked parked = park(by_name("ready"), 1000, TimeoutBehavior::auto_resume_with_timeout_signal);
        const Result<SignalOutcome> delivered = signal_against_timeout(round, parked);
        in_time[parked.id] = satisfied(delivered);
        if (!in_time[parked.id]) expect_error(delivered, ErrorKind::waitpoint_closed);
        const auto seen = value_of(second().observe_signals(parked.claimed.handle));
        ASSERT_EQ(seen.size(), 1U) << "round " << round;
        EXPECT_EQ(seen[0].signal_name, in_time[parked.id] ? "ready" : "timeout");
        finish_resumed(parked);
        expect_nothing_to_claim();
    }
    const Dump stored = snapshot();
    for (const auto& [id, by_signal] : in_time) {
        expect_outcome(stored, id, TerminalOutcome::success);
        expect_ended(stored, id,
                     by_signal ? WaitpointCloseReason::resumed : WaitpointCloseReason::timed_out_auto_resume);
        EXPECT_EQ(signals_of(stored, id), 1U);
    }
    EXPECT_EQ(events_of_signals(), in_time.size());
}

TEST_P(SuspensionRaces, ATimeoutIsNoticedOnce) {
    for (int round = 0; round < rounds; ++round) {
        const Parked parked = park(by_name("ready"), 1000, TimeoutBehavior::escalate);
        clock().advance(1000);
        std::array<std::optional<Result<TimerFired>>, 2> fired;
        on_threads(2, [&](int thread) {
            fired[static_cast<std::size_t>(thread)] =
                engine_of(thread).fire_timer({parked.id, Timer::suspension_timeout});
        });
        EXPECT_NE(value_of(*fired[0]).changed, value_of(*fired[1]).changed) << "round " << round;
    }
    EXPECT_EQ(snapshot().operator_events.size(), static_cast<std::size_t>(rounds));
}

// ---- against operators --------------------------------------------------------------------------------------------

TEST_P(SuspensionRaces, ASignalAgainstACancelLeavesItCancelled) {
    std::map<ExecutionId, bool> resumed_before;
    for (int round = 0; round < rounds; ++round) {
        const Parked parked = park(by_name("ready"));
        std::optional<Result<SignalOutcome>> delivered;
        std::optional<Result<Cancelled>> cancelled;
        race(
            round, [&] { delivered = first().deliver_signal(signal(parked, "ready")); },
            [&] {
                hesitate(round, second());
                cancelled = second().cancel_execution({.execution = {.execution_id = parked.id}});
            });
        EXPECT_EQ(value_of(*cancelled), (Cancelled{parked.id, PublicState::cancelled})) << "round " << round;
        resumed_before[parked.id] = satisfied(*delivered);
        if (!resumed_before[parked.id]) expect_error(*delivered, ErrorKind::target_not_signalable);
        expect_nothing_to_claim();
        expect_error(first().deliver_signal(signal(parked, "ready")), ErrorKind::target_not_signalable);
    }
    const Dump stored = snapshot();
    for (const auto& [id, resumed] : resumed_before) {
        expect_outcome(stored, id, TerminalOutcome::cancelled);
        expect_ended(stored, id, resumed ? WaitpointCloseReason::resumed : WaitpointCloseReason::cancelled);
        EXPECT_EQ(signals_of(stored, id), resumed ? 1U : 0U);
        EXPECT_EQ(lease_events_of(stored, id), (std::vector{acquired, released}));
    }
    EXPECT_EQ(stored.operator_events.size(), static_cast<std::size_t>(rounds));
}

TEST_P(SuspensionRaces, ASignalAgainstAnOperatorsResumeResumesOnce) {
    std::size_t by_operator = 0;
    for (int round = 0; round < rounds; ++round) {
        const Parked parked = park(by_name("ready"));
        std::optional<Result<SignalOutcome>> delivered;
        std::optional<Result<Resumed>> resumed;
        race(
            round, [&] { delivered = first().deliver_signal(signal(parked, "ready")); },
            [&] { resumed = second().resume_execution({.execution_id = parked.id}); });
        ASSERT_NE(delivered->has_value(), resumed->has_value()) << "round " << round;
        if (resumed->has_value()) {
            ++by_operator;
            EXPECT_EQ(**resumed, Resumed{PublicState::resumable});
            expect_error(*delivered, ErrorKind::waitpoint_closed);
        } else {
            EXPECT_TRUE(satisfied(*delivered));
            expect_error(*resumed, ErrorKind::execution_not_suspended);
        }
        finish_resumed(parked);
        expect_nothing_to_claim();
    }
    EXPECT_EQ(snapshot().operator_events.size(), by_operator);
    EXPECT_EQ(events_of_signals(), static_cast<std::size_t>(rounds) - by_operator);
}

TEST_P(SuspensionRaces, ASuspendAgainstACancelLeavesItCancelled) {
    std::map<ExecutionId, bool> suspended_before;
    for (int round = 0; round < rounds; ++round) {
        const ClaimedExecution claimed = claim_new();
        const ExecutionId id = claimed.execution_id;
        std::optional<Result<SuspendOutcome>> suspended;
        std::optional<Result<Cancelled>> cancelled;
        race(
            round, [&] { suspended = first().suspend(until(claimed, by_name("ready"))); },
            [&] { cancelled = second().cancel_execution({.execution = {.execution_id = id}}); });
        EXPECT_EQ(value_of(*cancelled), (Cancelled{id, PublicState::cancelled})) << "round " << round;
        suspended_before[id] = suspended->has_value();
        if (!suspended_before[id]) {
            expect_error(*suspended, ErrorKind::execution_not_active);
            ASSERT_TRUE(suspended->error().not_active);
            EXPECT_EQ(suspended->error().not_active->terminal_outcome, "cancelled");
        }
    }
    const Dump stored = snapshot();
    EXPECT_EQ(stored.operator_events.size(), static_cast<std::size_t>(rounds));
    for (const auto& [id, suspended] : suspended_before) {
        expect_outcome(stored, id, TerminalOutcome::cancelled);
        EXPECT_EQ(lease_events_of(stored, id), (std::vector{acquired, suspended ? released : revoked}));
        EXPECT_EQ(stored.of<SuspensionRow>().contains({id}), suspended);
        if (suspended) expect_ended(stored, id, WaitpointCloseReason::cancelled);
    }
}

// ---- among themselves ---------------------------------------------------------------------------------------------

TEST_P(SuspensionRaces, OfManySignalsThatSufficeOneResumes) {
    for (int round = 0; round < rounds / 4; ++round) {
        const Parked parked = park(by_name("ready"));
        std::array<std::optional<Result<SignalOutcome>>, 16> answers;
        on_threads(16, [&](int thread) {
            answers[static_cast<std::size_t>(thread)] =
                engine_of(thread).deliver_signal(signal(parked, "ready", "s" + std::to_string(thread)));
        });
        std::size_t resumed = 0;
        for (const auto& answer : answers) {
            if (satisfied(*answer)) {
                ++resumed;
            } else {
                expect_error(*answer, ErrorKind::waitpoint_closed);
            }
        }
        EXPECT_EQ(resumed, 1U) << "round " << round;
        EXPECT_EQ(signals_of(snapshot(), parked.id), 1U) << "round " << round;
        finish_resumed(parked);
    }
    EXPECT_EQ(events_of_signals(), static_cast<std::size_t>(rounds / 4));
}

TEST_P(SuspensionRaces, OfTwoSignalsTheOneThatSatisfiesResumes) {
    std::map<ExecutionId, std::size_t> accepted;
    for (int round = 0; round < rounds; ++round) {
        const Parked parked = park(by_name("ready"));
        std::optional<Result<SignalOutcome>> ready;
        std::optional<Result<SignalOutcome>> other;
        race(
            round, [&] { ready = first().deliver_signal(signal(parked, "ready")); },
            [&] { other = second().deliver_signal(signal(parked, "other")); });
        EXPECT_TRUE(satisfied(*ready)) << "round " << round;
        accepted[parked.id] = 1;
        if (other->has_value()) {
            ++accepted[parked.id];
            EXPECT_EQ(std::get<SignalAccepted>(**other).effect, SignalEffect::no_op);
        } else {
            expect_error(*other, ErrorKind::waitpoint_closed);
        }
        const auto seen = value_of(first().observe_signals(parked.claimed.handle));
        ASSERT_EQ(seen.size(), accepted[parked.id]) << "round " << round;
        EXPECT_EQ(seen.back().signal_name, "ready");
        EXPECT_TRUE(seen.back().satisfied);
        finish_resumed(parked);
    }
    const Dump stored = snapshot();
    std::size_t all = 0;
    for (const auto& [id, count] : accepted) {
        EXPECT_EQ(signals_of(stored, id), count);
        all += count;
    }
    EXPECT_EQ(events_of_signals(), all);
}

TEST_P(SuspensionRaces, OfTwoSignalsThatAreBothNeededTheSecondResumes) {
    for (int round = 0; round < rounds; ++round) {
        const Parked parked =
            park({Count{.n = 2, .kind = CountKind::distinct_sources, .matcher = std::nullopt, .waitpoints = {"k"}}});
        std::array<std::optional<Result<SignalOutcome>>, 2> answers;
        on_threads(2, [&](int thread) {
            answers[static_cast<std::size_t>(thread)] =
                engine_of(thread).deliver_signal(signal(parked, "ready", "s" + std::to_string(thread)));
        });
        std::vector<SignalEffect> effects;
        for (const auto& answer : answers) effects.push_back(std::get<SignalAccepted>(value_of(*answer)).effect);
        EXPECT_THAT(effects, ::testing::UnorderedElementsAre(SignalEffect::appended_to_waitpoint,
                                                             SignalEffect::resume_condition_satisfied))
            << "round " << round;
        finish_resumed(parked);
    }
    EXPECT_EQ(events_of_signals(), static_cast<std::size_t>(2 * rounds));
}

TEST_P(SuspensionRaces, TwoDeliveriesWithOneKeyAreOneSignal) {
    for (int round = 0; round < rounds; ++round) {
        const Parked parked = park(by_name(round % 2 == 0 ? "ready" : "never"));
        std::array<std::optional<Result<SignalOutcome>>, 2> answers;
        on_threads(2, [&](int thread) {
            DeliverSignal command = signal(parked, "ready");
            command.idempotency_key = "once";
            answers[static_cast<std::size_t>(thread)] = engine_of(thread).deliver_signal(std::move(command));
        });
        const std::array outcomes{value_of(*answers[0]), value_of(*answers[1])};
        const std::size_t winner = std::holds_alternative<SignalAccepted>(outcomes[0]) ? 0 : 1;
        ASSERT_TRUE(std::holds_alternative<SignalAccepted>(outcomes[winner])) << "round " << round;
        ASSERT_TRUE(std::holds_alternative<DuplicateSignal>(outcomes[1 - winner])) << "round " << round;
        EXPECT_EQ(std::get<DuplicateSignal>(outcomes[1 - winner]).existing_signal_id,
                  std::get<SignalAccepted>(outcomes[winner]).signal_id);
        EXPECT_EQ(satisfied(*answers[winner]), round % 2 == 0);
        EXPECT_EQ(signals_of(snapshot(), parked.id), 1U) << "round " << round;
        if (round % 2 == 0) finish_resumed(parked);
    }
    EXPECT_EQ(events_of_signals(), static_cast<std::size_t>(rounds));
}

TEST_P(SuspensionRaces, TwoSuspendsWithOneKeyAreOneSuspension) {
    for (int round = 0; round < rounds; ++round) {
        const ClaimedExecution claimed = claim_new();
        std::array<std::optional<Result<SuspendOutcome>>, 2> answers;
        on_threads(2, [&](int thread) {
            Suspend command = until(claimed, by_name("ready"));
            command.idempotency_key = "once";
            answers[static_cast<std::size_t>(thread)] = engine_of(thread).suspend(std::move(command));
        });
        EXPECT_TRUE(value_of(*answers[0]) == value_of(*answers[1])) << "round " << round;
    }
    const Dump stored = snapshot();
    EXPECT_EQ(stored.of<SuspensionRow>().size(), static_cast<std::size_t>(rounds));
    EXPECT_EQ(stored.of<WaitpointRow>().size(), static_cast<std::size_t>(rounds));
}

// The worker that the approval resumes dies at once; whatever the order, the next attempt knows of the approval.
TEST_P(SuspensionRaces, AnApprovalAgainstACrashOfTheResumedWorkerIsNotLost) {
    for (int round = 0; round < rounds; ++round) {
        const ClaimedExecution claimed = claim_new();
        const auto ask = [&](const Handle& handle) {
            Suspend command = until(claimed, by_name("ready"));
            command.lease = handle;
            command.idempotency_key = "approval";
            return command;
        };
        const auto asked = std::get<Suspended>(value_of(first().suspend(ask(claimed.handle))));
        const Parked parked{claimed.execution_id, claimed, asked.details};
        std::optional<Result<SignalOutcome>> answer;
        std::vector<ClaimedExecution> resumed;
        race(
            round, [&] { answer = first().deliver_signal(signal(parked, "ready")); },
            [&] { resumed = value_of(second().claim(claim_by("w2"))).executions; });
        ASSERT_TRUE(satisfied(*answer)) << "round " << round;
        if (resumed.empty()) resumed = value_of(second().claim(claim_by("w2"))).executions;
        ASSERT_EQ(resumed.size(), 1U) << "round " << round;
        EXPECT_EQ(resumed[0].signals.size(), 1U);
        value_of(first().revoke_lease({.execution_id = parked.id, .reason = "dead"}));
        const auto next = value_of(first().claim(claim_by("w3"))).executions;
        ASSERT_EQ(next.size(), 1U) << "round " << round;
        ASSERT_EQ(next[0].signals.size(), 1U);
        EXPECT_EQ(next[0].signals[0].suspension_id, asked.details.suspension_id);
        const auto known = value_of(second().suspend(ask(next[0].handle)));
        EXPECT_EQ(std::get<ConditionAlreadyMet>(known).signals, next[0].signals);
        value_of(first().complete({.lease = next[0].handle}));
    }
}

TEST_P(SuspensionRaces, TwoSuspendsThatNameOneWaitpointHaveOneWinner) {
    for (int round = 0; round < rounds; ++round) {
        const std::array claimed{claim_new(), claim_new()};
        const WaitpointId wanted{Uuid{{static_cast<std::uint8_t>(round + 1)}}};
        std::array<std::optional<Result<SuspendOutcome>>, 2> answers;
        on_threads(2, [&](int thread) {
            const auto i = static_cast<std::size_t>(thread);
            Suspend command = until(claimed[i], by_name("ready"));
            std::get<FreshWaitpoint>(command.waitpoints.front()).waitpoint_id = wanted;
            answers[i] = engine_of(thread).suspend(std::move(command));
        });
        ASSERT_NE(answers[0]->has_value(), answers[1]->has_value()) << "round " << round;
        const std::size_t winner = answers[0]->has_value() ? 0 : 1;
        expect_error(*answers[1 - winner], ErrorKind::waitpoint_already_exists);
        const ExecutionId& id = claimed[winner].execution_id;
        EXPECT_EQ(snapshot().of<WaitpointRow>().at({id.partition, wanted}).owner(), id) << "round " << round;
        value_of(first().complete({.lease = claimed[1 - winner].handle}));
    }
}

}  // namespace
}  // namespace flowfabric::test
