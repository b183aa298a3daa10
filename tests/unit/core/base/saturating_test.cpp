#include "core/base/saturating.hpp"

#include <gtest/gtest.h>

namespace flowfabric::test {
namespace {

TEST(SaturatingDifference, OfAnyTwoTimesIsHeldAtTheEndsOfTheRange) {
    using Limits = std::numeric_limits<std::int64_t>;
    EXPECT_EQ(saturating_difference(5, 7), -2);
    EXPECT_EQ(saturating_difference(5, Limits::min()), Limits::max());
    EXPECT_EQ(saturating_difference(-5, Limits::max()), Limits::min());
    EXPECT_EQ(saturating_difference(Limits::min(), Limits::min()), 0);
}

}  // namespace
}  // namespace flowfabric::test
