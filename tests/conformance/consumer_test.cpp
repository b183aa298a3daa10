#include <limits>

#include "conformance/api_test.hpp"

namespace flowfabric::test {
namespace {

using enum ErrorKind;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class Consumers : public ApiTest {
  protected:
    Result<ConsumerPosition> enroll(std::string name, std::int64_t at, Channel channel = Channel::completion) {
        return run(RegisterConsumer{channel, std::move(name), cursor_at(at)});
    }
    Result<ConsumerPosition> acknowledge(std::string name, std::int64_t at, Channel channel = Channel::completion) {
        return run(AcknowledgeEvents{channel, std::move(name), cursor_at(at)});
    }
    // The id of the last completion when there are that many more.
    std::int64_t end_some(int count) {
        for (int i = 0; i < count; ++i) {
            create();
            value_of(complete(claim().handle));
        }
        return (*backend().open_reader())->watermark(Channel::completion)->drawn;
    }
    std::int64_t position(const std::string& name, Channel channel = Channel::completion) {
        return snapshot().of<ConsumerRow>().at({channel, name}).event_id;
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, Consumers, all_stores(), name_of_param);

TEST_P(Consumers, AreRegisteredOnceAndStayWhereTheyAre) {
    end_some(9);
    EXPECT_EQ(value_of(enroll("billing", 7)), (ConsumerPosition{cursor_at(7), true}));
    advance(5);
    expect_no_change([&] { EXPECT_EQ(value_of(enroll("billing", 9)), (ConsumerPosition{cursor_at(7), false})); });
    EXPECT_EQ(snapshot().of<ConsumerRow>().at({Channel::completion, "billing"}),
              (ConsumerRow{{Channel::completion, "billing"}, 7, now() - 5, now() - 5}));
}

TEST_P(Consumers, OfOneNameStandOnEachChannelByThemselves) {
    end_some(1);
    value_of(enroll("billing", 1, Channel::lease));
    value_of(enroll("billing", 0, Channel::operators));
    value_of(enroll("billing", 0, Channel::signal));
    value_of(run(SetLaneState{"mail", LaneState::paused}));
    value_of(run(SetLaneState{"mail", LaneState::active}));
    value_of(acknowledge("billing", 2, Channel::operators));
    EXPECT_EQ(position("billing", Channel::lease), 1);
    EXPECT_EQ(position("billing", Channel::operators), 2);
    EXPECT_EQ(position("billing", Channel::signal), 0);
}

TEST_P(Consumers, MoveForwardOnly) {
    end_some(5);
    value_of(enroll("billing", 3));
    advance(10);
    EXPECT_EQ(value_of(acknowledge("billing", 5)), (ConsumerPosition{cursor_at(5), false}));
    EXPECT_EQ(snapshot().of<ConsumerRow>().at({Channel::completion, "billing"}).acknowledged_at_ms, now());
    advance(10);
    expect_no_change([&] {
        EXPECT_EQ(value_of(acknowledge("billing", 5)), (ConsumerPosition{cursor_at(5), false}));
        EXPECT_EQ(value_of(acknowledge("billing", 4)), (ConsumerPosition{cursor_at(5), false}));
    });
}

TEST_P(Consumers, DoNotAcknowledgeWhatIsYetToCome) {
    const std::int64_t last = end_some(2);
    value_of(enroll("billing", 0));
    for (const std::int64_t later : {last + 1, std::numeric_limits<std::int64_t>::max()}) {
        expect_no_change(
            [&] { expect_error(acknowledge("billing", later), invalid_input, "cursor: is behind no event"); });
    }
    EXPECT_EQ(value_of(acknowledge("billing", last)), (ConsumerPosition{cursor_at(last), false}));
}

TEST_P(Consumers, DoNotBeginBehindWhatIsYetToCome) {
    const std::int64_t last = end_some(2);
    for (const std::int64_t later : {last + 1, std::numeric_limits<std::int64_t>::max()}) {
        expect_no_change([&] { expect_error(enroll("billing", later), invalid_input, "cursor: is behind no event"); });
    }
    EXPECT_EQ(value_of(enroll("billing", last)), (ConsumerPosition{cursor_at(last), true}));
    EXPECT_EQ(value_of(enroll("billing", last + 1)), (ConsumerPosition{cursor_at(last), false})) << "it is there";
}

TEST_P(Consumers, ThatAreNotRegisteredCannotAcknowledge) {
    expect_no_change([&] { expect_error(acknowledge("billing", 5), consumer_not_found, "billing"); });
    value_of(enroll("billing", 0));
    value_of(run(RemoveConsumer{Channel::completion, "billing"}));
    expect_no_change([&] { expect_error(acknowledge("billing", 5), consumer_not_found, "completion"); });
}

TEST_P(Consumers, AreRemovedOnceAndMayComeBack) {
    end_some(3);
    value_of(enroll("billing", 3));
    EXPECT_EQ(value_of(run(RemoveConsumer{Channel::completion, "billing"})), (ConsumerRemoved{true}));
    EXPECT_EQ(value_of(run(RemoveConsumer{Channel::completion, "billing"})), (ConsumerRemoved{false}));
    EXPECT_THAT(snapshot().of<ConsumerRow>(), IsEmpty());
    EXPECT_EQ(value_of(enroll("billing", 1)), (ConsumerPosition{cursor_at(1), true}));
}

TEST_P(Consumers, AreListedByChannelAndName) {
    end_some(1);
    for (const auto state : {LaneState::paused, LaneState::active, LaneState::paused}) {
        value_of(run(SetLaneState{"mail", state}));
    }
    value_of(enroll("b", 1, Channel::operators));
    value_of(enroll("b", 2, Channel::lease));
    value_of(enroll("a", 3, Channel::operators));
    EXPECT_THAT(value_of(api().list_consumers()),
                ElementsAre(ConsumerView{Channel::lease, "b", cursor_at(2), now(), now()},
                            ConsumerView{Channel::operators, "a", cursor_at(3), now(), now()},
                            ConsumerView{Channel::operators, "b", cursor_at(1), now(), now()}));
    ListConsumers query{.after = {}, .limit = 2};
    const auto first = value_of(api().read(query));
    EXPECT_THAT(first.consumers, SizeIs(2));
    EXPECT_EQ(first.next, (ConsumerPlace{Channel::operators, "a"}));
    query.after = first.next;
    const auto rest = value_of(api().read(query));
    ASSERT_THAT(rest.consumers, SizeIs(1));
    EXPECT_EQ(rest.consumers.front().name, "b");
    EXPECT_FALSE(rest.next);
    query.limit = 0;
    EXPECT_EQ(value_of(api().read(query)), ConsumerPage{});
}

TEST_P(Consumers, OfOneBatchActOneAfterTheOther) {
    end_some(4);
    const auto completion = [](const Result<Answer>&) {};
    engine().submit(RegisterConsumer{Channel::lease, "a", cursor_at(1)}, completion);
    engine().submit(AcknowledgeEvents{Channel::lease, "a", cursor_at(4)}, completion);
    engine().submit(AcknowledgeEvents{Channel::lease, "a", cursor_at(2)}, completion);
    engine().submit(RegisterConsumer{Channel::lease, "b", cursor_at(1)}, completion);
    engine().submit(RemoveConsumer{Channel::lease, "b"}, completion);
    engine().settle();
    EXPECT_EQ(position("a", Channel::lease), 4);
    EXPECT_EQ(snapshot().of<ConsumerRow>().size(), 1U);
}

TEST_P(Consumers, RefuseWhatTheyCannotBe) {
    expect_no_change([&] {
        expect_error(run(RegisterConsumer{Channel::lease, "", cursor_at(1)}), invalid_input, "consumer");
        expect_error(run(RegisterConsumer{Channel::lease, std::string("a\0b", 3), cursor_at(1)}), invalid_input,
                     "consumer");
        expect_error(run(RegisterConsumer{Channel::lease, std::string(300, 'x'), cursor_at(1)}), invalid_input,
                     "consumer");
        expect_error(run(RegisterConsumer{static_cast<Channel>(9), "a", cursor_at(1)}), invalid_input, "channel");
        expect_error(run(RegisterConsumer{Channel::lease, "a", ""}), invalid_input, "cursor");
        expect_error(run(RegisterConsumer{Channel::lease, "a", "nonsense"}), invalid_input, "cursor");
        expect_error(run(AcknowledgeEvents{Channel::lease, "a", ""}), invalid_input, "cursor");
        expect_error(run(AcknowledgeEvents{Channel::lease, "", cursor_at(1)}), invalid_input, "consumer");
        expect_error(run(RemoveConsumer{Channel::lease, ""}), invalid_input, "consumer");
    });
}

}  // namespace
}  // namespace flowfabric::test
