#include <gtest/gtest.h>

#include "schedule.hpp"
#include "support/watchdog.hpp"

namespace flowfabric::test {
namespace {

constexpr std::uint64_t default_schedules = 8000;

TEST(SimulationTest, WhatWasAnsweredHoldsThroughFaultsAndCrashes) {
    for (const std::uint64_t seed : seeds(default_schedules)) {
        tell_watchdog_of_progress();
        const auto complaints = Schedule(seed).run();
        for (const std::string& complaint : complaints) ADD_FAILURE() << complaint;
        ASSERT_FALSE(HasFailure()) << "seed " << seed << "; replay with FF_SEED=" << seed;
    }
}

}  // namespace
}  // namespace flowfabric::test
