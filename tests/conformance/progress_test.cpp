#include "support/fixture.hpp"

namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ProgressTest : public StoreTest {};

TEST_P(ProgressTest, IsWrittenOntoTheExecutionAndMovesNothing) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    const ExecutionRow before = row(id);
    advance(5);
    EXPECT_EQ(value_of(progress(claimed.handle, 40, "copying")), ProgressRecorded{now()});

    ExecutionRow expected = before;
    expected.progress_pct = 40;
    expected.progress_message = "copying";
    expected.progress_updated_at_ms = now();
    expected.activity_epoch = 1;
    expected.last_mutation_at_ms = now();
    EXPECT_EQ(row(id), expected);

    const ExecutionView shown = view(id);
    EXPECT_EQ(shown.progress_pct, 40U);
    EXPECT_EQ(shown.progress_message, "copying");
    EXPECT_EQ(shown.progress_updated_at_ms, now());
    EXPECT_THAT(lease_event_types(id), ElementsAre(LeaseEventType::acquired));
    EXPECT_THAT(outcomes(id), IsEmpty());
    EXPECT_THAT(operator_events(id), IsEmpty());
}

TEST_P(ProgressTest, WhatIsAbsentStays) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    value_of(progress(handle, 40, "copying"));
    advance(5);
    value_of(progress(handle, 60));
    EXPECT_EQ(row(id).progress_pct, 60);
    EXPECT_EQ(row(id).progress_message, "copying");
    value_of(progress(handle, std::nullopt, "checking"));
    EXPECT_EQ(row(id).progress_pct, 60);
    EXPECT_EQ(row(id).progress_message, "checking");
    advance(5);
    value_of(progress(handle, std::nullopt));
    EXPECT_EQ(row(id).progress_pct, 60);
    EXPECT_EQ(row(id).progress_updated_at_ms, now());
}

TEST_P(ProgressTest, MayGoBackAndBecomeEmpty) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    value_of(progress(handle, 100, "nearly done"));
    value_of(progress(handle, 0, ""));
    EXPECT_EQ(row(id).progress_pct, 0);
    EXPECT_EQ(row(id).progress_message, "");
}

TEST_P(ProgressTest, DoesNotExtendTheLease) {
    const ExecutionId id = create();
    const ClaimedExecution claimed = claim();
    advance(20'000);
    value_of(progress(claimed.handle));
    EXPECT_EQ(row(id).lease_expires_at_ms, claimed.lease_expires_at_ms);
    advance(10'000);
    expect_error(progress(claimed.handle, 99), ErrorKind::lease_expired);
    EXPECT_EQ(row(id).progress_pct, 50);
}

TEST_P(ProgressTest, IsTheLastReportWhoeverRunsTheExecution) {
    const ExecutionId id = create_with(retries(1, 0));
    const ClaimedExecution first = claim("w1");
    value_of(progress(first.handle, 70, "by w1"));
    fail_with_retry(first.handle);
    const ClaimedExecution second = claim("w2");
    EXPECT_EQ(row(id).progress_pct, 70);
    value_of(progress(second.handle, 10));
    value_of(complete(second.handle));
    EXPECT_EQ(row(id).progress_pct, 10);
    EXPECT_EQ(row(id).progress_message, "by w1");
}

TEST_P(ProgressTest, ManyReportsOfOneBatchLeaveTheLast) {
    const ExecutionId id = create();
    const Handle handle = claim().handle;
    int answered = 0;
    for (std::uint32_t percent = 0; percent <= 100; percent += 10) {
        engine().submit(Progress{.lease = handle, .percent = percent},
                        [&](const Result<Answer>& answer) { answered += answer ? 1 : 0; });
    }
    engine().settle();
    EXPECT_EQ(answered, 11);
    EXPECT_EQ(row(id).progress_pct, 100);
}

TEST_P(ProgressTest, LastMutationRisesWithProgressTagsDelayAndRelease) {
    const ExecutionId id = create();
    std::int64_t last = row(id).last_mutation_at_ms;
    const auto expect_risen = [&](std::string_view after) {
        EXPECT_EQ(row(id).last_mutation_at_ms, now()) << after;
        EXPECT_GT(row(id).last_mutation_at_ms, last) << after;
        last = row(id).last_mutation_at_ms;
        advance(7);
    };
    advance(7);
    const ClaimedExecution unstarted = claim();
    expect_risen("claim");
    value_of(release(unstarted.handle));
    expect_risen("release");
    const ClaimedExecution started = claim();
    expect_risen("claim again");
    value_of(renew(started.handle));
    expect_risen("renew");
    value_of(progress(started.handle));
    expect_risen("progress");
    value_of(run(SetExecutionTags{.execution_id = id, .tags = {{"app.step", "one"}}}));
    expect_risen("tags");
    value_of(delay(started.handle, now()));
    expect_risen("delay");
    value_of(cancel_by("operator_override", id));
    expect_risen("cancel");
}

INSTANTIATE_TEST_SUITE_P(Stores, ProgressTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
