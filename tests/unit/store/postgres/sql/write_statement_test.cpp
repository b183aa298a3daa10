#include "store/postgres/sql/write_statement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/postgres/sql/side_statements.hpp"
#include "unit/store/postgres/migrated_schema.hpp"

namespace flowfabric::test {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::Not;

struct Line {
    std::int32_t number = 0;
    std::optional<std::string> word;
    std::vector<std::string> list;
};

class Writing : public MigratedSchema {
  protected:
    void SetUp() override {
        MigratedSchema::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        schema->query("CREATE TABLE line (number integer, word text, list text[])");
        connection.emplace(schema->url(), postgres::session_statements().writer);
        forms.emplace(*connection);
    }

    void write(const std::vector<Line>& lines) { write(statement, lines); }
    void write(const postgres::WriteStatement& written, const std::vector<Line>& lines) {
        postgres::RowParams rows(lines.size());
        for (const Line& line : lines) {
            rows.put(line.number);
            rows.put(line.word);
            rows.put(line.list);
            rows.end_row();
        }
        forms->send(written, std::move(rows));
        connection->end_section();
        connection->receive();
    }
    void expect_stored(const std::vector<Line>& lines) {
        std::vector<RawSchema::Row> expected;
        for (const Line& line : lines) {
            std::string list;
            for (const auto& element : line.list) list += (list.empty() ? "" : ",") + element;
            expected.push_back({std::to_string(line.number), line.word.value_or("none"), list});
        }
        EXPECT_THAT(
            schema->query("SELECT number, coalesce(word, 'none'), array_to_string(list, ',') FROM line ORDER BY "
                          "number, word NULLS FIRST"),
            ElementsAreArray(expected));
        schema->query("DELETE FROM line");
    }
    // The statements that the session has prepared, by name.
    std::vector<std::string> prepared() {
        static const postgres::Statement asked{
            "asked", "SELECT statement FROM pg_prepared_statements WHERE name LIKE 'insert\\_line%' ORDER BY name"};
        const auto rows = connection->run(asked);
        std::vector<std::string> texts;
        for (std::size_t row = 0; row < rows.size(); ++row) texts.push_back(rows.get<std::string>(row, 0));
        return texts;
    }
    static std::vector<Line> numbered(std::int32_t count, const Line& line) {
        std::vector<Line> lines;
        for (std::int32_t i = 0; i < count; ++i) lines.push_back({i, line.word, line.list});
        return lines;
    }

    const postgres::sql::Columns columns{{"number", "integer"}, {"word", "text"}, {"list", "text", "\n"}};
    const postgres::WriteStatement statement{"insert_line", columns.size(), [this](const postgres::ColumnSet& shared) {
                                                 return postgres::sql::insert("line", columns, shared);
                                             }};
    std::optional<postgres::Connection> connection;
    std::optional<postgres::WriteForms> forms;
};

TEST_F(Writing, RowsAreStoredWhateverTheyHaveInCommon) {
    for (const std::int32_t count : {1, 2, 15, 16, 100}) {
        for (const Line& line : {Line{0, "same", {"a", "b"}}, Line{0, std::nullopt, {}}, Line{0, "", {"c"}}}) {
            auto lines = numbered(count, line);
            write(lines);
            expect_stored(lines);
            // Alike up to the last one.
            lines.back().word = "other";
            lines.back().list = {"d"};
            write(lines);
            expect_stored(lines);
            lines.back().word.reset();
            write(lines);
            expect_stored(lines);
        }
    }
}

TEST_F(Writing, RowsThatAreTheSameThroughoutAreAsManyAsWereSent) {
    const std::vector<Line> lines(40, {7, "same", {"a"}});
    write(lines);
    expect_stored(lines);
}

TEST_F(Writing, WhatTheRowsShareIsSentOnce) {
    postgres::WriteStatement sharing = statement;
    sharing.shared.set(1);
    for (const auto& word : {std::optional<std::string>("same"), std::optional<std::string>()}) {
        const auto lines = numbered(15, {0, word, {"a", "b"}});
        write(sharing, lines);
        expect_stored(lines);
    }
    const auto texts = prepared();
    ASSERT_EQ(texts.size(), 1U);
    EXPECT_THAT(texts[0], HasSubstr("unnest($1::integer[], $3::text[])"));
    EXPECT_THAT(texts[0], HasSubstr("$2::text, string_to_array(u.list"));
}

TEST_F(Writing, FewRowsHaveAFormForOneAndOneForMany) {
    for (const std::int32_t count : {1, 2, 15}) {
        auto lines = numbered(count, {0, "same", {"a"}});
        write(lines);
        lines.back().word = "other";
        write(lines);
    }
    const auto texts = prepared();
    ASSERT_EQ(texts.size(), 2U);
    EXPECT_THAT(texts[0], HasSubstr("unnest($1::integer[], $2::text[], $3::text[])"));
    EXPECT_THAT(texts[1], Not(HasSubstr("unnest")));
}

TEST_F(Writing, ASessionLearnsWhatManyRowsHaveInCommon) {
    write(numbered(16, {0, "same", {"a"}}));
    write(numbered(100, {0, "another", {"b"}}));
    auto texts = prepared();
    ASSERT_EQ(texts.size(), 1U);
    EXPECT_THAT(texts[0], HasSubstr("unnest($1::integer[])"));

    auto lines = numbered(50, {0, "same", {"a"}});
    lines.front().word = "other";
    write(lines);
    write(numbered(50, {0, "same", {"a"}}));
    texts = prepared();
    ASSERT_EQ(texts.size(), 2U);
    EXPECT_THAT(texts[1], HasSubstr("unnest($1::integer[], $2::text[])"));
}

TEST_F(Writing, ASessionLearnsOnlySoOften) {
    for (int i = 0; i < 10; ++i) {
        auto lines = numbered(50, {0, "same", {"a"}});
        if (i % 2 == 0) lines.back().word = "other";
        if (i % 3 == 0) lines.back().list = {"c"};
        write(lines);
        expect_stored(lines);
    }
    EXPECT_LE(prepared().size(), 4U);
}

}  // namespace
}  // namespace flowfabric::test
