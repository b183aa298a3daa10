#include "cli/command_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>

#include "cli/command_listing.hpp"

namespace flowfabric::cli {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class Commands : public ::testing::Test {
  protected:
    Commands() : app_("FlowFabric", "ff"), table_(app_, "ff") { add_commands(table_); }

    CLI::App app_;
    CommandTable table_;
};

TEST_F(Commands, SayWhatTheyAreForAndHowTheyAreCalled) {
    for (const auto& command : list_commands(app_)) {
        SCOPED_TRACE(command.path);
        EXPECT_FALSE(command.help.empty());
        for (const auto& option : command.options) EXPECT_FALSE(option.help.empty()) << option.name;
        if (!command.commands.empty() && command.path != "settings") continue;
        EXPECT_THAT(command.footer, HasSubstr("Examples:\n  "));
        EXPECT_THAT(command.footer, HasSubstr("ff " + command.path));
    }
}

TEST_F(Commands, AreListedWithWhatTheyTake) {
    std::set<std::string> paths;
    for (const auto& command : list_commands(app_)) {
        EXPECT_TRUE(paths.insert(command.path).second) << command.path;
        if (command.path != "flow cancel") continue;
        const auto policy = std::ranges::find(command.options, "--policy", &ListedOption::name);
        ASSERT_NE(policy, command.options.end());
        EXPECT_THAT(policy->choices, Contains("cancel_pending"));
        const auto json = std::ranges::find(command.options, "--json", &ListedOption::name);
        ASSERT_NE(json, command.options.end());
        EXPECT_EQ(json->value, "");
    }
    EXPECT_THAT(paths, Contains("flow cancel"));
    EXPECT_THAT(paths, Contains("settings set"));
}

TEST_F(Commands, StandInTheTableOfTheDocumentation) {
    std::ifstream page(std::string(FF_SOURCE_DIR) + "/docs/cli.md");
    std::vector<std::string> rows;
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with("| `ff ")) rows.push_back(line);
    }
    for (const auto& command : list_commands(app_)) {
        if (command.path.empty()) continue;
        const auto blank = command.path.find(' ');
        std::string row = "`ff " + command.path.substr(0, blank) + "[ `]";
        if (blank != std::string::npos) row += ".*\\b" + command.path.substr(blank + 1) + "\\b";
        EXPECT_TRUE(std::ranges::any_of(rows, [&](const auto& line) {
            return std::regex_search(line, std::regex(row));
        })) << command.path;
    }
}

}  // namespace
}  // namespace flowfabric::cli
