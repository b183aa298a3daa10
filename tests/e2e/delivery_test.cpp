#include <atomic>
#include <csignal>
#include <cstdlib>
#include <future>

#include "e2e/e2e_test.hpp"
#include "e2e/load.hpp"
#include "support/outbox.hpp"
#include "support/sql_session.hpp"

// Nothing lost, nothing twice, in order: across processes, and across their ends.
namespace flowfabric::test {
namespace {

using Ids = std::vector<std::int64_t>;

const std::string last_id = "{fp:1}:01a1e215-4efd-764a-a83d-0cd25c0324b3";  // of the last execution to end

void end_one(Engine& engine, const std::optional<ExecutionId>& wanted = {}) {
    const auto id = value_of(engine.create_execution({.execution_id = wanted})).execution_id;
    value_of(engine.cancel_execution({.execution = {.execution_id = id}, .reason = "done with"}));
}

void end_last(Engine& engine) {
    end_one(engine, value_of(ExecutionId::parse(last_id)));
}

// A consumer of all completions, on a thread of its own, until the last one.
class Consumer {
  public:
    struct Notice {
        std::size_t taken;  // before it
        Bytes cursor;
    };

    explicit Consumer(Engine& engine, const Bytes& cursor = cursor_at(0))
        : subscription_(value_of(engine.subscribe_completion({.cursor = cursor}))),
          ended_(std::async(std::launch::async, [this] { consume(); })) {}

    std::size_t taken() const { return taken_; }
    const Ids& await_end() {
        if (ended_.valid()) ended_.get();
        return ids_;
    }
    const std::vector<Notice>& notices() const { return notices_; }

  private:
    void consume() {
        while (true) {
            const auto delivery = value_of(subscription_->next(patience));
            if (!delivery) throw std::runtime_error("an event never came");
            if (const auto* notice = std::get_if<StreamDisconnected>(&*delivery)) {
                notices_.push_back({ids_.size(), notice->cursor});
                continue;
            }
            const auto& event = std::get<CompletionEvent>(std::get<Event>(*delivery));
            ids_.push_back(event.event_id);
            taken_ = ids_.size();
            if (event.execution_id.to_string() == last_id) return;
        }
    }

    std::unique_ptr<Subscription> subscription_;
    std::atomic<std::size_t> taken_ = 0;
    Ids ids_;
    std::vector<Notice> notices_;
    std::future<void> ended_;
};

class EventDelivery : public EndToEnd {
  protected:
    // A process of its own that ends executions one after another. It must be started before any thread.
    Process start_writer(int count) {
        return Process([this, count](int output) {
            const auto engine = store().open_engine({.run_reconcilers = false});
            for (int i = 0; i < count; ++i) {
                end_one(*engine);
                if (::write(output, "ended\n", 6) < 0) return;
            }
        });
    }
    Ids stored() {
        Ids ids;
        for (const Event& event : read_outbox(*store().open_backend(), Channel::completion))
            ids.push_back(id_of(event));
        return ids;
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, EventDelivery, durable_stores(), name_of_param);

// ---- several processes ------------------------------------------------------------------------------------------

TEST_P(EventDelivery, ASubscriptionSeesWhatOtherProcessesWriteAtTheSameTime) {
    Process first = start_writer(150);
    Process second = start_writer(150);
    const auto engine = store().open_engine();
    Consumer consumer(*engine);
    for (int i = 0; i < 50; ++i) end_one(*engine);
    for (Process* writer : {&first, &second}) EXPECT_EQ(writer->wait(), 0);
    end_last(*engine);

    EXPECT_EQ(consumer.await_end(), stored());
    EXPECT_EQ(stored().size(), 351U);
    EXPECT_EQ(consumer.notices().size(), 0U);
}

TEST_P(EventDelivery, ATailThatIsKilledAgainAndAgainGoesOnFromItsLastLine) {
    Process writer = start_writer(400);
    Ids printed;
    std::string cursor = "start";
    const auto follow = [&] { return Process(command({"tail", "--json", "--from", cursor})); };
    const auto add_events_of = [&](const Process& tail) {
        for (const Line& line : tail.lines()) {
            if (!line.text.starts_with('{')) continue;
            const auto event = boost::json::parse(line.text);
            printed.push_back(event.at("event_id").as_int64());
            cursor = event.at("cursor").as_string();
        }
    };
    for (const std::size_t lines : {2U, 1U, 30U, 5U, 60U, 20U}) {
        Process tail = follow();
        tail.await_lines(1 + lines);  // one of them says that it follows
        tail.signal(SIGKILL);
        EXPECT_EQ(tail.wait(), -SIGKILL);
        add_events_of(tail);
    }
    EXPECT_EQ(writer.wait(), 0);
    end_last(*store().open_engine());
    Process tail = follow();
    tail.await_line(last_id);
    add_events_of(tail);

    EXPECT_EQ(printed, stored());
    EXPECT_EQ(printed.size(), 401U);
}

// ---- the database restarts --------------------------------------------------------------------------------------

class RestartedDatabase : public EventDelivery {
  protected:
    void SetUp() override {
        if (std::getenv("FF_TEST_PGCTL") == nullptr) GTEST_SKIP() << "no FF_TEST_PGCTL: run under script/with-postgres";
        EventDelivery::SetUp();
    }
    // Returns when the setting is in force.
    void let_wal_wait(bool wanted) {
        SqlSession server(store().url());
        server.run(wanted ? "ALTER SYSTEM SET wal_writer_delay = '10s'" : "ALTER SYSTEM RESET wal_writer_delay");
        server.run("SELECT pg_reload_conf()");
        await("wal_writer_delay", [&] { return (server.run("SHOW wal_writer_delay") == "10s") == wanted; });
    }
    static void restart(const std::string& how) {
        Process control({std::getenv("FF_TEST_PGCTL"), how});
        if (control.wait_for(patience) != 0) throw std::runtime_error(control.errors());
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, RestartedDatabase, ::testing::Values(StoreKind::postgres), name_of_param);

TEST_P(RestartedDatabase, SubscriptionsGoOnWhereTheyStood) {
    const auto engine = store().open_engine();
    const auto second_engine = store().open_engine();
    Consumer here(*engine);
    Consumer there(*second_engine);
    {
        Load load(*engine, {.executions = 1200});
        std::size_t completed = 200;
        for (const std::string how : {"restart", "restart-immediate"}) {
            load.await_completed(completed);
            // Both have a connection to lose.
            await("deliveries", [&] { return here.taken() >= completed && there.taken() >= completed; });
            restart(how);
            completed += 400;
        }
        load.await_end();
    }
    end_last(*engine);

    const Ids expected = stored();
    EXPECT_EQ(expected.size(), 1201U);
    for (Consumer* consumer : {&here, &there}) {
        EXPECT_EQ(consumer->await_end(), expected);
        EXPECT_GE(consumer->notices().size(), 2U);
        for (const auto& [taken, cursor] : consumer->notices()) {
            const Ids after(expected.begin() + static_cast<std::ptrdiff_t>(taken), expected.end());
            EXPECT_EQ(Consumer(*engine, cursor).await_end(), after) << "from the cursor of a notice";
        }
    }
}

// What a transaction drew and rolled back need not have reached the disk: after a crash it is drawn again.
TEST_P(RestartedDatabase, IdsThatACrashTakesBackAreDeliveredWhenTheyAreUsed) {
    let_wal_wait(true);
    const auto engine = store().open_engine({.run_reconcilers = false});
    Consumer consumer(*engine);
    end_one(*engine);
    await("the first event", [&] { return consumer.taken() == 1; });
    SqlSession other(store().url());
    other.run("BEGIN");
    other.run("SELECT max(nextval('ff_completion_event_event_id_seq')) FROM generate_series(1, 200)");
    other.run("ROLLBACK");
    // When the second has begun, the engine has read on behind where the first one did.
    value_of(engine->subscribe_completion());
    value_of(engine->subscribe_completion());
    restart("restart-immediate");
    let_wal_wait(false);
    for (int i = 0; i < 10; ++i) end_one(*engine);
    end_last(*engine);

    EXPECT_EQ(consumer.await_end(), stored());
    for (const auto& [taken, cursor] : consumer.notices()) {
        EXPECT_EQ(cursor, cursor_at(stored().at(taken - 1))) << "what a notice points at stays";
    }
}

}  // namespace
}  // namespace flowfabric::test
