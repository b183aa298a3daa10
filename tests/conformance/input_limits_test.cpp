#include <limits>
#include <set>

#include "support/fixture.hpp"

namespace flowfabric::test {
namespace {

// What the limits do to an engine at work; the limits themselves are in hostile_*_test.cpp.
class InputLimitsTest : public StoreTest {};

TEST_P(InputLimitsTest, ThePayloadLimitIsConfigurable) {
    Settings small;
    small.max_payload_bytes = 10;
    const auto other = another_engine(small);
    CreateExecution command;
    command.input_payload = "12345678901";
    expect_error(other->run(command), ErrorKind::payload_too_large, "at most 10");
    command.input_payload.pop_back();
    value_of(other->run(command));
}

TEST_P(InputLimitsTest, ManyLargePayloadsAreSplitOverBatches) {
    constexpr int count = 9;
    int created = 0;
    for (int i = 0; i < count; ++i) {
        CreateExecution command;
        command.input_payload.assign(payload_limit, static_cast<char>('a' + i));
        engine().submit(command, [&](const Result<Answer>& answer) { created += answer ? 1 : 0; });
    }
    engine().settle();
    EXPECT_EQ(created, count);
    std::set<char> seen;
    for (int i = 0; i < count; ++i) seen.insert(claim().input_payload.at(payload_limit - 1));
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(count));
}

TEST_P(InputLimitsTest, AClaimHoldsSixteenMebibytesAndTheRestStaysClaimable) {
    constexpr std::size_t count = 20;
    for (std::size_t i = 0; i < count; ++i) {
        CreateExecution command;
        command.input_payload.assign(payload_limit, static_cast<char>('a' + i));
        engine().submit(command, [](const Result<Answer>& answer) { EXPECT_TRUE(answer); });
    }
    engine().settle();
    Claim many;
    many.worker_id = many.worker_instance_id = "w1";
    many.max_count = count;
    std::set<char> seen;
    for (const std::size_t expected : {std::size_t{16}, count - 16}) {
        const Claimed claimed = value_of(engine().run(many));
        EXPECT_EQ(claimed.executions.size(), expected);
        for (const auto& execution : claimed.executions) seen.insert(execution.input_payload.at(payload_limit - 1));
    }
    EXPECT_EQ(seen.size(), count) << "each with its own input";
}

TEST_P(InputLimitsTest, ClaimsThatFoundTheAnswerFullAreServedNext) {
    constexpr int count = 17;
    for (int i = 0; i < count; ++i) {
        CreateExecution command;
        command.input_payload.assign(payload_limit, 'x');
        engine().submit(command, [](const Result<Answer>& answer) { EXPECT_TRUE(answer); });
    }
    engine().settle();
    std::size_t claimed = 0;
    for (const char* worker : {"w1", "w2"}) {
        Claim many;
        many.worker_id = many.worker_instance_id = worker;
        many.max_count = 20;
        engine().submit(many,
                        [&](const Result<Answer>& answer) { claimed += answer_of<Claimed>(answer).executions.size(); });
    }
    engine().settle();
    EXPECT_EQ(claimed, 17U);
}

TEST_P(InputLimitsTest, SubmissionsBeyondTheBoundOfMemoryAreRefused) {
    BatchPolicy policy;
    policy.max_queued_bytes = 100'000;
    const auto other = another_engine({}, policy);
    std::vector<ErrorKind> refused;
    int created = 0;
    for (int i = 0; i < 3; ++i) {
        CreateExecution command;
        command.input_payload.assign(40'000, 'x');
        other->submit(command, [&](const Result<Answer>& answer) {
            if (answer) {
                ++created;
            } else {
                refused.push_back(answer.error().kind);
                EXPECT_THAT(answer.error().detail, testing::HasSubstr("100000 bytes"));
            }
        });
    }
    other->settle();
    EXPECT_EQ(created, 2);
    EXPECT_THAT(refused, testing::ElementsAre(ErrorKind::resource_exhausted));
    value_of(other->run(CreateExecution{}));
}

TEST_P(InputLimitsTest, TheFarthestTimesAreKept) {
    constexpr std::int64_t end_of_time = std::numeric_limits<std::int64_t>::max();
    CreateExecution command;
    command.delay_until_ms = end_of_time;
    command.execution_deadline_at_ms = end_of_time;
    const ExecutionId id = create(command);
    reconcile();
    EXPECT_EQ(row(id).delay_until_ms, end_of_time);
    EXPECT_EQ(row(id).deadline_at_ms, end_of_time);

    CreateExecution distant;
    distant.policy = retries(1, std::numeric_limits<std::uint64_t>::max() / 2);
    distant.policy->timeout_policy = TimeoutPolicy{.execution_deadline_ms = std::numeric_limits<std::uint64_t>::max()};
    const ExecutionId saturated = create(distant);
    fail_with_retry(claim().handle);
    EXPECT_GT(row(saturated).delay_until_ms, end_of_time / 2);
    EXPECT_EQ(row(saturated).deadline_at_ms, end_of_time);
}

INSTANTIATE_TEST_SUITE_P(Stores, InputLimitsTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
