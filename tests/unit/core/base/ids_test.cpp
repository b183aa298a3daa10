#include "flowfabric/ids.hpp"

#include <gtest/gtest.h>

#include <unordered_set>

#include "core/command/command.hpp"
#include "unit/core/fixtures.hpp"

namespace flowfabric {
namespace {

constexpr std::string_view sample = "550e8400-e29b-41d4-a716-446655440000";

std::string refusal_of(std::string_view text) {
    const auto parsed = ExecutionId::parse(text);
    if (parsed) return "accepted";
    EXPECT_EQ(parsed.error().kind, ErrorKind::invalid_input);
    return parsed.error().detail;
}

std::string id_text(std::string_view tag) {
    return std::string(tag).append(sample);
}

TEST(Uuid, TextRoundTrips) {
    const auto uuid = Uuid::parse(sample);
    ASSERT_TRUE(uuid);
    EXPECT_EQ(uuid->bytes[0], 0x55);
    EXPECT_EQ(uuid->bytes[15], 0x00);
    EXPECT_EQ(uuid->to_string(), sample);
    EXPECT_EQ(Uuid{}.to_string(), "00000000-0000-0000-0000-000000000000");
}

TEST(Uuid, UpperCaseIsTheSameIdAndIsWrittenInLowerCase) {
    const auto upper = Uuid::parse("550E8400-E29B-41D4-A716-446655440000");
    ASSERT_TRUE(upper);
    EXPECT_EQ(*upper, *Uuid::parse(sample));
    EXPECT_EQ(upper->to_string(), sample);
}

TEST(Uuid, EveryVersionAndTheNilUuidAreAccepted) {
    EXPECT_TRUE(Uuid::parse("00000000-0000-0000-0000-000000000000"));
    EXPECT_TRUE(Uuid::parse("ffffffff-ffff-ffff-ffff-ffffffffffff"));
}

TEST(Uuid, OtherSpellingsAreRefused) {
    for (const std::string_view text :
         {"", "550e8400e29b41d4a716446655440000", "{550e8400-e29b-41d4-a716-446655440000}",
          "550e8400-e29b-41d4-a716-44665544000", "550e8400-e29b-41d4-a716-4466554400000",
          "550e8400-e29b-41d4-a716-44665544000g", "550e8400+e29b-41d4-a716-446655440000",
          " 50e8400-e29b-41d4-a716-446655440000"}) {
        const auto parsed = Uuid::parse(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_EQ(parsed.error().kind, ErrorKind::invalid_input) << text;
    }
}

TEST(ExecutionId, TextRoundTrips) {
    for (const std::string_view tag : {"{fp:0}:", "{fp:7}:", "{fp:86}:", "{fp:65535}:"}) {
        const std::string text = id_text(tag);
        const auto id = ExecutionId::parse(text);
        ASSERT_TRUE(id) << text;
        EXPECT_EQ(id->to_string(), text);
    }
}

TEST(ExecutionId, PartitionComesFromTheTagAndIsNeverRecomputed) {
    // Minted under 4 partitions, read under 256.
    const auto id = ExecutionId::parse(id_text("{fp:3}:"));
    ASSERT_TRUE(id);
    EXPECT_EQ(id->partition, 3);
}

TEST(ExecutionId, UpperCaseUuidIsTheSameId) {
    const auto upper = ExecutionId::parse("{fp:3}:550E8400-E29B-41D4-A716-446655440000");
    ASSERT_TRUE(upper);
    EXPECT_EQ(upper->to_string(), id_text("{fp:3}:"));
}

TEST(ExecutionId, MissingTagIsNamed) {
    for (const std::string& text : {std::string(sample), id_text("fp:3:"), id_text("{fp:3:"), id_text("{b:3}:"),
                                    id_text("{fp:3}"), std::string(), id_text(" {fp:3}:")}) {
        EXPECT_NE(refusal_of(text).find("MissingTag"), std::string::npos) << text;
    }
}

TEST(ExecutionId, InvalidPartitionIndexIsNamed) {
    for (const std::string_view tag : {"{fp:}:", "{fp:65536}:", "{fp:-1}:", "{fp:+1}:", "{fp:07}:", "{fp:00}:",
                                       "{fp: 7}:", "{fp:7 }:", "{fp:0x7}:", "{fp:a}:", "{fp:99999999999999999999}:"}) {
        EXPECT_NE(refusal_of(id_text(tag)).find("InvalidPartitionIndex"), std::string::npos) << tag;
    }
}

TEST(ExecutionId, InvalidUuidIsNamed) {
    EXPECT_NE(refusal_of("{fp:7}:").find("InvalidUuid"), std::string::npos);
    EXPECT_NE(refusal_of("{fp:7}:550e8400e29b41d4a716446655440000").find("InvalidUuid"), std::string::npos);
    EXPECT_NE(refusal_of(id_text("{fp:7}:") + " ").find("InvalidUuid"), std::string::npos);
}

TEST(ExecutionId, IngressRefusesAPartitionThatDoesNotExist) {
    CreateExecution create;
    create.execution_id = ExecutionId{256, *Uuid::parse(sample)};
    const auto refused = admit(create, Settings{}, test::ids_of(1));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::invalid_input);

    Complete complete{.lease = Fence{.execution_id = *create.execution_id}};
    const auto also_refused = admit(complete, Settings{}, test::ids_of(1));
    ASSERT_FALSE(also_refused);
    EXPECT_EQ(also_refused.error().kind, ErrorKind::invalid_input);

    create.execution_id->partition = 255;
    EXPECT_TRUE(admit(create, Settings{}, test::ids_of(1)));
}

TEST(ExecutionId, OrderIsByPartitionThenUuid) {
    const ExecutionId low{1, test::uuid_of(9)};
    const ExecutionId high{2, test::uuid_of(1)};
    EXPECT_LT(low, high);
    EXPECT_LT(high, (ExecutionId{2, test::uuid_of(2)}));
}

TEST(ExecutionId, HashTellsIdsApart) {
    std::unordered_set<std::size_t> hashes;
    for (std::uint64_t n = 0; n < 1'000; ++n) hashes.insert(std::hash<ExecutionId>{}(test::execution(n)));
    EXPECT_EQ(hashes.size(), 1'000U);
}

}  // namespace
}  // namespace flowfabric
