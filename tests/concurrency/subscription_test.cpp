#include "concurrency/subscription_test.hpp"

namespace flowfabric::test {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

class Subscriptions : public SubscriptionTest {};
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
        expect_error(engine.subscribe(channel, {.cursor = cursor_at(1'000'000)}), ErrorKind::invalid_input,
                     "is behind no event");
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

}  // namespace
}  // namespace flowfabric::test
