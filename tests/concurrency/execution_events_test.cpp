#include "concurrency/subscription_test.hpp"
#include "core/events/execution_cursor.hpp"
#include "core/events/subject.hpp"

// Subscriptions of one execution, on all channels.
namespace flowfabric::test {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class ExecutionEvents : public SubscriptionTest {
  protected:
    struct Told {
        std::string what;
        Bytes cursor;
    };

    static std::string text_of(const Event& event) {
        struct Text {
            std::string operator()(const LeaseEvent& e) const { return "lease " + std::string(e.event_type.text()); }
            std::string operator()(const CompletionEvent& e) const { return "end " + std::string(e.outcome.text()); }
            std::string operator()(const SignalEvent& e) const { return "signal " + e.effect; }
            std::string operator()(const OperatorEvent& e) const { return std::string(e.event_type.text()); }
            std::string operator()(const AuditEvent& e) const { return e.action; }
        };
        return std::visit(Text{}, event);
    }
    // Up to the end, which must come, or so many.
    static std::vector<Told> take(Subscription& subscription, std::size_t count = 1'000) {
        std::vector<Told> all;
        while (all.size() < count) {
            const auto delivery = value_of(subscription.next(patience));
            if (!delivery) {
                if (!subscription.ended()) throw std::runtime_error("an event never came");
                break;
            }
            all.push_back({text_of(std::get<Event>(*delivery)), subscription.cursor()});
        }
        return all;
    }
    static std::vector<std::string> texts(const std::vector<Told>& told, std::size_t from = 0) {
        std::vector<std::string> all;
        for (std::size_t i = from; i < told.size(); ++i) all.push_back(told[i].what);
        return all;
    }
    static void work_on(Engine& engine) {
        const auto held = value_of(engine.claim(claim_by("w1"))).executions.at(0);
        value_of(engine.complete({.lease = held.handle}));
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, ExecutionEvents, all_stores(), name_of_param);

TEST_P(ExecutionEvents, ComeFromAllChannelsUpToTheEnd) {
    Engine& engine = open();
    const auto id = value_of(engine.create_execution({})).execution_id;
    const auto subscription = value_of(engine.subscribe_execution(id));
    EXPECT_FALSE(value_of(subscription->next(milliseconds(0))));
    EXPECT_FALSE(subscription->ended());
    value_of(engine.change_priority({.execution_id = id, .new_priority = 5}));
    work_on(engine);
    EXPECT_THAT(texts(take(*subscription)),
                ElementsAre("priority_changed", "lease acquired", "lease released", "end success"));
    EXPECT_TRUE(subscription->ended());
}

TEST_P(ExecutionEvents, EachCursorContinuesBehindItsEvent) {
    Engine& engine = open();
    end_one(engine);
    const auto id = value_of(engine.create_execution({})).execution_id;
    work_on(engine);
    for (int i = 0; i < 20; ++i) end_one(engine);
    const auto all = take(*value_of(engine.subscribe_execution(id, {}, true)));
    ASSERT_THAT(texts(all), ElementsAre("lease acquired", "lease released", "end success"));
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(texts(take(*value_of(engine.subscribe_execution(id, all[i].cursor)))), texts(all, i + 1));
    }
    EXPECT_THAT(texts(take(*value_of(engine.subscribe_execution(id)))), IsEmpty()) << "it has ended before now";
}

TEST_P(ExecutionEvents, GoOnBehindAReplay) {
    Engine& engine = open();
    const auto id = end_one(engine);
    value_of(engine.replay_execution({.execution_id = id}));
    const auto subscription = value_of(engine.subscribe_execution(id, {}, true));
    EXPECT_THAT(texts(take(*subscription, 3)),
                UnorderedElementsAre("execution_cancelled", "end cancelled", "replayed"));
    work_on(engine);
    EXPECT_THAT(texts(take(*subscription)), ElementsAre("lease acquired", "lease released", "end success"));
}

TEST_P(ExecutionEvents, AreToldWhileOthersCrowdTheChannels) {
    Engine& engine = open();
    const auto id = value_of(engine.create_execution({.lane_id = "quiet"})).execution_id;
    const auto subscription = value_of(engine.subscribe_execution(id));
    const Bytes before = subscription->cursor();
    create(engine, 1'500);
    Claim claim = claim_by("w1");
    claim.max_count = 500;
    for (int i = 0; i < 3; ++i) {
        std::vector<Complete> ends;
        for (const auto& held : value_of(engine.claim(claim)).executions) ends.push_back({.lease = held.handle});
        for (const auto& answer : engine.run_all(std::move(ends))) ASSERT_TRUE(answer);
    }
    EXPECT_FALSE(value_of(subscription->next(milliseconds(0))));
    await([&] { return subscription->cursor() != before; });
    value_of(engine.cancel_execution({.execution = {.execution_id = id}, .reason = "enough"}));
    EXPECT_THAT(texts(take(*subscription)), ElementsAre("execution_cancelled", "end cancelled"));
}

TEST_P(ExecutionEvents, BehindACursorThatIsTrimmedAreRefusedWithTheOldestOneThatWorks) {
    Engine& engine = open({.run_reconcilers = false});
    const auto id = end_one(engine);
    const auto old = value_of(engine.subscribe_execution(id, {}, true))->cursor();
    const auto backend = store().open_backend();
    const auto writer = std::move(*backend->open_writer());
    const auto state = *writer->open_outbox(Channel::completion);
    const std::int64_t last = id_of(outbox(Channel::completion).back());
    ASSERT_TRUE(writer->trim_outbox(Channel::completion, {.through = last, .newest_at_ms = state.now_ms}));

    const auto refused = engine.subscribe_execution(id, cursor_at(ChannelPositions{}));
    expect_error(refused, ErrorKind::cursor_expired);
    EXPECT_EQ(parse_execution_cursor(refused.error().oldest_cursor.value())->at(1), last);
    EXPECT_THAT(texts(take(*value_of(engine.subscribe_execution(id, *refused.error().oldest_cursor)))),
                ElementsAre("execution_cancelled"));
    EXPECT_THAT(texts(take(*value_of(engine.subscribe_execution(id, {}, true)))), ElementsAre("execution_cancelled"));
    expect_error(engine.subscribe_execution(id, old), ErrorKind::cursor_expired);
}

TEST_P(ExecutionEvents, AreRefusedForAnUnknownExecutionAndAMalformedCursor) {
    Engine& engine = open();
    expect_error(engine.subscribe_execution(id_on(3)), ErrorKind::execution_not_found);
    const auto id = end_one(engine);
    expect_error(engine.subscribe_execution(id, cursor_at(std::int64_t{1})), ErrorKind::invalid_input, "cursor");
}

TEST_P(ExecutionEvents, TellThatTheyAreThere) {
    Engine& engine = open();
    const auto id = value_of(engine.create_execution({})).execution_id;
    const auto subscription = value_of(engine.subscribe_execution(id));
    EXPECT_FALSE(value_of(subscription->next(milliseconds(0))));
    std::atomic<bool> rung = false;
    subscription->notify([&] { rung = true; });
    rung = false;
    value_of(engine.cancel_execution({.execution = {.execution_id = id}, .reason = "enough"}));
    await([&] { return rung.load(); });
    subscription->notify(nullptr);
}

}  // namespace
}  // namespace flowfabric::test
