#pragma once

#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/statistics/rate_history.hpp"
#include "engine/reconcilers/reconciler.hpp"
#include "runtime/hub/command_hub.hpp"
#include "store/port.hpp"

namespace flowfabric {

// Runs the reconcilers and the store's housekeeping. Created by the engine when it may reconcile; two threads, which
// ask what is due and hand it to the hub as ordinary commands: one for timers, one for what may take long, so that no
// lease waits for a sweep. stop() or the destructor ends both within one query.
class Supervisor {
  public:
    struct Options {
        std::vector<ReconcilerSpec> reconcilers;
        ExecutionFilter filter;
        std::shared_ptr<EngineObserver> observer;
    };

    Supervisor(CommandHub& hub, std::shared_ptr<Backend> backend, Options options);
    ~Supervisor();
    Supervisor(const Supervisor&) = delete;
    Supervisor& operator=(const Supervisor&) = delete;

    void stop();

    std::vector<ReconcilerView> reconcilers() const;
    std::shared_ptr<const RateHistory> rates() const;

  private:
    // One thread, with connections of its own.
    struct Runner {
        bool timers = false;                   // otherwise sweeps
        std::vector<std::size_t> reconcilers;  // positions in SharedState::reconcilers
        std::unique_ptr<StoreReader> reader;
        std::unique_ptr<StoreWriter> writer;
        bool hurried = false;  // a timer became due earlier than the planned run
        std::thread thread;
    };

    void run(Runner& runner);
    void run_reconciler(Runner& runner, std::size_t index);
    void guard_reconciler(Runner& runner, std::size_t index);
    StoreResult<void> open_reader(Runner& runner);
    StoreResult<Findings> look(Runner& runner, const ReconcilerSpec& spec, const std::optional<WalkPlace>& walked_to);
    void submit(std::size_t index, Command command);
    void retire_lease_checks(Runner& runner);
    void sweep_store(Runner& runner);
    void sample_rates(Runner& runner);
    bool open_writer(Runner& runner);
    // True if the outcome is no error; drops the writer if its connection is lost.
    template <class Outcome>
    bool keep_writer(Runner& runner, const Outcome& outcome);
    static StoreResult<bool> trim_events(StoreWriter& writer, std::int64_t retention_ms);
    SteadyMs next_run(const Runner& runner) const;
    void on_timer(const DueRows& set, SteadyMs at);

    // Outlives the supervisor: an answer may arrive after it is gone.
    struct SharedState {
        std::mutex mutex;  // guards the others
        std::vector<Reconciler> reconcilers;
        std::shared_ptr<const RateHistory> rates = std::make_shared<RateHistory>();
    };

    CommandHub& hub_;
    std::shared_ptr<Backend> backend_;
    const Options options_;
    // Used by the timers' thread alone.
    SteadyMs next_retire_ = 0;
    // Used by the sweeps' thread alone.
    SteadyMs next_maintain_ = 0;
    SteadyMs next_trim_ = 0;
    SteadyMs next_sweep_ = 0;
    SteadyMs next_sample_ = 0;

    std::shared_ptr<SharedState> shared_;

    std::mutex mutex_;  // guards stopping_ and the shifts' hurried
    std::condition_variable changed_;
    bool stopping_ = false;
    std::array<Runner, 2> runners_;
};

}  // namespace flowfabric
