#include <sys/wait.h>

#include <csignal>
#include <thread>

#include "e2e/e2e_test.hpp"
#include "e2e/frozen_server.hpp"
#include "e2e/load.hpp"
#include "e2e/server_process.hpp"

namespace flowfabric::test {
namespace {

// A freeze that ends before a connection is given up for its silence (35 s): what waits for the server in it has to end
// by itself.
class Freeze {
  public:
    ~Freeze() { EXPECT_LT(std::chrono::steady_clock::now() - begun_, 30s) << "a wait ended with the connection only"; }

  private:
    const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    const FrozenServer frozen_;
};

class HungDatabase : public EndToEnd {
  protected:
    void SetUp() override {
        if (!FrozenServer::possible()) GTEST_SKIP() << "no FF_TEST_PGDATA: run under script/with-postgres";
        EndToEnd::SetUp();
    }

    // With connections for reads and writes.
    std::unique_ptr<Engine> open_warm(EngineOptions options) {
        auto engine = store().open_engine(std::move(options));
        value_of(engine->create_execution({.lane_id = "warm"}));
        value_of(engine->list_lanes());
        return engine;
    }

    static bool ended_without_answer(const EngineError& error) {
        return error.kind == ErrorKind::timeout || error.kind == ErrorKind::unknown_outcome;
    }

    std::size_t stored() { return snapshot().executions.size(); }
};
INSTANTIATE_TEST_SUITE_P(Stores, HungDatabase, ::testing::Values(StoreKind::postgres), name_of_param);

TEST_P(HungDatabase, ACreateInFlightEndsByItsDeadline) {
    const auto engine = open_warm({.command_deadline = 500ms});
    {
        const Freeze frozen;
        for (int i = 0; i < 3; ++i) {
            const auto created = engine->create_execution({.idempotency_key = "only-once"});
            ASSERT_FALSE(created);
            EXPECT_TRUE(ended_without_answer(created.error())) << to_string(created.error());
        }
    }
    await("the server", [&] { return engine->create_execution({.idempotency_key = "only-once"}).has_value(); });
    EXPECT_EQ(stored(), 2U);
}

TEST_P(HungDatabase, AReadOnAnOpenConnectionEndsByItsDeadline) {
    const auto engine = open_warm({.command_deadline = 500ms});
    {
        const Freeze frozen;
        // More of them than there are connections.
        std::vector<std::thread> readers;
        for (int i = 0; i < 12; ++i) {
            readers.emplace_back([&] {
                const auto lanes = engine->list_lanes();
                ASSERT_FALSE(lanes);
                EXPECT_EQ(lanes.error().kind, ErrorKind::timeout) << to_string(lanes.error());
            });
        }
        for (auto& reader : readers) reader.join();
    }
    await("the server", [&] { return engine->list_lanes().has_value(); });
}

TEST_P(HungDatabase, AnEngineEndsAndAnswersWhatIsUnderWay) {
    auto engine = open_warm({});
    std::vector<ErrorKind> errors;
    {
        const Freeze frozen;
        for (int i = 0; i < 3; ++i) {
            engine->submit(CreateExecution{}, [&](const Result<Created>& created) {
                errors.push_back(created ? ErrorKind::internal : created.error().kind);
            });
        }
        engine.reset();
    }
    ASSERT_EQ(errors.size(), 3U);
    for (const ErrorKind kind : errors) {
        EXPECT_TRUE(kind == ErrorKind::unavailable || kind == ErrorKind::unknown_outcome) << name_of(kind);
    }
}

TEST_P(HungDatabase, CostsTimeAndNothingElseOnceItGoesOn) {
    const auto engine = store().open_engine();
    const auto impatient = open_warm({.run_reconcilers = false, .command_deadline = 300ms});
    constexpr std::size_t executions = 1000;
    Load load(*engine, {.executions = executions});
    for (const std::size_t completed : {100U, 500U}) {
        load.await_completed(completed);
        const Freeze frozen;
        EXPECT_FALSE(impatient->list_lanes());
    }
    load.await_end();
    const Acknowledged acknowledged = load.acknowledged();
    EXPECT_EQ(acknowledged.contradictions, std::vector<std::string>{});
    EXPECT_EQ(acknowledged.completed, acknowledged.created);
    EXPECT_EQ(stored(), executions + 1);
}

TEST_P(HungDatabase, ProgramsEndWhenAskedTo) {
    const auto id = submit({"--lane", "warm"});
    Process server(command({"server", "--json", "--listen", "127.0.0.1:0"}));
    Process worker(command({"worker", "--json", "--lane", "warm", "--", "cat"}));
    Process tail(command({"tail", "--channel", "lease"}));
    server.await_line("url");
    worker.await_line(id);
    tail.await_line("following");

    const Freeze frozen;
    for (Process* program : {&server, &worker, &tail}) program->signal(SIGTERM);
    for (Process* program : {&server, &worker, &tail}) EXPECT_EQ(program->wait(), 0) << program->errors();
}

class HungServer : public ServerProcess {
  protected:
    void SetUp() override {
        if (!FrozenServer::possible()) GTEST_SKIP() << "no FF_TEST_PGDATA: run under script/with-postgres";
        ServerProcess::SetUp();
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, HungServer, ::testing::Values(StoreKind::postgres), name_of_param);

TEST_P(HungServer, IsNotReadyFromTheSignalOnAndEndsWithItsRequests) {
    const std::string body = R"({"execution_kind":"test","lane_id":"default"})";
    serve();
    auto upload = begin_request(port(), "/v1/executions", body);
    const Freeze frozen;
    await("the store to be missed, by webhooks as well", [&] { return get("/healthz").status == 503; });
    server().signal(SIGTERM);
    await("readiness to end", [&] { return get("/readyz").body.find("draining") != std::string::npos; });
    upload.reset();
    EXPECT_EQ(server().wait(), 0) << server().errors();
}

TEST_P(HungDatabase, ASecondSignalEndsAProgramAtOnce) {
    Process server(command({"server", "--json", "--listen", "127.0.0.1:0"}));
    server.await_line("url");
    const Freeze frozen;
    server.signal(SIGTERM);
    server.signal(SIGINT);
    EXPECT_THAT(server.wait(), ::testing::AnyOf(128 + SIGTERM, 128 + SIGINT));
}

TEST_P(HungDatabase, AProgramThatStillConnectsEndsWhenAskedTo) {
    const Freeze frozen;
    Process server(command({"server", "--json", "--listen", "127.0.0.1:0"}));
    const std::string tasks = "/proc/" + std::to_string(server.id()) + "/task";
    await("its second thread, which waits for signals",
          [&] { return std::distance(std::filesystem::directory_iterator(tasks), {}) > 1; });
    server.signal(SIGTERM);
    EXPECT_EQ(server.wait(), 128 + SIGTERM);
}

// ---- a worker's programs ----------------------------------------------------------------------------------------

class TwiceSignalled : public EndToEnd {};
INSTANTIATE_TEST_SUITE_P(Stores, TwiceSignalled, durable_stores(), name_of_param);

TEST_P(TwiceSignalled, AWorkerEndsAtOnceAndItsProgramWithIt) {
    adopt_orphans();
    const ScratchFile child;
    submit({"--lane", "reports"});
    Process worker(command({"worker", "--json", "--lane", "reports", "--", "sh", "-c",
                            "trap '' TERM; echo $$ > " + child.path() + "; sleep 600 & wait; sleep 600"}));
    const int program = std::stoi(child.await_text());
    worker.signal(SIGTERM);
    worker.await_line("stopping");
    worker.signal(SIGTERM);
    EXPECT_EQ(worker.wait(), 128 + SIGTERM);
    int status = 0;
    ASSERT_EQ(::waitpid(program, &status, 0), program);
    EXPECT_TRUE(WIFSIGNALED(status));
}

}  // namespace
}  // namespace flowfabric::test
