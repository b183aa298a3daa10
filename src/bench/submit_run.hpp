#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

#include "bench/scenarios.hpp"
#include "bench/support.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::bench {

// Submits `tasks` executions to a lane of its own and keeps `in_flight` of them unanswered.
//
// Life cycle: one run per object; submit_all() blocks the calling thread until every answer is in.
// Threads: answers arrive on the engine's executor, everything they touch is behind one mutex.
// Stopping: the first error ends the run as soon as what is in flight has been answered.
class SubmitRun {
  public:
    SubmitRun(Engine& engine, const SubmitOptions& options);

    // The seconds that it took.
    Result<double> submit_all();

    // From the submission to its answer.
    Latencies latencies() const { return summarise(latencies_); }

  private:
    bool enter();
    void on_created(BenchClock::time_point sent_at, Result<Created> answer);

    Engine& engine_;
    const SubmitOptions options_;
    const Bytes payload_;

    std::mutex mutex_;  // guards everything below while answers are outstanding
    std::condition_variable answered_;
    std::size_t in_flight_ = 0;
    std::vector<BenchClock::duration> latencies_;
    std::optional<EngineError> error_;
};

}  // namespace flowfabric::bench
