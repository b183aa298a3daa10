#include "concurrency/subscription_test.hpp"
#include "support/random.hpp"

// Nothing lost, nothing twice, in order: what subscriptions deliver under load, compared with what the outbox holds.
namespace flowfabric::test {
namespace {

class Deliveries : public SubscriptionTest {
  protected:
    template <class Predicate>
    std::vector<Event> outbox_where(const Predicate& wanted) {
        auto all = outbox(Channel::completion);
        std::erase_if(all, [&](const Event& event) { return !wanted(std::get<CompletionEvent>(event)); });
        return all;
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, Deliveries, all_stores(), name_of_param);

TEST_P(Deliveries, EachSeesExactlyWhatTheOutboxHoldsWhileManyEnginesWrite) {
    const std::vector<Engine*> engines{&open(), &open(), &open()};
    const auto last = id_on(1);
    const std::vector<SubscribeOptions> wishes{{.partition = 1}, {.namespace_name = "shop"}, {.buffer = 4}};
    std::vector<std::unique_ptr<Follower>> followers;
    std::vector<std::future<std::vector<Event>>> consumers;
    for (const auto& wish : wishes) {
        followers.push_back(std::make_unique<Follower>(*engines[0], Channel::completion, wish));
        consumers.push_back(std::async(
            std::launch::async, [&last, follower = followers.back().get()] { return follower->take_up_to(last); }));
    }
    on_threads(8, [&](int thread) {
        Engine& engine = *engines[static_cast<std::size_t>(thread) % engines.size()];
        Claim claim = claim_by("w" + std::to_string(thread));
        claim.max_wait_ms = 1000;
        for (int i = 0; i < 25; ++i) {
            value_of(engine.create_execution({.execution_id = id_on(static_cast<std::uint16_t>(i % 3)),
                                              .namespace_name = thread % 2 == 0 ? "shop" : "default"}));
            std::vector<ClaimedExecution> claimed;
            while (claimed.empty()) claimed = value_of(engine.claim(claim)).executions;
            value_of(engine.complete({.lease = claimed.front().handle}));
        }
    });
    end_one(*engines[1], {.execution_id = last, .namespace_name = "shop"});

    const auto on_one = [](const CompletionEvent& event) { return event.execution_id.partition == 1; };
    const auto of_shop = [](const CompletionEvent& event) { return event.namespace_name == "shop"; };
    EXPECT_TRUE(consumers[0].get() == outbox_where(on_one));
    EXPECT_TRUE(consumers[1].get() == outbox_where(of_shop));
    EXPECT_TRUE(consumers[2].get() == outbox(Channel::completion));
    EXPECT_EQ(outbox_where(of_shop).size(), 4U * 25U + 1U);
    EXPECT_EQ(outbox(Channel::completion).size(), 8U * 25U + 1U);
}

TEST_P(Deliveries, SeeWhatAnotherEngineWrites) {
    Engine& writing = open();
    Engine& reading = open();
    Follower follower(reading, Channel::completion);
    for (int i = 0; i < 3; ++i) {
        const auto id = end_one(writing);
        EXPECT_EQ(follower.take_as<CompletionEvent>().execution_id, id);
    }
}

TEST_P(Deliveries, OfTwoEnginesSeeTheEventsOfBothInTheSameOrder) {
    const std::vector<Engine*> engines{&open(), &open()};
    Follower here(*engines[0], Channel::completion);
    Follower there(*engines[1], Channel::completion);
    on_threads(4, [&](int thread) {
        for (int i = 0; i < 15; ++i) end_one(*engines[static_cast<std::size_t>(thread) % 2]);
    });
    const auto last = end_one(*engines[0]);
    const auto expected = outbox(Channel::completion);
    EXPECT_EQ(expected.size(), 61U);
    EXPECT_TRUE(here.take_up_to(last) == expected);
    EXPECT_TRUE(there.take_up_to(last) == expected);
}

// ---- resumed ----------------------------------------------------------------------------------------------------

TEST_P(Deliveries, KilledAndResumedAHundredTimesMissesNothing) {
    Engine& engine = open();
    constexpr int writers = 3;
    constexpr int of_each = 100;
    const auto last = id_on(2);
    auto load = std::async(std::launch::async, [&] {
        on_threads(writers, [&](int) {
            for (int i = 0; i < of_each; ++i) end_one(engine);
        });
        end_one(engine, {.execution_id = last});
    });
    Random random(1);
    std::vector<Event> taken;
    Bytes cursor = cursor_at(0);
    int killed = 0;
    for (bool ended = false; !ended; ++killed) {
        Follower follower(engine, Channel::completion, {.cursor = cursor, .buffer = 1 + random.below(8)});
        for (auto left = random.below(5); left > 0 && !ended; --left) {
            taken.push_back(follower.take());
            ended = std::get<CompletionEvent>(taken.back()).execution_id == last;
        }
        cursor = follower.cursor();
    }
    load.get();
    EXPECT_GE(killed, 100);
    EXPECT_EQ(taken.size(), writers * of_each + 1U);
    EXPECT_TRUE(taken == outbox(Channel::completion));
}

TEST_P(Deliveries, EveryCursorOfEveryChannelIsOneToGoOnFrom) {
    Engine& engine = open();
    for (int i = 0; i < 3; ++i) {
        value_of(engine.create_execution({}));
        value_of(engine.complete({.lease = value_of(engine.claim(claim_by("w1"))).executions.at(0).handle}));
        end_one(engine);
    }
    for (const Channel channel : {Channel::lease, Channel::completion, Channel::operators}) {
        SCOPED_TRACE(to_string(channel));
        const auto events = outbox(channel);
        ASSERT_GE(events.size(), 3U);
        for (std::size_t i = 0; i + 1 < events.size(); ++i) {
            Follower follower(engine, channel, {.cursor = cursor_of(events[i])});
            for (std::size_t j = i + 1; j < events.size(); ++j) ASSERT_TRUE(follower.take() == events[j]) << i;
        }
    }
}

// ---- slow consumers ---------------------------------------------------------------------------------------------

TEST_P(Deliveries, ASlowConsumerSlowsOnlyItself) {
    Engine& engine = open();
    Follower slow(engine, Channel::completion, {.buffer = 3});
    Follower fast(engine, Channel::completion);
    Follower another(engine, Channel::completion, {.buffer = 3});
    for (int i = 0; i < 100; ++i) {
        const auto id = end_one(engine);
        ASSERT_EQ(fast.take_as<CompletionEvent>().execution_id, id);
        ASSERT_EQ(another.take_as<CompletionEvent>().execution_id, id);
    }
    const auto last = end_one(engine);
    const auto expected = outbox(Channel::completion);
    EXPECT_EQ(expected.size(), 101U);
    EXPECT_TRUE(slow.take_up_to(last) == expected) << "it had not read one until now";
}

// ---- what filters admit -----------------------------------------------------------------------------------------

TEST_P(Deliveries, ANamespaceSeesEveryEndOfItsOwn) {
    Engine& engine = open();
    Follower shop(engine, Channel::completion, {.namespace_name = "shop"});
    std::vector<std::pair<ExecutionId, TerminalOutcome>> expected;
    const auto claimed_in = [&](const std::string& name, const std::optional<ExecutionPolicy>& policy = {}) {
        value_of(engine.create_execution({.namespace_name = name, .policy = policy}));
        return value_of(engine.claim(claim_by("w1"))).executions.at(0);
    };
    for (const std::string name : {"shop", "default"}) {
        std::vector<std::pair<ExecutionId, TerminalOutcome>> ended;
        const auto succeeding = claimed_in(name);
        value_of(engine.complete({.lease = succeeding.handle}));
        ended.emplace_back(succeeding.execution_id, TerminalOutcome::success);

        value_of(engine.replay_execution({.execution_id = succeeding.execution_id}));
        const auto replayed = value_of(engine.claim(claim_by("w1"))).executions.at(0);
        value_of(engine.fail({.lease = replayed.handle, .reason = "broken", .category = "permanent"}));
        ended.emplace_back(succeeding.execution_id, TerminalOutcome::failed);

        const auto given_up = claimed_in(name);
        value_of(engine.cancel({.lease = given_up.handle, .reason = "given up"}));
        ended.emplace_back(given_up.execution_id, TerminalOutcome::cancelled);

        ended.emplace_back(end_one(engine, {.namespace_name = name}), TerminalOutcome::cancelled);
        if (name == "shop") expected = ended;
    }
    for (const auto& [id, outcome] : expected) {
        const auto event = shop.take_as<CompletionEvent>();
        EXPECT_EQ(event.execution_id, id);
        EXPECT_EQ(event.outcome, outcome);
        EXPECT_EQ(event.namespace_name, "shop");
    }
    const auto last = end_one(engine, {.namespace_name = "shop"});
    EXPECT_EQ(shop.take_as<CompletionEvent>().execution_id, last) << "nothing of the other namespace came";
}

TEST_P(Deliveries, AnotherTagWithTheSameValueIsNotMeant) {
    Engine& engine = open();
    Follower instance(engine, Channel::completion, {.instance_tag = {{"cairn.instance_id", "a"}}});
    end_one(engine, {.tags = {{"cairn.project", "a"}}});
    const auto meant = end_one(engine, {.tags = {{"cairn.instance_id", "a"}}});
    EXPECT_EQ(instance.take_as<CompletionEvent>().execution_id, meant);
}

}  // namespace
}  // namespace flowfabric::test
