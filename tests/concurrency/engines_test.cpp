#include <atomic>
#include <map>
#include <mutex>

#include "concurrency/engine_test.hpp"
#include "runtime/engine_impl.hpp"

namespace flowfabric::test {
namespace {

class ConcurrentEngines : public EngineTest {};
INSTANTIATE_TEST_SUITE_P(Stores, ConcurrentEngines, all_stores(), name_of_param);

// What the worker does with the first attempt of an execution; every later attempt is completed.
enum class Fate : std::uint8_t { complete, renew_and_complete, fail, abandon };

Fate fate_of(const ClaimedExecution& claimed) {
    if (claimed.attempt_index > 0) return Fate::complete;
    return static_cast<Fate>(claimed.execution_id.uuid.bytes.back() % 4);
}

class Worker {
  public:
    Worker(Engine& engine, int number) : engine_(engine) {
        claim_ = claim_by("w" + std::to_string(number));
        claim_.lease_ttl_ms = 1000;
        claim_.max_count = 3;
        claim_.max_wait_ms = 100;
    }

    // The executions that this worker brought to their end.
    std::vector<ExecutionId> work_once() {
        std::vector<ExecutionId> completed;
        for (const auto& claimed : value_of(engine_.claim(claim_)).executions) {
            const Fate fate = fate_of(claimed);
            if (fate == Fate::abandon) continue;
            if (fate == Fate::fail) {
                accept(engine_.fail({.lease = claimed.handle, .reason = "first attempt"}));
                continue;
            }
            if (fate == Fate::renew_and_complete) accept(engine_.renew({.lease = claimed.handle}));
            if (accept(engine_.complete({.lease = claimed.handle}))) completed.push_back(claimed.execution_id);
        }
        return completed;
    }

  private:
    // On a slow machine a lease of a second may be gone before its holder speaks; nothing else may be refused.
    template <class T>
    static bool accept(const Result<T>& answer) {
        if (answer) return true;
        const bool lease_lost = family_of(answer.error().kind) == ErrorFamily::state ||
                                answer.error().kind == ErrorKind::execution_not_active;
        if (!lease_lost) throw std::runtime_error(to_string(answer.error()));
        return false;
    }

    Engine& engine_;
    Claim claim_;
};

TEST_P(ConcurrentEngines, ThreeEnginesBringEverythingToItsEndExactlyOnce) {
    const std::vector<Engine*> engines{&open(), &open(), &open()};
    constexpr int threads = 9;
    constexpr std::size_t per_thread = 12;
    std::mutex mutex;  // guards completed
    std::map<ExecutionId, int> completed;
    std::atomic<std::size_t> ended = 0;
    on_threads(threads, [&](int thread) {
        Engine& engine = *engines[static_cast<std::size_t>(thread) % engines.size()];
        Worker worker(engine, thread);
        for (std::size_t submitted = 0; submitted < per_thread || ended < threads * per_thread; ++submitted) {
            if (submitted < per_thread) value_of(engine.create_execution({.policy = retries(2, 1)}));
            for (const ExecutionId& id : worker.work_once()) {
                ++ended;
                const std::scoped_lock lock(mutex);
                ++completed[id];
            }
        }
    });
    close_all();

    EXPECT_EQ(completed.size(), threads * per_thread);
    for (const auto& [id, times] : completed) EXPECT_EQ(times, 1) << id.to_string();
    const auto stored = snapshot();
    EXPECT_EQ(stored.completion_events.size(), threads * per_thread);
    for (const auto& [id, execution] : stored.executions) {
        EXPECT_EQ(execution.row.vector.terminal_outcome, TerminalOutcome::success) << id.to_string();
        const auto fate = static_cast<Fate>(id.uuid.bytes.back() % 4);
        const int attempts = fate == Fate::fail || fate == Fate::abandon ? 2 : 1;
        EXPECT_GE(execution.row.total_attempt_count, attempts) << id.to_string();
    }
}

// ---- many hands on one execution --------------------------------------------------------------------------------

// Two engines with reconcilers and a clock that runs away, so that leases lapse while they are being renewed.
class OneExecution : public ::testing::TestWithParam<StoreKind> {
  protected:
    void SetUp() override {
        if (!have_store(GetParam())) return;
        store_ = std::make_unique<TestStore>(GetParam());
        for (auto& engine : engines_) engine = value_of(open_engine(store_->backend(), {.migrate = false}));
        id_ = value_of(engines_[0]->create_execution({.policy = retries(100'000, 0)})).execution_id;
    }
    void TearDown() override {
        for (auto& engine : engines_) engine.reset();
        if (store_) expect_invariants(*store_->backend());
    }

    Engine& engine(int thread) { return *engines_[static_cast<std::size_t>(thread) % engines_.size()]; }
    TestClock& clock() { return store_->clock(); }
    Dump snapshot() { return dump(*store_->backend()); }

    void claim(int thread) {
        Claim command = claim_by("w" + std::to_string(thread));
        command.lease_ttl_ms = 1000;
        const auto claimed = value_of(engine(thread).claim(command)).executions;
        if (claimed.empty()) return;
        const std::scoped_lock lock(mutex_);
        handle_ = claimed.front().handle;
    }
    // Of the last lease that anybody got.
    std::optional<Handle> handle() {
        const std::scoped_lock lock(mutex_);
        return handle_;
    }
    // Refusals name the state of the lease; contention is the engine's own business.
    template <class T>
    void expect_lease_answer(const Result<T>& answer) {
        if (answer) return;
        const ErrorKind kind = answer.error().kind;
        const bool of_lease = family_of(kind) == ErrorFamily::state || kind == ErrorKind::execution_not_active;
        EXPECT_TRUE(of_lease) << to_string(answer.error());
    }

    ExecutionId id_;

  private:
    std::unique_ptr<TestStore> store_;
    std::array<std::unique_ptr<Engine>, 2> engines_;
    std::mutex mutex_;  // guards handle_
    std::optional<Handle> handle_;
};
INSTANTIATE_TEST_SUITE_P(Stores, OneExecution, all_stores(), name_of_param);

TEST_P(OneExecution, EndsOnceHoweverManyHammerOnIt) {
    constexpr int threads = 8;
    constexpr int rounds = 40;
    on_threads(threads, [&](int thread) {
        for (int round = 0; round < rounds; ++round) {
            const auto lease = handle();
            switch ((thread / 2 + round) % 4) {
                case 0:
                    claim(thread);
                    break;
                case 1:
                    clock().advance(150);
                    break;
                case 2:
                    if (lease) expect_lease_answer(engine(thread).renew({.lease = *lease}));
                    break;
                default:
                    if (lease) expect_lease_answer(engine(thread).fail({.lease = *lease, .reason = "again"}));
            }
        }
    });
    EXPECT_TRUE(snapshot().completion_events.empty()) << "nobody has completed it yet";

    std::atomic<int> acknowledged = 0;
    on_threads(threads, [&](int thread) {
        while (acknowledged == 0) {
            claim(thread);
            const auto lease = handle();
            if (!lease) continue;
            expect_lease_answer(engine(thread).renew({.lease = *lease}));
            const auto completed = engine(thread).complete({.lease = *lease, .result = "by " + std::to_string(thread)});
            expect_lease_answer(completed);
            if (completed) ++acknowledged;
        }
    });

    const auto stored = snapshot();
    EXPECT_GE(acknowledged, 1);
    ASSERT_EQ(stored.completion_events.size(), 1U);
    EXPECT_EQ(stored.completion_events.front().outcome, TerminalOutcome::success);
    EXPECT_EQ(stored.executions.at(id_).row.vector.public_state, PublicState::completed);
}

}  // namespace
}  // namespace flowfabric::test
