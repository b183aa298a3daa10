#include <algorithm>
#include <atomic>
#include <mutex>

#include "concurrency/engine_test.hpp"

namespace flowfabric::test {
namespace {

class ConcurrentClaims : public EngineTest {};
INSTANTIATE_TEST_SUITE_P(Stores, ConcurrentClaims, all_stores(), name_of_param);

TEST_P(ConcurrentClaims, SixteenClaimersNeverGetTheSameExecution) {
    Engine& engine = open();
    const auto created = create(engine, 160);
    std::mutex mutex;  // guards claimed
    std::vector<ExecutionId> claimed;
    std::atomic<std::size_t> completed = 0;
    on_threads(16, [&](int thread) {
        Claim command = claim_by("w" + std::to_string(thread));
        command.max_count = 1 + static_cast<std::uint32_t>(thread) % 3;
        command.max_wait_ms = 50;
        while (completed < created.size()) {
            for (const auto& execution : value_of(engine.claim(command)).executions) {
                {
                    const std::scoped_lock lock(mutex);
                    claimed.push_back(execution.execution_id);
                }
                value_of(engine.complete({.lease = execution.handle, .result = "done"}));
                ++completed;
            }
        }
    });

    std::ranges::sort(claimed);
    EXPECT_EQ(std::ranges::adjacent_find(claimed), claimed.end()) << "claimed twice";
    EXPECT_EQ(std::set(claimed.begin(), claimed.end()), created);
    for (const auto& [id, stored] : snapshot().executions) {
        EXPECT_EQ(stored.row.vector.public_state, PublicState::completed) << id.to_string();
        EXPECT_EQ(stored.row.total_attempt_count, 1) << id.to_string();
    }
}

TEST_P(ConcurrentClaims, FiftyCreatesWithOneKeyMakeOneExecution) {
    Engine& first = open();
    Engine& second = open();
    std::mutex mutex;  // guards answers
    std::vector<Created> answers;
    on_threads(50, [&](int thread) {
        Engine& engine = thread % 2 == 0 ? first : second;
        const auto created = value_of(engine.create_execution({.execution_kind = "once", .idempotency_key = "key"}));
        const std::scoped_lock lock(mutex);
        answers.push_back(created);
    });

    EXPECT_EQ(std::ranges::count(answers, true, &Created::duplicate), 49);
    const auto stored = snapshot();
    ASSERT_EQ(stored.executions.size(), 1U);
    for (const Created& answer : answers) EXPECT_EQ(answer.execution_id, stored.executions.begin()->first);
}

TEST_P(ConcurrentClaims, ManyKeysTakenByManyEnginesAtOnceEachMakeOneExecution) {
    const std::vector<Engine*> engines{&open(), &open(), &open()};
    constexpr int keys = 20;
    std::mutex mutex;  // guards ids
    std::map<int, std::set<ExecutionId>> ids;
    on_threads(9, [&](int thread) {
        for (int i = 0; i < keys; ++i) {
            // Every thread takes the keys in another order.
            const int key = (i * 7 + thread * 3) % keys;
            const auto created = value_of(engines[static_cast<std::size_t>(thread % 3)]->create_execution(
                {.execution_kind = "once", .idempotency_key = std::to_string(key)}));
            const std::scoped_lock lock(mutex);
            ids[key].insert(created.execution_id);
        }
    });

    for (const auto& [key, named] : ids) EXPECT_EQ(named.size(), 1U) << "key " << key;
    EXPECT_EQ(snapshot().executions.size(), static_cast<std::size_t>(keys));
}

TEST_P(ConcurrentClaims, WaitingClaimsAreWokenByASubmitOfTheSameEngine) {
    Engine& engine = open();
    Claim command = claim_by("w1");
    command.max_wait_ms = 100'000;
    std::vector<Pending<Claim>> waiting;
    for (int i = 0; i < 8; ++i) waiting.push_back(start(engine, command));
    await_empty_look(engine, command);

    const auto created = create(engine, 8);

    std::set<ExecutionId> claimed;
    for (auto& one : waiting) {
        for (const auto& execution : value_of(answer_of(one)).executions) claimed.insert(execution.execution_id);
    }
    EXPECT_EQ(claimed, created);
}

TEST_P(ConcurrentClaims, WaitingClaimIsWokenByASubmitOfAnotherEngine) {
    Engine& here = open();
    Engine& there = open();
    Claim command = claim_by("w1");
    // One lane is new to both engines: the claim learns of its class together with its work.
    command.lanes = {"default", "new"};
    command.max_wait_ms = 100'000;
    for (const std::string lane : {"default", "new", "default"}) {
        auto waiting = start(here, command);
        await_empty_look(here, command);

        const auto created = create(there, 1, {.lane_id = lane});

        const auto claimed = value_of(answer_of(waiting)).executions;
        ASSERT_EQ(claimed.size(), 1U);
        EXPECT_EQ(claimed.front().execution_id, *created.begin());
    }
}

TEST_P(ConcurrentClaims, WaitingClaimThatFindsNothingIsAnsweredWithNothing) {
    Engine& engine = open();
    Claim command = claim_by("w1");
    command.max_wait_ms = 20;
    EXPECT_TRUE(value_of(engine.claim(command)).executions.empty());
}

}  // namespace
}  // namespace flowfabric::test
