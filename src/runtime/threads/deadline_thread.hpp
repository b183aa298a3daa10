#pragma once

#include <thread>

#include "runtime/hub/command_hub.hpp"
#include "runtime/threads/guard.hpp"

namespace flowfabric {

// Answers commands at their deadlines while every writer waits for the store. Created by the engine after the hub; one
// thread, which ends with the hub's stop; the destructor joins.
class DeadlineThread {
  public:
    explicit DeadlineThread(CommandHub& hub)
        : thread_([&hub] {
              while (hub.wait_for_deadlines()) {
                  contain("answers at their deadlines were held up", [&] { hub.expire(); });
              }
          }) {}
    ~DeadlineThread() { thread_.join(); }
    DeadlineThread(const DeadlineThread&) = delete;
    DeadlineThread& operator=(const DeadlineThread&) = delete;

  private:
    std::thread thread_;
};

}  // namespace flowfabric
