#include "conformance/streaming.hpp"

namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using enum ErrorKind;

class StreamRetentionTest : public Streaming {
  protected:
    std::size_t stored_frames() { return snapshot().of<StreamFrameRow>().size(); }
    static ExecutionPolicy keeping(std::uint64_t maxlen) {
        ExecutionPolicy policy;
        policy.stream_policy.emplace().retention_maxlen = maxlen;
        return policy;
    }
};

// ---- the summary document ---------------------------------------------------------------------------------------

TEST_P(StreamRetentionTest, PatchesMakeADocument) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    EXPECT_EQ(summary(id), std::nullopt);
    const std::int64_t began = now();
    const auto patched = [&](const char* patch) {
        advance(5);
        return append(handle, patch, FrameMode::summary).summary_version;
    };
    EXPECT_EQ(patched(R"({"a":{"b":1}})"), 1U);
    EXPECT_EQ(summary(id)->document.text, R"({"a":{"b":1}})");
    EXPECT_EQ(patched(R"({"a":{}})"), 2U);
    EXPECT_EQ(summary(id)->document.text, R"({"a":{"b":1}})");
    EXPECT_EQ(patched(R"({"a":null,"c":"__ff_null__"})"), 3U);
    EXPECT_EQ(summary(id), (StreamSummary{.document = {R"({"c":null})"},
                                          .version = 3,
                                          .patch_kind = "json-merge-patch",
                                          .first_applied_ms = began + 5,
                                          .last_updated_ms = began + 15}));
    EXPECT_EQ(read(id).frames.back().summary_version, 3U);
    EXPECT_EQ(read(id).frames.back().payload, R"({"a":null,"c":"__ff_null__"})");
}

TEST_P(StreamRetentionTest, WhatIsNoObjectLeavesTheDocumentAlone) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    append(handle, R"({"x":["__ff_null__"],"y":"\u0000"})", FrameMode::summary);
    expect_no_change([&] { expect_error(run(frame(handle, "7", FrameMode::summary)), invalid_input, "object"); });
    EXPECT_EQ(summary(id)->document.text, R"({"x":[null],"y":"\u0000"})");
    EXPECT_EQ(summary(id)->version, 1U);
}

TEST_P(StreamRetentionTest, NoPatchOfABatchIsLost) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    for (int i = 0; i < 20; ++i) {
        engine().submit(frame(handle, R"({"k)" + std::to_string(i) + R"(":1})", FrameMode::summary),
                        [](const Result<Answer>&) {});
    }
    engine().settle();
    EXPECT_EQ(summary(id)->version, 20U);
    EXPECT_EQ(meta(id).lasting_count, 20);
}

TEST_P(StreamRetentionTest, EachAttemptHasADocumentOfItsOwn) {
    const ExecutionId id = create_with(retries(1, 0));
    const Handle first = claim().handle;
    append(first, R"({"a":1})", FrameMode::summary);
    fail_with_retry(first);
    reconcile();
    append(claim().handle, R"({"b":1})", FrameMode::summary);
    EXPECT_EQ(summary(id, 0)->document.text, R"({"a":1})");
    EXPECT_EQ(summary(id, 1)->document.text, R"({"b":1})");
    EXPECT_EQ(summary(id, 1)->version, 1U);
}

// ---- what is kept -----------------------------------------------------------------------------------------------

TEST_P(StreamRetentionTest, TheNewestTenThousandDurableFramesRemain) {
    const ExecutionId id = create();
    append_many(claim("w1").handle, 20'000);
    EXPECT_EQ(meta(id).frame_count, 20'000);
    const auto kept = payloads(id);
    ASSERT_THAT(kept, SizeIs(10'000));
    EXPECT_EQ(kept.front(), "10000");
    EXPECT_EQ(kept.back(), "19999");
    EXPECT_LE(stored_frames(), 10'000U + 10'000 / 8);
}

TEST_P(StreamRetentionTest, APolicySaysHowManyFramesRemain) {
    const ExecutionId id = create_with(keeping(3));
    const Handle handle = claim().handle;
    append_many(handle, 200);
    EXPECT_THAT(payloads(id), ElementsAre("197", "198", "199"));
    EXPECT_LE(stored_frames(), 3U + 64);
    EXPECT_THAT(payloads(read(id, StreamBound::start(), StreamBound::end(), 2)), ElementsAre("197", "198"));
    append(handle, "one more");
    EXPECT_THAT(payloads(id), ElementsAre("198", "199", "one more"));
}

TEST_P(StreamRetentionTest, APolicyMayKeepNoFrame) {
    const ExecutionId id = create_with(keeping(0));
    const Handle handle = claim().handle;
    append_many(handle, 200);
    EXPECT_THAT(payloads(id), IsEmpty());
    EXPECT_EQ(append(handle).frame_count, 201U);
}

TEST_P(StreamRetentionTest, ASummaryKeepsTheNewestFramesAndTheWholeDocument) {
    const ExecutionId id = create();
    append_many(claim().handle, 500, FrameMode::summary);
    EXPECT_THAT(payloads(id), SizeIs(64));
    EXPECT_EQ(summary(id)->version, 500U);
    EXPECT_LE(stored_frames(), 64U + 64);
}

TEST_P(StreamRetentionTest, BestEffortFramesAreKeptAsTheyCome) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    AppendFrame command = best_effort(handle, "x", 1000);
    command.maxlen_floor = 4;
    command.maxlen_ceiling = 8;
    for (int i = 0; i < 20; ++i) append(command);
    EXPECT_EQ(meta(id).maxlen_applied_last, 8) << "twenty in a millisecond";
    EXPECT_THAT(payloads(id), SizeIs(8));
    for (int i = 0; i < 40; ++i) {
        advance(500);
        append(command);
    }
    EXPECT_EQ(meta(id).maxlen_applied_last, 5) << "two a second, for two seconds";
    EXPECT_EQ(read(id).frames.back().ttl_ms, 1000U);
}

// ---- frames that expire -----------------------------------------------------------------------------------------

TEST_P(StreamRetentionTest, BestEffortFramesGoSomeTimeAfterTheLastOfThem) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    append(best_effort(handle, "1"));
    advance(6000);
    append(best_effort(handle, "2"));
    advance(6000);
    reconcile();
    EXPECT_THAT(payloads(id), ElementsAre("1", "2"));
    advance(3999);
    reconcile();
    EXPECT_THAT(payloads(id), ElementsAre("1", "2"));
    advance(1);
    EXPECT_THAT(payloads(id), IsEmpty()) << "before any scanner looks";
    EXPECT_EQ(stored_frames(), 2U);
    reconcile();
    EXPECT_EQ(stored_frames(), 0U);
    expect_no_change([&] { reconcile(); });
}

TEST_P(StreamRetentionTest, AFrameThatComesAfterwardsBeginsAnew) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    const FrameId first = append(best_effort(handle, "1")).frame_id;
    advance(10'000);
    const FrameAppended late = append(best_effort(handle, "2"));
    EXPECT_GT(late.frame_id, first);
    EXPECT_EQ(late.frame_count, 2U) << "of all that it ever had";
    EXPECT_THAT(payloads(id), ElementsAre("2"));
    EXPECT_EQ(stored_frames(), 1U);
}

TEST_P(StreamRetentionTest, OneLastingFrameKeepsThemAllForGood) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    append(best_effort(handle, "1"));
    append(handle, "2");
    append(best_effort(handle, "3"));
    advance(20'000);
    reconcile();
    EXPECT_THAT(payloads(id), ElementsAre("1", "2", "3"));
}

TEST_P(StreamRetentionTest, FramesOfAnAttemptThatHasEndedExpireAsWell) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    append(best_effort(handle, "1"));
    value_of(complete(handle));
    EXPECT_THAT(payloads(id), ElementsAre("1"));
    advance(10'000);
    reconcile();
    EXPECT_EQ(stored_frames(), 0U);
    EXPECT_EQ(end_of(id), StreamEnd::attempt_success) << "whoever follows it still learns the end";
}

TEST_P(StreamRetentionTest, StreamsGoWithTheirExecution) {
    ExecutionPolicy policy = retries(1, 0);
    policy.stream_policy.emplace().retention_ttl_ms = 1000;
    const auto keeper = another_engine({.overrides = {.execution_retention_ms = 24 * hour}});
    const auto look = [&] {
        for (int i = 0; i < 4; ++i) keeper->reconcile();
    };
    look();
    const ExecutionId id = create_with(policy);
    const ExecutionId other = create();
    const Handle first = claim().handle;
    append_many(first, 300);
    append(first, "{}", FrameMode::summary);
    fail_with_retry(first);
    look();
    Claim both = claim_by("w1");
    both.max_count = 2;
    for (const ClaimedExecution& claimed : value_of(run(both)).executions) {
        append(claimed.handle, "{}", FrameMode::summary);
        if (claimed.execution_id == id) value_of(complete(claimed.handle));
    }
    advance(1000);
    look();
    const Dump left = snapshot();
    EXPECT_FALSE(left.executions.contains(id));
    EXPECT_THAT(left.of<StreamMetaRow>(), SizeIs(1));
    EXPECT_THAT(left.of<StreamFrameRow>(), SizeIs(1));
    EXPECT_THAT(left.of<StreamSummaryRow>(), SizeIs(1));
    EXPECT_THAT(payloads(other), ElementsAre("{}"));
}

// ---- reading ----------------------------------------------------------------------------------------------------

TEST_P(StreamRetentionTest, ARangeHoldsBothOfItsEnds) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    const std::int64_t began = now();
    for (int i = 0; i < 3; ++i) append(handle, "a" + std::to_string(i));
    advance(5);
    for (int i = 0; i < 2; ++i) append(handle, "b" + std::to_string(i));
    const auto between = [&](const StreamBound& from, const StreamBound& to) { return payloads(read(id, from, to)); };
    EXPECT_THAT(between(StreamBound::start(), StreamBound::end()), ElementsAre("a0", "a1", "a2", "b0", "b1"));
    EXPECT_THAT(between(StreamBound::at(began), StreamBound::at(began)), ElementsAre("a0", "a1", "a2"));
    EXPECT_THAT(between(StreamBound::at(FrameId{began, 1}), StreamBound::at(FrameId{began + 5, 0})),
                ElementsAre("a1", "a2", "b0"));
    EXPECT_THAT(between(StreamBound::at(began + 1), StreamBound::end()), ElementsAre("b0", "b1"));
    EXPECT_THAT(between(StreamBound::end(), StreamBound::start()), IsEmpty());
    EXPECT_THAT(between(StreamBound::end(), StreamBound::end()), IsEmpty());
}

TEST_P(StreamRetentionTest, PagesFollowOneAnother) {
    const ExecutionId id = create();
    append_many(claim().handle, 600);
    std::vector<std::string> all;
    StreamBound from = StreamBound::start();
    for (std::optional<FrameId> next = FrameId{}; next; from = next ? StreamBound::at(*next) : from) {
        const StreamPage page = read(id, from, StreamBound::end(), 250);
        for (const std::string& payload : payloads(page)) all.push_back(payload);
        next = page.next;
    }
    EXPECT_EQ(all, payloads(id));
    EXPECT_THAT(all, SizeIs(600));
}

TEST_P(StreamRetentionTest, APageEndsWhenItIsLarge) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    for (int i = 0; i < 300; ++i) {
        engine().submit(frame(handle, std::string(65'536, 'x')), [](const Result<Answer>&) {});
    }
    engine().settle();
    const StreamPage first = read(id, StreamBound::start(), StreamBound::end(), 1000);
    EXPECT_THAT(first.frames, SizeIs(256));
    ASSERT_TRUE(first.next);
    const StreamPage rest = read(id, StreamBound::at(*first.next), StreamBound::end(), 1000);
    EXPECT_THAT(rest.frames, SizeIs(44));
    EXPECT_FALSE(rest.next);
}

TEST_P(StreamRetentionTest, WhatWasNeverWrittenToLooksOpenAndEmpty) {
    const ExecutionId id = create();
    EXPECT_EQ(read(id), StreamPage{});
    EXPECT_EQ(read({7, Uuid{{9}}}), StreamPage{});
    EXPECT_EQ(summary(id), std::nullopt);
}

TEST_P(StreamRetentionTest, LimitsAreRefusedByName) {
    const ExecutionId id = create();
    for (const std::uint32_t limit : {0U, 10'001U}) {
        expect_error(engine().read(ReadStream{.execution_id = id, .limit = limit}), invalid_input, "limit");
        expect_error(run(TailStream{.execution_id = id, .limit = limit}), invalid_input, "limit");
    }
    expect_error(run(TailStream{.execution_id = id, .block_ms = 30'001}), invalid_input, "block_ms");
    ExecutionId elsewhere = id;
    elsewhere.partition = 256;
    expect_error(engine().read(ReadStream{.execution_id = elsewhere}), invalid_input, "partition_mismatch");
    expect_error(run(TailStream{.execution_id = elsewhere}), invalid_input, "partition_mismatch");
    expect_error(engine().read(ReadStreamSummary{id, 0x8000'0000U}), invalid_input, "attempt_index");
}

INSTANTIATE_TEST_SUITE_P(Stores, StreamRetentionTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
