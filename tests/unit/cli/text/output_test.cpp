#include "cli/text/output.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace flowfabric::cli
