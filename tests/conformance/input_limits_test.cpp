#include <limits>
#include <set>

#include "support/fixture.hpp"

namespace flowfabric::test {
namespace {

constexpr std::size_t payload_limit = 1'048'576;

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
