#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "flowfabric/error.hpp"

namespace flowfabric {

// Looks at the store for commands whose answer takes more than their own batch, one look at a time. Created by the
// engine before the writers; one thread. Any thread may add a look. stop() ends every look that is left and joins.
class LookThread {
  public:
    // Returns the time until its next turn, or nothing once it has answered. Given an error, it answers with that.
    using Look = std::function<std::optional<std::chrono::milliseconds>(const EngineError* end)>;

    LookThread() : thread_([this] { run(); }) {}
    ~LookThread() { stop(); }
    LookThread(const LookThread&) = delete;
    LookThread& operator=(const LookThread&) = delete;

    // Its first turn comes at once.
    void add(Look look);
    // Gives every look its turn now.
    void wake();
    void stop();

  private:
    using Clock = std::chrono::steady_clock;
    struct Waiting {
        Look look;
        Clock::time_point due;
    };

    void run();

    std::mutex mutex_;  // guards the rest but the thread
    std::condition_variable changed_;
    std::vector<Waiting> waiting_;
    std::uint64_t wakes_ = 0;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace flowfabric
