#include "core/signing/signing.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/hex.hpp"
#include "unit/core/fixtures.hpp"

namespace flowfabric {
namespace {

const ExecutionId execution_id = *ExecutionId::parse("{fp:7}:11111111-1111-4111-8111-111111111111");
const WaitpointId waitpoint_id = *WaitpointId::parse("22222222-2222-4222-8222-222222222222");
const SigningKey key{"k1", *bytes_of_hex("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff")};
constexpr std::string_view digest = "d4083cf73e78f2f5fe3204b1b54f111dd945829efbaabf951e1fef13edd86ba1";
const std::string token = "k1:" + std::string(digest);

bool is_valid(std::string_view presented, const SigningKey* with = &key) {
    const auto parts = parse_token(presented);
    return parts && token_is_valid(*parts, with, execution_id, waitpoint_id);
}

TEST(Sha256, AnswersThePublishedVectors) {
    EXPECT_EQ(hex_of(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(hex_of(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(HmacSha256, AnswersThePublishedVectors) {
    // RFC 4231, cases 1, 2 and 6: a short key, a text key, a key longer than a block.
    EXPECT_EQ(hex_of(hmac_sha256(std::string(20, '\x0b'), "Hi There")),
              "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    EXPECT_EQ(hex_of(hmac_sha256("Jefe", "what do ya want for nothing?")),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    EXPECT_EQ(hex_of(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
              "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(EqualInConstantTime, ComparesLengthAndEveryByte) {
    EXPECT_TRUE(equal_in_constant_time("", ""));
    EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
    EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
    EXPECT_FALSE(equal_in_constant_time("abc", "ab"));
    EXPECT_FALSE(equal_in_constant_time("", "a"));
}

TEST(WaitpointToken, AnswersTheKnownVector) {
    EXPECT_EQ(waitpoint_token(key, execution_id, waitpoint_id), token);
    EXPECT_EQ(fingerprint_of(token), "d4083cf73e78f2f5");
    EXPECT_TRUE(is_valid(token));
}

TEST(WaitpointToken, DependsOnKidSecretExecutionPartitionAndWaitpoint) {
    const std::string other_kid = waitpoint_token({"k2", key.secret}, execution_id, waitpoint_id);
    EXPECT_NE(other_kid.substr(3), digest);
    EXPECT_NE(waitpoint_token({"k1", key.secret + "x"}, execution_id, waitpoint_id), token);
    EXPECT_NE(waitpoint_token(key, {8, execution_id.uuid}, waitpoint_id), token);
    EXPECT_NE(waitpoint_token(key, test::execution(1), waitpoint_id), token);
    EXPECT_NE(waitpoint_token(key, execution_id, {test::uuid_of(1)}), token);
}

TEST(WaitpointToken, SplitsAtTheFirstColon) {
    const auto parts = parse_token(token);
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->kid, "k1");
    EXPECT_EQ(hex_of(parts->digest), digest);
    EXPECT_FALSE(parse_token("a:" + token)) << "a kid has no colon, so the rest would be the digest";
}

TEST(WaitpointToken, DigitsOfEitherCaseAreTheSameToken) {
    std::string upper(digest);
    std::ranges::transform(upper, upper.begin(), [](char c) { return c >= 'a' ? static_cast<char>(c - 32) : c; });
    EXPECT_TRUE(is_valid("k1:" + upper));
    EXPECT_EQ(fingerprint_of("k1:" + upper), "d4083cf73e78f2f5");
}

TEST(WaitpointToken, EveryFlippedDigitIsRefused) {
    for (std::size_t i = 3; i < token.size(); ++i) {
        std::string forged = token;
        forged[i] = forged[i] == '0' ? '1' : '0';
        EXPECT_FALSE(is_valid(forged)) << i;
    }
}

TEST(WaitpointToken, AnotherExecutionOrWaitpointIsRefused) {
    const auto parts = *parse_token(token);
    EXPECT_FALSE(token_is_valid(parts, &key, test::execution(1), waitpoint_id));
    EXPECT_FALSE(token_is_valid(parts, &key, execution_id, {test::uuid_of(1)}));
}

TEST(WaitpointToken, AnUnknownOrAnotherKidIsRefused) {
    EXPECT_FALSE(is_valid(token, nullptr));
    const SigningKey renamed{"k2", key.secret};
    EXPECT_FALSE(is_valid(token, &renamed));
}

TEST(WaitpointToken, ATokenSignedWithTheStandInSecretIsRefused) {
    const SigningKey stand_in{"k1", Bytes(32, '\0')};
    EXPECT_FALSE(is_valid(waitpoint_token(stand_in, execution_id, waitpoint_id), nullptr));
}

TEST(WaitpointToken, MalformedOnesHaveNoParts) {
    const std::string hex(digest);
    for (const std::string& text :
         {std::string(), std::string(":"), std::string("k1"), std::string("k1:"), hex, ":" + hex, "k1:" + hex + "0",
          "k1:" + hex + "00", "k1:" + hex.substr(1), "k1:" + hex.substr(2), "k1:" + hex.substr(1) + "g",
          "k1: " + hex.substr(1), "k\n1:" + hex, "k\xFF:" + hex, std::string(257, 'k') + ":" + hex}) {
        EXPECT_FALSE(parse_token(text)) << text;
        EXPECT_EQ(fingerprint_of(text), "") << text;
    }
}

TEST(Keystore, AKidIsAnIdentityWithoutColon) {
    for (const std::string& kid : {std::string("k1"), std::string("2026-11|a"), std::string(256, 'k')}) {
        EXPECT_TRUE(check_kid("new_kid", kid)) << kid;
    }
    for (const std::string& kid : {std::string(), std::string("a:b"), std::string(":"), std::string("a b"),
                                   std::string("a\0", 2), std::string("\xFF"), std::string(257, 'k')}) {
        const auto checked = check_kid("new_kid", kid);
        ASSERT_FALSE(checked) << kid;
        EXPECT_EQ(checked.error().kind, ErrorKind::invalid_kid) << kid;
        EXPECT_TRUE(checked.error().detail.starts_with("new_kid: ")) << checked.error().detail;
    }
}

TEST(Keystore, ARotationTakesPairsOfDigits) {
    EXPECT_EQ(*secret_of_hex("new_secret_hex", "aaBB"), "\xAA\xBB");
    for (const std::string_view hex : {"", "a", "aab", "zz", "0x00", "aa bb"}) {
        const auto secret = secret_of_hex("new_secret_hex", hex);
        ASSERT_FALSE(secret) << hex;
        EXPECT_EQ(secret.error().kind, ErrorKind::invalid_secret_hex) << hex;
        EXPECT_TRUE(secret.error().detail.starts_with("new_secret_hex: ")) << secret.error().detail;
    }
}

TEST(Keystore, ASeedTakesExactly32Bytes) {
    EXPECT_EQ(*seed_secret_of_hex("secret_hex", hex_of(key.secret)), key.secret);
    for (const std::size_t digits : {0, 2, 62, 63, 65, 66}) {
        const auto secret = seed_secret_of_hex("secret_hex", std::string(digits, 'a'));
        ASSERT_FALSE(secret) << digits;
        EXPECT_EQ(secret.error().kind, ErrorKind::invalid_secret_hex) << digits;
    }
    EXPECT_FALSE(seed_secret_of_hex("secret_hex", std::string(64, 'z')));
}

TEST(Keystore, GraceIsFromZeroToTheLargestExactNumber) {
    EXPECT_TRUE(check_grace_ms(0));
    EXPECT_TRUE(check_grace_ms(86'400'000));
    EXPECT_TRUE(check_grace_ms(9'007'199'254'740'991));
    for (const std::int64_t grace : {std::int64_t{-1}, std::int64_t{9'007'199'254'740'992}}) {
        const auto checked = check_grace_ms(grace);
        ASSERT_FALSE(checked) << grace;
        EXPECT_EQ(checked.error().kind, ErrorKind::invalid_grace_ms);
    }
}

}  // namespace
}  // namespace flowfabric
