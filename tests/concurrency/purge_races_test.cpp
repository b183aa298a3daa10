#include <atomic>

#include "concurrency/engine_test.hpp"

// Who removes, who replays and who is late: each of them is told what happened.
namespace flowfabric::test {
namespace {

class PurgeRaces : public EngineTest {
  protected:
    static constexpr int rounds = 30;

    static ExecutionId end_one(Engine& engine) {
        const ExecutionId id = value_of(engine.create_execution({})).execution_id;
        value_of(engine.cancel_execution({.execution = {.execution_id = id}}));
        return id;
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, PurgeRaces, all_stores(), name_of_param);

TEST_P(PurgeRaces, OfManyPurgesOneRemoves) {
    Engine& one = open();
    Engine& other = open();
    for (int round = 0; round < rounds; ++round) {
        const ExecutionId id = end_one(one);
        std::atomic<int> removed = 0;
        on_threads(4, [&](int thread) {
            const auto purged = (thread % 2 == 0 ? one : other).purge_execution({id});
            if (purged) {
                ++removed;
            } else {
                EXPECT_EQ(purged.error().kind, ErrorKind::execution_not_found) << to_string(purged.error());
            }
        });
        EXPECT_EQ(removed, 1);
    }
    close_all();
    EXPECT_TRUE(snapshot().executions.empty());
}

TEST_P(PurgeRaces, AReplayAgainstAPurgeHasOneWinner) {
    Engine& one = open();
    Engine& other = open();
    std::size_t kept = 0;
    for (int round = 0; round < rounds; ++round) {
        const ExecutionId id = end_one(one);
        std::optional<Result<Purged>> purged;
        std::optional<Result<Replayed>> replayed;
        on_threads(2, [&](int thread) {
            if (thread == round % 2) {
                purged = one.purge_execution({id});
            } else {
                replayed = other.replay_execution({id});
            }
        });
        ASSERT_NE(purged->has_value(), replayed->has_value()) << "round " << round;
        const EngineError& loser = *purged ? replayed->error() : purged->error();
        EXPECT_EQ(loser.kind, *purged ? ErrorKind::execution_not_found : ErrorKind::execution_not_terminal);
        kept += *purged ? 0U : 1U;
    }
    close_all();
    EXPECT_EQ(snapshot().executions.size(), kept);
}

TEST_P(PurgeRaces, RetentionAndBulkPurgesLeaveNothing) {
    EngineOptions options;
    options.execution_retention = std::chrono::milliseconds(1);
    Engine& one = open(options);
    Engine& other = open(options);
    on_threads(2, [&](int thread) {
        Engine& engine = thread == 0 ? one : other;
        for (int i = 0; i < rounds; ++i) {
            const ExecutionId id = end_one(engine);
            if (i % 10 == 0) {
                StartBulkOperation purge{.action = BulkAction::purge};
                purge.filter.lane_id = "default";
                value_of(engine.call(std::move(purge)));
            }
            const auto purged = engine.purge_execution({id});
            EXPECT_TRUE(purged || purged.error().kind == ErrorKind::execution_not_found);
        }
    });
    await([&] { return value_of(one.read(SearchExecutions{})).executions.empty(); });
}

}  // namespace
}  // namespace flowfabric::test
