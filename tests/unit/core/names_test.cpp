#include "core/names.hpp"

#include <gtest/gtest.h>

namespace flowfabric {
namespace {

std::string refusal_of(const Result<void>& checked) {
    if (checked) return "accepted";
    EXPECT_EQ(checked.error().kind, ErrorKind::invalid_input);
    return checked.error().detail;
}

std::string refusal_of_tokens(std::vector<std::string> tokens) {
    const auto checked = normalise_capabilities("worker", std::move(tokens));
    if (checked) return "accepted";
    EXPECT_EQ(checked.error().kind, ErrorKind::invalid_capabilities);
    return checked.error().detail;
}

TEST(Names, LanesHaveOneTo64PrintableBytes) {
    EXPECT_TRUE(check_lane_id("default"));
    EXPECT_TRUE(check_lane_id(" "));
    EXPECT_TRUE(check_lane_id("~"));
    EXPECT_TRUE(check_lane_id(std::string(64, 'x')));
    EXPECT_NE(refusal_of(check_lane_id("")).find("Empty"), std::string::npos);
    EXPECT_NE(refusal_of(check_lane_id(std::string(65, 'x'))).find("TooLong(65)"), std::string::npos);
    EXPECT_NE(refusal_of(check_lane_id("ab\x7f")).find("NonPrintable(2)"), std::string::npos);
    EXPECT_NE(refusal_of(check_lane_id("\x1f")).find("NonPrintable(0)"), std::string::npos);
    EXPECT_NE(refusal_of(check_lane_id("l\xC3\xA4ne")).find("NonPrintable(1)"), std::string::npos);
    EXPECT_NE(refusal_of(check_lane_id(std::string_view("a\0b", 3))).find("NonPrintable(1)"), std::string::npos);
}

TEST(Names, IdentitiesHaveNoWhitespaceNorControlCharacters) {
    EXPECT_TRUE(check_identity("worker_id", "w"));
    EXPECT_TRUE(check_identity("worker_id", std::string(256, 'w')));
    EXPECT_TRUE(check_identity("worker_id", "wörker|1"));
    for (const std::string& value :
         {std::string(), std::string(257, 'w'), std::string("a b"), std::string("a\t"), std::string("a\n"),
          std::string("\x7f"), std::string("a\0b", 3), std::string("\xFF")}) {
        EXPECT_TRUE(refusal_of(check_identity("worker_id", value)).starts_with("worker_id")) << value;
    }
}

TEST(Names, TextIsUtf8WithoutNulWithinItsLimit) {
    EXPECT_TRUE(check_text("reason", "", 4));
    EXPECT_TRUE(check_text("reason", "a\nb", 4));
    EXPECT_FALSE(check_text("reason", "12345", 4));
    EXPECT_FALSE(check_text("reason", std::string_view("a\0", 2), 4));
    EXPECT_FALSE(check_text("reason", "\xC3", 4));
}

TEST(Names, Utf8IsCheckedToTheLetter) {
    for (const std::string_view text : {"", "plain", "\xC2\x80", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                                        "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "aä€😀"}) {
        EXPECT_TRUE(is_valid_utf8(text)) << text;
    }
    for (const std::string_view text :
         {"\x80", "\xC0\x80", "\xC1\xBF", "\xC3", "\xC3\x28", "\xE0\x9F\xBF", "\xE2\x82", "\xED\xA0\x80",
          "\xED\xBF\xBF", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "ok\xF0\x9F\x98"}) {
        EXPECT_FALSE(is_valid_utf8(text));
    }
}

TEST(Names, TagKeysAreOwnerDotName) {
    for (const std::string key : {"cairn.task_id", "a.b", "a1_.0", "a._", "a.b.c", "a.b.."}) {
        EXPECT_TRUE(check_tags({{key, "any value"}})) << key;
    }
    for (const std::string key : {"", ".", "cairn", "Cairn.x", "cairn.", "cairn..x", "cairn.foo-bar", ".x", "1a.b",
                                  "_a.b", "a.B", "a b.c", "a.b c"}) {
        EXPECT_NE(refusal_of(check_tags({{key, "v"}})).find(key), std::string::npos) << key;
    }
    EXPECT_FALSE(check_tags({{"a.b", std::string("x\0y", 3)}}));
    EXPECT_FALSE(check_tags({{"a.b", "\xFF"}}));
    EXPECT_TRUE(check_tags({{"a.b", ""}}));
}

TEST(Names, CapabilitiesAreSortedUniqueAndCaseSensitive) {
    EXPECT_EQ(*normalise_capabilities("worker", {"gpu", "GPU", "a", "gpu"}),
              (std::vector<std::string>{"GPU", "a", "gpu"}));
    EXPECT_TRUE(normalise_capabilities("worker", {})->empty());
}

TEST(Names, CapabilitiesKeepTheirLimits) {
    std::vector<std::string> tokens;
    for (int i = 0; i < 256; ++i) tokens.push_back("t" + std::to_string(i));
    EXPECT_EQ(refusal_of_tokens(tokens), "accepted");
    tokens.emplace_back("one-more");
    EXPECT_EQ(refusal_of_tokens(tokens), "worker:more than 256 tokens");
    EXPECT_EQ(refusal_of_tokens({std::string(2047, 'x'), std::string(2048, 'y')}), "accepted") << "4096 with its comma";
    EXPECT_EQ(refusal_of_tokens({std::string(2048, 'x'), std::string(2048, 'y')}), "worker:longer than 4096 bytes");
    for (const std::string& bad : {std::string(), std::string("a,b"), std::string("a b"), std::string("a\x1f"),
                                   std::string("\x7f"), std::string("\xFF")}) {
        EXPECT_TRUE(refusal_of_tokens({"fine", bad}).starts_with("worker:")) << bad;
    }
}

}  // namespace
}  // namespace flowfabric
