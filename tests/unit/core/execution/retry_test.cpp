#include "core/execution/retry.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "unit/core/fixtures.hpp"

namespace flowfabric {
namespace {

constexpr auto latest = std::numeric_limits<std::int64_t>::max();
const ExecutionId id = test::execution(1);

RetryPolicy exponential(std::uint64_t initial, std::uint64_t max, double multiplier, bool jitter = false) {
    return {.max_retries = 1'000'000, .backoff = ExponentialBackoff{initial, max, multiplier, jitter}};
}

TEST(Retry, FixedBackoffIsAlwaysTheSame) {
    const RetryPolicy policy{.max_retries = 2, .backoff = FixedBackoff{500}};
    for (const std::int32_t n : {0, 1, 100}) EXPECT_EQ(backoff_ms(policy, id, n), 500);
}

TEST(Retry, ExponentialBackoffDoublesUpToItsMaximum) {
    const RetryPolicy policy = exponential(1000, 60'000, 2.0);
    const std::vector<std::int64_t> expected{1000, 2000, 4000, 8000, 16'000, 32'000, 60'000, 60'000};
    for (std::size_t n = 0; n < expected.size(); ++n) {
        EXPECT_EQ(backoff_ms(policy, id, static_cast<std::int32_t>(n)), expected[n]) << n;
    }
}

TEST(Retry, FractionsAreCutOff) {
    EXPECT_EQ(backoff_ms(exponential(5, 1000, 1.5), id, 1), 7);
    EXPECT_EQ(backoff_ms(exponential(5, 1000, 1.5), id, 2), 11);
}

TEST(Retry, HugeBackoffsSaturateAndStayPositive) {
    constexpr auto huge = std::numeric_limits<std::uint64_t>::max();
    for (const std::int32_t n : {0, 1, 64, 1'000'000, std::numeric_limits<std::int32_t>::max()}) {
        const std::int64_t delay = backoff_ms(exponential(huge, huge, 1e300), id, n);
        EXPECT_GT(delay, 0) << n;
        EXPECT_GT(saturating_add(test::created_at, static_cast<std::uint64_t>(delay)), test::created_at);
    }
    EXPECT_GT(backoff_ms({.max_retries = 1, .backoff = FixedBackoff{huge}}, id, 0), 0);
}

TEST(Retry, AnInitialDelayOfZeroStaysZeroHoweverOftenItGrows) {
    for (const std::int32_t n : {0, 1, 2, 100}) EXPECT_EQ(backoff_ms(exponential(0, 60'000, 1e300), id, n), 0) << n;
}

TEST(Retry, JitterStaysBetweenHalfAndTheWhole) {
    const RetryPolicy policy = exponential(1000, 60'000, 2.0, true);
    for (std::uint64_t n = 0; n < 1'000; ++n) {
        for (const std::int32_t retry : {0, 3, 20}) {
            const std::int64_t whole = backoff_ms(exponential(1000, 60'000, 2.0), id, retry);
            const std::int64_t delay = backoff_ms(policy, test::execution(n), retry);
            EXPECT_GE(delay, whole / 2);
            EXPECT_LE(delay, whole);
        }
    }
}

TEST(Retry, JitterIsAHashOfExecutionAndRetryCount) {
    const RetryPolicy policy = exponential(60'000, 60'000, 1.0, true);
    std::set<std::int64_t> by_execution;
    std::set<std::int64_t> by_count;
    for (std::int32_t n = 0; n < 100; ++n) {
        by_execution.insert(backoff_ms(policy, test::execution(static_cast<std::uint64_t>(n)), 0));
        by_count.insert(backoff_ms(policy, id, n));
        EXPECT_EQ(backoff_ms(policy, id, n), backoff_ms(policy, id, n));
    }
    EXPECT_GT(by_execution.size(), 90U);
    EXPECT_GT(by_count.size(), 90U);
}

TEST(Retry, JitterOfNothingIsNothing) {
    EXPECT_EQ(backoff_ms(exponential(0, 60'000, 2.0, true), id, 3), 0);
}

TEST(Retry, RetriesEndWhenTheirNumberIsUsedUp) {
    const RetryPolicy policy{.max_retries = 2};
    EXPECT_TRUE(retry_allowed(policy, 0, "transient"));
    EXPECT_TRUE(retry_allowed(policy, 1, "transient"));
    EXPECT_FALSE(retry_allowed(policy, 2, "transient"));
    EXPECT_FALSE(retry_allowed({.max_retries = 0}, 0, "transient"));
}

TEST(Retry, PermanentAndCancelledAreNeverRetried) {
    const RetryPolicy policy{.max_retries = 9};
    EXPECT_FALSE(retry_allowed(policy, 0, "permanent"));
    EXPECT_FALSE(retry_allowed(policy, 0, "cancelled"));
    EXPECT_FALSE(retry_allowed({.max_retries = 9, .retryable_categories = {"permanent"}}, 0, "permanent"));
    for (const std::string_view category : {"transient", "infra_crash", "timeout", "anything", ""}) {
        EXPECT_TRUE(retry_allowed(policy, 0, category)) << category;
    }
}

TEST(Retry, NamedCategoriesExcludeAllOthers) {
    const RetryPolicy policy{.max_retries = 9, .retryable_categories = {"x", "z"}};
    EXPECT_TRUE(retry_allowed(policy, 0, "x"));
    EXPECT_TRUE(retry_allowed(policy, 0, "z"));
    EXPECT_FALSE(retry_allowed(policy, 0, "y"));
    EXPECT_FALSE(retry_allowed(policy, 0, "transient"));
}

TEST(SaturatingAdd, StopsAtTheLatestTimeThereIs) {
    EXPECT_EQ(saturating_add(10, 5), 15);
    EXPECT_EQ(saturating_add(latest, 1), latest);
    EXPECT_EQ(saturating_add(1, std::numeric_limits<std::uint64_t>::max()), latest);
    EXPECT_EQ(saturating_add(-10, 5), -5);
}

}  // namespace
}  // namespace flowfabric
