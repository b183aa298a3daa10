#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

#include "runtime/command_hub.hpp"
#include "store/port.hpp"

namespace flowfabric {

// Tells waiting claims about work that other processes added: by the store's wake-ups, and by looking every second in
// case one was lost. Created by the engine; one thread; the destructor interrupts it and joins.
class WakeThread {
  public:
    WakeThread(CommandHub& hub, std::shared_ptr<Backend> backend)
        : hub_(hub), backend_(std::move(backend)), thread_([this] { run(); }) {}
    ~WakeThread();
    WakeThread(const WakeThread&) = delete;
    WakeThread& operator=(const WakeThread&) = delete;

  private:
    void run();
    bool connect();
    void disconnect();

    CommandHub& hub_;
    std::shared_ptr<Backend> backend_;
    std::unique_ptr<StoreReader> reader_;
    std::mutex mutex_;  // guards source_ against the destructor's interrupt
    std::shared_ptr<WakeSource> source_;
    std::atomic<bool> stopping_ = false;
    std::thread thread_;
};

}  // namespace flowfabric
