#include "core/rows/side_tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace flowfabric {

struct Word {
    using Key = int;

    int key = 0;
    std::string text;
    bool operator==(const Word&) const = default;
};

struct Note {
    static constexpr bool blind_upsert = true;
    using Key = int;

    int key = 0;
    std::string text;
    bool operator==(const Note&) const = default;
};

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

template <class Row>
std::vector<Row> puts_that_are(const RowTable<Row>& table, bool wanted_new) {
    std::vector<Row> rows;
    table.each_put([&](const Row& row, bool is_new) {
        if (is_new == wanted_new) rows.push_back(row);
    });
    return rows;
}
template <class Row>
std::vector<Row> inserts(const RowTable<Row>& table) {
    return puts_that_are(table, true);
}
template <class Row>
std::vector<Row> upserts(const RowTable<Row>& table) {
    return puts_that_are(table, false);
}

TEST(RowTable, WhatIsLoadedIsThereAndNotChanged) {
    RowTable<Word> table;
    table.load({1, "one"});
    ASSERT_NE(table.find(1), nullptr);
    EXPECT_EQ(table.find(1)->text, "one");
    EXPECT_EQ(table.find(2), nullptr);
    EXPECT_FALSE(table.changed());
    EXPECT_THAT(table.puts(), IsEmpty());
    EXPECT_THAT(table.erased(), IsEmpty());
}

TEST(RowTable, TheLastChangeOfARowIsTheOneToStore) {
    RowTable<Word> table;
    table.load({1, "one"});
    table.put({2, "two"});
    table.put({1, "uno"});
    table.put({1, "eins"});
    EXPECT_TRUE(table.changed());
    EXPECT_THAT(table.puts(), ElementsAre(Word{1, "eins"}, Word{2, "two"}));
    EXPECT_EQ(table.find(1)->text, "eins");
}

TEST(RowTable, WhatIsErasedIsGoneUntilItIsPutAgain) {
    RowTable<Word> table;
    table.load({1, "one"});
    table.erase(1);
    EXPECT_EQ(table.find(1), nullptr);
    EXPECT_THAT(table.erased(), ElementsAre(1));
    table.put({1, "again"});
    EXPECT_THAT(table.erased(), IsEmpty());
    EXPECT_THAT(table.puts(), ElementsAre(Word{1, "again"}));
}

TEST(RowTable, IsAskedForRowsThatAreThere) {
    RowTable<Word> table;
    table.load({1, "one"});
    table.put({2, "two"});
    table.load({3, "three"});
    table.erase(3);
    const auto long_word = [](const Word& word) { return word.text.size() > 3; };
    const auto any_word = [](const Word&) { return true; };
    EXPECT_FALSE(table.any(long_word));
    EXPECT_TRUE(table.any(any_word));
    EXPECT_THAT(table.where(any_word), ElementsAre(Word{1, "one"}, Word{2, "two"}));
}

TEST(RowTable, WhatWasNotThereIsNew) {
    RowTable<Word> table;
    table.load({1, "one"});
    table.put({1, "eins"});
    table.put({2, "two"});
    table.load({3, "three"});
    table.erase(3);
    table.put({3, "drei"});
    EXPECT_THAT(inserts(table), ElementsAre(Word{2, "two"}));
    EXPECT_THAT(upserts(table), ElementsAre(Word{1, "eins"}, Word{3, "drei"}));
}

TEST(RowTable, WhatIsUpsertedBlindlyMayBeThere) {
    RowTable<Note> table;
    table.put({1, "one"});
    EXPECT_THAT(inserts(table), IsEmpty());
    EXPECT_THAT(upserts(table), ElementsAre(Note{1, "one"}));
}

TEST(RowTable, ARowCanBeChangedInPlace) {
    RowTable<Word> table;
    table.load({1, "one"});
    table.change(1, [](Word& word) { word.text += "!"; });
    EXPECT_THAT(upserts(table), ElementsAre(Word{1, "one!"}));
}

}  // namespace
}  // namespace flowfabric
