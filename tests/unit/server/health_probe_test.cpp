#include "server/health_probe.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <vector>

namespace flowfabric::server::test {
namespace {

using namespace std::chrono_literals;

// Asked one after the other, as by few threads for many, only the first waits for a check that hangs: 1,000 of its
// deadlines would outlast the suite.
TEST(HealthProbe, AHungCheckIsWaitedForOnce) {
    std::promise<void> release;
    HealthProbe probe(
        [hung = release.get_future().share()] {
            hung.wait();
            return true;
        },
        500ms);
    for (int i = 0; i < 1000; ++i) EXPECT_FALSE(probe.healthy());
    release.set_value();
    while (!probe.healthy()) {
    }
}

TEST(HealthProbe, ACheckThatThrowsHasFailedAndEndsNothing) {
    std::atomic<int> checks = 0;
    HealthProbe probe(
        [&]() -> bool {
            const int check = ++checks;
            if (check == 1) throw std::runtime_error("out of order");
            if (check == 2) throw 42;  // NOLINT(hicpp-exception-baseclass): that is the point
            return true;
        },
        60s);
    EXPECT_FALSE(probe.healthy());
    EXPECT_FALSE(probe.healthy());
    EXPECT_TRUE(probe.healthy());
}

TEST(HealthProbe, ManyWhoAskAtOnceShareAFewChecks) {
    std::atomic<int> checks = 0;
    HealthProbe probe([&] { return ++checks > 0; }, 60s);
    std::vector<std::future<bool>> answers;
    for (int i = 0; i < 20; ++i) answers.push_back(std::async(std::launch::async, [&] { return probe.healthy(); }));
    for (auto& answer : answers) EXPECT_TRUE(answer.get());
    EXPECT_LE(checks, 20);
}

}  // namespace
}  // namespace flowfabric::server::test
