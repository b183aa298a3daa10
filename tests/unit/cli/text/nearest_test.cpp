#include "cli/text/nearest.hpp"

#include <gtest/gtest.h>

#include "cli/text/progress_bar.hpp"

namespace flowfabric::cli {
namespace {

const std::vector<std::string> commands{"submit", "cancel", "list", "lanes", "explain", "--limit", "--partition"};

TEST(Nearest, IsWhatFewestMistakesLeadTo) {
    EXPECT_EQ(nearest("submti", commands), "submit");
    EXPECT_EQ(nearest("lst", commands), "list");
    EXPECT_EQ(nearest("cancle", commands), "cancel");
    EXPECT_EQ(nearest("expl", commands), "explain");
    EXPECT_EQ(nearest("--limt", commands), "--limit");
}

TEST(Nearest, IsNothingForAnotherWord) {
    EXPECT_EQ(nearest("frobnicate", commands), std::nullopt);
    EXPECT_EQ(nearest("x", commands), std::nullopt);
    EXPECT_EQ(nearest("", commands), std::nullopt);
}

TEST(ProgressBar, TellsThePartThatIsDone) {
    EXPECT_EQ(bar_text("submitting", 50, 100, "5 lines"),
              "submitting  [###############               ]   50 %  5 lines");
    EXPECT_EQ(bar_text("submitting", 200, 100, ""), "submitting  [##############################]  100 %  ");
    EXPECT_EQ(bar_text("submitting", 200, std::nullopt, "5 lines"), "submitting  5 lines");
}

}  // namespace
}  // namespace flowfabric::cli
