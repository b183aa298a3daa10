#include "fuzz/fuzzing.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/watchdog.hpp"

namespace flowfabric::test {
namespace {

using Clock = std::chrono::steady_clock;

Clock::duration time_to_run() {
    const char* seconds = std::getenv("FF_FUZZ_SECONDS");
    return std::chrono::seconds(seconds != nullptr ? std::atoi(seconds) : 2);
}

std::uint64_t first_seed() {
    const char* given = std::getenv("FF_SEED");
    return given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
}

extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

std::uint64_t seed_under_way = 0;

}  // namespace

void fuzz(const std::function<void(Random&)>& take) {
    if (__sanitizer_set_death_callback != nullptr) {
        __sanitizer_set_death_callback(
            [] { std::fprintf(stderr, "FF_SEED=%llu\n", static_cast<unsigned long long>(seed_under_way)); });
    }
    const auto until = Clock::now() + time_to_run();
    std::uint64_t seeds = 0;
    for (seed_under_way = first_seed(); Clock::now() < until && !testing::Test::HasFailure(); ++seed_under_way) {
        SCOPED_TRACE("FF_SEED=" + std::to_string(seed_under_way));
        Random random(seed_under_way);
        take(random);
        tell_watchdog_of_progress();
        ++seeds;
    }
    testing::Test::RecordProperty("seeds", std::to_string(seeds));
}

}  // namespace flowfabric::test
