#include <algorithm>

#include "support/fixture.hpp"

// A claim with a request id that is made again: its reply may have been lost.
namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t request_ttl = 30'000;

class ClaimRequest : public StoreTest {
  protected:
    static Claim request(std::string id = "r1", std::uint32_t count = 2) {
        Claim command = claim_by("w1");
        command.max_count = count;
        command.request_id = std::move(id);
        return command;
    }
    std::vector<ClaimedExecution> take(Claim command) { return value_of(run(std::move(command))).executions; }
    std::vector<ExecutionId> create_some(int count) {
        std::vector<ExecutionId> ids;
        for (int i = 0; i < count; ++i) {
            CreateExecution command;
            command.input_payload = "input " + std::to_string(i);
            ids.push_back(create(std::move(command)));
            advance(1);
        }
        return ids;
    }
    std::size_t requests_kept() { return snapshot().of<ClaimRequestRow>().size(); }
};
INSTANTIATE_TEST_SUITE_P(Stores, ClaimRequest, all_stores(), name_of_param);

TEST_P(ClaimRequest, TheSameRequestGetsTheSameLeasesAgainAndNothingNew) {
    create_some(4);
    const auto first = take(request());
    ASSERT_THAT(first, SizeIs(2));
    advance(1000);
    expect_no_change([&] { EXPECT_EQ(take(request()), first) << "with the inputs, the handles and all"; });

    const auto elsewhere = another_engine();
    EXPECT_EQ(value_of(elsewhere->run(request())).executions, first) << "from any engine on the store";
    EXPECT_THAT(take(request("r2", 5)), SizeIs(2)) << "another request is another claim";
}

TEST_P(ClaimRequest, ARequestBelongsToItsProcess) {
    create_some(2);
    EXPECT_THAT(take(request("r1", 1)), SizeIs(1));
    Claim other = request("r1", 5);
    other.worker_instance_id = "w1-2";
    EXPECT_THAT(take(other), SizeIs(1));
}

TEST_P(ClaimRequest, WhatHasEndedMeanwhileIsLeftOut) {
    create_some(3);
    const auto first = take(request());
    value_of(complete(first[0].handle));
    EXPECT_EQ(take(request()), std::vector{first[1]});
    value_of(release(first[1].handle));
    EXPECT_THAT(take(request()), SizeIs(2)) << "nothing that it took is held: it is a new claim";
}

TEST_P(ClaimRequest, AClaimThatTookNothingIsMadeAnew) {
    EXPECT_THAT(take(request()), IsEmpty());
    EXPECT_EQ(requests_kept(), 0U);
    create_some(1);
    EXPECT_THAT(take(request()), SizeIs(1));
}

TEST_P(ClaimRequest, ALeaseThatHasRunOutIsNotGivenAgain) {
    create_some(1);
    EXPECT_THAT(take(request()), SizeIs(1));
    advance(request_ttl);
    reconcile();
    const auto later = take(request());
    ASSERT_THAT(later, SizeIs(1));
    EXPECT_EQ(later[0].attempt_type, AttemptType::reclaim);
    EXPECT_EQ(take(request()), later);
}

TEST_P(ClaimRequest, ALeaseThatIsAnothersByNowIsNotGivenAgain) {
    create_some(2);
    const auto first = take(request());
    value_of(release(first[0].handle));
    const auto taken = claim("w2");
    EXPECT_EQ(taken.execution_id, first[0].execution_id);
    EXPECT_EQ(take(request()), std::vector{first[1]});
}

TEST_P(ClaimRequest, OneRequestThatWaitsTwiceIsServedOnce) {
    std::vector<std::vector<ClaimedExecution>> answers;
    for (int i = 0; i < 2; ++i) {
        Claim patient = request("r1", 1);
        patient.max_wait_ms = 3'600'000;
        engine().submit(patient, [&answers](const Result<Answer>& answer) {
            answers.push_back(answer_of<Claimed>(answer).executions);
        });
    }
    for (int look = 0; look < 2; ++look) engine().step();
    ASSERT_THAT(answers, IsEmpty());
    create_some(2);
    while (answers.size() < 2 && engine().step()) {
    }
    ASSERT_THAT(answers, SizeIs(2));
    EXPECT_THAT(answers[0], SizeIs(1));
    EXPECT_EQ(answers[0], answers[1]);
}

TEST_P(ClaimRequest, ARequestThatWaitsOnTwoEnginesIsServedOnce) {
    const auto elsewhere = another_engine();
    std::vector<std::vector<ClaimedExecution>> answers;
    for (Simulation* each : {&engine(), elsewhere.get()}) {
        Claim patient = request("r1", 1);
        patient.max_wait_ms = 3'600'000;
        each->submit(patient, [&answers](const Result<Answer>& answer) {
            answers.push_back(answer_of<Claimed>(answer).executions);
        });
        for (int look = 0; look < 2; ++look) each->step();
    }
    ASSERT_THAT(answers, IsEmpty());
    create_some(1);
    ASSERT_THAT(answers, SizeIs(1));
    // Work that the other engine takes in would be handed to the claim that waits there.
    value_of(elsewhere->run(CreateExecution{.execution_kind = "test"}));
    while (answers.size() < 2 && elsewhere->step()) {
    }
    ASSERT_THAT(answers, SizeIs(2));
    EXPECT_EQ(answers[0], answers[1]);
}

TEST_P(ClaimRequest, WhatIsKeptOfARequestGoesWhenItsLeasesWouldHaveRunOut) {
    create_some(1);
    EXPECT_THAT(take(request()), SizeIs(1));
    EXPECT_EQ(requests_kept(), 1U);
    const auto writer = std::move(*backend().open_writer());
    EXPECT_EQ(*writer->sweep(100, request_ttl), 0U);
    advance(request_ttl);
    EXPECT_EQ(*writer->sweep(100, request_ttl), 1U);
    EXPECT_EQ(requests_kept(), 0U);
}

}  // namespace
}  // namespace flowfabric::test
