#include <algorithm>
#include <functional>
#include <set>

#include "conformance/waiting.hpp"

namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class ClaimTest : public StoreTest {
  protected:
    ExecutionId create_with_priority(std::int32_t priority) {
        CreateExecution command;
        command.priority = priority;
        return create(command);
    }

    ExecutionId create_on(std::string lane) {
        CreateExecution command;
        command.lane_id = std::move(lane);
        return create(command);
    }

    static Claim claim_many(std::uint32_t count, std::string_view worker = "w1") {
        Claim command = claim_by(worker);
        command.max_count = count;
        return command;
    }

    static Claim claim_with(std::vector<std::string> capabilities) {
        Claim command = claim_by("w1");
        command.capabilities = std::move(capabilities);
        return command;
    }
};

TEST_P(ClaimTest, TellsTheWorkerAllItNeeds) {
    CreateExecution command;
    command.lane_id = "images";
    command.execution_kind = "resize";
    command.input_payload = std::string("\0payload\xff", 9);
    command.payload_encoding = "raw";
    const ExecutionId id = create(command);

    Claim wanted = claim_by("w1");
    wanted.lanes = {"images"};
    wanted.lease_ttl_ms = 4000;
    const ClaimedExecution claimed = claim(wanted);
    EXPECT_EQ(claimed.execution_id, id);
    EXPECT_EQ(claimed.lease_epoch, LeaseEpoch{1});
    EXPECT_EQ(claimed.attempt_index, 0U);
    EXPECT_EQ(claimed.attempt_type, AttemptType::initial);
    EXPECT_EQ(claimed.lease_expires_at_ms, now() + 4000);
    EXPECT_EQ(claimed.lane_id, "images");
    EXPECT_EQ(claimed.execution_kind, "resize");
    EXPECT_EQ(claimed.payload_encoding, "raw");
    EXPECT_EQ(claimed.input_payload, command.input_payload);
    EXPECT_EQ(claimed.handle.kind, HandleKind::fresh);
    EXPECT_EQ(claimed.handle.backend, backend().traits().tag);
    EXPECT_EQ(value_of(decode_handle(claimed.handle, claimed.handle.backend)),
              (HandleContent{.execution_id = id,
                             .attempt_index = 0,
                             .attempt_id = claimed.attempt_id,
                             .lease_id = claimed.lease_id,
                             .lease_epoch = 1,
                             .lease_ttl_ms = 4000,
                             .lane_id = "images",
                             .worker_instance_id = "w1-1"}));
}

TEST_P(ClaimTest, MakesTheExecutionActiveAndOpensAttemptZero) {
    const ExecutionId id = create();
    advance(50);
    const ClaimedExecution claimed = claim("w1");

    const ExecutionView seen = view(id);
    EXPECT_EQ(seen.vector.lifecycle_phase, LifecyclePhase::active);
    EXPECT_EQ(seen.vector.ownership_state, OwnershipState::leased);
    EXPECT_EQ(seen.vector.eligibility_state, EligibilityState::not_applicable);
    EXPECT_EQ(seen.vector.blocking_reason, BlockingReason::none);
    EXPECT_EQ(seen.vector.attempt_state, AttemptState::running_attempt);
    EXPECT_EQ(seen.vector.public_state, PublicState::active);
    EXPECT_EQ(seen.started_at_ms, now());
    EXPECT_EQ(seen.total_attempt_count, 1U);
    ASSERT_TRUE(seen.current_lease);
    EXPECT_EQ(seen.current_lease->lease_id, claimed.lease_id);
    EXPECT_EQ(seen.current_lease->lease_epoch, LeaseEpoch{1});
    EXPECT_EQ(seen.current_lease->worker_id, "w1");
    EXPECT_EQ(seen.current_lease->worker_instance_id, "w1-1");
    EXPECT_EQ(seen.current_lease->acquired_at_ms, now());
    EXPECT_EQ(seen.current_lease->expires_at_ms, now() + 30'000);

    const auto history = attempts(id);
    ASSERT_EQ(history.size(), 1U);
    EXPECT_EQ(history[0].attempt_id, claimed.attempt_id);
    EXPECT_EQ(history[0].attempt_type, AttemptType::initial);
    EXPECT_EQ(history[0].outcome, AttemptOutcome::started);
    EXPECT_FALSE(history[0].ended_at_ms);

    const auto events = lease_events(id);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].event_type, LeaseEventType::acquired);
    EXPECT_EQ(events[0].worker_id, "w1");
    EXPECT_EQ(events[0].worker_instance_id, "w1-1");
    EXPECT_EQ(events[0].attempt_id, claimed.attempt_id);
    EXPECT_EQ(events[0].attempt_index, 0);
    EXPECT_EQ(events[0].lease_id, claimed.lease_id);
    EXPECT_EQ(events[0].lease_epoch, 1U);
    EXPECT_EQ(events[0].occurred_at_ms, now());
    EXPECT_FALSE(events[0].reason);
}

TEST_P(ClaimTest, NoWorkIsNotAnError) {
    EXPECT_THAT(claimed_ids(claim_by("w1")), IsEmpty());
    create();
    claim();
    expect_no_change([&] { EXPECT_THAT(claimed_ids(claim_by("w2")), IsEmpty()); });
}

TEST_P(ClaimTest, AClaimForNothingTakesNothing) {
    create();
    expect_no_change([&] { EXPECT_THAT(claimed_ids(claim_many(0)), IsEmpty()); });
}

TEST_P(ClaimTest, HigherPriorityComesFirst) {
    const ExecutionId low = create_with_priority(1);
    advance(10);
    const ExecutionId high = create_with_priority(5);
    EXPECT_THAT(claimed_ids(claim_by("w1")), ElementsAre(high));
    EXPECT_THAT(claimed_ids(claim_by("w1")), ElementsAre(low));
}

TEST_P(ClaimTest, OfEqualPriorityTheOlderComesFirst) {
    std::vector<ExecutionId> in_order;
    for (int i = 0; i < 5; ++i) {
        in_order.push_back(create_with_priority(7));
        advance(1);
    }
    for (const ExecutionId& id : in_order) EXPECT_THAT(claimed_ids(claim_by("w1")), ElementsAre(id));
}

TEST_P(ClaimTest, OneClaimTakesManyInOrder) {
    const ExecutionId low = create_with_priority(1);
    const ExecutionId high = create_with_priority(9);
    const ExecutionId middle = create_with_priority(5);
    EXPECT_THAT(claimed_ids(claim_many(2)), ElementsAre(high, middle));
    EXPECT_THAT(claimed_ids(claim_many(500)), ElementsAre(low));
}

TEST_P(ClaimTest, ExecutionsOfOneMillisecondComeInTheOrderOfTheirIds) {
    std::set<Uuid> uuids;
    for (int i = 0; i < 8; ++i) uuids.insert(create().uuid);
    std::vector<Uuid> claimed;
    for (const ExecutionId& id : claimed_ids(claim_many(8))) claimed.push_back(id.uuid);
    EXPECT_EQ(claimed, std::vector<Uuid>(uuids.begin(), uuids.end()));
}

TEST_P(ClaimTest, SeesOnlyItsLanes) {
    const ExecutionId a = create_on("a");
    const ExecutionId b = create_on("b");
    const ExecutionId c = create_on("c");
    EXPECT_THAT(claimed_ids(claim_by("w1")), IsEmpty());
    Claim two = claim_many(10);
    two.lanes = {"c", "a", "c"};
    EXPECT_THAT(claimed_ids(two), UnorderedElementsAre(a, c));
    Claim last = claim_many(10);
    last.lanes = {"b"};
    EXPECT_THAT(claimed_ids(last), ElementsAre(b));
}

TEST_P(ClaimTest, EveryExecutionIsClaimedOnceByEnginesInTurn) {
    std::set<ExecutionId> created;
    for (int i = 0; i < 100; ++i) created.insert(create());
    const auto other = another_engine();
    std::vector<ExecutionId> claimed;
    std::set<LeaseId> leases;
    while (claimed.size() < 100) {
        const auto before = claimed.size();
        for (Simulation* at : {&engine(), other.get()}) {
            const Claimed found = value_of(at->run(claim_many(7)));
            for (const ClaimedExecution& one : found.executions) {
                claimed.push_back(one.execution_id);
                leases.insert(one.lease_id);
            }
        }
        ASSERT_GT(claimed.size(), before);
    }
    EXPECT_EQ(std::set(claimed.begin(), claimed.end()), created);
    EXPECT_EQ(leases.size(), 100U);
    EXPECT_THAT(claimed_ids(claim_by("w1")), IsEmpty());
}

TEST_P(ClaimTest, ClaimsOfOneBatchShareTheWorkWithoutOverlap) {
    std::set<ExecutionId> created;
    for (int i = 0; i < 10; ++i) created.insert(create());
    std::vector<ExecutionId> claimed;
    for (int i = 0; i < 16; ++i) {
        engine().submit(claim_by("w" + std::to_string(i)), collect_claimed(claimed));
    }
    engine().settle();
    EXPECT_EQ(claimed.size(), 10U);
    EXPECT_EQ(std::set(claimed.begin(), claimed.end()), created);
}

TEST_P(ClaimTest, AnotherEngineFindsWorkOnALaneThatIsNewToIt) {
    const auto other = another_engine();
    EXPECT_THAT(value_of(other->run(claim_by("w1"))).executions, IsEmpty());
    const ExecutionId id = create();
    const Claimed claimed = value_of(other->run(claim_by("w1")));
    ASSERT_EQ(claimed.executions.size(), 1U);
    EXPECT_EQ(claimed.executions.front().execution_id, id);
}

TEST_P(ClaimTest, AnotherEngineFindsWorkOfAnOlderTimeAndAnotherPriority) {
    const auto other = another_engine();
    create_with_priority(5);
    for (int i = 0; i < 3; ++i) {
        advance(10'000);
        create_with_priority(5);
        ASSERT_EQ(value_of(other->run(claim_by("w1"))).executions.size(), 1U);
    }
    create_with_priority(1);
    create_with_priority(9);
    std::size_t claimed = 0;
    for (int i = 0; i < 4; ++i) claimed += value_of(other->run(claim_by("w1"))).executions.size();
    EXPECT_EQ(claimed, 3U);
}

TEST_P(ClaimTest, AnEngineThatSawOnlyTheTopPriorityKnowsTheLowerOnes) {
    const ExecutionId high = create_with_priority(8);
    const ExecutionId middle = create_with_priority(5);
    const auto restarted = another_engine();
    const auto take = [&](std::uint32_t count) {
        std::vector<ExecutionId> ids;
        restarted->submit(claim_many(count), collect_claimed(ids));
        restarted->settle();
        return ids;
    };
    EXPECT_THAT(take(1), ElementsAre(high));
    const ExecutionId low = value_of(restarted->run(CreateExecution{})).execution_id;
    EXPECT_THAT(take(2), ElementsAre(middle, low));
}

TEST_P(ClaimTest, HundredsOfPrioritiesAreClaimedInTheirOrder) {
    constexpr std::int32_t priorities = 300;
    for (std::int32_t i = 0; i < priorities; ++i) {
        CreateExecution command;
        command.priority = 1 + i * 7 % priorities;
        engine().submit(command, [](const Result<Answer>& created) { EXPECT_TRUE(created); });
    }
    engine().settle();
    std::int32_t expected = priorities;
    const auto expect_next = [&](std::uint32_t count) {
        for (const ExecutionId& id : claimed_ids(claim_many(count))) EXPECT_EQ(row(id).priority, expected--);
    };
    expect_next(40);
    const ExecutionId late = create_with_priority(9000);
    EXPECT_THAT(claimed_ids(claim_many(1)), ElementsAre(late));
    while (expected > 0) {
        const std::int32_t before = expected;
        expect_next(50);
        ASSERT_LT(expected, before);
    }
}

// More sets than a claim looks at one by one.
TEST_P(ClaimTest, WorkOfHundredsOfCapabilitySetsIsClaimedByPriorityAndAllOfIt) {
    constexpr unsigned sets = 150;
    std::vector<std::string> every;
    for (unsigned bit = 0; bit < 8; ++bit) every.push_back("c" + std::to_string(bit));
    for (unsigned i = 0; i < 2 * sets; ++i) {
        std::vector<std::string> required;
        for (unsigned bit = 0; bit < 8; ++bit) {
            if ((i % sets >> bit & 1U) != 0) required.push_back(every[bit]);
        }
        CreateExecution command;
        command.policy = requiring(required);
        command.priority = i < sets ? 1 : 5;
        engine().submit(command, [](const Result<Answer>& created) { EXPECT_TRUE(created); });
    }
    engine().settle();
    Claim command = claim_with(every);
    command.max_count = 40;
    std::vector<std::int32_t> priorities;
    for (int round = 0; round < 40 && priorities.size() < 2 * sets; ++round) {
        for (const ExecutionId& id : claimed_ids(command)) priorities.push_back(row(id).priority);
    }
    EXPECT_THAT(priorities, SizeIs(2 * sets));
    EXPECT_TRUE(std::ranges::is_sorted(priorities, std::greater{}));
}

TEST_P(ClaimTest, ALaneThatAnotherEngineMadeIsFoundAmongMany) {
    for (int i = 0; i < 70; ++i) create_on("lane-" + std::to_string(i));
    const auto other = another_engine();
    Claim wanted = claim_by("w1");
    wanted.lanes = {"lane-new"};
    EXPECT_THAT(claimed_ids(wanted), IsEmpty());
    CreateExecution command;
    command.lane_id = "lane-new";
    const ExecutionId id = value_of(other->run(command)).execution_id;
    EXPECT_THAT(claimed_ids(wanted), ElementsAre(id));
}

TEST_P(ClaimTest, WorkThatNeedsACapabilityDoesNotBlockTheQueue) {
    CreateExecution demanding;
    demanding.priority = 9000;
    demanding.policy = requiring({"gpu"});
    const ExecutionId top = create(demanding);
    const ExecutionId plain = create();
    EXPECT_THAT(claimed_ids(claim_by("w1")), ElementsAre(plain));
    EXPECT_THAT(claimed_ids(claim_by("w1")), IsEmpty());
    EXPECT_THAT(claimed_ids(claim_with({"gpu"})), ElementsAre(top));
}

TEST_P(ClaimTest, AWorkerMustHaveEveryRequiredCapability) {
    const ExecutionId id = create_with(requiring({"a", "b"}));
    EXPECT_THAT(claimed_ids(claim_with({"a"})), IsEmpty());
    EXPECT_THAT(claimed_ids(claim_with({"A", "B"})), IsEmpty());
    EXPECT_THAT(claimed_ids(claim_with({"c", "b", "a"})), ElementsAre(id));
}

TEST_P(ClaimTest, ClaimsOfDifferentCapabilitiesInOneBatchGetWhatTheyCanRun) {
    const ExecutionId for_gpu = create_with(requiring({"gpu"}));
    const ExecutionId plain = create();
    std::vector<ExecutionId> by_gpu;
    std::vector<ExecutionId> by_plain;
    Claim both = claim_with({"gpu"});
    both.max_count = 2;
    engine().submit(claim_by("w1"), collect_claimed(by_plain));
    engine().submit(both, collect_claimed(by_gpu));
    engine().settle();
    EXPECT_THAT(by_plain, ElementsAre(plain));
    EXPECT_THAT(by_gpu, ElementsAre(for_gpu));
}

TEST_P(ClaimTest, WorkInTheHighestPartitionIsFoundByTheFirstClaim) {
    CreateExecution command;
    command.execution_id = ExecutionId{255, value_of(Uuid::parse("00000000-0000-4000-8000-000000000001"))};
    create(command);
    EXPECT_THAT(claimed_ids(claim_by("w1")), ElementsAre(*command.execution_id));
}

TEST_P(ClaimTest, EveryOperationWorksOnTheHandleOfAClaim) {
    const ExecutionId id = create_with(retries(1, 0));
    const Handle fresh = claim().handle;
    value_of(renew(fresh));
    fail_with_retry(fresh);
    claim();
    advance(30'000);
    reconcile();
    const Handle reclaimed = claim().handle;
    EXPECT_EQ(reclaimed.kind, HandleKind::reclaimed);
    value_of(renew(reclaimed));
    value_of(complete(reclaimed));
    EXPECT_EQ(state(id), PublicState::completed);
}

TEST_P(ClaimTest, ClaimsThatWaitAreAnsweredWhenWorkArrives) {
    Claim patient = claim_by("w1");
    patient.max_wait_ms = 10'000;
    std::vector<ExecutionId> claimed;
    engine().submit(patient, collect_claimed(claimed));
    for (int i = 0; i < 2; ++i) engine().step();  // the first look and the second
    EXPECT_THAT(claimed, IsEmpty());
    const ExecutionId id = create();
    engine().settle();
    EXPECT_THAT(claimed, ElementsAre(id));
}

TEST_P(ClaimTest, AClaimThatWaitsIsHandedWhatIsCreatedInTheTransactionThatCreatesIt) {
    std::vector<ClaimedExecution> claimed;
    wait_for_work(engine(), claimed);
    CreateExecution command;
    command.input_payload = "letter";
    const ExecutionId id = create(command);
    ASSERT_THAT(claimed, SizeIs(1)) << "before anybody takes another step";
    EXPECT_EQ(claimed[0].execution_id, id);
    EXPECT_EQ(claimed[0].input_payload, "letter");
    EXPECT_EQ(state(id), PublicState::active);
    EXPECT_THAT(lease_event_types(id), ElementsAre(LeaseEventType::acquired));
    value_of(complete(claimed[0].handle));
}

TEST_P(ClaimTest, AClaimThatWaitsIsHandedWhatComesBackFromADelayWithItsInput) {
    for (const std::string input : {"letter", ""}) {
        CreateExecution command;
        command.input_payload = input;
        command.delay_until_ms = now() + 1000;
        const ExecutionId id = create(command);
        std::vector<ClaimedExecution> claimed;
        wait_for_work(engine(), claimed);
        advance(1000);
        value_of(run(FireTimer{id, Timer::delayed_promotion}));
        ASSERT_THAT(claimed, SizeIs(1));
        EXPECT_EQ(claimed[0].execution_id, id);
        EXPECT_EQ(claimed[0].input_payload, input);
        value_of(complete(claimed[0].handle));
    }
}

TEST_P(ClaimTest, AttemptTimeoutsComeFromTheClaimOrThePolicy) {
    CreateExecution command;
    command.policy.emplace();
    command.policy->timeout_policy = TimeoutPolicy{.attempt_timeout_ms = 7000};
    const ExecutionId by_policy = create(command);
    claim();
    EXPECT_EQ(row(by_policy).attempt_deadline_at_ms, now() + 7000);

    const ExecutionId by_claim = create(command);
    Claim short_claim = claim_by("w1");
    short_claim.attempt_timeout_ms = 500;
    claim(short_claim);
    EXPECT_EQ(row(by_claim).attempt_deadline_at_ms, now() + 500);
}

INSTANTIATE_TEST_SUITE_P(Stores, ClaimTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
