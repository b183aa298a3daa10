#include "core/base/base64.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace flowfabric {
namespace {

struct Case {
    std::string bytes, padded, url;
};

const std::vector<Case> cases{
    {"", "", ""},
    {"f", "Zg==", "Zg"},
    {"fo", "Zm8=", "Zm8"},
    {"foo", "Zm9v", "Zm9v"},
    {"foobar", "Zm9vYmFy", "Zm9vYmFy"},
    {{'\0'}, "AA==", "AA"},
    {"\xFB\xFF\xBF", "+/+/", "-_-_"},
};

TEST(Base64, BothAlphabetsRoundTrip) {
    for (const auto& [bytes, padded, url] : cases) {
        SCOPED_TRACE(padded);
        EXPECT_EQ(to_base64(bytes), padded);
        EXPECT_EQ(from_base64(padded), bytes);
        EXPECT_EQ(to_base64url(bytes), url);
        EXPECT_EQ(from_base64url(url), bytes);
    }
}

TEST(Base64, AnythingElseIsRefused) {
    for (const std::string text : {"Zg", "Zg=", "Z===", "====", "Zm9v\n", " Zm9v", "Zm9-", "Zm9_", "Zg==Zg=="}) {
        EXPECT_EQ(from_base64(text), std::nullopt) << text;
    }
}

TEST(Base64, OfTheUrlAlphabetEachTextHasOneForm) {
    // Padding, the other alphabet, a lone digit, and unused bits that are set.
    for (const std::string text : {"Zg==", "Zm8=", "+/+/", "Z", "Zm9vY", "Zh", "Zm9", "Zm 9v", "Zm9v\n", "="}) {
        EXPECT_EQ(from_base64url(text), std::nullopt) << text;
    }
}

}  // namespace
}  // namespace flowfabric
