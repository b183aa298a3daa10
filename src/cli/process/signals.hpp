#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <thread>

// SIGINT and SIGTERM as calls.
//
// Life cycle: one StopSignals before any other thread starts; it outlives all that reactions use. Programs of this
// process have an OrphanGuard, made before it, that ends them wherever a signal ends this process.
// Threads: a reaction runs on a thread of its own, never in a signal handler.
// Stopping: the destructor joins that thread.
namespace flowfabric::cli {

// The part of the two seconds within which a program ends that is left to work under way.
inline constexpr std::chrono::milliseconds stop_grace{1300};

class StopSignals {
  public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    class Reaction {
      public:
        Reaction(StopSignals& signals, std::function<void()> stop);
        ~Reaction();
        Reaction(const Reaction&) = delete;
        Reaction& operator=(const Reaction&) = delete;

      private:
        StopSignals& signals_;
    };
    // While it exists, the first signal is this call. Without one, and from the second signal on, the process ends at
    // once.
    [[nodiscard]] Reaction react(std::function<void()> stop) { return {*this, std::move(stop)}; }

  private:
    void run();

    std::mutex mutex_;  // guards what follows but thread_
    std::function<void()> stop_;
    bool stopping_ = false;
    bool ended_ = false;
    std::thread thread_;
};

}  // namespace flowfabric::cli
