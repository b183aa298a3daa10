#include "concurrency/engine_test.hpp"
#include "support/sql_session.hpp"

// What an engine's subscriptions make of transactions that are not its own, on PostgreSQL: ids that commit in another
// order than they were drawn in, or never; lost connections; literals of a newer version.
namespace flowfabric::test {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

constexpr milliseconds patience{30'000};
constexpr milliseconds a_while{200};  // for what must not come

std::string insert_completion(const std::string& outcome = "success") {
    return "INSERT INTO ff_completion_event (partition_key, execution_id, namespace, outcome, occurred_at_ms, "
           "dispatched_at_ms) VALUES (1, gen_random_uuid(), 'default', '" +
           outcome + "', 1, 1) RETURNING event_id";
}

class OutboxOrder : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!have_store(StoreKind::postgres)) return;
        store_ = std::make_unique<LiveStore>(StoreKind::postgres);
        engine_ = store_->open_engine({});
        other_ = session();
    }

    std::unique_ptr<SqlSession> session() { return std::make_unique<SqlSession>(store_->url()); }
    // Commits at once and says so, as a writer does.
    std::int64_t insert() {
        const auto id = insert_into(*other_);
        run("NOTIFY ff_completion");
        return id;
    }
    static std::int64_t insert_into(SqlSession& session) { return std::stoll(session.run(insert_completion())); }
    std::string run(const std::string& sql) { return other_->run(sql); }
    Engine& engine() { return *engine_; }

    void subscribe(const SubscribeOptions& options, Channel channel = Channel::completion) {
        subscription_ = value_of(engine().subscribe(channel, options));
    }
    // A subscription that has seen an event, so that its engine has looked at the sequence before.
    void subscribe_and_see_one() {
        subscribe({.cursor = cursor_at(0)});
        const auto id = insert();
        ASSERT_EQ(id_of(take()), id);
    }
    Delivery next() {
        const auto delivery = value_of(subscription_->next(patience));
        if (!delivery) throw std::runtime_error("an event never came");
        return *delivery;
    }
    Event take() { return std::get<Event>(next()); }
    std::vector<std::int64_t> take(int count) {
        std::vector<std::int64_t> ids;
        for (int i = 0; i < count; ++i) ids.push_back(id_of(take()));
        return ids;
    }
    void expect_nothing_yet() { EXPECT_FALSE(value_of(subscription_->next(a_while))); }

  private:
    std::unique_ptr<LiveStore> store_;
    std::unique_ptr<Engine> engine_;
    std::unique_ptr<SqlSession> other_;
    std::unique_ptr<Subscription> subscription_;
};

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

// ---- lost connections -------------------------------------------------------------------------------------------

TEST_F(OutboxOrder, ALostConnectionIsANoticeAndNothingIsLostOrRepeated) {
    subscribe_and_see_one();
    for (const std::string lost :
         {"'flowfabric reader'", "'flowfabric listener'", "'flowfabric reader', 'flowfabric listener'"}) {
        SCOPED_TRACE(lost);
        const auto before = insert();
        EXPECT_THAT(take(1), ElementsAre(before));
        ASSERT_NE(run("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = "
                      "current_database() AND application_name IN (" +
                      lost + ")"),
                  "0");
        const auto delivery = next();
        const auto* notice = std::get_if<StreamDisconnected>(&delivery);
        ASSERT_NE(notice, nullptr) << "event " << id_of(std::get<Event>(delivery));
        EXPECT_EQ(notice->cursor, cursor_at(before));
        EXPECT_FALSE(notice->detail.empty());
        const auto first = insert();
        const auto second = insert();
        EXPECT_THAT(take(2), ElementsAre(first, second));

        subscribe({.cursor = notice->cursor});
        EXPECT_THAT(take(2), ElementsAre(first, second)) << "the notice's cursor is one to go on from";
    }
}

TEST_F(OutboxOrder, AnOpenTransactionIsStillWaitedForAfterALostConnection) {
    subscribe_and_see_one();
    const auto late = session();
    late->run("BEGIN");
    const auto first = insert_into(*late);
    const auto second = insert();
    run("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND "
        "application_name IN ('flowfabric reader', 'flowfabric listener')");
    EXPECT_TRUE(std::holds_alternative<StreamDisconnected>(next()));
    expect_nothing_yet();
    late->run("COMMIT");
    EXPECT_THAT(take(2), ElementsAre(first, second));
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
}

}  // namespace
}  // namespace flowfabric::test
