#include "core/base/id_source.hpp"

#include <gtest/gtest.h>

#include <set>

namespace flowfabric {
namespace {

constexpr std::int64_t minted_at = 1'700'000'000'123;

TEST(IdSource, MintsVersion7OfTheRfcVariant) {
    const IdSource ids(minted_at, 1, 2);
    for (std::uint32_t n = 0; n < 1'000; ++n) {
        const Uuid id = ids.at(n);
        EXPECT_EQ(id.bytes[6] >> 4U, 0x7);
        EXPECT_EQ(id.bytes[8] >> 6U, 0b10);
    }
}

TEST(IdSource, FirstSixBytesAreTheTime) {
    const Uuid id = IdSource(minted_at, 1, 2).at(0);
    std::int64_t time = 0;
    for (std::size_t i = 0; i < 6; ++i) time = time << 8 | id.bytes[i];
    EXPECT_EQ(time, minted_at);
}

TEST(IdSource, ACommandThatRunsAgainMintsTheSameIds) {
    const IdSource first(minted_at, 11, 22);
    const IdSource again(minted_at, 11, 22);
    for (std::uint32_t n = 0; n < 100; ++n) EXPECT_EQ(first.at(n), again.at(n));
}

TEST(IdSource, IdsOfOneCommandAndOfManyAreDistinct) {
    std::set<Uuid> seen;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const IdSource ids(minted_at, seed * 0x1'0000, seed);
        for (std::uint32_t n = 0; n < 100; ++n) seen.insert(ids.at(n));
    }
    EXPECT_EQ(seen.size(), 10'000U);
}

TEST(IdSource, LaterIdsSortBehindEarlierOnes) {
    EXPECT_LT(IdSource(minted_at, 9, 9).at(5), IdSource(minted_at + 1, 1, 1).at(0));
}

TEST(Mix64, DistinctInputsGiveDistinctOutputs) {
    std::set<std::uint64_t> seen;
    for (std::uint64_t n = 0; n < 10'000; ++n) seen.insert(mix64(n));
    EXPECT_EQ(seen.size(), 10'000U);
}

}  // namespace
}  // namespace flowfabric
