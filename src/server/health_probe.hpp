#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

// Answers "does it work right now?" within a deadline, by a check that may itself block for longer.
//
// Life cycle: the constructor starts a thread; the destructor waits for a running check and joins it.
// Threads: healthy() from any; the check runs on the probe's own thread, one at a time however many ask.
// Stopping: every call of healthy() has returned before the probe is destroyed.
namespace flowfabric::server {

class HealthProbe {
  public:
    HealthProbe(std::function<bool()> check, std::chrono::milliseconds deadline);
    ~HealthProbe();
    HealthProbe(const HealthProbe&) = delete;
    HealthProbe& operator=(const HealthProbe&) = delete;

    // True when a check that started after the call has succeeded within the deadline; a check that throws has failed.
    // False at once while a check takes longer than the deadline, so that calls that queue for a few threads do not
    // wait one after the other.
    bool healthy();

  private:
    void run();

    const std::function<bool()> check_;
    const std::chrono::milliseconds deadline_;

    std::mutex mutex_;  // guards everything below but thread_
    std::condition_variable asked_;
    std::condition_variable answered_;
    std::uint64_t wanted_ = 0;   // the number of the latest check that a caller waits for
    std::uint64_t started_ = 0;  // checks are numbered from 1
    std::uint64_t finished_ = 0;
    std::chrono::steady_clock::time_point last_start_;
    bool last_result_ = false;
    bool ended_ = false;

    std::thread thread_;
};

}  // namespace flowfabric::server
