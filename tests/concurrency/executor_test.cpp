#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <new>
#include <thread>

#include "concurrency/engine_test.hpp"
#include "runtime/engine_impl.hpp"
#include "runtime/hub/serial_executor.hpp"
#include "support/forwarding_backend.hpp"
#include "support/sql_session.hpp"

// Engines whose callers' code misbehaves: executors that never run anything or throw, completions that throw or call
// back, and stores that break in ways that no store has.
namespace flowfabric::test {
namespace {

using namespace std::chrono_literals;

CreateExecution refused_at_the_door() {
    return {.lane_id = ""};
}

class ExecutorTest : public EngineTest {
  protected:
    static EngineOptions running_on(Executor executor) {
        EngineOptions options;
        options.executor = std::move(executor);
        for (const ReconcilerSpec& spec : all_reconcilers()) {
            options.reconcilers[std::string(spec.name)] = {.interval = 1ms, .batch = 20};
        }
        return options;
    }
    // Ends the engines. Declared behind what their callers' code uses, so that it outlives them however the test ends.
    std::shared_ptr<void> ending() {
        return {nullptr, [this](void*) { close_all(); }};
    }
    static PublicState state_of(Engine& engine, const ExecutionId& id) {
        return value_of(engine.describe_execution(id))->vector.public_state;
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, ExecutorTest, all_stores(), name_of_param);

TEST_P(ExecutorTest, ThatNeverRunsAnythingHoldsUpNoTimer) {
    Engine& engine = open(running_on([](const std::function<void()>&) {}));
    const ExecutionId lost = value_of(engine.create_execution({.lane_id = "lost"})).execution_id;
    Claim claim = claim_by("w1");
    claim.lanes = {"lost"};
    claim.lease_ttl_ms = 1000;
    EXPECT_EQ(value_of(engine.claim(claim)).executions.size(), 1U);
    const auto soon = std::chrono::duration_cast<std::chrono::milliseconds>(
                          std::chrono::system_clock::now().time_since_epoch() + 500ms)
                          .count();
    const ExecutionId delayed =
        value_of(engine.create_execution({.lane_id = "delayed", .delay_until_ms = soon})).execution_id;
    await([&] { return state_of(engine, delayed) == PublicState::waiting; });
    await([&] { return !value_of(engine.claim(claim)).executions.empty(); });
    EXPECT_EQ(state_of(engine, lost), PublicState::active);
}

TEST_P(ExecutorTest, ThatNeverRunsAnythingHoldsUpNoInbox) {
    if (GetParam() != StoreKind::postgres) GTEST_SKIP() << "only PostgreSQL has an inbox";
    Engine& engine = open(running_on([](const std::function<void()>&) {}));
    SqlSession session(store().url());
    for (int i = 0; i < 3; ++i) {
        session.run("SELECT ff_create_execution('test', lane_id => 'inbox')");
        await([&] { return session.run("SELECT count(*) FROM ff_submission") == "0"; });
    }
    Claim claim = claim_by("w1");
    claim.lanes = {"inbox"};
    claim.max_count = 10;
    EXPECT_EQ(value_of(engine.claim(claim)).executions.size(), 3U);
}

TEST_P(ExecutorTest, LetsACompletionMakeABlockingCallWithBadInput) {
    std::promise<Result<Created>> from_within;
    const auto engines_end = ending();
    Engine& engine = open();
    engine.submit<CreateExecution>(
        {}, [&](const Result<Created>&) { from_within.set_value(engine.create_execution(refused_at_the_door())); });
    auto answer = from_within.get_future();
    expect_error(answer_of(answer), ErrorKind::invalid_input);
}

TEST_P(ExecutorTest, OfOneThreadLetsThatThreadMakeABlockingCallWithBadInput) {
    std::promise<Result<Created>> one;
    std::promise<std::vector<Result<Created>>> two;
    SerialExecutor loop;
    const auto engines_end = ending();
    Engine& engine = open(running_on([&](std::function<void()> job) { loop.post(std::move(job)); }));
    loop.post([&] { one.set_value(engine.create_execution(refused_at_the_door())); });
    auto answer = one.get_future();
    expect_error(answer_of(answer), ErrorKind::invalid_input);
    loop.post([&] { two.set_value(engine.run_all(std::vector{refused_at_the_door(), CreateExecution{}})); });
    auto answers = two.get_future();
    const auto both = answer_of(answers);
    expect_error(both.at(0), ErrorKind::invalid_input);
    EXPECT_TRUE(both.at(1));
}

TEST_P(ExecutorTest, ThatNeverRunsAnythingHoldsUpNoAnswerThatGoesPastIt) {
    Engine& engine = open(running_on([](const std::function<void()>&) {}));
    const auto answer_past_it = [&](CreateExecution command) {
        const auto promise = std::make_shared<std::promise<Result<Created>>>();
        auto answer = promise->get_future();
        engine.submit_past_executor(std::move(command),
                                    [promise](Result<Created> created) { promise->set_value(std::move(created)); });
        return answer_of(answer);
    };
    EXPECT_TRUE(answer_past_it({}));
    expect_error(answer_past_it(refused_at_the_door()), ErrorKind::invalid_input);
}

TEST_P(ExecutorTest, ThatThrowsCostsNoAnswerAndGivesNoneTwice) {
    // Refuses, takes and then throws, and runs at once and then throws, in turn.
    std::atomic<int> calls = 0;
    std::atomic<int> answers = 0;
    SerialExecutor loop;
    const auto engines_end = ending();
    Engine& engine = open(running_on([&](std::function<void()> job) {
        const int call = calls++ % 3;
        if (call == 1) loop.post(std::move(job));
        if (call == 2) job();
        throw std::runtime_error("out of order");
    }));
    for (int i = 0; i < 30; ++i) {
        engine.submit<CreateExecution>(i % 2 == 0 ? CreateExecution{} : refused_at_the_door(),
                                       [&](const Result<Created>&) { ++answers; });
        await([&] { return answers == i + 1; });
    }
    close_all();
    EXPECT_EQ(answers, 30);
}

TEST_P(ExecutorTest, AThrowingCompletionCostsNoOtherItsAnswer) {
    for (const bool inline_executor : {false, true}) {
        Engine& engine = inline_executor ? open(running_on([](const std::function<void()>& job) { job(); })) : open();
        std::vector<Pending<CreateExecution>> pending;
        for (int i = 0; i < 20; ++i) {
            engine.submit<CreateExecution>({},
                                           [](const Result<Created>&) { throw std::runtime_error("a bad caller"); });
            engine.submit<CreateExecution>(refused_at_the_door(), [](const Result<Created>&) { throw 42; });
            pending.push_back(start(engine, CreateExecution{}));
        }
        for (auto& one : pending) EXPECT_TRUE(answer_of(one));
    }
}

// ---- what no store does -----------------------------------------------------------------------------------------

// Throws while it loads a batch that creates an execution on the lane `poison`, or opens its first writers.
class PoisonedBackend : public ForwardingBackend {
  public:
    using ForwardingBackend::ForwardingBackend;

    StoreResult<std::unique_ptr<StoreWriter>> open_writer() override {
        if (!opened_.exchange(true)) throw std::bad_alloc();
        auto writer = ForwardingBackend::open_writer();
        if (!writer) return writer.error();
        return std::unique_ptr<StoreWriter>(std::make_unique<Writer>(std::move(*writer)));
    }

  private:
    class Writer : public StoreWriter {
      public:
        explicit Writer(std::unique_ptr<StoreWriter> inner) : inner_(std::move(inner)) {}
        StoreResult<Routes> ensure_classes(const RoutesWanted& wanted) override {
            return inner_->ensure_classes(wanted);
        }
        StoreResult<Loaded> load(const LoadRequest& request) override {
            auto loaded = inner_->load(request);
            for (const IdempotencyKey& key : request.idempotency_keys) {
                if (key.key == "poison") throw std::bad_alloc();
            }
            return loaded;
        }
        StoreResult<std::vector<Undispatched>> save(const WorkingSet& changes) override {
            return inner_->save(changes);
        }
        void abandon() override { inner_->abandon(); }
        StoreResult<bool> outcome(const Marker& marker) override { return inner_->outcome(marker); }
        StoreResult<std::uint32_t> sweep(std::uint32_t limit, std::int64_t age_ms) override {
            return inner_->sweep(limit, age_ms);
        }
        StoreResult<std::uint32_t> retire_lease_checks(std::uint32_t limit) override {
            return inner_->retire_lease_checks(limit);
        }
        StoreResult<OutboxState> open_outbox(Channel channel) override { return inner_->open_outbox(channel); }
        StoreResult<void> trim_outbox(Channel channel, const Trim& trim) override {
            return inner_->trim_outbox(channel, trim);
        }
        std::optional<std::chrono::milliseconds> notifications_due() override { return inner_->notifications_due(); }
        void flush_notifications() override { inner_->flush_notifications(); }
        StoreResult<void> maintain() override { throw std::runtime_error("out of order"); }

      private:
        std::unique_ptr<StoreWriter> inner_;
    };

    std::atomic<bool> opened_ = false;
};

TEST_P(ExecutorTest, AnUnexpectedExceptionOnAWriterCostsOnlyTheCommandThatCausesIt) {
    const auto engine = value_of(open_engine(std::make_shared<PoisonedBackend>(store().open_backend()), {}));
    std::vector<Pending<CreateExecution>> pending;
    for (int i = 0; i < 40; ++i) {
        CreateExecution command;
        if (i == 17) command.idempotency_key = "poison";
        pending.push_back(start(*engine, command));
    }
    for (std::size_t i = 0; i < pending.size(); ++i) {
        const auto answer = answer_of(pending[i]);
        if (i == 17) {
            expect_error(answer, ErrorKind::internal, "bad_alloc");
        } else {
            EXPECT_TRUE(answer);
        }
    }
}

}  // namespace
}  // namespace flowfabric::test
