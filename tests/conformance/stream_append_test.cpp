#include "conformance/streaming.hpp"

namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using enum ErrorKind;

class StreamAppendTest : public Streaming {
  protected:
    void expect_refused(const LeaseRef& lease, ErrorKind kind) {
        expect_no_change([&] { expect_error(run(frame(lease, "late")), kind); });
    }
};

TEST_P(StreamAppendTest, AFrameIsKeptAsItWasGiven) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    AppendFrame command = frame(handle, "hello");
    command.kind = FrameKind::standard_output;
    command.correlation_id = "c-1";
    command.payload_encoding = "utf8";
    EXPECT_EQ(append(command), (FrameAppended{{now(), 0}, 1, std::nullopt}));

    const StreamPage page = read(id);
    ASSERT_THAT(page.frames, SizeIs(1));
    EXPECT_EQ(page.frames[0], (StreamFrame{.id = {now(), 0},
                                           .mode = FrameMode::durable,
                                           .frame_type = "stdout",
                                           .ts_ms = now(),
                                           .payload = "hello",
                                           .payload_encoding = "utf8",
                                           .correlation_id = "c-1",
                                           .summary_version = std::nullopt,
                                           .ttl_ms = std::nullopt}));
    EXPECT_FALSE(page.closed_at_ms || page.closed_reason || page.next);
}

TEST_P(StreamAppendTest, IdsGrowWithinAMillisecondAndWithTheClock) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    const std::int64_t began = now();
    EXPECT_EQ(append(handle).frame_id, (FrameId{began, 0}));
    EXPECT_EQ(append(handle).frame_id, (FrameId{began, 1}));
    advance(5);
    EXPECT_EQ(append(handle).frame_id, (FrameId{began + 5, 0}));
    EXPECT_EQ(append(handle).frame_count, 4U);
    EXPECT_EQ(meta(id).total_bytes, 4);
}

TEST_P(StreamAppendTest, IdsGrowWhileTheClockStepsBack) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    advance(1000);
    const FrameId before = append(handle, "before").frame_id;
    advance(-700);
    EXPECT_EQ(append(handle, "behind").frame_id, (FrameId{before.ts_ms, 1}));
    advance(701);
    EXPECT_EQ(append(handle, "after").frame_id, (FrameId{before.ts_ms + 1, 0}));
    EXPECT_THAT(payloads(id), ElementsAre("before", "behind", "after"));
}

TEST_P(StreamAppendTest, OnlyTheFirstFrameOfALeaseWritesToTheExecution) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    advance(5);
    append(handle);
    const ExecutionRow first = row(id);
    EXPECT_TRUE(first.has_stream);
    EXPECT_EQ(first.activity_epoch, first.lease_epoch);
    advance(5);
    append(handle);
    EXPECT_EQ(row(id), first);
}

TEST_P(StreamAppendTest, WorkThatHasPutSomethingOutHasStarted) {
    create();
    const Handle handle = claim().handle;
    append(handle);
    expect_no_change([&] { expect_error(release(handle), attempt_already_started); });
}

TEST_P(StreamAppendTest, BytesComeBackAsTheyWere) {
    const ExecutionId id = create();
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
    append(claim().handle, bytes);
    EXPECT_THAT(payloads(id), ElementsAre(bytes));
}

TEST_P(StreamAppendTest, APayloadOf64KiBIsTheLargest) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    append(handle, std::string(65'536, 'x'));
    append(handle, "");
    expect_no_change(
        [&] { expect_error(run(frame(handle, std::string(65'537, 'x'))), retention_limit_exceeded, "payload"); });
    EXPECT_EQ(read(id).frames.size(), 2U);
}

TEST_P(StreamAppendTest, WhatSpeaksOfAnotherModeIsRefusedByName) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    const auto refused = [&](AppendFrame command, std::string_view field) {
        expect_no_change([&] { expect_error(run(std::move(command)), invalid_input, field); });
    };
    AppendFrame command = frame(handle, "{}");
    command.patch_kind = json_merge_patch;
    refused(command, "patch_kind");
    command = frame(handle, "{}");
    command.ttl_ms = 1000;
    refused(command, "ttl_ms");
    command = frame(handle, "{}", FrameMode::summary);
    command.patch_kind = "json-patch";
    refused(command, "unsupported patch_kind");
    refused(frame(handle, "[]", FrameMode::summary), "patch must be a JSON object");
    refused(frame(handle, "{", FrameMode::summary), "patch payload is not valid JSON");
    command = best_effort(handle, "x", 0);
    refused(command, "ttl_ms");
    command = frame(handle, "x");
    command.frame_type = "a\nb";
    refused(command, "frame_type");
    refused(frame(Fence{.execution_id = id}, "x"), "fence_required");
}

// ---- the fence --------------------------------------------------------------------------------------------------

TEST_P(StreamAppendTest, AFenceServesAsWellAsAHandle) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    append(fence_of(claimed), "first");
    append(fence_of(claimed), R"({"a":1})", FrameMode::summary);
    append(claimed.handle, R"({"b":2})", FrameMode::summary);
    EXPECT_EQ(summary(id)->document.text, R"({"a":1,"b":2})");
}

TEST_P(StreamAppendTest, AnUnknownExecutionIsNotFound) {
    create();
    const Handle handle = forged(claim().handle, [](HandleContent& content) { content.execution_id.uuid = {}; });
    expect_error(run(frame(handle, "x")), execution_not_found);
}

TEST_P(StreamAppendTest, AStaleOwnerCannotAppend) {
    create();
    const Handle handle = claim().handle;
    append(handle);
    expect_refused(forged(handle, [](HandleContent& content) { ++content.lease_epoch; }), stale_owner_cannot_append);
    let_lease_lapse();
    expect_refused(handle, stale_owner_cannot_append);
    const Handle reclaimed = claim("w2").handle;
    expect_refused(handle, stale_owner_cannot_append);
    append(reclaimed);
}

TEST_P(StreamAppendTest, ALeaseThatHasLapsedUnnoticedIsExpiredOnTheWay) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    append(handle, "in time");
    advance(30'000);
    expect_error(run(frame(handle, "late")), stale_owner_cannot_append);
    EXPECT_EQ(row(id).vector.ownership_state, OwnershipState::lease_expired_reclaimable);
    EXPECT_EQ(end_of(id), StreamEnd::lease_expired);
    EXPECT_THAT(payloads(id), ElementsAre("in time"));
}

TEST_P(StreamAppendTest, ARevokedOwnerCannotAppend) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    append(handle);
    value_of(run(RevokeLease{.execution_id = id}));
    expect_refused(handle, stale_owner_cannot_append);
    EXPECT_EQ(end_of(id), StreamEnd::attempt_interrupted);
}

TEST_P(StreamAppendTest, NothingIsAppendedToWhatDoesNotRun) {
    create();
    const Handle suspended = claim().handle;
    append(suspended);
    suspend(until_signal(suspended));
    expect_refused(suspended, stream_closed);

    create();
    const Handle completed = claim().handle;
    value_of(complete(completed));
    expect_refused(completed, stream_closed);
}

// ---- how streams close ------------------------------------------------------------------------------------------

TEST_P(StreamAppendTest, CompletionClosesTheStream) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    append(handle, "last words");
    advance(5);
    value_of(complete(handle));
    const StreamPage page = read(id);
    EXPECT_THAT(payloads(page), ElementsAre("last words"));
    EXPECT_EQ(page.closed_at_ms, now());
    EXPECT_EQ(page.closed_reason, StreamEnd::attempt_success);
    EXPECT_FALSE(row(id).has_stream);
}

TEST_P(StreamAppendTest, EachAttemptHasAStreamOfItsOwn) {
    const ExecutionId id = create_with(retries(1, 0));
    const Handle first = claim().handle;
    append(first, "one");
    fail_with_retry(first);
    EXPECT_EQ(end_of(id), StreamEnd::attempt_failure);
    reconcile();
    const Handle second = claim().handle;
    EXPECT_THAT(read(id, StreamBound::start(), StreamBound::end(), 10, 1).frames, IsEmpty());
    EXPECT_EQ(append(second, "two").frame_count, 1U);
    EXPECT_THAT(payloads(id, 0), ElementsAre("one"));
    EXPECT_THAT(payloads(id, 1), ElementsAre("two"));
    EXPECT_EQ(end_of(id, 1), std::nullopt);
    value_of(fail(second, "permanent"));
    EXPECT_EQ(end_of(id, 1), StreamEnd::attempt_failure);
}

TEST_P(StreamAppendTest, ALostLeaseClosesTheStreamAndItsReclaimOpensAnother) {
    const ExecutionId id = create();
    append(claim().handle);
    let_lease_lapse();
    EXPECT_EQ(end_of(id), StreamEnd::lease_expired);
    const ClaimedExecution reclaimed = claim("w2");
    EXPECT_EQ(end_of(id), StreamEnd::lease_expired);
    EXPECT_EQ(reclaimed.attempt_index, 1U);
    append(reclaimed.handle, "again");
    EXPECT_THAT(payloads(id, 1), ElementsAre("again"));
}

TEST_P(StreamAppendTest, CancellationClosesTheStreamWhoeverCancels) {
    const ExecutionId own = create();
    const Handle handle = claim().handle;
    append(handle);
    value_of(cancel(handle));
    EXPECT_EQ(end_of(own), StreamEnd::attempt_cancelled);

    const ExecutionId others = create();
    append(claim().handle);
    value_of(cancel_by("operator_override", others));
    EXPECT_EQ(end_of(others), StreamEnd::attempt_cancelled);

    const ExecutionId suspended = create();
    const Handle parked = claim().handle;
    append(parked);
    suspend(until_signal(parked));
    value_of(cancel_by("operator_override", suspended));
    EXPECT_EQ(end_of(suspended), StreamEnd::attempt_cancelled);
}

TEST_P(StreamAppendTest, TimeLimitsCloseTheStream) {
    ExecutionPolicy limited;
    limited.timeout_policy = TimeoutPolicy{.attempt_timeout_ms = 1000, .execution_deadline_ms = std::nullopt};
    const ExecutionId attempt = create_with(limited);
    append(claim().handle);
    advance(1000);
    reconcile();
    EXPECT_EQ(end_of(attempt), StreamEnd::expired);

    CreateExecution command;
    command.execution_deadline_at_ms = now() + 1000;
    const ExecutionId deadline = create(command);
    append(claim().handle);
    advance(1000);
    reconcile();
    EXPECT_EQ(state(deadline), PublicState::expired);
    EXPECT_EQ(end_of(deadline), StreamEnd::expired);
}

TEST_P(StreamAppendTest, ASuspensionsTimeoutClosesTheStream) {
    for (const auto behavior : {TimeoutBehavior::fail, TimeoutBehavior::cancel, TimeoutBehavior::expire}) {
        const ExecutionId id = create();
        const Handle handle = claim().handle;
        append(handle);
        Suspend command = with_timeout(until_signal(handle), now() + 1000);
        command.timeout_behavior = behavior;
        suspend(command);
        advance(1000);
        reconcile();
        EXPECT_EQ(end_of(id), StreamEnd::suspension_timeout);
    }
}

TEST_P(StreamAppendTest, TheSameAttemptGoesOnInTheSameStream) {
    const ExecutionId id = create();
    const Handle first = claim().handle;
    append(first, "before");
    suspend(until(first, {OperatorOnly{}}, {fresh("a")}));
    EXPECT_EQ(end_of(id), std::nullopt);
    resume(id);
    const Handle second = claim().handle;
    EXPECT_EQ(append(second, "between").frame_count, 2U);
    value_of(delay(second, now() + 1000));
    EXPECT_EQ(end_of(id), std::nullopt);
    advance(1000);
    reconcile();
    const Handle third = claim().handle;
    value_of(release(third));
    EXPECT_EQ(end_of(id), std::nullopt) << "given back unstarted, the attempt is as it was";
    const Handle fourth = claim().handle;
    append(fourth, "after");
    EXPECT_THAT(payloads(id), ElementsAre("before", "between", "after"));
    value_of(complete(fourth));
    EXPECT_EQ(end_of(id), StreamEnd::attempt_success);
}

TEST_P(StreamAppendTest, FramesOfOneBatchAndTheEndOfTheirAttemptKeepTheirOrder) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    std::vector<bool> accepted;
    const auto note = [&](const Result<Answer>& answer) { accepted.push_back(static_cast<bool>(answer)); };
    engine().submit(frame(handle, "1"), note);
    engine().submit(frame(handle, "2"), note);
    engine().submit(Complete{.lease = handle}, note);
    engine().submit(frame(handle, "3"), note);
    engine().settle();
    EXPECT_THAT(accepted, ElementsAre(true, true, true, false));
    EXPECT_THAT(payloads(id), ElementsAre("1", "2"));
    EXPECT_EQ(end_of(id), StreamEnd::attempt_success);
}

INSTANTIATE_TEST_SUITE_P(Stores, StreamAppendTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
