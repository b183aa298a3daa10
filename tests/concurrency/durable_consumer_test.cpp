#include <atomic>
#include <thread>

#include "concurrency/engine_test.hpp"
#include "support/random.hpp"
#include "support/sql_session.hpp"

// Consumers that are known by name: they go on where they stood, and nothing that they need is removed.
namespace flowfabric::test {
namespace {

using namespace std::chrono_literals;
using enum ErrorKind;
using testing::ElementsAre;

class DurableConsumers : public EngineTest {
  protected:
    std::unique_ptr<Engine> trimming_engine() {
        EngineOptions options;
        options.event_retention = 1ms;
        options.execution_retention = 0ms;  // or its own consumer holds events back for a day
        return store().open_engine(std::move(options));
    }
    std::unique_ptr<Engine> plain_engine() {
        EngineOptions options;
        options.run_reconcilers = false;
        return store().open_engine(std::move(options));
    }

    static ExecutionId end_one(Engine& engine) {
        const auto id = value_of(engine.create_execution({})).execution_id;
        value_of(engine.cancel_execution({.execution = {.execution_id = id}, .reason = "done with"}));
        return id;
    }
    static std::vector<ExecutionId> end_some(Engine& engine, int count) {
        std::vector<ExecutionId> ids;
        for (int i = 0; i < count; ++i) ids.push_back(end_one(engine));
        return ids;
    }
    static SubscribeOptions as(std::string consumer) { return {.consumer = std::move(consumer)}; }

    static CompletionEvent take(Subscription& subscription) {
        const auto delivery = value_of(subscription.next(30s));
        if (!delivery) throw std::runtime_error("an event never came");
        return std::get<CompletionEvent>(std::get<Event>(*delivery));
    }
    static std::vector<ExecutionId> take(Subscription& subscription, std::size_t count) {
        std::vector<ExecutionId> ids;
        while (ids.size() < count) ids.push_back(take(subscription).execution_id);
        return ids;
    }
    static void acknowledge(Engine& engine, const std::string& consumer, const Bytes& cursor) {
        value_of(engine.acknowledge_events({Channel::completion, consumer, cursor}));
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, DurableConsumers, all_stores(), name_of_param);

TEST_P(DurableConsumers, BeginNowAndGoOnWhereTheyStood) {
    const auto engine = plain_engine();
    end_one(*engine);
    auto subscription = value_of(engine->subscribe_completion(as("billing")));
    const auto ids = end_some(*engine, 3);
    EXPECT_EQ(take(*subscription, 1), (std::vector{ids[0]}));
    acknowledge(*engine, "billing", subscription->cursor());
    EXPECT_EQ(take(*subscription, 1), (std::vector{ids[1]})) << "which it does not acknowledge";

    subscription = value_of(plain_engine()->subscribe_completion(as("billing")));
    subscription.reset();
    const auto later = plain_engine();
    subscription = value_of(later->subscribe_completion(as("billing")));
    EXPECT_EQ(take(*subscription, 2), (std::vector{ids[1], ids[2]}));
}

TEST_P(DurableConsumers, BeginAtTheCursorThatTheyGive) {
    const auto engine = plain_engine();
    const auto ids = end_some(*engine, 3);
    auto options = as("audit");
    options.cursor = cursor_at(0);
    auto subscription = value_of(engine->subscribe_completion(options));
    EXPECT_EQ(take(*subscription, 3), ids);
    acknowledge(*engine, "audit", subscription->cursor());
    subscription = value_of(engine->subscribe_completion(options));
    EXPECT_EQ(take(*subscription, 3), ids) << "a cursor that is given wins";
}

TEST_P(DurableConsumers, AcknowledgeWhatTheirFiltersLeaveOut) {
    const auto engine = plain_engine();
    auto options = as("elsewhere");
    options.namespace_name = "elsewhere";
    const auto all = value_of(engine->subscribe_completion());
    const auto filtered = value_of(engine->subscribe_completion(options));
    end_some(*engine, 2);
    take(*all, 2);
    while (filtered->cursor() != all->cursor()) EXPECT_FALSE(value_of(filtered->next(1ms)));
}

TEST_P(DurableConsumers, KeepWhatTheyHaveNotAcknowledged) {
    const auto writer = plain_engine();
    const auto consumer = value_of(writer->subscribe_completion(as("billing")));
    const auto ids = end_some(*writer, 5);
    EXPECT_EQ(take(*consumer, 2), (std::vector{ids[0], ids[1]}));
    const Bytes acknowledged = consumer->cursor();
    acknowledge(*writer, "billing", acknowledged);

    // Once everything that may go is gone, the cursor before the acknowledged one is refused.
    const auto trimming = trimming_engine();
    const Bytes before = cursor_at(**parse_cursor(acknowledged) - 1);
    Result<std::unique_ptr<Subscription>> refused = EngineError{};
    while ((refused = writer->subscribe_completion({.cursor = before}))) std::this_thread::sleep_for(5ms);
    expect_error(refused, cursor_expired);
    EXPECT_EQ(refused.error().oldest_cursor, acknowledged);

    const auto again = value_of(writer->subscribe_completion(as("billing")));
    EXPECT_EQ(take(*again, 3), (std::vector{ids[2], ids[3], ids[4]}));
}

TEST_P(DurableConsumers, OneThatIsNotDurableEndsWhenItIsTooSlow) {
    const auto writer = plain_engine();
    SubscribeOptions narrow;
    narrow.buffer = 1;
    const auto slow = value_of(writer->subscribe_completion(narrow));
    const auto fast = value_of(writer->subscribe_completion());
    const auto ids = end_some(*writer, 5);
    take(*fast, 5);
    auto trimming = trimming_engine();
    while (writer->subscribe_completion({.cursor = cursor_at(0)})) std::this_thread::sleep_for(5ms);
    trimming.reset();  // with a retention of a millisecond, nobody is fast enough

    EXPECT_EQ(take(*slow).execution_id, ids[0]) << "what it holds is still its own";
    Result<std::optional<Delivery>> last = std::optional<Delivery>{};
    while (last && !*last) last = slow->next(1s);
    expect_error(last, cursor_expired);
    const auto next = end_one(*writer);
    EXPECT_EQ(take(*fast).execution_id, next);
}

// ---- slices of PostgreSQL -----------------------------------------------------------------------------------------

class OutboxSlices : public EngineTest {};
INSTANTIATE_TEST_SUITE_P(Stores, OutboxSlices, ::testing::Values(StoreKind::postgres), name_of_param);

constexpr std::int64_t slice = std::int64_t{1} << 24;

TEST_P(OutboxSlices, AreDroppedWholeWhileOthersWriteAndRead) {
    SqlSession sql(store().url());
    const auto slices = [&] {
        return sql.run(
            "SELECT string_agg(c.relname, ' ' ORDER BY c.relname) FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = "
            "i.inhrelid WHERE i.inhparent = 'ff_completion_event'::regclass AND c.relname ~ '_p'");
    };
    EngineOptions plain;
    plain.run_reconcilers = false;
    const auto writer = store().open_engine(plain);
    const auto end_one = [&](Engine& engine) {
        const auto id = value_of(engine.create_execution({})).execution_id;
        value_of(engine.cancel_execution({.execution = {.execution_id = id}, .reason = "done with"}));
    };
    end_one(*writer);
    sql.run("SELECT setval('ff_completion_event_event_id_seq', " + std::to_string(slice - 3) + ")");
    const auto subscription =
        value_of(writer->subscribe_completion({.cursor = cursor_at(slice - 3), .consumer = "all"}));

    std::atomic<bool> stop = false;
    std::atomic<int> ended = 0;
    std::thread busy([&] {
        while (!stop || ended < 20) {
            end_one(*writer);
            ++ended;
        }
    });
    int seen = 0;
    const auto follow = [&] {
        const auto delivery = value_of(subscription->next(30s));
        ASSERT_TRUE(delivery);
        ++seen;
        value_of(writer->acknowledge_events({Channel::completion, "all", subscription->cursor()}));
    };
    while (seen < 10) follow();
    EngineOptions trims;
    trims.event_retention = 1ms;
    trims.execution_retention = 0ms;
    const auto trimming = store().open_engine(trims);
    while (slices().find("ff_completion_event_p0") != std::string::npos) follow();
    stop = true;
    busy.join();
    while (seen < ended) follow();
    EXPECT_FALSE(value_of(subscription->next(100ms)));
    EXPECT_GE(std::stoll(sql.run("SELECT trimmed FROM ff_outbox WHERE channel = 'completion'")), slice - 1);
    EXPECT_EQ(sql.run("SELECT count(*) FROM ff_completion_event WHERE event_id < " + std::to_string(slice)), "0");
}

TEST_P(OutboxSlices, GoOneByOneOnlyWhenTheyAreNotHeldByAConsumer) {
    SqlSession sql(store().url());
    sql.run("SELECT setval('ff_completion_event_event_id_seq', " + std::to_string(3 * slice) + ")");
    EngineOptions options;
    options.event_retention = 1ms;
    options.execution_retention = 0ms;
    const auto engine = store().open_engine(options);
    const auto first_cursor = cursor_at(2 * slice);
    // Whichever comes first, the consumer or the trimming: what is registered is not passed.
    const auto placed = engine->register_consumer({Channel::completion, "late", first_cursor});
    if (!placed) expect_error(placed, cursor_expired);
    while (sql.run("SELECT to_regclass('ff_completion_event_p0') IS NULL") == "f") std::this_thread::sleep_for(5ms);
    if (placed) {
        EXPECT_LE(std::stoll(sql.run("SELECT trimmed FROM ff_outbox WHERE channel = 'completion'")), 2 * slice);
        EXPECT_TRUE(engine->subscribe_completion({.cursor = first_cursor}));
    }
}

TEST_P(OutboxSlices, WaitForAPreparedTransactionThatMayStillCommitAnOldEvent) {
    SqlSession sql(store().url());
    const std::string insert =
        "INSERT INTO ff_completion_event (partition_key, execution_id, namespace, outcome, occurred_at_ms, "
        "dispatched_at_ms) VALUES (1, gen_random_uuid(), 'default', 'success', 1, 1)";
    sql.run("BEGIN");
    sql.run(insert);
    sql.run("PREPARE TRANSACTION 'open'");
    sql.run(insert);
    const auto writer = std::move(*store().open_backend()->open_writer());
    const auto removable = [&] {
        const auto outbox = writer->open_outbox(Channel::completion);
        if (!outbox) throw std::runtime_error(outbox.error().detail);
        writer->abandon();
        return outbox->oldest.size();
    };
    EXPECT_EQ(removable(), 0U);
    sql.run("COMMIT PREPARED 'open'");
    EXPECT_EQ(removable(), 1U);
    sql.run("DELETE FROM ff_completion_event");  // they are about no execution
}

}  // namespace
}  // namespace flowfabric::test
