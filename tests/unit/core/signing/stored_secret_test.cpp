#include "core/signing/stored_secret.hpp"

#include <gtest/gtest.h>

#include "core/base/hex.hpp"

namespace flowfabric {
namespace {

const SigningKey key{"k1", *bytes_of_hex("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff")};
constexpr MasterKey master{1, 2, 3};
constexpr SealNonce nonce{9, 8, 7};

ErrorKind refusal_of(std::string_view kid, std::string_view stored, const MasterKey* with = &master) {
    const auto opened = open_stored(kid, stored, with);
    EXPECT_FALSE(opened);
    return opened ? ErrorKind::internal : opened.error().kind;
}

TEST(StoredSecret, PlainIsAZeroByteAndTheSecret) {
    const Bytes stored = stored_plain(key);
    EXPECT_EQ(stored, std::string(1, '\0') + key.secret);
    EXPECT_FALSE(is_sealed(stored));
    EXPECT_EQ(*open_stored("k1", stored, nullptr), key);
    EXPECT_EQ(*open_stored("k1", stored, &master), key) << "kept from the time before there was a master key";
}

TEST(StoredSecret, SealedIsVersionNonceCiphertextAndTag) {
    const Bytes stored = stored_sealed(key, master, nonce);
    ASSERT_EQ(stored.size(), 1 + 12 + key.secret.size() + 16);
    EXPECT_EQ(stored.substr(0, 13), "\x01" + Bytes(nonce.begin(), nonce.end()));
    EXPECT_EQ(stored.find(key.secret), Bytes::npos);
    EXPECT_TRUE(is_sealed(stored));
    EXPECT_EQ(*open_stored("k1", stored, &master), key);
}

TEST(StoredSecret, AnswersThePublishedGcmVector) {
    // McGrew and Viega, test case 14: zero key, nonce and text of 16 bytes; without associated data.
    const Bytes stored = stored_sealed({"", Bytes(16, '\0')}, {}, {});
    EXPECT_EQ(hex_of(stored.substr(13)), "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919");
}

TEST(StoredSecret, SecretsOfEveryLengthRoundTrip) {
    for (const std::size_t length : {1, 15, 16, 17, 32, 1000}) {
        const SigningKey sized{"k", Bytes(length, 'x')};
        EXPECT_EQ(*open_stored("k", stored_sealed(sized, master, nonce), &master), sized) << length;
    }
}

TEST(StoredSecret, AnotherMasterKeyIsRefusedByName) {
    const MasterKey other{1, 2, 4};
    const auto opened = open_stored("k1", stored_sealed(key, master, nonce), &other);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind, ErrorKind::corruption);
    EXPECT_EQ(opened.error().detail, "secret of kid k1: does not open under the master key");
}

TEST(StoredSecret, NoMasterKeyFailsClosed) {
    EXPECT_EQ(refusal_of("k1", stored_sealed(key, master, nonce), nullptr), ErrorKind::unavailable);
}

TEST(StoredSecret, AnotherKidIsRefused) {
    EXPECT_EQ(refusal_of("k2", stored_sealed(key, master, nonce)), ErrorKind::corruption);
}

TEST(StoredSecret, EveryChangedByteIsRefused) {
    const Bytes stored = stored_sealed(key, master, nonce);
    for (std::size_t i = 1; i < stored.size(); ++i) {
        Bytes changed = stored;
        changed[i] = static_cast<char>(changed[i] ^ 1);
        EXPECT_EQ(refusal_of("k1", changed), ErrorKind::corruption) << i;
    }
}

TEST(StoredSecret, TruncatedOrUnknownFormsAreCorruption) {
    const Bytes stored = stored_sealed(key, master, nonce);
    for (std::size_t length = 0; length < stored.size(); ++length) {
        EXPECT_EQ(refusal_of("k1", stored.substr(0, length)), ErrorKind::corruption) << length;
    }
    EXPECT_EQ(refusal_of("k1", "\x02" + stored.substr(1)), ErrorKind::corruption);
}

}  // namespace
}  // namespace flowfabric
