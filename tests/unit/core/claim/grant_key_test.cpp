#include "core/claim/grant_key.hpp"

#include <gtest/gtest.h>

#include "core/base/hex.hpp"
#include "unit/core/fixtures.hpp"

namespace flowfabric {
namespace {

const ExecutionId execution_id = *ExecutionId::parse("{fp:7}:11111111-1111-4111-8111-111111111111");
const SigningKey key{"k1", *bytes_of_hex("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff")};
const GrantHolder holder{.worker_id = "w|örk", .worker_instance_id = "instance-1"};
constexpr std::int64_t expires_at = 1'700'000'030'000;
constexpr std::int64_t before = expires_at - 1;

// Computed apart from this code, with Python's hmac and hashlib.
const std::string claim_key =
    "pg:{fp:7}:11111111-1111-4111-8111-111111111111:1700000030000:k1:"
    "0233852bd919f7cff31988d4d1c4bcad7fd3eb349ab144b51fb2ec6a78a422df";
constexpr std::string_view claim_id = "99ee41496b7269a4444ab3933cd69ac758cc133d725716eb34958103f88b1890";
const std::string reclaim_key =
    "pg:reclaim:{fp:7}:11111111-1111-4111-8111-111111111111:1700000030000:k1:"
    "c0583b05210ac82e27190242be2bcaad6b4ffbadcbab596b5cc6301fd6de8fd7";
constexpr std::string_view reclaim_id = "b52af1390e047c36c13233e98e90f8ecea7449597cacdc0dbed2ab2f82070dcd";

const SigningKey* key_of(std::string_view kid) {
    return kid == key.kid ? &key : nullptr;
}

std::optional<GrantRefusal> refusal_of(std::string_view text, const GrantHolder* row = &holder,
                                       std::int64_t now = before) {
    const auto verified = verify_grant_key(text, row, key_of, now);
    return verified ? std::nullopt : std::optional(verified.error());
}

TEST(GrantKey, AnswersKnownVectors) {
    EXPECT_EQ(mint_grant_key(key, GrantKind::claim, execution_id, holder, expires_at), claim_key);
    EXPECT_EQ(hex_of(grant_id_of(claim_key)), claim_id);
    EXPECT_EQ(mint_grant_key(key, GrantKind::reclaim, execution_id, holder, expires_at), reclaim_key);
    EXPECT_EQ(hex_of(grant_id_of(reclaim_key)), reclaim_id);
}

TEST(GrantKey, BothKindsParseAndVerify) {
    for (const auto kind : {GrantKind::claim, GrantKind::reclaim}) {
        const std::string text = mint_grant_key(key, kind, execution_id, holder, expires_at);
        const auto verified = verify_grant_key(text, &holder, key_of, before);
        ASSERT_TRUE(verified) << to_string(verified.error());
        EXPECT_EQ(verified->kind, kind);
        EXPECT_EQ(verified->execution_id, execution_id);
        EXPECT_EQ(verified->expires_at_ms, expires_at);
        EXPECT_EQ(verified->kid, "k1");
        EXPECT_EQ(*parse_grant_key(text), *verified);
    }
}

TEST(GrantKey, OnlyTheMintedSpellingParses) {
    const std::string id = "{fp:7}:11111111-1111-4111-8111-111111111111";
    const std::string hex = claim_key.substr(claim_key.size() - 64);
    for (const std::string& text : {std::string(),
                                    std::string("pg:"),
                                    std::string(":::::"),
                                    claim_key.substr(3),
                                    claim_key + "0",
                                    claim_key + "00",
                                    claim_key.substr(0, claim_key.size() - 2),
                                    "PG:" + claim_key.substr(3),
                                    " " + claim_key,
                                    "pg:resume:" + claim_key.substr(3),
                                    "pg:" + id + ":01700000030000:k1:" + hex,
                                    "pg:" + id + ":+1:k1:" + hex,
                                    "pg:" + id + "::k1:" + hex,
                                    "pg:" + id + ":x:k1:" + hex,
                                    "pg:" + id + ":99999999999999999999:k1:" + hex,
                                    "pg:" + id + ":1::" + hex,
                                    "pg:" + id + ":1:k 1:" + hex,
                                    "pg:{fp:07}" + id.substr(6) + ":1:k1:" + hex,
                                    "pg:{fp:7}:AAAAAAAA-1111-4111-8111-111111111111:1:k1:" + hex,
                                    "pg:" + id + ":1:k1:" + std::string(64, 'A'),
                                    "pg:" + id + ":1:k1:" + std::string(64, 'g'),
                                    "pg:" + id + ":1:" + hex,
                                    "pg:" + id}) {
        EXPECT_FALSE(parse_grant_key(text)) << text;
        EXPECT_EQ(refusal_of(text), GrantRefusal::malformed) << text;
    }
}

TEST(GrantKey, ExpiresAtItsTimeNotAfterIt) {
    EXPECT_EQ(refusal_of(claim_key, &holder, expires_at - 1), std::nullopt);
    EXPECT_EQ(refusal_of(claim_key, &holder, expires_at), GrantRefusal::expired);
    EXPECT_EQ(refusal_of(claim_key, nullptr, expires_at), GrantRefusal::expired) << "also once its row is swept";
}

TEST(GrantKey, AnUnknownKidOrRowIsNamed) {
    const std::string other = mint_grant_key({"k2", key.secret}, GrantKind::claim, execution_id, holder, expires_at);
    EXPECT_EQ(refusal_of(other), GrantRefusal::unknown_kid);
    EXPECT_EQ(refusal_of(claim_key, nullptr), GrantRefusal::unknown_grant);
}

TEST(GrantKey, TheSignatureCoversKindIdExpiryWorkerAndInstance) {
    const std::string hex = claim_key.substr(claim_key.size() - 64);
    const std::string id = execution_id.to_string();
    for (const std::string& forged :
         {"pg:reclaim:" + id + ":1700000030000:k1:" + hex, "pg:" + id + ":1700000030001:k1:" + hex,
          "pg:{fp:8}" + id.substr(6) + ":1700000030000:k1:" + hex,
          "pg:" + test::execution(1).to_string() + ":1700000030000:k1:" + hex,
          "pg:" + id + ":1700000030000:k1:" + std::string(64, '0')}) {
        EXPECT_EQ(refusal_of(forged), GrantRefusal::signature_mismatch) << forged;
    }
    const GrantHolder worker{.worker_id = "other", .worker_instance_id = "instance-1"};
    const GrantHolder instance{.worker_id = "w|örk", .worker_instance_id = "other"};
    EXPECT_EQ(refusal_of(claim_key, &worker), GrantRefusal::signature_mismatch);
    EXPECT_EQ(refusal_of(claim_key, &instance), GrantRefusal::signature_mismatch);
}

TEST(GrantKey, SeparatorsInsideIdsForgeNoOtherMessage) {
    const GrantHolder one{.worker_id = "a|1:b", .worker_instance_id = "c"};
    const GrantHolder two{.worker_id = "a", .worker_instance_id = "b|1:c"};
    EXPECT_NE(mint_grant_key(key, GrantKind::claim, execution_id, one, expires_at),
              mint_grant_key(key, GrantKind::claim, execution_id, two, expires_at));
}

TEST(GrantKey, RefusalsAreContentionErrors) {
    EXPECT_EQ(error_of(GrantRefusal::expired).kind, ErrorKind::claim_grant_expired);
    for (const auto refusal : {GrantRefusal::malformed, GrantRefusal::unknown_kid, GrantRefusal::unknown_grant,
                               GrantRefusal::signature_mismatch}) {
        EXPECT_EQ(error_of(refusal).kind, ErrorKind::invalid_claim_grant);
        EXPECT_EQ(error_of(refusal).detail, "grant_key: " + std::string(to_string(refusal)));
    }
}

}  // namespace
}  // namespace flowfabric
