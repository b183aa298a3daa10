#include <algorithm>
#include <atomic>

#include "concurrency/engine_test.hpp"
#include "engine/event_tail.hpp"
#include "support/random.hpp"

namespace flowfabric::test {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

constexpr milliseconds patience{30'000};

// One consumer. Notices of lost connections are kept apart.
class Follower {
  public:
    Follower(Engine& engine, Channel channel, const SubscribeOptions& options = {})
        : subscription_(value_of(engine.subscribe(channel, options))), cursor_(options.cursor) {}

    // The next event, which must come.
    Event take() {
        while (true) {
            const auto delivery = value_of(subscription_->next(patience));
            if (!delivery) throw std::runtime_error("an event never came");
            if (const auto* notice = std::get_if<StreamDisconnected>(&*delivery)) {
                notices.push_back(*notice);
                continue;
            }
            const auto& event = std::get<Event>(*delivery);
            cursor_ = cursor_of(event);
            return event;
        }
    }
    template <class EventType>
    EventType take_as() {
        return std::get<EventType>(take());
    }
    // Up to and with the completion of this execution.
    std::vector<Event> take_up_to(const ExecutionId& last) {
        std::vector<Event> events;
        do {
            events.push_back(take());
        } while (std::get<CompletionEvent>(events.back()).execution_id != last);
        return events;
    }
    Subscription& subscription() { return *subscription_; }
    const Bytes& cursor() const { return cursor_; }

    std::vector<StreamDisconnected> notices;

  private:
    std::unique_ptr<Subscription> subscription_;
    Bytes cursor_;  // of the last event taken
};

SubscribeOptions from(std::int64_t event_id) {
    return {.cursor = cursor_at(event_id)};
}

class Subscriptions : public EngineTest {
  protected:
    // An id that no other of this test has.
    ExecutionId id_on(std::uint16_t partition) {
        ExecutionId id{.partition = partition, .uuid = {}};
        const std::uint32_t number = ++ids_;
        id.uuid.bytes[6] = 0x70;
        id.uuid.bytes[8] = 0x80;
        for (std::size_t i = 0; i < 4; ++i) id.uuid.bytes[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
        return id;
    }
    // Writes one completion and one operator event.
    ExecutionId end_one(Engine& engine, CreateExecution command = {}) {
        if (!command.execution_id) command.execution_id = id_on(0);
        const auto id = value_of(engine.create_execution(std::move(command))).execution_id;
        value_of(engine.cancel_execution({.execution = {.execution_id = id}, .reason = "done with"}));
        return id;
    }

    std::vector<Event> outbox(Channel channel, const EventFilter& filter = {}) {
        const auto reader = std::move(*store().open_backend()->open_reader());
        auto watermark = reader->watermark(channel);
        while (watermark && !watermark->decided) watermark = reader->watermark(channel);
        auto all = std::move(reader->tail(channel, 0, *watermark->decided, 100'000)->events);
        std::erase_if(all, [&](const Event& event) { return !filter.admits(event); });
        return all;
    }

  private:
    std::atomic<std::uint32_t> ids_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Stores, Subscriptions, all_stores(), name_of_param);

// ---- where a subscription begins --------------------------------------------------------------------------------

TEST_P(Subscriptions, WithoutACursorBeginsNow) {
    Engine& engine = open();
    end_one(engine);
    Follower follower(engine, Channel::completion);
    const auto id = end_one(engine);
    EXPECT_EQ(follower.take_as<CompletionEvent>().execution_id, id);
}

TEST_P(Subscriptions, FromACursorBeginsBehindIt) {
    Engine& engine = open();
    Follower first(engine, Channel::completion, from(0));
    end_one(engine);
    const auto second_id = end_one(engine);
    const Bytes cursor = cursor_of(first.take());
    Follower second(engine, Channel::completion, {.cursor = cursor});
    EXPECT_EQ(second.take_as<CompletionEvent>().execution_id, second_id);
}

TEST_P(Subscriptions, FromTheStartSeeAllThereIsAndAllThatComes) {
    Engine& engine = open();
    std::vector<ExecutionId> ids{end_one(engine), end_one(engine)};
    Follower follower(engine, Channel::completion, from(0));
    ids.push_back(end_one(engine));
    for (const ExecutionId& id : ids) EXPECT_EQ(follower.take_as<CompletionEvent>().execution_id, id);
}

TEST_P(Subscriptions, MoreThanAPageIsReadToItsEnd) {
    Engine& engine = open();
    constexpr int count = 2500;
    const auto ids = create(engine, count);
    std::vector<CancelExecution> cancels;
    for (const auto& id : ids) cancels.push_back({.execution = {.execution_id = id}, .reason = "done with"});
    for (const auto& answer : engine.run_all(std::move(cancels))) ASSERT_TRUE(answer);
    Follower follower(engine, Channel::completion, from(0));
    std::vector<Event> events;
    for (int i = 0; i < count; ++i) events.push_back(follower.take());
    EXPECT_TRUE(events == outbox(Channel::completion));
}

TEST_P(Subscriptions, AMalformedRequestFailsAtOnce) {
    Engine& engine = open();
    for (const Channel channel : {Channel::lease, Channel::completion, Channel::signal, Channel::operators}) {
        expect_error(engine.subscribe(channel, {.cursor = "12"}), ErrorKind::invalid_input, "cursor");
        expect_error(engine.subscribe(channel, {.cursor = cursor_at(-1)}), ErrorKind::invalid_input, "cursor");
        expect_error(engine.subscribe(channel, {.partition = 256}), ErrorKind::invalid_input, "partition");
        expect_error(engine.subscribe(channel, {.namespace_name = ""}), ErrorKind::invalid_input, "namespace");
        expect_error(engine.subscribe(channel, {.instance_tag = {{"another.key", "a"}}}), ErrorKind::invalid_input,
                     "instance_tag");
    }
}

// ---- filters ----------------------------------------------------------------------------------------------------

TEST_P(Subscriptions, AFilterAdmitsWhatItNames) {
    Engine& engine = open();
    const Tags tagged{{"cairn.instance_id", "a"}};
    Follower partition(engine, Channel::completion, {.partition = 7});
    Follower shop(engine, Channel::completion, {.namespace_name = "shop"});
    Follower instance(engine, Channel::completion, {.instance_tag = {{"cairn.instance_id", "a"}}});
    Follower all(engine, Channel::completion);

    const auto plain = end_one(engine, {.execution_id = id_on(1)});
    const auto on_seven = end_one(engine, {.execution_id = id_on(7)});
    const auto of_shop = end_one(engine, {.execution_id = id_on(1), .namespace_name = "shop"});
    const auto other_tag = end_one(engine, {.execution_id = id_on(1), .tags = {{"cairn.instance_id", "b"}}});
    const auto of_instance = end_one(engine, {.execution_id = id_on(1), .tags = tagged});
    const auto last = end_one(engine, {.execution_id = id_on(7), .namespace_name = "shop", .tags = tagged});

    const auto taken = [&](Follower& follower) {
        std::vector<ExecutionId> ids;
        for (const Event& event : follower.take_up_to(last)) {
            ids.push_back(std::get<CompletionEvent>(event).execution_id);
        }
        return ids;
    };
    EXPECT_THAT(taken(partition), ElementsAre(on_seven, last));
    EXPECT_THAT(taken(shop), ElementsAre(of_shop, last));
    EXPECT_THAT(taken(instance), ElementsAre(of_instance, last));
    EXPECT_THAT(taken(all), ElementsAre(plain, on_seven, of_shop, other_tag, of_instance, last));
}

TEST_P(Subscriptions, AnEventWithoutANamespacePassesNoNamespaceFilter) {
    Engine& engine = open();
    Follower named(engine, Channel::operators, {.namespace_name = "default"});
    Follower all(engine, Channel::operators);
    value_of(engine.set_lane_state({.lane_id = "slow", .state = LaneState::paused}));
    end_one(engine);
    EXPECT_EQ(all.take_as<OperatorEvent>().event_type, OperatorEventType::lane_state_changed);
    EXPECT_EQ(all.take_as<OperatorEvent>().event_type, OperatorEventType::execution_cancelled);
    EXPECT_EQ(named.take_as<OperatorEvent>().event_type, OperatorEventType::execution_cancelled);
}

// ---- channels ---------------------------------------------------------------------------------------------------

TEST_P(Subscriptions, EveryChannelHasItsOwnEvents) {
    Engine& engine = open();
    Follower completions(engine, Channel::completion);
    Follower leases(engine, Channel::lease);
    Follower operators(engine, Channel::operators);
    Follower signals(engine, Channel::signal);

    const auto id = value_of(engine.create_execution({.tags = {{"cairn.instance_id", "a"}}})).execution_id;
    const auto claimed = value_of(engine.claim(claim_by("w1"))).executions.at(0);
    value_of(engine.complete({.lease = claimed.handle}));
    const auto cancelled = end_one(engine);

    const auto opened = leases.take_as<LeaseEvent>();
    EXPECT_EQ(opened.event_type, LeaseEventType::acquired);
    EXPECT_EQ(opened.execution_id, id);
    EXPECT_EQ(opened.lease_id, claimed.lease_id);
    EXPECT_EQ(opened.instance_tag, "a");
    EXPECT_EQ(leases.take_as<LeaseEvent>().event_type, LeaseEventType::released);

    const auto completed = completions.take_as<CompletionEvent>();
    EXPECT_EQ(completed.execution_id, id);
    EXPECT_EQ(completed.outcome, TerminalOutcome::success);
    EXPECT_EQ(completed.instance_tag, "a");
    EXPECT_EQ(completions.take_as<CompletionEvent>().outcome, TerminalOutcome::cancelled);

    const auto action = operators.take_as<OperatorEvent>();
    EXPECT_EQ(action.event_type, OperatorEventType::execution_cancelled);
    EXPECT_EQ(action.subject_id, cancelled.uuid);
    EXPECT_FALSE(value_of(signals.subscription().next(milliseconds(0))));
}

TEST_P(Subscriptions, CallBackWhenThereIsSomethingToTake) {
    Engine& engine = open();
    Follower follower(engine, Channel::completion);
    auto called = std::make_shared<std::promise<void>>();
    auto once = std::make_shared<std::once_flag>();
    follower.subscription().notify([=] { std::call_once(*once, [&] { called->set_value(); }); });
    end_one(engine);
    auto future = called->get_future();
    ASSERT_EQ(future.wait_for(patience), std::future_status::ready);
    EXPECT_TRUE(value_of(follower.subscription().next(milliseconds(0))));
}

// ---- the end ----------------------------------------------------------------------------------------------------

TEST_P(Subscriptions, EndWithTheEngine) {
    Follower follower(open(), Channel::completion);
    auto waiting = std::async(std::launch::async, [&] { return follower.subscription().next(patience); });
    close_all();
    expect_error(waiting.get(), ErrorKind::unavailable);
    expect_error(follower.subscription().next(milliseconds(0)), ErrorKind::unavailable);
}

TEST_P(Subscriptions, OutliveTheEngineWithWhatTheyHold) {
    Engine& engine = open();
    Follower follower(engine, Channel::completion);
    Follower witness(engine, Channel::completion);  // served after the first
    const auto id = end_one(engine);
    witness.take();
    close_all();
    EXPECT_EQ(follower.take_as<CompletionEvent>().execution_id, id);
    expect_error(follower.subscription().next(patience), ErrorKind::unavailable);
}

// ---- many at once -----------------------------------------------------------------------------------------------

TEST_P(Subscriptions, EachSeesExactlyWhatTheOutboxHoldsWhileManyWrite) {
    Engine& engine = open();
    const auto last = id_on(1);
    const std::vector<SubscribeOptions> wishes{{.partition = 1}, {.namespace_name = "shop"}, {.buffer = 4}};
    std::vector<std::unique_ptr<Follower>> followers;
    std::vector<std::future<std::vector<Event>>> consumers;
    for (const auto& wish : wishes) {
        followers.push_back(std::make_unique<Follower>(engine, Channel::completion, wish));
        consumers.push_back(std::async(
            std::launch::async, [&last, follower = followers.back().get()] { return follower->take_up_to(last); }));
    }
    on_threads(8, [&](int thread) {
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
    end_one(engine, {.execution_id = last, .namespace_name = "shop"});

    for (std::size_t i = 0; i < wishes.size(); ++i) {
        const EventFilter filter{
            .partition = wishes[i].partition, .namespace_name = wishes[i].namespace_name, .instance_tag = {}};
        EXPECT_TRUE(consumers[i].get() == outbox(Channel::completion, filter)) << "subscription " << i;
    }
    EXPECT_EQ(outbox(Channel::completion).size(), 8U * 25U + 1U);
}

TEST_P(Subscriptions, ResumedAgainAndAgainMissNothing) {
    Engine& engine = open();
    constexpr int count = 120;
    const auto last = id_on(2);
    auto writer = std::async(std::launch::async, [&] {
        for (int i = 0; i < count; ++i) end_one(engine);
        end_one(engine, {.execution_id = last});
    });
    Random random(1);
    std::vector<Event> taken;
    Bytes cursor = cursor_at(0);
    int resumed = 0;
    for (bool ended = false; !ended; ++resumed) {
        Follower follower(engine, Channel::completion, {.cursor = cursor, .buffer = 1 + random.below(8)});
        for (auto left = 1 + random.below(5); left > 0 && !ended; --left) {
            taken.push_back(follower.take());
            ended = std::get<CompletionEvent>(taken.back()).execution_id == last;
        }
        cursor = follower.cursor();
    }
    writer.get();
    EXPECT_GE(resumed, 20);
    EXPECT_EQ(taken.size(), count + 1U);
    EXPECT_TRUE(taken == outbox(Channel::completion));
}

TEST_P(Subscriptions, SeeWhatAnotherEngineWrites) {
    Engine& writing = open();
    Engine& reading = open();
    Follower follower(reading, Channel::completion);
    for (int i = 0; i < 3; ++i) {
        const auto id = end_one(writing);
        EXPECT_EQ(follower.take_as<CompletionEvent>().execution_id, id);
    }
}

TEST_P(Subscriptions, OfTwoEnginesSeeTheEventsOfBothInTheSameOrder) {
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

}  // namespace
}  // namespace flowfabric::test
