#include <gtest/gtest.h>

#include <limits>

#include "flowfabric/events.hpp"

namespace flowfabric {
namespace {

using namespace std::string_literals;

std::optional<std::int64_t> parsed(const Bytes& cursor) {
    const auto result = parse_cursor(cursor);
    EXPECT_TRUE(result) << "refused";
    return result ? *result : std::nullopt;
}

void expect_refused(const Bytes& cursor) {
    const auto result = parse_cursor(cursor);
    ASSERT_FALSE(result) << testing::PrintToString(cursor);
    EXPECT_EQ(result.error().kind, ErrorKind::invalid_input);
}

TEST(Cursor, IsTheTagAndTheIdBigEndian) {
    EXPECT_EQ(cursor_at(0), "\x02\0\0\0\0\0\0\0\0"s);
    EXPECT_EQ(cursor_at(1), "\x02\0\0\0\0\0\0\0\x01"s);
    EXPECT_EQ(cursor_at(0x0102030405060708), "\x02\x01\x02\x03\x04\x05\x06\x07\x08"s);
    EXPECT_EQ(cursor_at(std::numeric_limits<std::int64_t>::max()), "\x02\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s);
}

TEST(Cursor, IsReadBackAsItWasWritten) {
    for (const std::int64_t id : {std::int64_t{0}, std::int64_t{1}, std::int64_t{255}, std::int64_t{256},
                                  std::int64_t{1} << 40, std::numeric_limits<std::int64_t>::max()}) {
        EXPECT_EQ(parsed(cursor_at(id)), id);
    }
}

TEST(Cursor, SortsAsItsIdDoes) {
    EXPECT_LT(cursor_at(1), cursor_at(2));
    EXPECT_LT(cursor_at(127), cursor_at(128));
    EXPECT_LT(cursor_at(255), cursor_at(256));
}

TEST(Cursor, EmptyMeansFromNow) {
    EXPECT_EQ(parsed(""), std::nullopt);
}

TEST(Cursor, OfAnotherLengthIsRefused) {
    expect_refused("\x02"s);
    expect_refused("\x02\0\0\0\0\0\0\0"s);
    expect_refused("\x02\0\0\0\0\0\0\0\0\0"s);
    expect_refused("12");
}

TEST(Cursor, WithAnotherTagIsRefused) {
    expect_refused("\x01\0\0\0\0\0\0\0\x01"s);
    expect_refused("\0\0\0\0\0\0\0\0\x01"s);
    expect_refused("\x82\0\0\0\0\0\0\0\x01"s);
}

TEST(Cursor, OfANegativeIdIsRefused) {
    expect_refused(cursor_at(-1));
    expect_refused(cursor_at(std::numeric_limits<std::int64_t>::min()));
}

TEST(Cursor, OfAnEventStandsAtItsId) {
    LeaseEvent lease;
    lease.event_id = 3;
    CompletionEvent completion;
    completion.event_id = 4;
    SignalEvent signal;
    signal.event_id = 5;
    OperatorEvent action;
    action.event_id = 6;
    EXPECT_EQ(cursor_of(lease), cursor_at(3));
    EXPECT_EQ(cursor_of(completion), cursor_at(4));
    EXPECT_EQ(cursor_of(signal), cursor_at(5));
    EXPECT_EQ(cursor_of(action), cursor_at(6));
}

// ---- literals of a newer version --------------------------------------------------------------------------------

TEST(OpenLiteral, KnowsWhatItKnows) {
    const auto outcome = Open<TerminalOutcome>::parse("failed");
    EXPECT_EQ(outcome.known(), TerminalOutcome::failed);
    EXPECT_EQ(outcome.text(), "failed");
    EXPECT_TRUE(outcome == TerminalOutcome::failed);
    EXPECT_EQ(outcome, Open<TerminalOutcome>(TerminalOutcome::failed));
}

TEST(OpenLiteral, KeepsTheTextOfWhatItDoesNotKnow) {
    const auto outcome = Open<TerminalOutcome>::parse("vanished");
    EXPECT_EQ(outcome.known(), std::nullopt);
    EXPECT_EQ(outcome.text(), "vanished");
    EXPECT_FALSE(outcome == TerminalOutcome{});
    EXPECT_NE(outcome, Open<TerminalOutcome>::parse("evaporated"));
}

}  // namespace
}  // namespace flowfabric
