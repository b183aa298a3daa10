#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/flows/dispatcher.hpp"
#include "runtime/hub/command_hub.hpp"
#include "store/port.hpp"

namespace flowfabric {

// Dispatches what this engine commits: one thread, one reader, opened with the first flow. Created by the engine before
// the writers. stop() lets it carry on what has begun, for a moment, so that a program that ends one member and goes
// leaves no dependents behind; then it joins. What it leaves undone the reconcilers find.
class DispatchThread {
  public:
    // Calls `on_answer`, from any thread and until stop(), whenever it is told of an answer; it may only pass that on.
    DispatchThread(CommandHub& hub, std::shared_ptr<Backend> backend, std::function<void()> on_answer);
    ~DispatchThread() { stop(); }
    DispatchThread(const DispatchThread&) = delete;
    DispatchThread& operator=(const DispatchThread&) = delete;

    void stop();

    // It is this engine that cancels the members of the flow.
    bool cancels(const FlowKey& flow) const;

  private:
    // Outlives the thread: an answer may arrive after it is gone.
    struct SharedState {
        std::mutex mutex;  // guards the rest
        std::condition_variable changed;
        std::function<void()> on_answer;
        Dispatcher dispatcher;
        std::size_t unanswered = 0;  // jobs
        bool looking = false;
        bool stopping = false;

        bool done() const { return dispatcher.idle() && unanswered == 0 && !looking; }
    };

    void run();
    std::optional<StoreError> carry_on(Dispatcher& taken);
    static void submit(CommandHub& hub, const std::shared_ptr<SharedState>& shared, std::vector<Dispatcher::Job> jobs);

    CommandHub& hub_;
    std::shared_ptr<Backend> backend_;
    std::shared_ptr<SharedState> shared_ = std::make_shared<SharedState>();
    std::unique_ptr<StoreReader> reader_;
    std::thread thread_;
};

}  // namespace flowfabric
