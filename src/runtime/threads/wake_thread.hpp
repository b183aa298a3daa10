#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

#include "engine/inbox/inbox.hpp"
#include "runtime/hub/command_hub.hpp"
#include "store/port.hpp"

namespace flowfabric {

// Listens for what other processes commit: tells waiting claims about new work and, where this engine keeps the inbox,
// takes SQL submissions in. By the store's wake-ups, and by looking every second in case one was lost. Created by the
// engine; one thread; the destructor interrupts it and joins.
class WakeThread {
  public:
    WakeThread(CommandHub& hub, std::shared_ptr<Backend> backend, bool keep_inbox)
        : hub_(hub), backend_(std::move(backend)), keep_inbox_(keep_inbox), thread_([this] { run(); }) {}
    ~WakeThread();
    WakeThread(const WakeThread&) = delete;
    WakeThread& operator=(const WakeThread&) = delete;

  private:
    // Outlives the thread: an answer may arrive after it is gone.
    struct SharedState {
        std::mutex mutex;  // guards inbox and source
        Inbox inbox;
        std::shared_ptr<WakeSource> source;
    };

    void run();
    void look();
    bool connect();
    void disconnect();
    bool take_in_submissions();

    CommandHub& hub_;
    std::shared_ptr<Backend> backend_;
    const bool keep_inbox_;
    std::unique_ptr<StoreReader> reader_;  // of the inbox
    std::shared_ptr<WakeSource> source_;
    std::shared_ptr<SharedState> shared_ = std::make_shared<SharedState>();
    std::atomic<bool> stopping_ = false;
    std::thread thread_;
};

}  // namespace flowfabric
