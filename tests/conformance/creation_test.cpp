#include "core/base/partition.hpp"
#include "support/fixture.hpp"

namespace flowfabric::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class CreationTest : public StoreTest {
  protected:
    static CreateExecution with_key(std::string key) {
        CreateExecution command;
        command.idempotency_key = std::move(key);
        return command;
    }

    static ExecutionId id_of(std::string_view text) { return value_of(ExecutionId::parse(text)); }
};

constexpr std::string_view some_uuid = "550e8400-e29b-41d4-a716-446655440000";

TEST_P(CreationTest, MintsIdsOnTheLanesPartition) {
    EXPECT_THAT(create().to_string(), StartsWith("{fp:86}:"));
    CreateExecution elsewhere;
    elsewhere.lane_id = "workers-a";
    EXPECT_THAT(create(elsewhere).to_string(), StartsWith("{fp:193}:"));
}

TEST_P(CreationTest, FlowsDecideThePartitionOfTheirMembers) {
    const FlowId flow = value_of(FlowId::parse(some_uuid));
    EXPECT_EQ(flow_execution_id(flow, Uuid{}).partition, 24);
    CreateExecution member;
    member.execution_id = flow_execution_id(flow, flow.uuid);
    EXPECT_EQ(create(member).partition, 24);
    EXPECT_THAT(claimed_ids(claim_by("w1")), ElementsAre(*member.execution_id));
}

TEST_P(CreationTest, KeepsThePartitionThatAnIdCarries) {
    CreateExecution command;
    command.execution_id = id_of("{fp:3}:" + std::string(some_uuid));
    EXPECT_EQ(create(command).to_string(), "{fp:3}:" + std::string(some_uuid));
    EXPECT_EQ(row(*command.execution_id).id.partition, 3);
}

TEST_P(CreationTest, NoSpellingOfAnIdMakesASecondRow) {
    CreateExecution command;
    command.execution_id = id_of("{fp:7}:" + std::string(some_uuid));
    create(command);
    for (const std::string_view other :
         {"{fp:07}:550e8400-e29b-41d4-a716-446655440000", "{fp:+7}:550e8400-e29b-41d4-a716-446655440000",
          "{fp:7}:550E8400-E29B-41D4-A716-446655440000", "{fp:7}:550e8400e29b41d4a716446655440000"}) {
        const auto parsed = ExecutionId::parse(other);
        if (!parsed) continue;
        EXPECT_EQ(*parsed, *command.execution_id) << other;
        EXPECT_TRUE(value_of(run(CreateExecution{.execution_id = *parsed})).duplicate) << other;
    }
    EXPECT_EQ(snapshot().executions.size(), 1U);
}

TEST_P(CreationTest, NilIdsAndTheLastPartitionAreOrdinary) {
    CreateExecution command;
    command.execution_id = ExecutionId{255, Uuid{}};
    EXPECT_EQ(create(command), (ExecutionId{255, Uuid{}}));
    EXPECT_THAT(claimed_ids(claim_by("w1")), ElementsAre(ExecutionId{255, Uuid{}}));
}

TEST_P(CreationTest, AFreshExecutionWaitsForAWorker) {
    CreateExecution command;
    command.namespace_name = "tenant";
    command.execution_kind = "resize";
    command.input_payload = std::string("\0\x01\xff", 3);
    command.payload_encoding = "raw";
    command.creator_identity = "alice";
    command.tags = {{"cairn.instance_id", "i-7"}, {"team.name", "übung ☃"}};
    command.execution_deadline_at_ms = now() + 5000;
    const Created created = value_of(run(command));
    EXPECT_EQ(created.public_state, PublicState::waiting);

    const ExecutionView seen = view(created.execution_id);
    EXPECT_EQ(seen.namespace_name, "tenant");
    EXPECT_EQ(seen.lane_id, "default");
    EXPECT_EQ(seen.execution_kind, "resize");
    EXPECT_EQ(seen.tags, command.tags);
    EXPECT_EQ(seen.created_at_ms, now());
    EXPECT_EQ(seen.deadline_at_ms, now() + 5000);
    EXPECT_EQ(seen.total_attempt_count, 0U);
    EXPECT_FALSE(seen.started_at_ms || seen.current_lease || seen.current_attempt);

    const StoredExecution stored = snapshot().executions.at(created.execution_id);
    EXPECT_EQ(stored.input, command.input_payload);
    EXPECT_EQ(stored.row.creator_identity, "alice");
    EXPECT_EQ(stored.row.payload_encoding, "raw");
    EXPECT_EQ(stored.row.instance_tag, "i-7");
    EXPECT_EQ(stored.row.lease_epoch, 0U);
    EXPECT_EQ(stored.row.vector.attempt_state, AttemptState::pending_first_attempt);
    EXPECT_THAT(lease_events(created.execution_id), IsEmpty());
}

TEST_P(CreationTest, IsClaimableWithNoOtherCallInBetween) {
    const ExecutionId id = create();
    EXPECT_THAT(claimed_ids(claim_by("w1")), ElementsAre(id));
}

TEST_P(CreationTest, ADelayedExecutionIsClaimedOnlyAfterItsTime) {
    CreateExecution command;
    command.delay_until_ms = now() + 1000;
    const ExecutionId id = create(command);
    EXPECT_EQ(state(id), PublicState::delayed);
    EXPECT_EQ(row(id).vector.blocking_reason, BlockingReason::waiting_for_delay);

    advance(999);
    reconcile();
    EXPECT_THAT(claimed_ids(claim_by("w1")), IsEmpty());
    advance(1);
    reconcile();
    EXPECT_EQ(state(id), PublicState::waiting);
    EXPECT_THAT(claimed_ids(claim_by("w1")), ElementsAre(id));
}

TEST_P(CreationTest, ADelayThatIsOverDelaysNothing) {
    CreateExecution command;
    command.delay_until_ms = now();
    EXPECT_THAT(value_of(run(command)).public_state, PublicState::waiting);
}

TEST_P(CreationTest, ThePolicySpeaksWhereTheCommandIsSilent) {
    CreateExecution command;
    command.policy.emplace();
    command.policy->priority = 70;
    command.policy->delay_until_ms = now() + 500;
    command.policy->timeout_policy = TimeoutPolicy{.execution_deadline_ms = 9000};
    const ExecutionRow by_policy = row(create(command));
    EXPECT_EQ(by_policy.priority, 70);
    EXPECT_EQ(by_policy.delay_until_ms, now() + 500);
    EXPECT_EQ(by_policy.deadline_at_ms, now() + 9000);

    command.priority = 3;
    command.delay_until_ms = now() + 100;
    const ExecutionRow by_command = row(create(command));
    EXPECT_EQ(by_command.priority, 3);
    EXPECT_EQ(by_command.delay_until_ms, now() + 100);
}

TEST_P(CreationTest, TheSameIdTwiceIsADuplicateAndChangesNothing) {
    const ExecutionId id = create();
    CreateExecution again;
    again.execution_id = id;
    again.priority = 5;
    again.input_payload = "other";
    expect_no_change([&] {
        EXPECT_EQ(value_of(run(again)), (Created{.execution_id = id, .duplicate = true, .public_state = std::nullopt}));
    });
}

TEST_P(CreationTest, TheSameIdTwiceIsADuplicateEvenOfATerminalExecution) {
    const ExecutionId id = create();
    value_of(complete(claim().handle, "done"));
    expect_no_change([&] { EXPECT_TRUE(value_of(run(CreateExecution{.execution_id = id})).duplicate); });
}

TEST_P(CreationTest, AnIdempotencyKeyNamesItsFirstExecution) {
    const ExecutionId first = create(with_key("order-1"));
    CreateExecution again = with_key("order-1");
    again.execution_id = id_of("{fp:5}:" + std::string(some_uuid));
    expect_no_change([&] {
        const Created answer = value_of(run(again));
        EXPECT_TRUE(answer.duplicate);
        EXPECT_EQ(answer.execution_id, first);
    });
}

TEST_P(CreationTest, AnIdempotencyKeyIsFreeAgainAfterItsWindow) {
    CreateExecution command = with_key("order-1");
    command.policy.emplace();
    command.policy->dedup_window_ms = 1000;
    const ExecutionId first = create(command);
    advance(999);
    EXPECT_EQ(value_of(run(command)).execution_id, first);
    advance(1);
    const Created second = value_of(run(command));
    EXPECT_FALSE(second.duplicate);
    EXPECT_NE(second.execution_id, first);
    EXPECT_EQ(value_of(run(command)).execution_id, second.execution_id);
    EXPECT_EQ(snapshot().idempotency_keys.size(), 1U);
}

TEST_P(CreationTest, AnIdempotencyKeyLastsADayByDefault) {
    const ExecutionId first = create(with_key("order-1"));
    advance(86'399'999);
    EXPECT_EQ(value_of(run(with_key("order-1"))).execution_id, first);
    advance(1);
    EXPECT_FALSE(value_of(run(with_key("order-1"))).duplicate);
}

TEST_P(CreationTest, IdempotencyKeysBelongToTheirNamespace) {
    create(with_key("order-1"));
    CreateExecution elsewhere = with_key("order-1");
    elsewhere.namespace_name = "tenant";
    EXPECT_FALSE(value_of(run(elsewhere)).duplicate);
}

TEST_P(CreationTest, IdempotencyKeysHoldAcrossEngines) {
    const ExecutionId first = create(with_key("order-1"));
    const auto other = another_engine();
    for (int i = 0; i < 5; ++i) {
        const Created answer = value_of(other->run(with_key("order-1")));
        EXPECT_TRUE(answer.duplicate);
        EXPECT_EQ(answer.execution_id, first);
    }
}

TEST_P(CreationTest, ManyCreatesWithOneKeyInOneBatchMakeOneExecution) {
    std::vector<Created> answers;
    for (int i = 0; i < 50; ++i) {
        engine().submit(with_key("order-1"),
                        [&](const Result<Answer>& answer) { answers.push_back(answer_of<Created>(answer)); });
    }
    engine().settle();
    ASSERT_EQ(answers.size(), 50U);
    EXPECT_EQ(std::ranges::count_if(answers, [](const Created& c) { return !c.duplicate; }), 1);
    for (const Created& answer : answers) EXPECT_EQ(answer.execution_id, answers.front().execution_id);
    EXPECT_EQ(snapshot().executions.size(), 1U);
}

TEST_P(CreationTest, ADuplicateIsNotTheNewExecutionOfTheSameBatch) {
    // The second create loses by its key; its own id must stay free.
    const ExecutionId wanted = id_of("{fp:5}:" + std::string(some_uuid));
    CreateExecution second = with_key("order-1");
    second.execution_id = wanted;
    engine().submit(with_key("order-1"), [](const Result<Answer>& answer) { EXPECT_TRUE(answer); });
    engine().submit(second, [](const Result<Answer>& answer) { EXPECT_TRUE(answer); });
    engine().settle();
    EXPECT_FALSE(value_of(run(CreateExecution{.execution_id = wanted})).duplicate);
}

TEST_P(CreationTest, TheFirstUseOfALaneRegistersIt) {
    CreateExecution command;
    command.lane_id = "lane with spaces ~";
    create(command);
    EXPECT_TRUE(snapshot().of<LaneRow>().contains({"lane with spaces ~"}));
}

TEST_P(CreationTest, CapabilitiesAreStoredSortedAndOnce) {
    const ExecutionId id = create_with(requiring({"gpu", "arm", "gpu"}));
    EXPECT_THAT(row(id).required_capabilities, ElementsAre("arm", "gpu"));
}

INSTANTIATE_TEST_SUITE_P(Stores, CreationTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
