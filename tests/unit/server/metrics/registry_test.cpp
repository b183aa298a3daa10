#include "server/metrics/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

namespace flowfabric::server {
namespace {

using ::testing::HasSubstr;

TEST(MetricsRegistry, LooksOnceASecondHoweverOftenItIsScraped) {
    Metrics::Clock::time_point now{};
    Metrics metrics([&] { return now; });
    int looks = 0;
    metrics.before_scrape([&] { ++looks; });
    for (int i = 0; i < 3; ++i) EXPECT_THAT(metrics.scrape(), HasSubstr("ff_build_info"));
    EXPECT_EQ(looks, 1);
    now += std::chrono::seconds(1);
    metrics.scrape();
    EXPECT_EQ(looks, 2);
}

TEST(MetricsRegistry, AScrapeDoesNotWaitForTheLookOfAnother) {
    Metrics metrics;
    std::promise<void> looking;
    std::promise<void> store_answers;
    metrics.before_scrape([&] {
        looking.set_value();
        store_answers.get_future().wait();
    });
    std::thread first([&] { metrics.scrape(); });
    looking.get_future().wait();
    EXPECT_THAT(metrics.scrape(), HasSubstr("ff_build_info"));
    store_answers.set_value();
    first.join();
}

}  // namespace
}  // namespace flowfabric::server
