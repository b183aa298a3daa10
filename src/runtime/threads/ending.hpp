#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace flowfabric {

// Sees to it that an engine ends although its store hangs: when the grace has passed it calls `stop`, which is all that
// it takes while the store works, and a moment later `interrupt`, again and again for waits that begin meanwhile, until
// it is destroyed.
//
// Created by the engine after all that these use. within() is called by any thread and starts the one thread; the
// destructor joins.
class Ending {
  public:
    Ending(std::function<void()> stop, std::function<void()> interrupt)
        : stop_(std::move(stop)), interrupt_(std::move(interrupt)) {}
    ~Ending();
    Ending(const Ending&) = delete;
    Ending& operator=(const Ending&) = delete;

    // Of several, the earliest counts.
    void within(std::chrono::milliseconds grace);

  private:
    using Clock = std::chrono::steady_clock;

    void run();

    const std::function<void()> stop_;
    const std::function<void()> interrupt_;
    std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    std::optional<Clock::time_point> at_;
    bool over_ = false;
    std::thread thread_;
};

}  // namespace flowfabric
