#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "runtime/subscription.hpp"

namespace flowfabric {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds at_once{0};
constexpr milliseconds for_ever{3'600'000};

std::shared_ptr<const Event> event(std::int64_t id) {
    CompletionEvent completion;
    completion.event_id = id;
    return std::make_shared<const Event>(completion);
}

class MailboxTest : public testing::Test {
  protected:
    static std::int64_t take(Mailbox& mailbox) {
        const auto delivery = mailbox.next(at_once);
        if (!delivery || !*delivery) throw std::runtime_error("nothing to take");
        return id_of(std::get<Event>(**delivery));
    }
    static void fill(Mailbox& mailbox, std::int64_t from, std::int64_t to) {
        for (std::int64_t id = from; id <= to; ++id) ASSERT_TRUE(mailbox.offer(event(id)));
    }

    int rooms = 0;
    Mailbox mailbox{4, [this] { ++rooms; }};
};

TEST_F(MailboxTest, ReturnsNothingWhenNothingCame) {
    const auto delivery = mailbox.next(at_once);
    ASSERT_TRUE(delivery);
    EXPECT_FALSE(*delivery);
}

TEST_F(MailboxTest, DeliversInTheOrderOfArrivalNoticesIncluded) {
    fill(mailbox, 1, 1);
    mailbox.disconnected({cursor_at(1), "gone"});
    fill(mailbox, 2, 2);
    EXPECT_EQ(take(mailbox), 1);
    const auto notice = mailbox.next(at_once);
    ASSERT_TRUE(notice && *notice);
    EXPECT_EQ(std::get<StreamDisconnected>(**notice).cursor, cursor_at(1));
    EXPECT_EQ(std::get<StreamDisconnected>(**notice).detail, "gone");
    EXPECT_EQ(take(mailbox), 2);
}

TEST_F(MailboxTest, TakesNoMoreThanItHolds) {
    fill(mailbox, 1, 4);
    EXPECT_FALSE(mailbox.offer(event(5)));
    EXPECT_EQ(take(mailbox), 1);
    EXPECT_TRUE(mailbox.offer(event(5)));
    for (std::int64_t id = 2; id <= 5; ++id) EXPECT_EQ(take(mailbox), id);
}

TEST_F(MailboxTest, ANoticeIsTakenEvenWhenFull) {
    fill(mailbox, 1, 4);
    mailbox.disconnected({cursor_at(4), "gone"});
    for (std::int64_t id = 1; id <= 4; ++id) EXPECT_EQ(take(mailbox), id);
    const auto notice = mailbox.next(at_once);
    ASSERT_TRUE(notice && *notice);
    EXPECT_TRUE(std::holds_alternative<StreamDisconnected>(**notice));
}

TEST_F(MailboxTest, HasRoomAgainWhenHalfEmptyAndSaysSoOnce) {
    fill(mailbox, 1, 4);
    EXPECT_FALSE(mailbox.offer(event(5)));
    EXPECT_FALSE(mailbox.has_room());
    take(mailbox);
    EXPECT_EQ(rooms, 0);
    take(mailbox);
    EXPECT_TRUE(mailbox.has_room());
    EXPECT_EQ(rooms, 1);
    take(mailbox);
    take(mailbox);
    EXPECT_EQ(rooms, 1);
}

TEST_F(MailboxTest, SaysThatThereIsRoomToWhoAskedInVain) {
    fill(mailbox, 1, 4);  // exactly full: nothing was refused
    EXPECT_FALSE(mailbox.has_room());
    take(mailbox);
    take(mailbox);
    EXPECT_EQ(rooms, 1);
}

TEST_F(MailboxTest, OfOneEventHasRoomWhenItIsTaken) {
    Mailbox single(1, [this] { ++rooms; });
    fill(single, 1, 1);
    EXPECT_FALSE(single.offer(event(2)));
    EXPECT_FALSE(single.has_room());
    take(single);
    EXPECT_TRUE(single.has_room());
    EXPECT_EQ(rooms, 1);
}

TEST_F(MailboxTest, EndsOnlyBehindWhatItHolds) {
    fill(mailbox, 1, 1);
    mailbox.end({.kind = ErrorKind::unavailable, .detail = "stopping"});
    EXPECT_EQ(take(mailbox), 1);
    for (int i = 0; i < 2; ++i) {
        const auto end = mailbox.next(at_once);
        ASSERT_FALSE(end);
        EXPECT_EQ(end.error().kind, ErrorKind::unavailable);
    }
}

TEST_F(MailboxTest, AWaitingConsumerIsWokenByAnEvent) {
    std::thread tail([&] {
        mailbox.offer(event(1));
        mailbox.reached(1);
    });
    const auto delivery = mailbox.next(for_ever);
    tail.join();
    ASSERT_TRUE(delivery && *delivery);
}

TEST_F(MailboxTest, AWaitingConsumerIsWokenByTheEnd) {
    std::thread tail([&] { mailbox.end({.kind = ErrorKind::unavailable, .detail = "stopping"}); });
    const auto delivery = mailbox.next(for_ever);
    tail.join();
    EXPECT_FALSE(delivery);
}

TEST_F(MailboxTest, CallsBackOncePerPageAndAtOnceForWhatIsThere) {
    int calls = 0;
    fill(mailbox, 1, 1);
    mailbox.reached(1);
    mailbox.notify([&] { ++calls; });
    EXPECT_EQ(calls, 1);
    fill(mailbox, 2, 3);
    EXPECT_EQ(calls, 1) << "the page is not at its end";
    mailbox.reached(3);
    EXPECT_EQ(calls, 2);
    mailbox.reached(4);
    EXPECT_EQ(calls, 2) << "nothing in it was for this one";
    mailbox.disconnected({cursor_at(2), "gone"});
    EXPECT_EQ(calls, 3);
    mailbox.end({.kind = ErrorKind::unavailable, .detail = "stopping"});
    EXPECT_EQ(calls, 4);
}

TEST_F(MailboxTest, CallsBackNoMoreOnceClosed) {
    int calls = 0;
    mailbox.notify([&] { ++calls; });
    mailbox.close();
    EXPECT_TRUE(mailbox.closed());
    EXPECT_EQ(rooms, 1) << "the tail is told, to drop it";
    mailbox.offer(event(1));
    mailbox.reached(1);
    EXPECT_EQ(calls, 0);
}

TEST_F(MailboxTest, StandsBehindWhatWasTakenUntilItIsEmpty) {
    mailbox.reached(3);
    EXPECT_EQ(mailbox.position(), 3);
    fill(mailbox, 4, 5);
    mailbox.reached(9);
    EXPECT_EQ(mailbox.position(), 3) << "what it holds is not behind it";
    take(mailbox);
    EXPECT_EQ(mailbox.position(), 4);
    take(mailbox);
    EXPECT_EQ(mailbox.position(), 9);
}

TEST_F(MailboxTest, EndsWithTheOldestCursorWhenItsEventsAreGone) {
    fill(mailbox, 1, 1);
    mailbox.expired(1, 7);
    EXPECT_EQ(take(mailbox), 1);
    const auto end = mailbox.next(at_once);
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().kind, ErrorKind::cursor_expired);
    EXPECT_EQ(end.error().oldest_cursor, cursor_at(7));
}

}  // namespace
}  // namespace flowfabric
