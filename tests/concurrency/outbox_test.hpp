#pragma once

#include "concurrency/subscription_test.hpp"
#include "support/sql_session.hpp"

namespace flowfabric::test {

inline constexpr std::chrono::milliseconds a_while{200};  // for what must not come

inline std::string insert_completion(const std::string& outcome = "success") {
    return "INSERT INTO ff_completion_event (partition_key, execution_id, namespace, outcome, occurred_at_ms, "
           "dispatched_at_ms) VALUES (1, gen_random_uuid(), 'default', '" +
           outcome + "', 1, 1) RETURNING event_id";
}

// One engine on PostgreSQL, a subscription of it, and sessions of others that write to its outboxes.
class OutboxTest : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!have_store(StoreKind::postgres)) return;
        store_ = std::make_unique<LiveStore>(StoreKind::postgres);
        EngineOptions options;
        options.event_retention = std::chrono::milliseconds(0);  // the events of these tests happened long ago
        engine_ = store_->open_engine(std::move(options));
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
    SqlSession& other() { return *other_; }
    std::string run(const std::string& sql) { return other_->run(sql); }
    const LiveStore& store() { return *store_; }
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
    StreamDisconnected take_notice() {
        const auto delivery = next();
        if (const auto* event = std::get_if<Event>(&delivery)) {
            throw std::runtime_error("event " + std::to_string(id_of(*event)) + " came instead of a notice");
        }
        return std::get<StreamDisconnected>(delivery);
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

}  // namespace flowfabric::test
