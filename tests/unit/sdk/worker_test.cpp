#include "sdk/worker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "runtime/hub/serial_executor.hpp"
#include "support/fixture.hpp"
#include "support/live_store.hpp"

// Workers among code of their callers' that misbehaves: executors that stand still, handlers and observers that throw.
namespace flowfabric::sdk::test {
namespace {

using namespace std::chrono_literals;
using flowfabric::test::LiveStore;
using flowfabric::test::StoreKind;
using flowfabric::test::value_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::chrono::seconds patience{60};

void await(const std::function<bool()>& condition) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > until) throw std::runtime_error("what must come did not come");
        std::this_thread::sleep_for(1ms);
    }
}

// What a worker has reported.
class Reports {
  public:
    void add(const TaskReport& report) {
        const std::lock_guard lock(mutex_);
        ends_.push_back(report.end);
        details_ += report.detail;
    }
    std::vector<TaskEnd> ends() const {
        const std::lock_guard lock(mutex_);
        return ends_;
    }
    std::string details() const {
        const std::lock_guard lock(mutex_);
        return details_;
    }

  private:
    mutable std::mutex mutex_;  // guards the rest
    std::vector<TaskEnd> ends_;
    std::string details_;
};

class WorkerTest : public ::testing::Test {
  protected:
    Engine& open(Executor executor = {}) {
        EngineOptions options;
        options.executor = std::move(executor);
        engine_ = store_.open_engine(std::move(options));
        return *engine_;
    }
    WorkerOptions options() {
        WorkerOptions options;
        options.worker_id = "w1";
        options.worker_instance_id = "w1-1";
        options.lease_ttl = 1000ms;
        options.claim_wait = 50ms;
        options.stop_grace = 0ms;
        options.on_finished = [this](const TaskReport& report) { reports_.add(report); };
        return options;
    }
    static TaskOutcome work_until_stopped(const Task& task) {
        while (!task.stop.stop_requested()) std::this_thread::sleep_for(1ms);
        return TaskAbandoned{};
    }

    Reports reports_;
    SerialExecutor loop_;  // outlives the engine, whose answers it may still have to run

  private:
    LiveStore store_{StoreKind::memory};
    std::unique_ptr<Engine> engine_;
};

// The handler takes twice as long as the lease lasts without a renewal.
TEST_F(WorkerTest, AStalledExecutorLetsNoRenewedLeaseLapse) {
    Engine& engine = open([](const std::function<void()>&) {});
    value_of(engine.create_execution({}));
    Worker worker(engine, options(), [](const Task& task) -> TaskOutcome {
        const auto until = std::chrono::steady_clock::now() + 2500ms;
        while (!task.stop.stop_requested() && std::chrono::steady_clock::now() < until) {
            std::this_thread::sleep_for(1ms);
        }
        return TaskSuccess{};
    });
    await([&] { return !reports_.ends().empty(); });
    EXPECT_THAT(reports_.ends(), ElementsAre(TaskEnd::completed));
}

TEST_F(WorkerTest, StopsOnAnExecutorOfOneThreadWhileARenewalIsUnderWay) {
    Engine& engine = open([this](std::function<void()> job) { loop_.post(std::move(job)); });
    value_of(engine.create_execution({}));
    std::atomic<bool> running = false;
    Worker worker(engine, options(), [&](const Task& task) {
        running = true;
        return work_until_stopped(task);
    });
    await([&] { return running.load(); });
    std::promise<void> stopped;
    loop_.post([&] {
        std::this_thread::sleep_for(600ms);  // a renewal comes due meanwhile
        worker.stop();
        stopped.set_value();
    });
    EXPECT_EQ(stopped.get_future().wait_for(patience), std::future_status::ready);
    EXPECT_THAT(reports_.ends(), ElementsAre(TaskEnd::abandoned));
}

TEST_F(WorkerTest, ALeaseThatIsRevokedAsksItsHandlerToStop) {
    Engine& engine = open([](const std::function<void()>&) {});
    const ExecutionId id = value_of(engine.create_execution({})).execution_id;
    std::atomic<bool> running = false;
    Worker worker(engine, options(), [&](const Task& task) {
        running = true;
        return work_until_stopped(task);
    });
    await([&] { return running.load(); });
    value_of(engine.revoke_lease({.execution_id = id, .reason = "test"}));
    await([&] { return !reports_.ends().empty(); });
    EXPECT_THAT(reports_.ends(), ElementsAre(TaskEnd::lease_lost));
}

TEST_F(WorkerTest, ATaskThatIsGivenBackCostsNoAttempt) {
    Engine& engine = open();
    const ExecutionId id = value_of(engine.create_execution({})).execution_id;
    std::atomic<int> calls = 0;
    Worker worker(engine, options(), [&](const Task&) -> TaskOutcome {
        if (++calls == 1) return TaskReleased{};
        return TaskSuccess{};
    });
    await([&] { return reports_.ends().size() == 2; });
    EXPECT_THAT(reports_.ends(), ElementsAre(TaskEnd::released, TaskEnd::completed));
    EXPECT_EQ(value_of(engine.describe_execution(id))->retry_count, 0U);
}

// A client that calls back when a claim has taken something, before the worker knows.
class ClientThatTells : public Client {
  public:
    explicit ClientThatTells(Client& engine) : engine_(engine) {}

    std::function<void()> on_taken;

    void submit_any(Commands command, Reply reply, AnswerOn where) override {
        if (!std::holds_alternative<Claim>(command)) return engine_.submit_any(std::move(command), reply, where);
        engine_.submit_any(
            std::move(command),
            [this, reply](Result<std::any> answer) {
                if (answer && !std::any_cast<const Claimed&>(*answer).executions.empty()) on_taken();
                reply(std::move(answer));
            },
            where);
    }
    Result<std::any> read_any(Queries query) override { return engine_.read_any(std::move(query)); }

  private:
    Client& engine_;
};

TEST_F(WorkerTest, WhatAClaimBringsAfterTheWorkerWasAskedToDrainIsGivenBack) {
    Engine& engine = open();
    ClientThatTells client(engine);
    std::promise<Worker*> made;
    client.on_taken = [worker = made.get_future().share()] { worker.get()->drain(); };
    Worker worker(client, options(), [](const Task&) { return TaskSuccess{}; });
    made.set_value(&worker);
    const ExecutionId id = value_of(engine.create_execution({})).execution_id;
    EXPECT_TRUE(worker.wait());
    EXPECT_THAT(reports_.ends(), ElementsAre());
    const auto left = value_of(engine.describe_execution(id));
    EXPECT_EQ(left->vector.public_state, PublicState::waiting);
    EXPECT_EQ(left->retry_count, 0U);
}

TEST_F(WorkerTest, AnOperatorMakesItQuietAndEndsIt) {
    Engine& engine = open();
    value_of(engine.set_worker_mode({.worker_id = "w1", .mode = WorkerMode::quiet}));
    std::promise<void> quiet;
    std::atomic<bool> stopping = false;
    WorkerOptions asked = options();
    asked.on_mode = [&](const WorkerMode& mode) {
        if (mode == WorkerMode::quiet) quiet.set_value();
        if (mode == WorkerMode::stop) stopping = true;
    };
    Worker worker(engine, asked, [](const Task&) { return TaskSuccess{}; });
    ASSERT_EQ(quiet.get_future().wait_for(patience), std::future_status::ready);
    value_of(engine.create_execution({}));
    value_of(engine.set_worker_mode({.worker_id = "w1", .mode = WorkerMode::run}));
    await([&] { return !reports_.ends().empty(); });
    value_of(engine.set_worker_mode({.worker_instance_id = "w1-1", .mode = WorkerMode::stop}));
    EXPECT_TRUE(worker.wait());
    EXPECT_TRUE(stopping);
}

TEST_F(WorkerTest, AHandlerThatThrowsWhatIsNoExceptionFailsItsTaskAndEndsNothing) {
    Engine& engine = open();
    for (int i = 0; i < 2; ++i) value_of(engine.create_execution({}));
    Worker worker(engine, options(), [](const Task&) -> TaskOutcome {
        throw 42;  // NOLINT(hicpp-exception-baseclass): that is the point
    });
    await([&] { return reports_.ends().size() == 2; });
    EXPECT_THAT(reports_.ends(), ElementsAre(TaskEnd::failed, TaskEnd::failed));
    EXPECT_THAT(reports_.details(), HasSubstr("handler threw: something that is no exception"));
}

TEST_F(WorkerTest, ThrowingObserversCostNoTaskAndEndNothing) {
    Engine& engine = open();
    for (int i = 0; i < 3; ++i) value_of(engine.create_execution({}));
    std::atomic<int> finished = 0;
    std::atomic<int> refusals = 0;
    std::atomic<int> claim_errors = 0;
    WorkerOptions throwing = options();
    throwing.namespace_name = "not fit";
    throwing.on_registration_refused = [&](const EngineError&) {
        ++refusals;
        throw std::runtime_error("a bad caller");
    };
    throwing.on_finished = [&](const TaskReport& report) {
        if (report.end == TaskEnd::completed) ++finished;
        throw 42;  // NOLINT(hicpp-exception-baseclass): that is the point
    };
    throwing.on_claim_error = [&](const EngineError&) {
        ++claim_errors;
        throw std::runtime_error("a bad caller");
    };
    Worker worker(engine, throwing, [](const Task&) { return TaskSuccess{}; });
    await([&] { return finished == 3 && refusals == 1; });
    engine.end_within(0ms);
    await([&] { return claim_errors > 1; });
    worker.stop();
}

}  // namespace
}  // namespace flowfabric::sdk::test
