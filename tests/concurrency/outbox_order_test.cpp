#include "concurrency/outbox_test.hpp"

// What an engine's subscriptions make of transactions that are not its own, on PostgreSQL: ids that commit in another
// order than they were drawn in, or never; literals of a newer version.
namespace flowfabric::test {
namespace {

using testing::ElementsAre;

class OutboxOrder : public OutboxTest {};

// ---- gaps -------------------------------------------------------------------------------------------------------

TEST_F(OutboxOrder, AnEventThatCommitsLateComesBeforeLaterOnes) {
    subscribe_and_see_one();
    const auto late = session();
    late->run("BEGIN");
    const auto first = insert_into(*late);
    const auto second = insert();
    const auto third = insert();
    expect_nothing_yet();
    late->run("COMMIT");
    EXPECT_THAT(take(3), ElementsAre(first, second, third));
}

TEST_F(OutboxOrder, AnEventThatIsRolledBackHoldsUpNothingAnyMore) {
    subscribe_and_see_one();
    const auto failing = session();
    failing->run("BEGIN");
    insert_into(*failing);
    const auto second = insert();
    const auto third = insert();
    expect_nothing_yet();
    failing->run("ROLLBACK");
    EXPECT_THAT(take(2), ElementsAre(second, third));
}

TEST_F(OutboxOrder, ATransactionThatDiesHoldsUpNothingAnyMore) {
    subscribe_and_see_one();
    auto dying = session();
    dying->run("BEGIN");
    insert_into(*dying);
    const auto second = insert();
    expect_nothing_yet();
    dying.reset();
    EXPECT_THAT(take(1), ElementsAre(second));
}

TEST_F(OutboxOrder, ATransactionThatWasThereBeforeTheSubscriptionIsWaitedFor) {
    const auto late = session();
    late->run("BEGIN");
    const auto first = insert_into(*late);
    const auto second = insert();
    subscribe({.cursor = cursor_at(0)});
    expect_nothing_yet();
    const auto third = insert();
    late->run("COMMIT");
    EXPECT_THAT(take(3), ElementsAre(first, second, third));
}

TEST_F(OutboxOrder, ASubscriptionFromNowBeginsOnceItIsKnownWhatNowIs) {
    const auto late = session();
    late->run("BEGIN");
    insert_into(*late);
    auto subscribed = std::async(std::launch::async, [&] { subscribe({}); });
    EXPECT_EQ(subscribed.wait_for(a_while), std::future_status::timeout);
    late->run("COMMIT");
    subscribed.get();
    const auto next_id = insert();
    EXPECT_THAT(take(1), ElementsAre(next_id));
}

TEST_F(OutboxOrder, ASubscriptionFromNowSeesWhatWasDrawnBeforeItAndCommitsAfterIt) {
    subscribe_and_see_one();
    const auto late = session();
    late->run("BEGIN");
    const auto first = insert_into(*late);
    const auto second = insert();
    subscribe({});
    late->run("COMMIT");
    EXPECT_THAT(take(2), ElementsAre(first, second));
}

TEST_F(OutboxOrder, WhoDrawsFirstComesFirstWhoeverBeganFirst) {
    subscribe_and_see_one();
    const auto a = session();
    const auto b = session();
    a->run("BEGIN");
    a->run("SELECT txid_current()");
    b->run("BEGIN");
    const auto of_b = insert_into(*b);
    const auto of_a = insert_into(*a);
    a->run("COMMIT");
    expect_nothing_yet();
    b->run("COMMIT");
    EXPECT_THAT(take(2), ElementsAre(of_b, of_a));
}

TEST_F(OutboxOrder, OpenTransactionsThatOverlapNeverLetAnyoneSlipThrough) {
    subscribe_and_see_one();
    auto open = session();
    open->run("BEGIN");
    std::vector<std::int64_t> drawn{insert_into(*open)};
    for (int i = 0; i < 20; ++i) {
        auto next_open = session();
        next_open->run("BEGIN");
        drawn.push_back(insert_into(*next_open));
        drawn.push_back(insert());
        drawn.push_back(insert_into(*open));
        open->run("COMMIT");
        open = std::move(next_open);
    }
    open->run("COMMIT");
    EXPECT_EQ(take(static_cast<int>(drawn.size())), drawn);
}

TEST_F(OutboxOrder, ATransactionThatLeavesAnotherChannelOpenHoldsUpNothingHere) {
    subscribe_and_see_one();
    const auto open = session();
    open->run("BEGIN");
    open->run("SELECT nextval('ff_lease_event_event_id_seq')");
    const auto id = insert();
    EXPECT_THAT(take(1), ElementsAre(id));
}

// The databases are clones: the sequence that is held there has the object id of ours.
TEST_F(OutboxOrder, ATransactionInAnotherDatabaseOfTheServerHoldsUpNothingHere) {
    const PostgresDatabase elsewhere;
    SqlSession writing(elsewhere.url());
    writing.run("BEGIN");
    insert_into(writing);
    const auto transaction = writing.run("SELECT txid_current_if_assigned()");
    ASSERT_NE(transaction, "");

    subscribe_and_see_one();
    for (int i = 0; i < 20; ++i) {
        const auto id = insert();
        ASSERT_THAT(take(1), ElementsAre(id));
    }
    subscribe({});
    const auto id = insert();
    EXPECT_THAT(take(1), ElementsAre(id));
    EXPECT_EQ(writing.run("SELECT txid_current_if_assigned()"), transaction) << "it was open all the time";
}

TEST_F(OutboxOrder, APreparedTransactionIsWaitedFor) {
    if (run("SHOW max_prepared_transactions") == "0") GTEST_SKIP() << "the server allows no prepared transactions";
    subscribe_and_see_one();
    const auto late = session();
    late->run("BEGIN");
    const auto first = insert_into(*late);
    const auto second = insert();
    expect_nothing_yet();
    late->run("PREPARE TRANSACTION 'late'");
    const auto third = insert();
    expect_nothing_yet();
    run("COMMIT PREPARED 'late'");
    EXPECT_THAT(take(3), ElementsAre(first, second, third));
}

// ---- newer versions, other channels -----------------------------------------------------------------------------

TEST_F(OutboxOrder, AnUnknownOutcomeReachesTheConsumerAsItIs) {
    run("ALTER TABLE ff_completion_event DROP CONSTRAINT ff_completion_event_outcome_check");
    subscribe({.cursor = cursor_at(0)});
    run(insert_completion("evaporated"));
    const auto event = std::get<CompletionEvent>(take());
    EXPECT_EQ(event.outcome.text(), "evaporated");
    EXPECT_EQ(event.outcome.known(), std::nullopt);
}

TEST_F(OutboxOrder, EveryOutcomeArrivesAsItself) {
    subscribe({.cursor = cursor_at(0)});
    for (const std::string_view outcome : enum_names<TerminalOutcome>) {
        if (outcome == "none") continue;
        run(insert_completion(std::string(outcome)));
        EXPECT_EQ(std::get<CompletionEvent>(take()).outcome.known(), parse_enum<TerminalOutcome>(outcome)) << outcome;
    }
}

TEST_F(OutboxOrder, AnUnknownLeaseEventReachesTheConsumerAsItIs) {
    run("ALTER TABLE ff_lease_event DROP CONSTRAINT ff_lease_event_event_type_check");
    subscribe({.cursor = cursor_at(0)}, Channel::lease);
    run("INSERT INTO ff_lease_event (partition_key, execution_id, namespace, event_type, lease_id, lease_epoch, "
        "attempt_index, attempt_id, worker_id, worker_instance_id, occurred_at_ms) VALUES (1, gen_random_uuid(), 'a', "
        "'lent', gen_random_uuid(), 1, 0, gen_random_uuid(), 'w', 'w-1', 1)");
    const auto event = std::get<LeaseEvent>(take());
    EXPECT_EQ(event.event_type.text(), "lent");
    EXPECT_EQ(event.event_type.known(), std::nullopt);
}

TEST_F(OutboxOrder, AnUnknownOperatorEventReachesTheConsumerAsItIs) {
    run("ALTER TABLE ff_operator_event DROP CONSTRAINT ff_operator_event_event_type_check");
    run("ALTER TABLE ff_operator_event DROP CONSTRAINT ff_operator_event_subject_kind_check");
    subscribe({.cursor = cursor_at(0)}, Channel::operators);
    run("INSERT INTO ff_operator_event (partition_key, subject_kind, event_type, details, occurred_at_ms) VALUES (3, "
        "'galaxy', 'exploded', '{\"n\": 1}', 1)");
    const auto event = std::get<OperatorEvent>(take());
    EXPECT_EQ(event.subject_kind.text(), "galaxy");
    EXPECT_EQ(event.event_type.text(), "exploded");
    EXPECT_EQ(event.details.text, "{\"n\": 1}");
    EXPECT_EQ(event.partition_key, 3);
    EXPECT_EQ(event.subject_id, std::nullopt);
}

TEST_F(OutboxOrder, SignalEventsAreDelivered) {
    subscribe({.cursor = cursor_at(0), .namespace_name = "shop"}, Channel::signal);
    const std::string insert =
        "INSERT INTO ff_signal_event (partition_key, execution_id, namespace, signal_id, waitpoint_id, effect, "
        "delivered_at_ms) VALUES (5, gen_random_uuid(), ";
    run(insert + "NULL, gen_random_uuid(), gen_random_uuid(), 'no_op', 7)");
    run(insert + "'shop', gen_random_uuid(), gen_random_uuid(), 'anything', 8)");
    const auto event = std::get<SignalEvent>(take());
    EXPECT_EQ(event.namespace_name, "shop");
    EXPECT_EQ(event.effect, "anything");
    EXPECT_EQ(event.delivered_at_ms, 8);
    EXPECT_EQ(event.execution_id.partition, 5);

    run(insert + "'shop', gen_random_uuid(), gen_random_uuid(), 'anything', 9)");
    subscribe({.cursor = cursor_of(event)}, Channel::signal);
    EXPECT_EQ(std::get<SignalEvent>(take()).delivered_at_ms, 9);
}

}  // namespace
}  // namespace flowfabric::test
