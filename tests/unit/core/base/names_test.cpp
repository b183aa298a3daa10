#include "core/base/names.hpp"

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

TEST(Names, IdentitiesHaveNoWhitespaceOfAnyAlphabet) {
    for (const std::string space : {"\u0085", "\u0080", "\u009f", "\u00a0", "\u1680", "\u2000", "\u200a", "\u2028",
                                    "\u2029", "\u202f", "\u205f", "\u3000"}) {
        EXPECT_TRUE(refusal_of(check_identity("worker_id", "a" + space + "b")).starts_with("worker_id")) << space;
        EXPECT_FALSE(check_identity("worker_id", space)) << space;
    }
    for (const std::string letter : {"\u00a1", "\u00c2", "\u0100", "\u1681", "\u200b", "\u2010", "\u2027", "\u202e",
                                     "\u2030", "\u2060", "\u3001", "\u8000", "\U0001F642"}) {
        EXPECT_TRUE(check_identity("worker_id", "a" + letter)) << letter;
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

TEST(Names, ARefusalOfATagKeyCanBeShownAndStored) {
    for (const std::string& key :
         {std::string("a.b\0", 4), std::string("a.\xFF"), std::string("a.\n"), std::string(255, 'k') + "\xC3\xA4",
          std::string(3000, 'k'), std::string("\x1B[31m")}) {
        const std::string refusal = refusal_of(check_tag_key(key));
        EXPECT_TRUE(refusal.starts_with("tags.")) << refusal;
        EXPECT_TRUE(check_text("refusal", refusal, 400));
        EXPECT_EQ(refusal.find_first_of("\n\x1B"), std::string::npos);
    }
}

TEST(Names, TagsHaveLimitsOneByOneAndTogether) {
    const std::string longest_key = "a." + std::string(254, 'k');
    EXPECT_TRUE(check_tags({{longest_key, ""}}));
    EXPECT_FALSE(check_tags({{longest_key + "k", ""}}));
    EXPECT_TRUE(check_tags({{"a.b", std::string(65'536, 'v')}}));
    EXPECT_TRUE(refusal_of(check_tags({{"a.b", std::string(65'537, 'v')}})).starts_with("tags.a.b"));
    Tags tags;
    for (int i = 0; i < 4; ++i) tags["a." + std::to_string(i)] = std::string(65'533, 'v');
    EXPECT_TRUE(check_tags(tags)) << "262,144 bytes";
    tags["a.0"] += 'v';
    EXPECT_TRUE(refusal_of(check_tags(tags)).starts_with("tags:"));
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
