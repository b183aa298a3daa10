#include <csignal>
#include <cstdlib>
#include <random>
#include <sstream>

#include "e2e/e2e_test.hpp"
#include "e2e/load.hpp"
#include "support/sql_session.hpp"

namespace flowfabric::test {
namespace {

// ---- the engine's process dies ----------------------------------------------------------------------------------

class KilledProcess : public EndToEnd {
  protected:
    // An engine under load in a process of its own, which says what was acknowledged.
    Process start_load(std::size_t executions) {
        return Process([this, executions](int output) {
            const auto engine = store().open_engine();
            Load load(*engine, {.executions = executions, .lease_ttl_ms = 1000},
                      [&](std::string_view what, const ExecutionId& id) {
                          const std::string line = std::string(what) + " " + id.to_string() + "\n";
                          if (::write(output, line.data(), line.size()) < 0) ::_exit(1);
                      });
            load.await_end();
        });
    }

    static void add(const Process& process, Acknowledged& acknowledged) {
        for (const Line& line : process.lines()) {
            std::string what;
            std::string id;
            std::istringstream(line.text) >> what >> id;
            auto& ids = what == "created" ? acknowledged.created : acknowledged.completed;
            ids.insert(value_of(ExecutionId::parse(id)));
        }
    }

    // The server still carries out what the dead had sent; a dump, which is of many moments, must not see half of it.
    void await_last_words() {
        if (GetParam() != StoreKind::postgres) return;
        SqlSession session(store().url());
        await("the end of the sessions of the dead", [&] {
            return session.run(
                       "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> "
                       "pg_backend_pid() AND backend_type = 'client backend'") == "0";
        });
    }

    // Completes all there is, including what the dead held.
    static void drain(Engine& engine) {
        const auto left = [&](PublicState state) {
            return !value_of(engine.list_executions({.state = state, .limit = 1})).executions.empty();
        };
        Claim command = claim_by("drain");
        command.max_count = 500;
        command.max_wait_ms = 200;
        while (left(PublicState::waiting) || left(PublicState::active)) {
            for (const auto& claimed : value_of(engine.claim(command)).executions) {
                value_of(engine.complete({.lease = claimed.handle}));
            }
        }
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, KilledProcess, durable_stores(), name_of_param);

TEST_P(KilledProcess, LosesNothingThatWasAcknowledged) {
    Acknowledged acknowledged;
    for (const std::size_t lines : {300U, 700U, 50U}) {
        Process process = start_load(100'000);
        process.await_lines(lines);
        process.signal(SIGKILL);
        EXPECT_EQ(process.wait(), -SIGKILL);
        await_last_words();
        add(process, acknowledged);
        expect_invariants(*store().open_backend());
    }
    const auto after_crashes = snapshot();
    for (const ExecutionId& id : acknowledged.created) {
        EXPECT_TRUE(after_crashes.executions.contains(id)) << "lost " << id.to_string();
    }
    for (const ExecutionId& id : acknowledged.completed) {
        EXPECT_EQ(after_crashes.executions.at(id).row.vector.public_state, PublicState::completed) << id.to_string();
    }

    drain(*store().open_engine());

    const auto drained = snapshot();
    EXPECT_EQ(drained.completion_events.size(), drained.executions.size());
    EXPECT_EQ(violations_between(after_crashes, drained), std::vector<std::string>{});
}

// ---- the database dies, or its connections ----------------------------------------------------------------------

class FailingDatabase : public EndToEnd {
  protected:
    // Whatever happened in between, the answers and the rows tell the same: each execution was completed once.
    void expect_exactly_once(const Acknowledged& acknowledged, std::size_t executions) {
        EXPECT_EQ(acknowledged.contradictions, std::vector<std::string>{});
        EXPECT_EQ(acknowledged.created.size(), executions);
        EXPECT_EQ(acknowledged.completed, acknowledged.created);
        const auto stored = snapshot();
        EXPECT_EQ(stored.executions.size(), executions) << "an execution that nobody was told about";
        EXPECT_EQ(stored.completion_events.size(), executions);
        for (const auto& [id, execution] : stored.executions) {
            EXPECT_EQ(execution.row.vector.public_state, PublicState::completed) << id.to_string();
            EXPECT_EQ(execution.row.total_attempt_count, 1) << id.to_string();
        }
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, FailingDatabase, ::testing::Values(StoreKind::postgres), name_of_param);

TEST_P(FailingDatabase, RestartedInTheMiddleCostsTimeAndNothingElse) {
    const char* control = std::getenv("FF_TEST_PGCTL");
    if (control == nullptr) GTEST_SKIP() << "no FF_TEST_PGCTL: run under script/with-postgres";
    const auto engine = store().open_engine();
    constexpr std::size_t executions = 3000;
    Load load(*engine, {.executions = executions});
    for (const std::size_t completed : {200U, 1500U}) {
        load.await_completed(completed);
        Process restart({control, "restart-immediate"});
        ASSERT_EQ(restart.wait_for(patience), 0) << restart.errors();
    }
    load.await_end();
    expect_exactly_once(load.acknowledged(), executions);
}

TEST_P(FailingDatabase, RepliesLostWithTheirConnectionsAreFoundOutAbout) {
    const auto engine = store().open_engine();
    constexpr std::size_t executions = 4000;
    Load load(*engine, {.executions = executions});
    SqlSession killer(store().url());
    const auto seed = std::random_device{}();
    RecordProperty("seed", std::to_string(seed));
    std::minstd_rand random(seed);
    int ended = 0;
    for (int round = 0; round < 300 && load.completed() < executions; ++round) {
        // Those that are writing at this moment; which of their messages gets through is left to chance.
        const auto found = killer.run(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND (state <> 'idle' OR random() < 0.1)");
        ended += std::stoi(found);
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 40'000));
    }
    load.await_end();
    RecordProperty("connections_ended", ended);
    EXPECT_GT(ended, 0);
    expect_exactly_once(load.acknowledged(), executions);
}

}  // namespace
}  // namespace flowfabric::test
