#include <chrono>

#include "conformance/streaming.hpp"

namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// Frames come and go by the engine with threads, whose tails hear of its own commits.
class StreamTailTest : public Streaming {
  protected:
    FrameAppended append(AppendFrame command) { return value_of(api().append_frame(std::move(command))); }
    FrameAppended append(const LeaseRef& lease, std::string payload) {
        return append(frame(lease, std::move(payload)));
    }
    TailStream after(const ExecutionId& id, const FrameId& cursor = {}, std::uint64_t block_ms = 30'000) {
        return {.execution_id = id, .attempt_index = 0, .after = cursor, .block_ms = block_ms};
    }
    // A tail that certainly waits.
    std::future<Result<StreamPage>> park(const TailStream& command) {
        const std::size_t before = api().waiting_tails();
        auto answered = tail(command);
        EXPECT_EQ(answered.wait_for(20ms), std::future_status::timeout);
        EXPECT_EQ(api().waiting_tails(), before + 1);
        return answered;
    }
    // A wait that ends by its time takes this long.
    static constexpr auto soon = 20s;
};

TEST_P(StreamTailTest, GivesWhatIsThereAtOnce) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    const FrameId first = append(handle, "1").frame_id;
    append(handle, "2");
    auto all = tail(after(id));
    EXPECT_THAT(payloads(answer_of(all)), ElementsAre("1", "2"));
    auto behind = tail(after(id, first));
    EXPECT_THAT(payloads(answer_of(behind)), ElementsAre("2"));
    TailStream one = after(id);
    one.limit = 1;
    auto limited = tail(one);
    const StreamPage page = answer_of(limited);
    EXPECT_THAT(payloads(page), ElementsAre("1"));
    EXPECT_FALSE(page.next) << "the next tail goes on behind its last frame";
}

TEST_P(StreamTailTest, AFrameWakesIt) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    auto waiting = park(after(id));
    const auto began = Clock::now();
    const FrameId first = append(handle, "1").frame_id;
    const StreamPage page = answer_of(waiting);
    EXPECT_THAT(payloads(page), ElementsAre("1"));
    EXPECT_FALSE(page.closed_at_ms);
    EXPECT_LT(Clock::now() - began, soon);
    auto next = park(after(id, first));
    append(handle, "2");
    EXPECT_THAT(payloads(answer_of(next)), ElementsAre("2"));
}

TEST_P(StreamTailTest, PeeksWithoutWaiting) {
    const ExecutionId id = create();
    auto nothing = tail(after(id, {}, 0));
    EXPECT_EQ(answer_of(nothing), StreamPage{});
    append(claim().handle, "1");
    auto one = tail(after(id, {}, 0));
    EXPECT_THAT(payloads(answer_of(one)), ElementsAre("1"));
}

TEST_P(StreamTailTest, EndsEmptyAndOpenAtItsTime) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    const FrameId last = append(handle, "1").frame_id;
    auto waiting = tail(after(id, last, 100));
    EXPECT_EQ(answer_of(waiting), StreamPage{});
}

TEST_P(StreamTailTest, TheEndOfTheAttemptWakesIt) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    const FrameId last = append(handle, "1").frame_id;
    auto waiting = park(after(id, last));
    value_of(api().complete({.lease = handle}));
    const StreamPage page = answer_of(waiting);
    EXPECT_THAT(page.frames, IsEmpty());
    EXPECT_EQ(page.closed_at_ms, now());
    EXPECT_EQ(page.closed_reason, StreamEnd::attempt_success);
    auto late = tail(after(id));
    const StreamPage again = answer_of(late);
    EXPECT_THAT(payloads(again), ElementsAre("1"));
    EXPECT_EQ(again.closed_reason, StreamEnd::attempt_success);
}

TEST_P(StreamTailTest, EveryEndWakesIt) {
    const auto ends_with = [&](StreamEnd reason, auto&& end) {
        const ExecutionId id = create();
        const ClaimedExecution claimed = claim();
        const FrameId last = append(claimed.handle, "1").frame_id;
        auto waiting = park(after(id, last));
        end(claimed);
        EXPECT_EQ(answer_of(waiting).closed_reason, reason) << to_string(reason);
    };
    ends_with(StreamEnd::attempt_failure, [&](const ClaimedExecution& claimed) {
        value_of(api().fail({.lease = claimed.handle, .reason = "boom"}));
    });
    ends_with(StreamEnd::attempt_cancelled, [&](const ClaimedExecution& claimed) {
        value_of(api().cancel({.lease = claimed.handle, .reason = "enough"}));
    });
    ends_with(StreamEnd::attempt_interrupted, [&](const ClaimedExecution& claimed) {
        value_of(api().revoke_lease({.execution_id = claimed.execution_id}));
        value_of(api().cancel_execution({.execution = {.execution_id = claimed.execution_id}, .reason = "x"}));
    });
    ends_with(StreamEnd::lease_expired, [&](const ClaimedExecution& claimed) {
        advance(30'000);
        value_of(api().fire_timer({claimed.execution_id, Timer::lease_expiry}));
        value_of(api().cancel_execution({.execution = {.execution_id = claimed.execution_id}, .reason = "x"}));
    });
    ends_with(StreamEnd::suspension_timeout, [&](const ClaimedExecution& claimed) {
        Suspend command = with_timeout(until_signal(claimed.handle), now() + 1000);
        command.timeout_behavior = TimeoutBehavior::fail;
        value_of(api().suspend(command));
        advance(1000);
        value_of(api().fire_timer({claimed.execution_id, Timer::suspension_timeout}));
    });
}

TEST_P(StreamTailTest, BestEffortFramesMayBeLeftOut) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    append(best_effort(handle, "fleeting"));
    TailStream lasting = after(id);
    lasting.visibility = FrameVisibility::exclude_best_effort;
    auto waiting = park(lasting);
    append(best_effort(handle, "fleeting too"));
    EXPECT_EQ(waiting.wait_for(50ms), std::future_status::timeout) << "not ended by what it does not want";
    append(frame(handle, R"({"a":1})", FrameMode::summary));
    EXPECT_THAT(payloads(answer_of(waiting)), ElementsAre(R"({"a":1})"));
    append(handle, "durable");
    auto all_lasting = tail(lasting);
    EXPECT_THAT(payloads(answer_of(all_lasting)), ElementsAre(R"({"a":1})", "durable"));
    auto all = tail(after(id));
    EXPECT_THAT(answer_of(all).frames, SizeIs(4));
}

TEST_P(StreamTailTest, OneCommitWakesAllThatFollowItsStreamAndNoOther) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    const ExecutionId quiet = create();
    std::vector<std::future<Result<StreamPage>>> followers;
    for (int i = 0; i < 200; ++i) followers.push_back(tail(after(id)));
    std::vector<std::future<Result<StreamPage>>> others;
    for (int i = 0; i < 200; ++i) others.push_back(tail(after(quiet)));
    EXPECT_EQ(others.back().wait_for(20ms), std::future_status::timeout);
    append(handle, "1");
    for (auto& follower : followers) EXPECT_THAT(payloads(answer_of(follower)), ElementsAre("1"));
    EXPECT_EQ(api().waiting_tails(), 200U);
    close_api();
    for (auto& other : others) {
        ASSERT_EQ(other.wait_for(60s), std::future_status::ready);
        expect_error(other.get(), ErrorKind::unavailable);
    }
}

TEST_P(StreamTailTest, HearsOfWhatAnotherEngineDoes) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    auto waiting = park(after(id));
    const auto began = Clock::now();
    value_of(run(frame(handle, "from elsewhere")));
    EXPECT_THAT(payloads(answer_of(waiting)), ElementsAre("from elsewhere"));
    EXPECT_LT(Clock::now() - began, soon);
}

INSTANTIATE_TEST_SUITE_P(Stores, StreamTailTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
