#include <algorithm>
#include <array>
#include <atomic>

#include "concurrency/engine_test.hpp"
#include "runtime/engine_impl.hpp"

// Two callers want to decide the same thing at the same moment, on engines of their own: one of them does, and each is
// told what happened.
namespace flowfabric::test {
namespace {

using enum LeaseEventType;

std::vector<LeaseEventType> lease_events_of(const Dump& stored, const ExecutionId& id) {
    std::vector<LeaseEventType> types;
    for (const LeaseEvent& event : stored.lease_events) {
        if (event.execution_id == id) types.push_back(*event.event_type.known());
    }
    return types;
}

// The last of two threads to start is the first to run: the racers take turns at being it.
bool has_first_role(int thread, int round) {
    return thread == round % 2;
}

class Races : public EngineTest {
  protected:
    static constexpr int rounds = 40;

    // An execution that is leased to `worker`; nothing else is to be had on the lane.
    static ClaimedExecution claim_new(Engine& engine, std::string_view worker = "w1") {
        const ExecutionId id = value_of(engine.create_execution({.policy = retries(3, 0)})).execution_id;
        ClaimedExecution claimed = value_of(engine.claim(claim_by(worker))).executions.at(0);
        EXPECT_EQ(claimed.execution_id, id);
        return claimed;
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, Races, all_stores(), name_of_param);

TEST_P(Races, CancelAgainstCompleteHasOneWinner) {
    Engine& worker = open();
    Engine& operators = open();
    std::map<ExecutionId, TerminalOutcome> winners;
    for (int round = 0; round < rounds; ++round) {
        const ClaimedExecution claimed = claim_new(worker);
        std::optional<Result<Completed>> completed;
        std::optional<Result<Cancelled>> cancelled;
        on_threads(2, [&](int thread) {
            if (has_first_role(thread, round)) {
                completed = worker.complete({.lease = claimed.handle, .result = "done"});
            } else {
                cancelled = operators.cancel_execution({.execution = {.execution_id = claimed.execution_id}});
            }
        });
        ASSERT_NE(completed->has_value(), cancelled->has_value()) << "round " << round;
        const bool completes = completed->has_value();
        const EngineError& loser = completes ? cancelled->error() : completed->error();
        EXPECT_EQ(loser.kind, ErrorKind::execution_not_active) << to_string(loser);
        ASSERT_TRUE(loser.not_active);
        EXPECT_EQ(loser.not_active->terminal_outcome, completes ? "success" : "cancelled");
        EXPECT_EQ(loser.not_active->lease_epoch, completes ? 1U : 2U);
        EXPECT_EQ(loser.not_active->attempt_id, claimed.attempt_id.to_string());
        winners[claimed.execution_id] = completes ? TerminalOutcome::success : TerminalOutcome::cancelled;
    }
    close_all();

    const Dump stored = snapshot();
    EXPECT_EQ(stored.completion_events.size(), winners.size());
    for (const auto& [id, winner] : winners) {
        const StoredExecution& execution = stored.executions.at(id);
        EXPECT_EQ(execution.row.vector.terminal_outcome, winner);
        EXPECT_EQ(execution.result.has_value(), winner == TerminalOutcome::success);
        const auto last = winner == TerminalOutcome::success ? released : revoked;
        EXPECT_EQ(lease_events_of(stored, id), (std::vector{acquired, last}));
    }
}

TEST_P(Races, ManyCancelsOfOneExecutionAreOneCancellation) {
    const std::array<Engine*, 2> engines{&open(), &open()};
    for (int round = 0; round < rounds / 4; ++round) {
        const ClaimedExecution claimed = claim_new(*engines[0]);
        on_threads(6, [&](int thread) {
            Engine& engine = *engines[static_cast<std::size_t>(thread) % 2];
            const auto answer = engine.cancel_execution(
                {.execution = {.execution_id = claimed.execution_id}, .reason = "by " + std::to_string(thread)});
            EXPECT_EQ(value_of(answer), (Cancelled{claimed.execution_id, PublicState::cancelled}));
        });
    }
    close_all();
    const Dump stored = snapshot();
    EXPECT_EQ(stored.completion_events.size(), static_cast<std::size_t>(rounds / 4));
    EXPECT_EQ(stored.operator_events.size(), static_cast<std::size_t>(rounds / 4));
}

TEST_P(Races, ReleaseAgainstClaimLosesNothing) {
    Engine& first = open();
    Engine& second = open();
    for (int round = 0; round < rounds; ++round) {
        const ClaimedExecution unstarted = claim_new(first, "w1");
        Claim command = claim_by("w2");
        command.max_wait_ms = round % 8 == 7 ? 100'000 : 0;
        std::optional<Result<Released>> answer;
        std::optional<Result<Claimed>> found;
        on_threads(2, [&](int thread) {
            if (has_first_role(thread, round)) {
                answer = first.release_unstarted({.lease = unstarted.handle});
            } else {
                found = second.claim(command);
            }
        });
        EXPECT_EQ(value_of(*answer), (Released{unstarted.execution_id, PublicState::waiting}));
        Claimed claimed = value_of(*found);
        const bool waited = command.max_wait_ms > 0;
        if (claimed.executions.empty() && !waited) claimed = value_of(second.claim(command));
        ASSERT_EQ(claimed.executions.size(), 1U) << "round " << round;
        const ClaimedExecution& taken = claimed.executions.front();
        EXPECT_EQ(taken.execution_id, unstarted.execution_id);
        EXPECT_EQ(taken.attempt_index, 0U);
        EXPECT_EQ(taken.lease_epoch, LeaseEpoch{2});
        EXPECT_NE(taken.attempt_id, unstarted.attempt_id);
        expect_error(first.complete({.lease = unstarted.handle}), ErrorKind::stale_lease);
        value_of(second.complete({.lease = taken.handle}));
    }
}

TEST_P(Races, TwoCreatesWithOneKeyMakeOneExecution) {
    const std::array<Engine*, 2> engines{&open(), &open()};
    for (int round = 0; round < rounds; ++round) {
        std::array<std::optional<Result<Created>>, 2> answers;
        on_threads(2, [&](int thread) {
            const auto i = static_cast<std::size_t>(thread);
            CreateExecution command;
            command.idempotency_key = "order-" + std::to_string(round);
            // Every other round the two have nothing but the key in common.
            if (round % 2 == 0) command.lane_id = "lane-" + std::to_string(thread);
            answers[i] = engines[i]->create_execution(std::move(command));
        });
        const std::array created{value_of(*answers[0]), value_of(*answers[1])};
        EXPECT_NE(created[0].duplicate, created[1].duplicate) << "round " << round;
        EXPECT_EQ(created[0].execution_id, created[1].execution_id) << "round " << round;
    }
    close_all();
    EXPECT_EQ(snapshot().executions.size(), static_cast<std::size_t>(rounds));
}

// ---- against a change of a lane ---------------------------------------------------------------------------------

class LaneRaces : public Races {
  protected:
    std::size_t rows_on(const std::string& lane) {
        std::size_t count = 0;
        for (const auto& [id, stored] : snapshot().executions) count += stored.row.lane_id == lane ? 1 : 0;
        return count;
    }

    // Whether there was something to do.
    static bool work_once(Engine& engine, const std::string& worker) {
        const auto found = value_of(engine.claim(claim_by(worker))).executions;
        for (const auto& one : found) value_of(engine.complete({.lease = one.handle}));
        return !found.empty();
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, LaneRaces, all_stores(), name_of_param);

TEST_P(LaneRaces, NothingIsCreatedOnceADrainIsAnswered) {
    const std::array<Engine*, 3> engines{&open(), &open(), &open()};
    for (int round = 0; round < 8; ++round) {
        const std::string lane = "lane-" + std::to_string(round);
        std::atomic<bool> drained = false;
        std::atomic<std::size_t> created = 0;
        std::size_t there_at_the_answer = 0;
        on_threads(5, [&](int thread) {
            Engine& engine = *engines[static_cast<std::size_t>(thread) % engines.size()];
            if (thread == 4) {
                // Meanwhile the others have begun.
                for (int i = 0; i < 3; ++i, ++created) value_of(engine.create_execution({.lane_id = lane}));
                value_of(engine.set_lane_state({.lane_id = lane, .state = LaneState::draining}));
                drained = true;
                there_at_the_answer = rows_on(lane);
                return;
            }
            for (;;) {
                const bool began_after = drained;
                const auto answer = engine.create_execution({.lane_id = lane});
                if (!answer) {
                    expect_error(answer, ErrorKind::invalid_input, "lane_not_accepting");
                    return;
                }
                EXPECT_FALSE(began_after) << "round " << round;
                ++created;
            }
        });
        EXPECT_EQ(there_at_the_answer, created) << "round " << round;
        EXPECT_EQ(rows_on(lane), created) << "round " << round;
    }
}

TEST_P(LaneRaces, NothingIsHandedOutOnceAPauseIsAnswered) {
    const std::array<Engine*, 3> engines{&open(), &open(), &open()};
    create(*engines[0], 300);
    for (int round = 0; round < 6; ++round) {
        std::atomic<bool> paused = false;
        on_threads(4, [&](int thread) {
            Engine& engine = *engines[static_cast<std::size_t>(thread) % engines.size()];
            if (thread == 3) {
                // Meanwhile the others have begun.
                for (int i = 0; i < 3; ++i) work_once(engine, "w3");
                value_of(engine.set_lane_state({.lane_id = "default", .state = LaneState::paused}));
                paused = true;
                return;
            }
            for (;;) {
                const bool began_after = paused;
                if (!work_once(engine, "w" + std::to_string(thread))) return;
                EXPECT_FALSE(began_after) << "round " << round;
            }
        });
        EXPECT_FALSE(work_once(*engines[1], "w9")) << "round " << round;
        value_of(engines[2]->set_lane_state({.lane_id = "default", .state = LaneState::active}));
        if (value_of(engines[0]->list_executions({.state = PublicState::waiting, .limit = 10})).executions.size() <
            10) {
            create(*engines[0], 300);
        }
    }
}

// ---- against time -----------------------------------------------------------------------------------------------

// Two engines on a clock that one of the racers moves past what the other one has to meet.
class TimeRaces : public ::testing::TestWithParam<StoreKind> {
  protected:
    static constexpr int rounds = 40;

    template <class First, class Second>
    static void race(int round, const First& first, const Second& second) {
        on_threads(2, [&](int thread) {
            if (has_first_role(thread, round)) {
                first();
            } else {
                second();
            }
        });
    }
    // Every other pair of rounds, long enough for the other racer to get somewhere.
    static void hesitate(int round, Engine& engine) {
        if (round % 4 < 2) value_of(engine.create_execution({.lane_id = "elsewhere"}));
    }
    static Claim short_claim() {
        Claim command = claim_by("w1");
        command.lease_ttl_ms = 1000;
        return command;
    }
    static void expect_outcome(const Dump& stored, const ExecutionId& id, TerminalOutcome outcome) {
        EXPECT_EQ(stored.executions.at(id).row.vector.terminal_outcome, outcome);
        const auto of_this = [&](const CompletionEvent& event) { return event.execution_id == id; };
        EXPECT_EQ(std::ranges::count_if(stored.completion_events, of_this), 1) << id.to_string();
    }

    void SetUp() override {
        if (!have_store(GetParam())) return;
        store_ = std::make_unique<TestStore>(GetParam());
        for (auto& engine : engines_) {
            engine = value_of(open_engine(store_->backend(), {.migrate = false, .run_reconcilers = false}));
        }
    }
    void TearDown() override {
        for (auto& engine : engines_) engine.reset();
        if (store_) expect_invariants(*store_->backend());
    }

    Engine& holder() { return *engines_[0]; }
    Engine& other() { return *engines_[1]; }
    TestClock& clock() { return store_->clock(); }
    Dump snapshot() { return dump(*store_->backend()); }

  private:
    std::unique_ptr<TestStore> store_;
    std::array<std::unique_ptr<Engine>, 2> engines_;
};
INSTANTIATE_TEST_SUITE_P(Stores, TimeRaces, all_stores(), name_of_param);

TEST_P(TimeRaces, ADelayedLeaseDoesNotExpireAndAnExpiredOneIsNotDelayed) {
    const Claim command = short_claim();
    std::map<ExecutionId, bool> delayed;
    for (int round = 0; round < rounds; ++round) {
        const ExecutionId id = value_of(holder().create_execution({})).execution_id;
        const ClaimedExecution claimed = value_of(holder().claim(command)).executions.at(0);
        ASSERT_EQ(claimed.execution_id, id);
        std::optional<Result<Delayed>> delay;
        std::optional<Result<Renewed>> renewal;
        race(
            round, [&] { delay = holder().delay({.lease = claimed.handle, .delay_until_ms = 0}); },
            [&] {
                clock().advance(1000);
                renewal = other().renew({.lease = claimed.handle});  // notices that the lease is over, if it is
            });
        const bool gave_back = delay->has_value();
        if (gave_back) {
            EXPECT_EQ(**delay, Delayed{PublicState::resumable});
            expect_error(*renewal, ErrorKind::execution_not_active);
        } else {
            expect_error(*delay, ErrorKind::lease_expired);
            expect_error(*renewal, ErrorKind::lease_expired);
        }
        const ClaimedExecution next = value_of(other().claim(command)).executions.at(0);
        EXPECT_EQ(next.execution_id, id);
        EXPECT_EQ(next.attempt_index, gave_back ? 0U : 1U);
        EXPECT_EQ(next.attempt_id == claimed.attempt_id, gave_back);
        EXPECT_EQ(next.lease_epoch, LeaseEpoch{gave_back ? 2U : 3U});
        value_of(other().complete({.lease = next.handle}));
        delayed[id] = gave_back;
    }
    const Dump stored = snapshot();
    for (const auto& [id, gave_back] : delayed) {
        const auto expected = gave_back ? std::vector{acquired, released, acquired, released}
                                        : std::vector{acquired, expired, reclaimed, released};
        EXPECT_EQ(lease_events_of(stored, id), expected);
    }
}

TEST_P(TimeRaces, ALeaseThatEndsWhileItsHolderCompletesIsEitherCompletedOrLost) {
    std::map<ExecutionId, bool> in_time;
    for (int round = 0; round < rounds; ++round) {
        const ExecutionId id = value_of(holder().create_execution({})).execution_id;
        const ClaimedExecution claimed = value_of(holder().claim(short_claim())).executions.at(0);
        ASSERT_EQ(claimed.execution_id, id);
        std::optional<Result<Completed>> completed;
        std::optional<Result<TimerFired>> expiry;
        race(
            round, [&] { completed = holder().complete({.lease = claimed.handle, .result = "in time"}); },
            [&] {
                hesitate(round, other());
                clock().advance(1000);
                expiry = other().fire_timer({id, Timer::lease_expiry});
            });
        in_time[id] = completed->has_value();
        if (in_time[id]) {
            EXPECT_FALSE(value_of(*expiry).changed) << "round " << round;
            EXPECT_TRUE(value_of(other().claim(short_claim())).executions.empty()) << "round " << round;
            continue;
        }
        // Whichever of the two came first has noticed that the lease is over.
        expect_error(*completed, ErrorKind::lease_expired);
        const ClaimedExecution next = value_of(other().claim(short_claim())).executions.at(0);
        EXPECT_EQ(next.execution_id, id);
        EXPECT_EQ(next.attempt_index, 1U);
        EXPECT_EQ(next.attempt_type, AttemptType::reclaim);
        value_of(other().complete({.lease = next.handle, .result = "again"}));
    }
    const Dump stored = snapshot();
    for (const auto& [id, completed] : in_time) {
        expect_outcome(stored, id, TerminalOutcome::success);
        EXPECT_EQ(stored.executions.at(id).result, completed ? "in time" : "again");
        const auto expected =
            completed ? std::vector{acquired, released} : std::vector{acquired, expired, reclaimed, released};
        EXPECT_EQ(lease_events_of(stored, id), expected);
    }
}

TEST_P(TimeRaces, ADeadlineThatPassesWhileTheHolderCompletesEndsTheExecutionOneWay) {
    std::map<ExecutionId, bool> in_time;
    for (int round = 0; round < rounds; ++round) {
        const ExecutionId id =
            value_of(holder().create_execution({.execution_deadline_at_ms = clock().now_ms() + 1000})).execution_id;
        const ClaimedExecution claimed = value_of(holder().claim(claim_by("w1"))).executions.at(0);
        ASSERT_EQ(claimed.execution_id, id);
        std::optional<Result<Completed>> completed;
        std::optional<Result<TimerFired>> deadline;
        race(
            round, [&] { completed = holder().complete({.lease = claimed.handle}); },
            [&] {
                clock().advance(1000);
                deadline = other().fire_timer({id, Timer::execution_deadline});
            });
        in_time[id] = completed->has_value();
        EXPECT_NE(value_of(*deadline).changed, in_time[id]) << "round " << round;
        if (in_time[id]) continue;
        expect_error(*completed, ErrorKind::execution_not_active);
        EXPECT_EQ(completed->error().not_active->terminal_outcome, "expired");
    }
    const Dump stored = snapshot();
    for (const auto& [id, completed] : in_time) {
        expect_outcome(stored, id, completed ? TerminalOutcome::success : TerminalOutcome::expired);
        EXPECT_EQ(lease_events_of(stored, id), (std::vector{acquired, completed ? released : expired}));
    }
}

TEST_P(TimeRaces, ADelayThatEndsWhileItIsCancelledLeavesItCancelled) {
    std::map<ExecutionId, bool> was_claimed;
    for (int round = 0; round < rounds; ++round) {
        const ExecutionId id =
            value_of(holder().create_execution({.delay_until_ms = clock().now_ms() + 1000})).execution_id;
        clock().advance(1000);
        std::optional<Result<Cancelled>> cancelled;
        std::optional<Result<TimerFired>> promotion;
        std::optional<Result<Claimed>> found;
        race(
            round,
            [&] {
                hesitate(round, holder());
                cancelled = holder().cancel_execution({.execution = {.execution_id = id}});
            },
            [&] {
                promotion = other().fire_timer({id, Timer::delayed_promotion});
                found = other().claim(claim_by("w1"));
            });
        EXPECT_EQ(value_of(*cancelled), (Cancelled{id, PublicState::cancelled})) << "round " << round;
        const auto claimed = value_of(*found).executions;
        was_claimed[id] = !claimed.empty();
        EXPECT_TRUE(value_of(*promotion).changed || claimed.empty()) << "claimed without being promoted";
        if (!claimed.empty()) {
            expect_error(other().complete({.lease = claimed[0].handle}), ErrorKind::execution_not_active);
        }
        EXPECT_FALSE(value_of(other().fire_timer({id, Timer::delayed_promotion})).changed) << "round " << round;
    }
    const Dump stored = snapshot();
    EXPECT_EQ(stored.operator_events.size(), static_cast<std::size_t>(rounds));
    for (const auto& [id, claimed] : was_claimed) {
        expect_outcome(stored, id, TerminalOutcome::cancelled);
        const auto expected = claimed ? std::vector{acquired, revoked} : std::vector<LeaseEventType>{};
        EXPECT_EQ(lease_events_of(stored, id), expected);
    }
}

}  // namespace
}  // namespace flowfabric::test
