#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/reconcilers/reconciler.hpp"
#include "runtime/command_hub.hpp"
#include "store/port.hpp"

namespace flowfabric {

// Runs the reconcilers and the store's housekeeping. Created by the engine when it may reconcile; one thread, which
// asks what is due and hands it to the hub as ordinary commands; stop() or the destructor ends it within one query.
class Supervisor {
  public:
    struct Options {
        std::vector<ReconcilerSpec> reconcilers;
        ExecutionFilter filter;
        SteadyMs execution_retention_ms = 0;  // 0: for ever
        SteadyMs event_retention_ms = 0;      // 0: for ever
    };

    Supervisor(CommandHub& hub, std::shared_ptr<Backend> backend, Options options);
    ~Supervisor();
    Supervisor(const Supervisor&) = delete;
    Supervisor& operator=(const Supervisor&) = delete;

    void stop();

    std::vector<ReconcilerView> reconcilers() const;

  private:
    void run();
    void run_reconciler(std::size_t index);
    void guard_reconciler(std::size_t index);
    StoreResult<Findings> look(const ReconcilerSpec& spec, const std::optional<ExecutionId>& walked_to);
    void submit(std::size_t index, Command command);
    void run_housekeeping();
    StoreResult<bool> trim_events();
    SteadyMs next_run() const;
    void on_timer(Timer timer, SteadyMs at);

    // Answers may arrive after the supervisor is gone, so they share what they report to.
    struct Roster {
        std::mutex mutex;  // guards reconcilers
        std::vector<Reconciler> reconcilers;
    };

    CommandHub& hub_;
    std::shared_ptr<Backend> backend_;
    const Options options_;
    std::unique_ptr<StoreReader> reader_;
    std::unique_ptr<StoreWriter> writer_;
    SteadyMs next_retire_ = 0;
    SteadyMs next_maintain_ = 0;
    SteadyMs next_trim_ = 0;
    SteadyMs next_sweep_ = 0;

    std::shared_ptr<Roster> roster_;

    std::mutex mutex_;  // guards stopping_ and hurried_
    std::condition_variable changed_;
    bool stopping_ = false;
    bool hurried_ = false;
    std::thread thread_;
};

}  // namespace flowfabric
