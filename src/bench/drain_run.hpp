#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bench/scenarios.hpp"
#include "bench/support.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::bench {

// Submits `tasks` executions to lanes of its own, then lets `workers` asynchronous loops claim and complete them all.
//
// Life cycle: one run per object; submit_all() and drain_all() block the calling thread until every answer is in.
// Threads: answers arrive on the engine's executor, everything they touch is behind one mutex.
// Stopping: the first error ends the run as soon as what is in flight has been answered.
class DrainRun {
  public:
    DrainRun(std::vector<Engine*> engines, const DrainOptions& options);

    // The seconds that it took.
    Result<double> submit_all();
    Result<double> drain_all();
    Result<void> verify_exactly_once();

    // From the claim's submission to the answer of the job's complete.
    Latencies latencies() const { return summarise(latencies_); }
    const std::vector<AnsweredComplete>& completed() const { return completed_; }

  private:
    std::optional<EngineError> wait_for_answers();
    void leave();
    std::string lane(std::uint64_t number) const;
    std::vector<std::string> lanes_of(std::uint64_t group) const;
    void on_created(Result<Created> answer);
    void claim(std::uint32_t worker);
    void on_claimed(std::uint32_t worker, BenchClock::time_point sent_at, Result<Claimed> answer);
    bool on_completed(BenchClock::time_point sent_at, std::size_t& open, Result<Completed> answer);
    void next_claim(std::uint32_t worker);

    Engine& engine_of(std::uint32_t worker) const { return *engines_[worker % engines_.size()]; }

    const std::vector<Engine*> engines_;  // the first submits
    const DrainOptions options_;
    const std::string lane_;

    std::mutex mutex_;  // guards everything below while answers are outstanding
    std::condition_variable answered_;
    std::size_t in_flight_ = 0;  // submits, later workers that have not ended
    std::uint64_t claimed_ = 0;
    std::uint64_t next_group_ = 0;         // of lanes, for the next worker that has drained its own
    std::vector<std::uint64_t> group_of_;  // by worker
    std::vector<ExecutionId> created_;
    std::vector<AnsweredComplete> completed_;
    std::vector<BenchClock::duration> latencies_;
    std::optional<EngineError> error_;
};

}  // namespace flowfabric::bench
