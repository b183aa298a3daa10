#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace flowfabric {

// Runs what it is given on one thread, in order. Created and destroyed by the engine; post() is called by any thread;
// the destructor runs what is queued and joins.
class SerialExecutor {
  public:
    SerialExecutor() : thread_([this] { run(); }) {}
    ~SerialExecutor();
    SerialExecutor(const SerialExecutor&) = delete;
    SerialExecutor& operator=(const SerialExecutor&) = delete;

    void post(std::function<void()> job);

  private:
    void run();

    std::mutex mutex_;  // guards jobs_ and stopping_
    std::condition_variable posted_;
    std::vector<std::function<void()>> jobs_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace flowfabric
