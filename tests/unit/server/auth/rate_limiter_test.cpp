#include "server/auth/rate_limiter.hpp"

#include <gtest/gtest.h>

namespace flowfabric::server {
namespace {

using namespace std::chrono_literals;

const RateLimiter::Clock::time_point start{1h};
const Caller twice_a_second{.name = "ci", .scopes = {}, .namespaces = {}, .rate_limit_per_s = 2};

TEST(RateLimiter, LetsASecondsWorthInAtOnceAndThenOneAtATime) {
    RateLimiter limiter;
    EXPECT_FALSE(limiter.refuse(twice_a_second, start));
    EXPECT_FALSE(limiter.refuse(twice_a_second, start));
    EXPECT_EQ(limiter.refuse(twice_a_second, start), 500ms);
    EXPECT_EQ(limiter.refuse(twice_a_second, start + 400ms), 100ms);
    EXPECT_FALSE(limiter.refuse(twice_a_second, start + 500ms));
    EXPECT_EQ(limiter.refuse(twice_a_second, start + 500ms), 500ms);
}

TEST(RateLimiter, KeepsNothingForLaterThanASecond) {
    RateLimiter limiter;
    EXPECT_FALSE(limiter.refuse(twice_a_second, start));
    EXPECT_FALSE(limiter.refuse(twice_a_second, start + 1min));
    EXPECT_FALSE(limiter.refuse(twice_a_second, start + 1min));
    EXPECT_TRUE(limiter.refuse(twice_a_second, start + 1min));
}

TEST(RateLimiter, CountsEachTokenByItself) {
    RateLimiter limiter;
    const Caller other{.name = "other", .scopes = {}, .namespaces = {}, .rate_limit_per_s = 1};
    const Caller unlimited{.name = "root", .scopes = {}, .namespaces = {}, .rate_limit_per_s = {}};
    EXPECT_FALSE(limiter.refuse(other, start));
    EXPECT_TRUE(limiter.refuse(other, start));
    EXPECT_FALSE(limiter.refuse(twice_a_second, start));
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(limiter.refuse(unlimited, start));
}

}  // namespace
}  // namespace flowfabric::server
