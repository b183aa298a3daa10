#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bench/flow_shapes.hpp"
#include "bench/scenarios.hpp"
#include "bench/support.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::bench {

// Submits `flows` chains to a lane of its own while `workers` asynchronous loops claim and complete their members.
//
// Life cycle: one run per object; run() blocks the calling thread until every flow has ended.
// Threads: answers arrive on the engine's executor, everything they touch is behind one mutex.
// Stopping: the first error, or a minute without any progress, ends the run as soon as what is in flight is answered.
class ChainsRun {
  public:
    ChainsRun(Engine& engine, const FlowOptions& options);

    struct Times {
        double submit_seconds = 0;  // from the first submission to the answer of the last
        double flow_seconds = 0;    // from the first submission to the end of the last flow
    };
    Result<Times> run();

    // From the answer to a member's completion to that of the claim of the next one.
    Latencies hops() const { return summarise(hops_); }

  private:
    // How far the answers of a flow have come.
    struct Progress {
        FlowId id;
        std::uint16_t partition = 0;
        std::uint32_t completed = 0;
        BenchClock::time_point completed_at;
    };

    bool enter();
    void on_submitted(std::uint64_t flow, Result<FlowSubmitted> answer);
    void claim(std::uint32_t worker);
    void on_claimed(std::uint32_t worker, Result<Claimed> answer);
    bool on_completed(const FlowPosition& position, std::size_t& open, Result<Completed> answer);
    void next_claim(std::uint32_t worker);

    void fail(EngineError error);
    bool done() const;
    std::optional<EngineError> wait_for_members();
    std::optional<EngineError> wait_for_workers();
    Result<BenchClock::time_point> wait_for_flows();

    Engine& engine_;
    const FlowOptions options_;
    const std::string lane_;

    std::mutex mutex_;  // guards everything below while answers are outstanding
    std::condition_variable answered_;
    std::size_t submits_in_flight_ = 0;
    std::size_t workers_ = 0;      // that have not ended
    std::uint64_t completed_ = 0;  // members
    std::vector<Progress> flows_;
    std::vector<std::uint64_t> ended_;  // flows, in the order in which their last members were completed
    std::vector<BenchClock::duration> hops_;
    BenchClock::time_point submitted_at_;  // the last one
    std::optional<EngineError> error_;
};

}  // namespace flowfabric::bench
