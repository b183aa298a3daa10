#include <boost/json.hpp>
#include <limits>

#include "support/fixture.hpp"

namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class PriorityTest : public StoreTest {
  protected:
    Result<PriorityChanged> change(const ExecutionId& id, std::int32_t priority) {
        return run(ChangePriority{.execution_id = id, .new_priority = priority});
    }

    ExecutionId create_with_priority(std::int32_t priority) {
        CreateExecution command;
        command.priority = priority;
        return create(command);
    }

    static void expect_details(const OperatorEvent& event, int old_priority, int new_priority) {
        const auto details = boost::json::parse(event.details.text).as_object();
        EXPECT_EQ(details.size(), 2U);
        EXPECT_EQ(details.at("old_priority").to_number<int>(), old_priority);
        EXPECT_EQ(details.at("new_priority").to_number<int>(), new_priority);
    }

    std::vector<ExecutionId> claim_in_order(std::uint32_t count) {
        Claim command = claim_by("w1");
        command.max_count = count;
        return claimed_ids(command);
    }
};

TEST_P(PriorityTest, ChangesTheOrderOfClaims) {
    const ExecutionId first = create_with_priority(5);
    const ExecutionId second = create_with_priority(5);
    const ExecutionId third = create_with_priority(5);
    EXPECT_EQ(value_of(change(third, 9)), (PriorityChanged{third, 5, 9}));
    EXPECT_EQ(value_of(change(first, 1)), (PriorityChanged{first, 5, 1}));
    EXPECT_EQ(view(third).priority, 9);
    EXPECT_THAT(claim_in_order(3), ElementsAre(third, second, first));
}

TEST_P(PriorityTest, ChangesNothingButThePriority) {
    const ExecutionId id = create_with_priority(5);
    ExecutionRow before = row(id);
    advance(5);
    value_of(change(id, 7));
    before.priority = 7;
    before.last_mutation_at_ms = now();
    EXPECT_EQ(row(id), before);
    EXPECT_THAT(lease_events(id), IsEmpty());
    EXPECT_THAT(completion_events(id), IsEmpty());
}

TEST_P(PriorityTest, IsOneOperatorEventWithOldAndNew) {
    CreateExecution command;
    command.namespace_name = "shop";
    command.priority = 5;
    command.tags = {{"cairn.instance_id", "i-7"}};
    const ExecutionId id = create(command);
    advance(5);
    value_of(change(id, 70));
    const auto events = operator_events(id);
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_EQ(events[0].event_type, OperatorEventType::priority_changed);
    EXPECT_EQ(events[0].subject_kind, SubjectKind::execution);
    EXPECT_EQ(events[0].partition_key, id.partition);
    EXPECT_EQ(events[0].namespace_name, "shop");
    EXPECT_EQ(events[0].instance_tag, "i-7");
    expect_details(events[0], 5, 70);
    EXPECT_EQ(events[0].occurred_at_ms, now());
}

TEST_P(PriorityTest, ARepeatIsToldAgain) {
    const ExecutionId id = create_with_priority(5);
    value_of(change(id, 7));
    EXPECT_EQ(value_of(change(id, 7)), (PriorityChanged{id, 7, 7}));
    const auto events = operator_events(id);
    ASSERT_THAT(events, SizeIs(2));
    expect_details(events[1], 7, 7);
}

TEST_P(PriorityTest, IsClamped) {
    const ExecutionId id = create_with_priority(5);
    EXPECT_EQ(value_of(change(id, 9001)), (PriorityChanged{id, 5, 9000}));
    EXPECT_EQ(value_of(change(id, std::numeric_limits<std::int32_t>::max())), (PriorityChanged{id, 9000, 9000}));
    EXPECT_EQ(value_of(change(id, std::numeric_limits<std::int32_t>::min())), (PriorityChanged{id, 9000, 0}));
    EXPECT_EQ(row(id).priority, 0);
}

// Another engine remembers which levels hold work; it looks for a level that an operator made at least every second.
TEST_P(PriorityTest, AnotherEngineFollowsTheNewOrder) {
    const auto other = another_engine();
    const ExecutionId seen = create_with_priority(5);
    std::vector<ExecutionId> ids;
    other->submit(claim_by("w1"), collect_claimed(ids));
    other->settle();
    ASSERT_THAT(ids, ElementsAre(seen));

    const ExecutionId first = create_with_priority(5);
    const ExecutionId second = create_with_priority(5);
    const ExecutionId third = create_with_priority(5);
    value_of(change(third, 8));
    value_of(change(first, 2));
    other->advance_steady(1000);
    ids.clear();
    for (int i = 0; i < 3; ++i) {
        other->submit(claim_by("w1"), collect_claimed(ids));
        other->settle();
    }
    EXPECT_THAT(ids, ElementsAre(third, second, first));
}

TEST_P(PriorityTest, AnEngineThatFoundNothingFindsTheNewLevel) {
    const auto other = another_engine();
    ASSERT_THAT(value_of(other->run(claim_by("w1"))).executions, IsEmpty());
    const ExecutionId id = create_with_priority(5);
    value_of(change(id, 4000));
    const Claimed claimed = value_of(other->run(claim_by("w1")));
    ASSERT_THAT(claimed.executions, SizeIs(1));
    EXPECT_EQ(claimed.executions[0].execution_id, id);
}

TEST_P(PriorityTest, OfOneThatWaitsForItsRetryAttempt) {
    const ExecutionId id = create_with(retries(3, 1000));
    fail_with_retry(claim().handle);
    advance(1000);
    reconcile();
    ASSERT_EQ(state(id), PublicState::waiting);
    const ExecutionId other = create_with_priority(5);
    value_of(change(id, 6));
    EXPECT_THAT(claim_in_order(2), ElementsAre(id, other));
}

TEST_P(PriorityTest, OfAResumableOne) {
    const ExecutionId id = create();
    value_of(delay(claim().handle, now()));
    ASSERT_EQ(state(id), PublicState::resumable);
    const ExecutionId other = create_with_priority(5);
    value_of(change(id, 6));
    EXPECT_EQ(state(id), PublicState::resumable);
    EXPECT_THAT(claim_in_order(2), ElementsAre(id, other));
}

TEST_P(PriorityTest, OnlyWhatWaitsForAWorkerHasOneToChange) {
    const ExecutionId active = create();
    const ClaimedExecution claimed = claim();
    expect_no_change([&] { expect_error(change(active, 7), ErrorKind::execution_not_eligible, "active"); });
    value_of(complete(claimed.handle));
    expect_no_change([&] { expect_error(change(active, 7), ErrorKind::execution_not_eligible, "completed"); });

    const ExecutionId lost = create();
    claim();
    let_lease_lapse();
    expect_no_change([&] { expect_error(change(lost, 7), ErrorKind::execution_not_eligible); });

    CreateExecution command;
    command.delay_until_ms = now() + 1000;
    const ExecutionId delayed = create(command);
    expect_no_change([&] { expect_error(change(delayed, 7), ErrorKind::execution_not_eligible, "delayed"); });
    advance(1000);
    reconcile();
    value_of(change(delayed, 7));
}

TEST_P(PriorityTest, AnUnknownExecutionIsNotFound) {
    expect_no_change([&] {
        expect_error(change(ExecutionId{86, Uuid{}}, 7), ErrorKind::execution_not_found);
        expect_error(change(ExecutionId{256, Uuid{}}, 7), ErrorKind::invalid_input, "execution_id");
    });
}

INSTANTIATE_TEST_SUITE_P(Stores, PriorityTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
