#include "concurrency/outbox_test.hpp"

// What subscriptions make of lost connections and failing queries on PostgreSQL, and whom writers wake there.
namespace flowfabric::test {
namespace {

using testing::ElementsAre;
using Notification = SqlSession::Notification;

class OutboxOutage : public OutboxTest {
  protected:
    std::string disconnect_subscriptions() {
        return run(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND "
            "application_name IN ('flowfabric reader', 'flowfabric listener')");
    }
    void allow_connections(bool allowed) {
        SqlSession(postgres_server_url())
            .run("ALTER DATABASE " + run("SELECT current_database()") + " ALLOW_CONNECTIONS " +
                 (allowed ? "true" : "false"));
    }
};

TEST_F(OutboxOutage, ALostConnectionIsANoticeAndNothingIsLostOrRepeated) {
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
        const auto notice = take_notice();
        EXPECT_EQ(notice.cursor, cursor_at(before));
        EXPECT_FALSE(notice.detail.empty());
        const auto first = insert();
        const auto second = insert();
        EXPECT_THAT(take(2), ElementsAre(first, second));

        subscribe({.cursor = notice.cursor});
        EXPECT_THAT(take(2), ElementsAre(first, second)) << "the notice's cursor is one to go on from";
    }
}

TEST_F(OutboxOutage, AnOpenTransactionIsStillWaitedForAfterALostConnection) {
    subscribe_and_see_one();
    const auto late = session();
    late->run("BEGIN");
    const auto first = insert_into(*late);
    const auto second = insert();
    run("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND "
        "application_name IN ('flowfabric reader', 'flowfabric listener')");
    take_notice();
    expect_nothing_yet();
    late->run("COMMIT");
    EXPECT_THAT(take(2), ElementsAre(first, second));
}

TEST_F(OutboxOutage, WhatCommitsWhileNobodyIsConnectedArrivesWithoutAnotherEvent) {
    subscribe_and_see_one();
    allow_connections(false);
    disconnect_subscriptions();
    take_notice();
    std::vector<std::int64_t> ids;
    for (int i = 0; i < 10; ++i) ids.push_back(insert());
    allow_connections(true);
    EXPECT_EQ(take(10), ids);
}

TEST_F(OutboxOutage, AFailedQueryIsRepeatedWithoutAnotherEvent) {
    subscribe_and_see_one();
    run("BEGIN");
    const auto first = insert_into(other());
    const auto second = insert_into(other());
    run("ALTER TABLE ff_completion_event RENAME TO out_of_sight");
    run("NOTIFY ff_completion");
    run("COMMIT");
    EXPECT_THAT(take_notice().detail, testing::HasSubstr("ff_completion_event"));
    run("ALTER TABLE out_of_sight RENAME TO ff_completion_event");
    EXPECT_THAT(take(2), ElementsAre(first, second));
}

// ---- whom writers wake ------------------------------------------------------------------------------------------

class OutboxNotifications : public OutboxTest {};

TEST_F(OutboxNotifications, AForeignSessionIsWokenOnTheChannelOfEachEvent) {
    run("LISTEN ff_lease_event");
    const auto claim = [&] {
        value_of(engine().create_execution({}));
        return value_of(engine().claim(claim_by("w1"))).executions.at(0);
    };
    const auto claimed = claim();
    EXPECT_EQ(other().await_notification().channel, "ff_lease_event");
    run("UNLISTEN ff_lease_event");

    run("LISTEN ff_completion");
    value_of(engine().complete({.lease = claimed.handle}));
    EXPECT_EQ(other().await_notification().channel, "ff_completion");
    run("UNLISTEN ff_completion");

    run("LISTEN ff_operator_event");
    value_of(engine().cancel_execution({.execution = {.execution_id = claim().execution_id}, .reason = "unwanted"}));
    const auto told = other().await_notification();
    EXPECT_EQ(told.channel, "ff_operator_event");
    EXPECT_EQ(told.payload, run("SELECT event_id FROM ff_operator_event"));
}

TEST_F(OutboxNotifications, OperatorEventsNotifyWithTheirIdWhenTheyCommit) {
    const std::string insert_action =
        "INSERT INTO ff_operator_event (partition_key, subject_kind, event_type, details, occurred_at_ms) VALUES (3, "
        "'execution', 'replayed', '{}', 1) RETURNING event_id";
    run("LISTEN ff_operator_event");
    const auto writing = session();
    writing->run("BEGIN");
    writing->run(insert_action);
    writing->run("ROLLBACK");
    writing->run("BEGIN");
    const auto first = writing->run(insert_action);
    const auto before = session()->run(insert_action);
    EXPECT_EQ(other().await_notification(), (Notification{"ff_operator_event", before}));
    writing->run("COMMIT");
    EXPECT_EQ(other().await_notification(), (Notification{"ff_operator_event", first}));
    const auto last = writing->run(insert_action);
    EXPECT_EQ(other().await_notification(), (Notification{"ff_operator_event", last}));
}

}  // namespace
}  // namespace flowfabric::test
