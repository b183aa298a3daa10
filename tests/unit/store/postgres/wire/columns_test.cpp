#include "store/postgres/wire/columns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace flowfabric::postgres {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string words(const std::vector<std::int32_t>& values) {
    std::string bytes;
    for (const std::int32_t value : values) append_big_endian(bytes, value);
    return bytes;
}

// A text[] as PostgreSQL sends it: dimensions, a flag, the element's type; of each dimension its length and first
// index; of each element its length and bytes.
std::string array_of(const std::vector<std::string>& elements) {
    std::string bytes = words({1, 0, 25, static_cast<std::int32_t>(elements.size()), 1});
    for (const std::string& element : elements) bytes += words({static_cast<std::int32_t>(element.size())}) + element;
    return bytes;
}

template <class T>
void expect_unreadable(const std::string& bytes) {
    try {
        static_cast<void>(CellReader<T>::read(bytes));
        ADD_FAILURE() << "was read";
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.error().fault, StoreFault::unreadable) << failure.what();
    }
}

using Texts = std::vector<std::string>;

TEST(ColumnsTest, ReadAnArrayOfText) {
    EXPECT_THAT(Codec<Texts>::get(array_of({"a", "", "bc"})), ElementsAre("a", "", "bc"));
    EXPECT_THAT(Codec<Texts>::get(words({0, 0, 25})), IsEmpty());
}

TEST(ColumnsTest, AnArrayWithANullElementIsUnreadable) {
    expect_unreadable<Texts>(words({1, 1, 25, 1, 1, -1}));
}

TEST(ColumnsTest, AnArrayOfTwoDimensionsIsUnreadable) {
    expect_unreadable<Texts>(words({2, 0, 25, 1, 1, 1, 1, 1}) + "a");
}

TEST(ColumnsTest, AnArrayThatEndsAnywhereTooEarlyIsUnreadable) {
    const std::string whole = array_of({"first", "second"});
    for (std::size_t size = 0; size < whole.size(); ++size) expect_unreadable<Texts>(whole.substr(0, size));
}

TEST(ColumnsTest, AnArrayThatPromisesMoreThanItHoldsIsUnreadable) {
    expect_unreadable<Texts>(words({1, 0, 25, 1, 1, std::numeric_limits<std::int32_t>::max()}));
    expect_unreadable<Texts>(words({1, 0, 25, std::numeric_limits<std::int32_t>::max(), 1}));
}

TEST(ColumnsTest, AValueOfTheWrongWidthIsUnreadable) {
    for (const std::string& bytes : {std::string(), std::string(3, 'x'), std::string(9, 'x')}) {
        expect_unreadable<std::int16_t>(bytes);
        expect_unreadable<std::int32_t>(bytes);
        expect_unreadable<std::int64_t>(bytes);
        expect_unreadable<bool>(bytes);
        expect_unreadable<Uuid>(bytes);
    }
    expect_unreadable<Json>("");
    expect_unreadable<Json>("\2{}");
}

TEST(ColumnsTest, ANumberThatItsTypeHasNoRoomForIsUnreadable) {
    std::string below;
    append_big_endian(below, std::int16_t{-1});
    expect_unreadable<std::uint16_t>(below);
    below.clear();
    append_big_endian(below, std::numeric_limits<std::int64_t>::min());
    expect_unreadable<std::uint64_t>(below);
}

TEST(ColumnsTest, AnUnknownLiteralAndAMissingValueAreUnreadable) {
    expect_unreadable<LaneState>("closed");
    expect_unreadable<LaneState>("");
    EXPECT_THROW(CellReader<LaneState>::read(Cell()), Failure);
    EXPECT_EQ(CellReader<std::optional<LaneState>>::read(Cell()), std::nullopt);
}

}  // namespace
}  // namespace flowfabric::postgres
