#include <algorithm>
#include <sstream>

#include "concurrency/outbox_test.hpp"
#include "support/random.hpp"

namespace flowfabric::test {
namespace {

using Ids = std::vector<std::int64_t>;

class OutboxLoad : public OutboxTest {
  protected:
    // A transaction with up to three events that commits or not, in whole or in part.
    static void write_some(SqlSession& session, Random& random) {
        session.run("BEGIN");
        for (auto left = 1 + random.below(3); left > 0; --left) {
            session.run("SAVEPOINT one");
            insert_into(session);
            // Each stays open for another while.
            session.run("SELECT count(*) FROM generate_series(1, " + std::to_string(random.below(5000)) + ")");
            if (random.chance(20)) session.run("ROLLBACK TO one");
        }
        if (random.chance(50)) session.run("NOTIFY ff_completion");
        session.run(random.chance(35) ? "ROLLBACK" : "COMMIT");
    }
    static void end_one(Engine& engine, const std::optional<ExecutionId>& wanted = {}) {
        const auto id = value_of(engine.create_execution({.execution_id = wanted})).execution_id;
        value_of(engine.cancel_execution({.execution = {.execution_id = id}, .reason = "done with"}));
    }
    Ids stored() {
        Ids ids;
        std::istringstream text(
            run("SELECT string_agg(event_id::text, ' ' ORDER BY event_id) FROM ff_completion_event"));
        for (std::int64_t id = 0; text >> id;) ids.push_back(id);
        return ids;
    }

    const ExecutionId last_ = value_of(ExecutionId::parse("{fp:1}:01a1e215-4efd-764a-a83d-0cd25c0324b3"));
};

TEST_F(OutboxLoad, EightWritersThatRollBackAtRandomBesideTwoEngines) {
    const auto second_engine = store().open_engine();
    const std::array<Engine*, 2> engines{&engine(), second_engine.get()};
    const auto follow = [&](Engine& following, const SubscribeOptions& options) {
        return std::async(std::launch::async,
                          [&, follower = std::make_shared<Follower>(following, Channel::completion, options)] {
                              Ids ids;
                              for (const Event& event : follower->take_up_to(last_)) ids.push_back(id_of(event));
                              return ids;
                          });
    };
    std::vector<std::future<Ids>> from_the_start;
    for (Engine* following : engines) from_the_start.push_back(follow(*following, from(0)));

    std::vector<std::future<Ids>> from_the_middle;
    auto joining = std::async(std::launch::async, [&] {
        Follower follower(engine(), Channel::completion, from(0));
        for (int i = 0; i < 10; ++i) {
            for (int j = 0; j < 20; ++j) follower.take();
            from_the_middle.push_back(follow(*engines[static_cast<std::size_t>(i) % 2], {}));
        }
    });
    on_threads(10, [&](int thread) {
        if (thread < 2) {
            for (int i = 0; i < 60; ++i) end_one(*engines[static_cast<std::size_t>(thread)]);
            return;
        }
        Random random(static_cast<std::uint64_t>(thread));
        const auto writing = session();
        for (int i = 0; i < 60; ++i) write_some(*writing, random);
    });
    joining.get();
    end_one(engine(), last_);

    const Ids expected = stored();
    EXPECT_GT(expected.size(), 300U);
    for (auto& heard : from_the_start) EXPECT_EQ(heard.get(), expected);
    for (auto& heard : from_the_middle) {
        const Ids ids = heard.get();
        const auto first = std::ranges::find(expected, ids.front());
        EXPECT_EQ(ids, Ids(first, expected.end())) << "from its beginning on it misses nothing";
    }
}

}  // namespace
}  // namespace flowfabric::test
