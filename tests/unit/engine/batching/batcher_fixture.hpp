#pragma once

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "engine/batching/batcher.hpp"
#include "unit/core/fixtures.hpp"

namespace flowfabric::test {

inline Command complete(std::uint64_t row) {
    return Given(Complete{.lease = lease_on(running_row(row))}).command;
}

inline Command create(std::uint64_t row) {
    return command_of(create_of(row));
}

inline Command claim(std::uint32_t count = 1) {
    return Given(claim_by("worker-a", 7, count)).command;
}

inline StoreError fault(StoreFault kind) {
    return {.fault = kind, .detail = "injected"};
}

// A batcher with the runtime played by the test: it tells the time, runs batches and collects the answers.
class BatcherTest : public testing::Test {
  protected:
    static constexpr SteadyMs deadline = 30'000;

    explicit BatcherTest(BatchPolicy policy = {}) : batcher(policy, directory) {
        directory.learn_routes({.classes = {{.class_id = 1, .lane_id = "default", .required_capabilities = {}}}});
    }

    std::optional<EngineError> try_submit(Command command, SteadyMs wait_until = 0, std::size_t bytes = 0) {
        PendingCommand pending;
        pending.id = ++last_id;
        pending.rows = static_cast<std::uint32_t>(command->rows());
        pending.command = std::move(command);
        pending.deadline = deadline;
        pending.wait_until = wait_until;
        pending.bytes = bytes;
        return batcher.submit(std::move(pending));
    }

    CommandId submit(Command command, SteadyMs wait_until = 0, std::size_t bytes = 0) {
        EXPECT_FALSE(try_submit(std::move(command), wait_until, bytes));
        return last_id;
    }

    std::optional<Batch> next(WriterRole role = WriterRole::primary) { return batcher.next(role, now); }

    Batch take(WriterRole role = WriterRole::primary) {
        auto batch = next(role);
        EXPECT_TRUE(batch) << "nothing to do at " << now;
        if (!batch) return {};
        EXPECT_TRUE(batcher.resolve_classes(*batch, now));
        return std::move(*batch);
    }

    static std::vector<CommandId> ids(const Batch& batch) {
        std::vector<CommandId> all;
        for (const PendingCommand& pending : batch.commands) all.push_back(pending.id);
        return all;
    }

    static BatchDecision decision_of(const Batch& batch, Verdict verdict) {
        BatchDecision decision;
        decision.sights.resize(batch.selections.size());
        decision.handed_over.resize(batch.waiting_claims.size());
        const Answer answer =
            verdict == Verdict::empty_claim ? Answer::of<Claimed>({}) : Answer::of<TimerFired>({.changed = true});
        for (std::size_t i = 0; i < batch.commands.size(); ++i) decision.verdicts.push_back({verdict, answer});
        return decision;
    }

    void commit(Batch batch, Verdict verdict = Verdict::answered) {
        BatchDecision decision = decision_of(batch, verdict);
        batcher.committed(std::move(batch), std::move(decision), now, finished);
        collect();
    }

    void fail(Batch batch, StoreFault kind) {
        batcher.failed(std::move(batch), fault(kind), now, finished);
        collect();
    }

    void expire() {
        batcher.expire(now, finished);
        collect();
    }

    void collect() {
        for (Finished& done : finished) {
            EXPECT_FALSE(answers.contains(done.id)) << "answered twice: " << done.id;
            answers.emplace(done.id, std::move(done.answer));
        }
        finished.clear();
    }

    // How a command failed; nothing if it is unanswered or succeeded.
    std::optional<ErrorKind> error_of(CommandId id) const {
        const auto found = answers.find(id);
        if (found == answers.end() || found->second) return std::nullopt;
        return found->second.error().kind;
    }
    bool answered(CommandId id) const { return answers.contains(id); }
    bool succeeded(CommandId id) const { return answers.contains(id) && answers.at(id).has_value(); }

    ClaimDirectory directory{false};
    Batcher batcher;
    SteadyMs now = 100;
    CommandId last_id = 0;
    std::vector<Finished> finished;
    std::map<CommandId, Result<Answer>> answers;
};

}  // namespace flowfabric::test
