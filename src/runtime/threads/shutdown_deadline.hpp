#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace flowfabric {

// Bounds how long an engine takes to end although its store hangs. After the grace it calls `stop`, which is enough
// while the store works; 200 ms later it calls `interrupt`, again and again for waits that begin meanwhile, until it is
// destroyed.
//
// Created by the engine after all that the two calls use. within() is called by any thread and starts the one thread;
// the destructor joins.
class ShutdownDeadline {
  public:
    ShutdownDeadline(std::function<void()> stop, std::function<void()> interrupt)
        : stop_(std::move(stop)), interrupt_(std::move(interrupt)) {}
    ~ShutdownDeadline();
    ShutdownDeadline(const ShutdownDeadline&) = delete;
    ShutdownDeadline& operator=(const ShutdownDeadline&) = delete;

    // The earliest of several calls counts.
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
