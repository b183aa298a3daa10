#include <atomic>

#include "concurrency/engine_test.hpp"

// Streams that several threads and engines write to and follow at once.
namespace flowfabric::test {
namespace {

using namespace std::chrono_literals;

class StreamsTest : public ::testing::TestWithParam<StoreKind> {
  protected:
    void SetUp() override {
        if (!have_store(GetParam())) return;
        store_ = std::make_unique<LiveStore>(GetParam());
        for (auto& engine : engines_) engine = store_->open_engine({.run_reconcilers = false});
    }
    void TearDown() override {
        for (auto& engine : engines_) engine.reset();
        if (store_) expect_invariants(*store_->open_backend());
    }

    Engine& engine_of(int thread) { return *engines_[static_cast<std::size_t>(thread) % engines_.size()]; }

    ClaimedExecution claim_new() {
        value_of(engine_of(0).create_execution({}));
        Claim claim = claim_by("w1");
        claim.lease_ttl_ms = 600'000;
        return value_of(engine_of(0).claim(claim)).executions.at(0);
    }
    static AppendFrame frame(const Handle& lease, std::string payload) {
        AppendFrame command;
        command.lease = lease;
        command.payload = std::move(payload);
        return command;
    }

    // In memory a rival that goes on and on may keep the execution for longer than a writer waits for it; what is
    // refused so was not written.
    static void append(Engine& engine, const AppendFrame& frame) {
        for (;;) {
            const auto appended = engine.append_frame(frame);
            const bool kept_waiting =
                !appended && GetParam() == StoreKind::memory && appended.error().kind == ErrorKind::retry_exhausted;
            if (kept_waiting) continue;
            value_of(appended);
            return;
        }
    }

    // Follows a stream to its end, as a client would.
    static std::vector<StreamFrame> follow(Engine& engine, const ExecutionId& id) {
        std::vector<StreamFrame> seen;
        TailStream tail{.execution_id = id, .attempt_index = 0, .block_ms = 30'000};
        for (;;) {
            const StreamPage page = value_of(engine.tail_stream(tail));
            seen.insert(seen.end(), page.frames.begin(), page.frames.end());
            if (!page.frames.empty()) tail.after = page.frames.back().id;
            if (page.frames.empty() && page.closed_at_ms) return seen;
        }
    }

    std::unique_ptr<LiveStore> store_;
    std::array<std::unique_ptr<Engine>, 2> engines_;
};
INSTANTIATE_TEST_SUITE_P(Stores, StreamsTest, all_stores(), name_of_param);

TEST_P(StreamsTest, FollowersSeeEveryFrameOfTwoAppendersOnceAndInOrder) {
    constexpr int frames = 150;
    const ClaimedExecution claimed = claim_new();
    std::array<std::vector<StreamFrame>, 2> seen;
    std::atomic<int> writing = 2;
    on_threads(4, [&](int thread) {
        if (thread < 2) {
            for (int i = 0; i < frames; ++i) {
                const std::string payload = std::to_string(thread) + ":" + std::to_string(i);
                append(engine_of(thread), frame(claimed.handle, payload));
            }
            if (writing.fetch_sub(1) == 1) value_of(engine_of(thread).complete({.lease = claimed.handle}));
        } else {
            seen[static_cast<std::size_t>(thread - 2)] = follow(engine_of(thread), claimed.execution_id);
        }
    });
    for (const auto& one : seen) {
        std::array<int, 2> next{};
        std::optional<FrameId> last;
        for (const StreamFrame& frame : one) {
            EXPECT_TRUE(!last || *last < frame.id);
            last = frame.id;
            const auto writer = static_cast<std::size_t>(frame.payload[0] - '0');
            EXPECT_EQ(frame.payload.substr(2), std::to_string(next.at(writer)++)) << "of writer " << writer;
        }
        EXPECT_EQ(next[0], frames);
        EXPECT_EQ(next[1], frames);
    }
}

TEST_P(StreamsTest, TheEndWakesThoseWhoFollowInEveryEngine) {
    const ClaimedExecution claimed = claim_new();
    value_of(engine_of(0).append_frame(frame(claimed.handle, "1")));
    const StreamPage first =
        value_of(engine_of(0).tail_stream({.execution_id = claimed.execution_id, .attempt_index = 0}));
    std::vector<Pending<TailStream>> waiting;
    for (int i = 0; i < 40; ++i) {
        waiting.push_back(start(engine_of(i), TailStream{.execution_id = claimed.execution_id,
                                                         .attempt_index = 0,
                                                         .after = first.frames.back().id,
                                                         .block_ms = 30'000}));
    }
    await([&] { return engine_of(0).waiting_tails() == 20 && engine_of(1).waiting_tails() == 20; });
    value_of(engine_of(0).complete({.lease = claimed.handle}));
    for (auto& pending : waiting) {
        ASSERT_EQ(pending.wait_for(20s), std::future_status::ready) << "longer than anybody may take";
        const StreamPage page = value_of(pending.get());
        EXPECT_EQ(page.closed_reason, StreamEnd::attempt_success);
        EXPECT_TRUE(page.frames.empty());
    }
}

TEST_P(StreamsTest, ManyWaitForManyStreams) {
    constexpr int streams = 20;
    std::vector<ClaimedExecution> claimed;
    for (int i = 0; i < streams; ++i) claimed.push_back(claim_new());
    std::vector<Pending<TailStream>> waiting;
    for (int i = 0; i < 2000; ++i) {
        waiting.push_back(
            start(engine_of(1), TailStream{.execution_id = claimed[static_cast<std::size_t>(i % streams)].execution_id,
                                           .attempt_index = 0,
                                           .block_ms = 30'000}));
    }
    await([&] { return engine_of(1).waiting_tails() == waiting.size(); });
    on_threads(2, [&](int thread) {
        for (std::size_t i = static_cast<std::size_t>(thread); i < claimed.size(); i += 2) {
            value_of(engine_of(thread).append_frame(frame(claimed[i].handle, std::to_string(i))));
        }
    });
    for (std::size_t i = 0; i < waiting.size(); ++i) {
        ASSERT_EQ(waiting[i].wait_for(20s), std::future_status::ready);
        const StreamPage page = value_of(waiting[i].get());
        ASSERT_EQ(page.frames.size(), 1U);
        EXPECT_EQ(page.frames.front().payload, std::to_string(i % streams));
    }
}

}  // namespace
}  // namespace flowfabric::test
