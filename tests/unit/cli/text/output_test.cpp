#include "cli/text/output.hpp"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <limits>

namespace flowfabric::cli {
namespace {

TEST(TextTail, IsWhatStandsLast) {
    EXPECT_EQ(text_tail("all of it", 100), "all of it");
    EXPECT_EQ(text_tail("the end", 3), "end");
    EXPECT_EQ(text_tail("", 10), "");
    EXPECT_EQ(text_tail("a line\n", 100), "a line");
    EXPECT_EQ(text_tail(" \n\n", 100), "");
}

TEST(TextTail, BeginsWithAWholeCharacter) {
    EXPECT_EQ(text_tail("\xC3\xA9t\xC3\xA9", 5), "\xC3\xA9t\xC3\xA9");
    EXPECT_EQ(text_tail("\xC3\xA9t\xC3\xA9", 4), "t\xC3\xA9");
    EXPECT_EQ(text_tail("\xA9t\xC3\xA9", 100), "t\xC3\xA9");
}

TEST(TextTail, IsTextWhateverItWasMadeFrom) {
    EXPECT_EQ(text_tail(std::string_view("a\0b", 3), 100),
              "a\xEF\xBF\xBD"
              "b");
    EXPECT_EQ(text_tail("a\xFF\xC3z", 100), "a\xEF\xBF\xBD\xEF\xBF\xBDz");
    // What takes the place of a byte is longer than the byte.
    for (std::size_t limit = 0; limit < 12; ++limit) {
        const auto tail = text_tail(std::string(20, '\xFF'), limit);
        EXPECT_EQ(tail.size(), limit / 3 * 3);
        EXPECT_TRUE(is_utf8(tail));
    }
}

TEST(OneLine, JoinsTheLinesOfAMessageAndShowsNoLineBreak) {
    EXPECT_EQ(one_line("refused\n\tIs the server running?\r\n\n"), "refused; Is the server running?");
    EXPECT_EQ(one_line("one"), "one");
    EXPECT_EQ(one_line("\n"), "");
}

TEST(OneLine, StillEscapesWhatDrivesATerminal) {
    EXPECT_EQ(one_line("a\x1b[2J\nb\tc"), "a\\x1b[2J; b\\tc");
}

TEST(JsonText, ShowsNumbersPlainly) {
    EXPECT_EQ(json_text(40.181), "40.181");
    EXPECT_EQ(json_text(0.001), "0.001");
    EXPECT_EQ(json_text(-1234567.5), "-1234567.5");
    EXPECT_EQ(json_text(23100.0), "23100");
    EXPECT_EQ(json_text(0.0), "0");
    EXPECT_EQ(json_text(std::int64_t{-7}), "-7");
    EXPECT_EQ(json_text(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
}

TEST(JsonText, KeepsEveryNumberThatJsonHas) {
    using Limits = std::numeric_limits<double>;
    for (const double number : {Limits::max(), Limits::lowest(), Limits::min(), Limits::denorm_min(), 1e16, 1e300, 1e-5,
                                1e-300, 0.1 + 0.2, -0.0}) {
        const std::string text = json_text(number);
        EXPECT_EQ(boost::json::parse(text).to_number<double>(), number) << text;
    }
    EXPECT_EQ(json_text(Limits::infinity()), "null");
    EXPECT_EQ(json_text(Limits::quiet_NaN()), "null");
}

TEST(JsonText, IsTheValueOnOneLine) {
    constexpr auto text =
        R"({"a":[1,2.5,[],{}],"b\n\"":{"c":null,"d":true},"e":"\u0001 \\ text","f":[[0.5],{"g":-0.25}]})";
    EXPECT_EQ(json_text(boost::json::parse(text)), text);
}

}  // namespace
}  // namespace flowfabric::cli
