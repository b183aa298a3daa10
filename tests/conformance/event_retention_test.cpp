#include "support/fixture.hpp"

namespace flowfabric::test {
namespace {

using enum ErrorKind;
using testing::IsEmpty;
using testing::SizeIs;

class EventRetention : public StoreTest {
  protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        writer_ = std::move(*backend().open_writer());
        reader_ = std::move(*backend().open_reader());
    }
    void TearDown() override {
        writer_.reset();
        reader_.reset();
        StoreTest::TearDown();
    }

    void end_some(int count) {
        for (int i = 0; i < count; ++i) {
            create();
            value_of(complete(claim().handle));
        }
    }
    // One piece of the channel, with events kept for an hour.
    std::optional<Trim> trim(Channel channel) {
        const auto outbox = writer_->open_outbox(channel);
        if (!outbox) throw std::runtime_error(outbox.error().detail);
        const auto trim = trim_of(*outbox, hour);
        if (!trim) {
            writer_->abandon();
        } else if (const auto done = writer_->trim_outbox(channel, *trim); !done) {
            throw std::runtime_error(done.error().detail);
        }
        return trim;
    }
    EventPage page(Channel channel, std::int64_t after = 0) {
        return *reader_->tail(channel, after, last(channel), 10'000);
    }
    std::int64_t last(Channel channel) { return reader_->watermark(channel)->drawn; }
    std::int64_t enroll_at_end(Channel channel) {
        const std::int64_t at = last(channel);
        value_of(run(RegisterConsumer{channel, "slow", cursor_at(at)}));
        return at;
    }

    std::unique_ptr<StoreWriter> writer_;

  private:
    std::unique_ptr<StoreReader> reader_;
};
INSTANTIATE_TEST_SUITE_P(Stores, EventRetention, all_stores(), name_of_param);

TEST_P(EventRetention, LeavesYoungEventsAlone) {
    end_some(3);
    advance(hour - 1);
    for (const Channel channel : channels) EXPECT_FALSE(trim(channel)) << to_string(channel);
    EXPECT_THAT(page(Channel::completion).events, SizeIs(3));
}

TEST_P(EventRetention, RemovesOldEventsAndKeepsTheirIdsOutOfUse) {
    end_some(3);
    const std::int64_t old = last(Channel::completion);
    advance(2 * hour);
    end_some(1);
    // Where events go one by one, those that are old enough may wait for the young one to be old as well.
    advance(2 * hour);
    ASSERT_TRUE(trim(Channel::completion));
    const EventPage left = page(Channel::completion);
    EXPECT_GE(left.trimmed, old);
    EXPECT_THAT(left.events, IsEmpty());
    EXPECT_FALSE(trim(Channel::completion));

    const std::int64_t before = last(Channel::completion);
    end_some(1);
    EXPECT_GT(last(Channel::completion), before);
    EXPECT_THAT(page(Channel::completion, before).events, SizeIs(1));
}

TEST_P(EventRetention, OfOneChannelTouchesNoOther) {
    end_some(2);
    advance(3 * hour);
    ASSERT_TRUE(trim(Channel::lease));
    EXPECT_THAT(page(Channel::lease).events, IsEmpty());
    EXPECT_THAT(page(Channel::completion).events, SizeIs(2));
    EXPECT_EQ(page(Channel::completion).trimmed, 0);
}

TEST_P(EventRetention, StopsAtTheSlowestConsumer) {
    end_some(2);
    const std::int64_t held = enroll_at_end(Channel::completion);
    end_some(2);
    value_of(run(RegisterConsumer{Channel::completion, "fast", cursor_at(last(Channel::completion))}));
    advance(3 * hour);
    EXPECT_EQ(trim(Channel::completion)->through, held);
    EXPECT_FALSE(trim(Channel::completion));
    EXPECT_THAT(page(Channel::completion, held).events, SizeIs(2));

    value_of(run(AcknowledgeEvents{Channel::completion, "slow", cursor_at(held + 1)}));
    EXPECT_EQ(trim(Channel::completion)->through, held + 1);
    value_of(run(RemoveConsumer{Channel::completion, "slow"}));
    EXPECT_TRUE(trim(Channel::completion));
    EXPECT_THAT(page(Channel::completion).events, IsEmpty());
}

TEST_P(EventRetention, AConsumerOfAnotherChannelHoldsUpNothing) {
    value_of(run(RegisterConsumer{Channel::lease, "slow", cursor_at(0)}));
    end_some(2);
    advance(3 * hour);
    EXPECT_TRUE(trim(Channel::completion));
    EXPECT_FALSE(trim(Channel::lease));
}

TEST_P(EventRetention, NobodyIsRegisteredWhereEventsAreGone) {
    end_some(3);
    advance(3 * hour);
    const std::int64_t gone = trim(Channel::completion)->through;
    const auto refused = run(RegisterConsumer{Channel::completion, "late", cursor_at(gone - 1)});
    expect_error(refused, cursor_expired, "cursor");
    EXPECT_EQ(refused.error().oldest_cursor, cursor_at(gone));
    EXPECT_TRUE(run(RegisterConsumer{Channel::completion, "late", cursor_at(gone)}));
}

TEST_P(EventRetention, WhoeverTrimsKeepsConsumersAway) {
    end_some(1);
    advance(3 * hour);
    ASSERT_TRUE(writer_->open_outbox(Channel::completion));
    if (GetParam() == StoreKind::memory) {
        const auto other = std::move(*backend().open_writer());
        LoadRequest request;
        request.side.of<ConsumerRow>().keys = {{Channel::completion, "a"}};
        const auto loaded = other->load(request);
        ASSERT_FALSE(loaded);
        EXPECT_EQ(loaded.error().fault, StoreFault::contention);
    }
    writer_->abandon();
    EXPECT_TRUE(run(RegisterConsumer{Channel::completion, "a", cursor_at(0)}));
}

TEST_P(EventRetention, AnAbandonedLookChangesNothing) {
    end_some(2);
    advance(3 * hour);
    expect_no_change([&] {
        ASSERT_TRUE(writer_->open_outbox(Channel::completion));
        writer_->abandon();
    });
}

}  // namespace
}  // namespace flowfabric::test
