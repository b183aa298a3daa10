#pragma once

#include <atomic>
#include <functional>
#include <thread>

// SIGINT and SIGTERM as calls.
//
// Life cycle: block_stop_signals() before any thread starts, then one SignalWatcher for as long as calls are wanted.
// Threads: the callback runs on the watcher's own thread, never in a signal handler.
// Stopping: the destructor joins that thread.
namespace flowfabric::cli {

void block_stop_signals();

class SignalWatcher {
  public:
    explicit SignalWatcher(std::function<void()> on_signal);
    ~SignalWatcher();
    SignalWatcher(const SignalWatcher&) = delete;
    SignalWatcher& operator=(const SignalWatcher&) = delete;

  private:
    std::atomic<bool> ended_ = false;
    std::thread thread_;
};

}  // namespace flowfabric::cli
