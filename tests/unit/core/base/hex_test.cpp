#include "core/base/hex.hpp"

#include <gtest/gtest.h>

namespace flowfabric {
namespace {

TEST(Hex, EveryByteRoundTripsInLowerCase) {
    std::string bytes;
    for (int byte = 0; byte < 256; ++byte) bytes.push_back(static_cast<char>(byte));
    const std::string hex = hex_of(bytes);
    EXPECT_TRUE(hex.starts_with("000102030405060708090a0b0c0d0e0f10"));
    EXPECT_TRUE(hex.ends_with("fdfeff"));
    EXPECT_EQ(bytes_of_hex(hex), bytes);
    EXPECT_EQ(hex_of(""), "");
    EXPECT_EQ(bytes_of_hex(""), "");
}

TEST(Hex, UpperCaseDecodes) {
    EXPECT_EQ(bytes_of_hex("DEADbeef"), "\xDE\xAD\xBE\xEF");
}

TEST(Hex, AnOddLengthOrAnotherCharacterDecodesToNothing) {
    for (const std::string_view text : {"0", "000", "0g", "g0", "0x00", " 00", "0 ", "-1", "\xC3\xA9"}) {
        EXPECT_EQ(bytes_of_hex(text), std::nullopt) << text;
    }
}

}  // namespace
}  // namespace flowfabric
