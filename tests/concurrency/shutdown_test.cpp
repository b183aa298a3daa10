#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "concurrency/engine_test.hpp"
#include "runtime/engine_impl.hpp"

namespace flowfabric::test {
namespace {

// Stops the memory store at its loads, on demand.
class Gate {
  public:
    void pass() {
        std::unique_lock lock(mutex_);
        arrived_ = arrived_ || closed_;
        changed_.notify_all();
        changed_.wait(lock, [&] { return !closed_; });
    }
    void close() {
        const std::scoped_lock lock(mutex_);
        closed_ = true;
        arrived_ = false;
    }
    void open() {
        const std::scoped_lock lock(mutex_);
        closed_ = false;
        changed_.notify_all();
    }
    void await_arrival() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return arrived_; });
    }

  private:
    std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    bool closed_ = false;
    bool arrived_ = false;
};

class GatedEngine : public ::testing::Test {
  protected:
    GatedEngine() {
        auto backend = memory::make_backend({.clock = nullptr, .faults = [this](memory::FaultPoint point) {
                                                 if (point == memory::FaultPoint::load) gate_.pass();
                                                 return memory::Fault::none;
                                             }});
        engine_ = value_of(open_engine(backend, {.run_reconcilers = false, .max_queued_commands = queue_bound}));
    }

    static constexpr std::size_t queue_bound = 8;

    // A command that a writer has taken and stands with at the gate.
    Pending<CreateExecution> start_in_flight() {
        gate_.close();
        auto pending = start(*engine_, CreateExecution{});
        gate_.await_arrival();
        return pending;
    }
    std::vector<Pending<CreateExecution>> start_creates(std::size_t count) {
        std::vector<Pending<CreateExecution>> pending;
        for (std::size_t i = 0; i < count; ++i) pending.push_back(start(*engine_, CreateExecution{}));
        return pending;
    }

    Gate gate_;
    std::unique_ptr<Engine> engine_;
};

TEST_F(GatedEngine, RefusesWhatItsQueueCannotHoldAndCarriesOutTheRest) {
    auto in_flight = start_in_flight();
    auto queued = start_creates(queue_bound);
    auto refused = start_creates(3);
    for (auto& one : refused) expect_error(answer_of(one), ErrorKind::resource_exhausted);
    gate_.open();

    EXPECT_TRUE(answer_of(in_flight));
    for (auto& one : queued) EXPECT_TRUE(answer_of(one));
    EXPECT_TRUE(engine_->create_execution({})) << "there is room again";
    EXPECT_EQ(value_of(engine_->list_executions({})).executions.size(), queue_bound + 2);
}

TEST_F(GatedEngine, FinishesWhatIsInFlightAndRefusesWhatIsQueuedWhenItEnds) {
    auto in_flight = start_in_flight();
    auto queued = start_creates(4);

    auto end = std::async(std::launch::async, [&] { engine_.reset(); });
    for (auto& one : queued) expect_error(answer_of(one), ErrorKind::unavailable);
    EXPECT_FALSE(answered(in_flight));
    gate_.open();
    end.get();

    EXPECT_TRUE(answered(in_flight));
    EXPECT_TRUE(in_flight.get());
}

// Parked it is answered with nothing, on its way to a batch it is refused; it does not wait for its hundred seconds.
TEST_F(GatedEngine, AnswersAWaitingClaimWhenItEnds) {
    Claim claim = claim_by("w1");
    claim.max_wait_ms = 100'000;
    auto waiting = start(*engine_, claim);
    claim.max_wait_ms = 0;
    ASSERT_TRUE(engine_->claim(claim));
    engine_.reset();

    ASSERT_TRUE(answered(waiting));
    const auto answer = waiting.get();
    EXPECT_TRUE(answer ? answer->executions.empty() : answer.error().kind == ErrorKind::unavailable);
}

class EngineShutdown : public EngineTest {};
INSTANTIATE_TEST_SUITE_P(Stores, EngineShutdown, all_stores(), name_of_param);

TEST_P(EngineShutdown, CallsEveryCompletionExactlyOnce) {
    constexpr std::size_t commands = 600;
    auto engine = store().open_engine();
    create(*engine, 50);
    std::array<std::atomic<int>, commands> calls{};
    std::mutex mutex;  // guards acknowledged
    std::set<ExecutionId> acknowledged;
    std::atomic<std::size_t> answers = 0;
    std::latch some_answers(50);

    for (std::size_t i = 0; i < commands; ++i) {
        const auto count = [&, i] {
            ++calls[i];
            if (answers++ < 50) some_answers.count_down();
        };
        if (i % 4 == 0) {
            Claim claim = claim_by("w1");
            claim.max_wait_ms = i % 8 == 0 ? 100'000 : 0;
            engine->submit<Claim>(claim, [count](const Result<Claimed>&) { count(); });
        } else {
            engine->submit<CreateExecution>({}, [&, count](const Result<Created>& created) {
                if (created) {
                    const std::scoped_lock lock(mutex);
                    acknowledged.insert(created->execution_id);
                }
                count();
            });
        }
    }
    some_answers.wait();
    engine.reset();

    for (std::size_t i = 0; i < commands; ++i) EXPECT_EQ(calls[i], 1) << "command " << i;
    const auto stored = snapshot();
    for (const ExecutionId& id : acknowledged) EXPECT_TRUE(stored.executions.contains(id)) << id.to_string();
}

}  // namespace
}  // namespace flowfabric::test
