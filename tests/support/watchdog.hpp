#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace flowfabric::test {

// For tests that run for long because they do much: each of its parts is given the time of a test.
void tell_watchdog_of_progress();

// Ends a test that hangs, and says where: what every thread of this process does and what every session of the test
// server waits for. A suite's time limit alone would leave no trace of it.
class Watchdog : public ::testing::EmptyTestEventListener {
  public:
    Watchdog();
    ~Watchdog() override;

    void OnTestStart(const ::testing::TestInfo& test) override;
    void OnTestEnd(const ::testing::TestInfo& test) override;

  private:
    void run();

    std::mutex mutex_;  // guards the rest
    std::condition_variable changed_;
    const ::testing::TestInfo* running_ = nullptr;
    std::uint64_t started_ = 0;  // tests so far
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace flowfabric::test
