#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

// Every statement of a store stands in tests/golden, so that a change of SQL shows in a review.
namespace flowfabric::test {

struct NamedSql {
    std::string name;
    std::string sql;
};

// A clause to a line, in lines of up to 120 columns. A line break within a literal is written as \\n.
inline std::string readable(std::string_view sql) {
    constexpr std::size_t width = 120;
    constexpr auto clauses =
        std::to_array<std::string_view>({"FROM", "WHERE", "ORDER", "GROUP", "SET", "VALUES", "UNION", "LEFT", "CROSS",
                                         "JOIN", "ON", "RETURNING", "LIMIT", "SELECT", "FOR"});
    std::string text;
    std::size_t column = 0;
    while (!sql.empty()) {
        const auto end = std::min(sql.find(' '), sql.size());
        std::string word(sql.substr(0, end));
        sql.remove_prefix(std::min(end + 1, sql.size()));
        for (auto at = word.find('\n'); at != std::string::npos; at = word.find('\n', at)) word.replace(at, 1, "\\n");
        const bool begins = std::ranges::find(clauses, word) != clauses.end();
        if (column > 0 && (begins || column + 1 + word.size() > width)) {
            text += begins ? "\n  " : "\n    ";
            column = begins ? 2 : 4;
        } else if (column > 0) {
            text += ' ';
            ++column;
        }
        text += word;
        column += word.size();
    }
    return text;
}

inline void expect_golden(const std::string& file, const std::vector<NamedSql>& statements) {
    std::string text;
    for (const auto& [name, sql] : statements) text += "-- " + name + "\n" + readable(sql) + ";\n\n";
    const std::string path = std::string(FF_SOURCE_DIR) + "/tests/golden/" + file;
    if (std::getenv("FF_WRITE_GOLDEN") != nullptr) {
        std::ofstream(path) << text;
        return;
    }
    std::ifstream stored(path);
    const std::string golden{std::istreambuf_iterator<char>(stored), {}};
    EXPECT_TRUE(golden == text) << path << " lists other statements than the store has. If they are meant to change, "
                                << "write it anew and look at the difference: FF_WRITE_GOLDEN=1 build/tests/"
                                << "ff_unit_tests --gtest_filter='*Statements.AreThoseOfTheGoldenFile'; git diff "
                                << "tests/golden";
}

}  // namespace flowfabric::test
