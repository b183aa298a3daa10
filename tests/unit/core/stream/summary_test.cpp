#include "core/stream/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "flowfabric/limits.hpp"

namespace flowfabric {
namespace {

using ::testing::HasSubstr;

// The document after these patches, one after the other.
std::string merged(std::initializer_list<std::string_view> patches) {
    std::string document;
    for (const std::string_view patch : patches) {
        auto next = merge_patch(document, patch);
        if (!next) return to_string(next.error());
        document = *std::move(next);
    }
    return document;
}

void expect_refused(std::string_view patch, std::string_view why) {
    for (const auto& checked : {merge_patch("", patch), merge_patch(R"({"a":1})", patch)}) {
        ASSERT_FALSE(checked) << patch;
        EXPECT_EQ(checked.error().kind, ErrorKind::invalid_input);
        EXPECT_THAT(checked.error().detail, HasSubstr(std::string(why)));
    }
    EXPECT_FALSE(check_patch(patch));
}

std::string nested(std::size_t depth) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += R"({"a":)";
    return text + "1" + std::string(depth, '}');
}

TEST(MergePatchTest, MergesObjectsMemberByMember) {
    EXPECT_EQ(merged({R"({"a":{"b":1}})", R"({"a":{"c":2},"d":3})"}), R"({"a":{"b":1,"c":2},"d":3})");
}

TEST(MergePatchTest, AnEmptyObjectLeavesAnObjectAlone) {
    EXPECT_EQ(merged({R"({"a":{"b":1}})", R"({"a":{}})"}), R"({"a":{"b":1}})");
}

TEST(MergePatchTest, AnObjectReplacesWhatIsNone) {
    EXPECT_EQ(merged({R"({"a":7})", R"({"a":{}})"}), R"({"a":{}})");
    EXPECT_EQ(merged({R"({"a":[1]})", R"({"a":{"b":null,"c":1}})"}), R"({"a":{"c":1}})");
}

TEST(MergePatchTest, NullRemoves) {
    EXPECT_EQ(merged({R"({"a":1,"b":{"c":2}})", R"({"a":null,"b":{"c":null},"x":null})"}), R"({"b":{}})");
}

TEST(MergePatchTest, ArraysAndScalarsReplaceWholesale) {
    EXPECT_EQ(merged({R"({"a":[1,2],"b":{"c":1}})", R"({"a":[3],"b":"x"})"}), R"({"a":[3],"b":"x"})");
    EXPECT_EQ(merged({R"({"a":[{"b":null}]})"}), R"({"a":[{"b":null}]})") << "nothing is removed within an array";
}

TEST(MergePatchTest, TheSentinelStoresNullAtEveryDepth) {
    EXPECT_EQ(merged({R"({"a":{"b":1}})", R"({"a":{}})", R"({"a":null,"c":"__ff_null__"})"}), R"({"c":null})");
    EXPECT_EQ(merged({R"({"x":["__ff_null__",[{"y":"__ff_null__"}]],"z":{"w":"__ff_null__"}})"}),
              R"({"x":[null,[{"y":null}]],"z":{"w":null}})");
    EXPECT_EQ(merged({R"({"a":"__ff_null__"})", R"({"a":null})"}), "{}");
    EXPECT_EQ(merged({R"({"__ff_null__":"__ff_null_"})"}), R"({"__ff_null__":"__ff_null_"})");
}

TEST(MergePatchTest, AnythingElseThanAnObjectIsRefused) {
    for (const char* patch : {"[]", "7", "null", R"("a")", "true"})
        expect_refused(patch, "patch must be a JSON object");
    for (const char* patch : {"", "{", R"({"a":})", "{}{}", "\xFF", R"({'a':1})"}) {
        expect_refused(patch, "patch payload is not valid JSON");
    }
}

TEST(MergePatchTest, DepthIsBounded) {
    EXPECT_TRUE(merge_patch("", nested(max_patch_depth)));
    for (const std::size_t depth : {max_patch_depth + 1, 2 * max_patch_depth + 5, std::uint32_t{20'000}}) {
        expect_refused(nested(depth), "patch_depth_exceeded");
    }
    const std::string brackets = std::string(max_patch_depth, '[') + std::string(max_patch_depth, ']');
    expect_refused(R"({"a":)" + brackets + "}", "patch_depth_exceeded");
}

TEST(MergePatchTest, TheDocumentIsBounded) {
    const std::string value(max_stream_summary_bytes - 9, 'x');
    const auto full = merge_patch("", R"({"a":")" + value + R"("})");
    ASSERT_TRUE(full) << to_string(full.error());
    const auto beyond = merge_patch(*full, R"({"bcdefgh":1})");
    ASSERT_FALSE(beyond);
    EXPECT_EQ(beyond.error().kind, ErrorKind::retention_limit_exceeded);
    EXPECT_TRUE(merge_patch(*full, R"({"a":null})"));
}

TEST(MergePatchTest, KeepsWhatTextMayHold) {
    EXPECT_EQ(merged({R"({"a":"\u0000ä\n"})"}), "{\"a\":\"\\u0000ä\\n\"}");
}

}  // namespace
}  // namespace flowfabric
