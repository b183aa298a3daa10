#include "conformance/api_test.hpp"

// What is asked of one attempt: how it ended, why it failed, what came of it.
namespace flowfabric::test {
namespace {

class AttemptReads : public ApiTest {
  protected:
    Result<AttemptView> attempt(const ExecutionId& id, std::uint32_t index) {
        return api().read(GetAttempt{.execution_id = id, .attempt_index = index});
    }
    Result<AttemptResult> result_of(const ExecutionId& id, std::uint32_t index) {
        return api().read(GetAttemptResult{.execution_id = id, .attempt_index = index});
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, AttemptReads, all_stores(), name_of_param);

TEST_P(AttemptReads, EachTellsHowItEndedAndWhyItFailed) {
    const auto id = create_with(retries(5, 0));
    value_of(run(Fail{.lease = claim().handle, .reason = "no route", .category = "network"}));
    value_of(run(Fail{.lease = claim().handle, .reason = "no answer", .category = "timeout"}));
    const auto open = claim("w3");
    const auto first = value_of(attempt(id, 0));
    EXPECT_EQ(first.outcome, AttemptOutcome::ended_failure);
    EXPECT_EQ(first.failure_reason, "no route");
    EXPECT_EQ(first.failure_category, "network");
    EXPECT_EQ(value_of(attempt(id, 1)).failure_reason, "no answer");
    const auto last = value_of(attempt(id, 2));
    EXPECT_EQ(last.outcome, AttemptOutcome::started);
    EXPECT_EQ(last.attempt_id, open.attempt_id);
    EXPECT_EQ(last.worker_id, "w3");
    EXPECT_FALSE(last.failure_reason || last.ended_at_ms);
    const auto all = value_of(api().list_attempts(id));
    for (const AttemptView& one : all) EXPECT_EQ(value_of(attempt(id, one.attempt_index)), one);

    EXPECT_EQ(value_of(result_of(id, 1)), (AttemptResult{.outcome = AttemptOutcome::ended_failure}));
    EXPECT_EQ(value_of(result_of(id, 2)), (AttemptResult{.outcome = AttemptOutcome::started}));
    value_of(complete(open.handle, "done"));
    const auto done = value_of(result_of(id, 2));
    EXPECT_EQ(done.outcome, AttemptOutcome::ended_success);
    EXPECT_EQ(done.result, "done");
    EXPECT_FALSE(done.superseded);
    EXPECT_EQ(value_of(result_of(id, 0)).result, std::nullopt);
}

TEST_P(AttemptReads, AResultGoesWithTheReplay) {
    const auto id = create();
    value_of(run(Complete{.lease = claim().handle, .result = "first", .result_encoding = "raw"}));
    EXPECT_EQ(value_of(result_of(id, 0)), (AttemptResult{AttemptOutcome::ended_success, false, "first", "raw"}));
    value_of(run(ReplayExecution{id}));
    const AttemptResult gone{.outcome = AttemptOutcome::ended_success, .superseded = true};
    EXPECT_EQ(value_of(result_of(id, 0)), gone);
    value_of(complete(claim().handle));
    EXPECT_EQ(value_of(result_of(id, 0)), gone);
    EXPECT_EQ(value_of(result_of(id, 1)), (AttemptResult{.outcome = AttemptOutcome::ended_success}))
        << "it has completed without one";
}

TEST_P(AttemptReads, WhatThereWasNotIsNamed) {
    const auto id = create();
    for (const std::uint32_t index : {0U, 1U, 4'294'967'295U}) {
        expect_error(attempt(id, index), ErrorKind::attempt_not_found, id.to_string());
        expect_error(result_of(id, index), ErrorKind::attempt_not_found, std::to_string(index));
    }
    const ExecutionId unknown{7, {}};
    expect_error(attempt(unknown, 0), ErrorKind::execution_not_found, unknown.to_string());
    expect_error(result_of(unknown, 0), ErrorKind::execution_not_found, unknown.to_string());
    claim();
    EXPECT_TRUE(attempt(id, 0));
    expect_error(attempt(id, 1), ErrorKind::attempt_not_found);
}

}  // namespace
}  // namespace flowfabric::test
