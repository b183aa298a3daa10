#pragma once

#include <cstdint>
#include <future>
#include <string>
#include <vector>

#include "bench/support.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::bench {

// One flow at a time, on an engine that has nothing else to do. Every flow is awaited and checked: an error says that
// it did not end as it should.
//
// Life cycle: each call blocks the calling thread until its flow has ended.
// Threads: answers arrive on the engine's executor and are handed over through futures.
// Stopping: a call gives up when nothing happens for twenty seconds.
class SingleFlows {
  public:
    using Duration = BenchClock::duration;

    explicit SingleFlows(Engine& engine) : engine_(engine), lane_(bench_lane()) {}

    // From the answer to each member's completion until a waiting worker has the next one.
    Result<std::vector<Duration>> run_chain(std::uint32_t length);

    struct Fan {
        Duration out;   // from the source's completion until all members between source and sink are claimed
        Duration in;    // from the last one's completion until the sink is claimed
        Duration flow;  // from the submission to the end of the flow
    };
    Result<Fan> run_fan(std::uint32_t width);

    // Until every member is cancelled, the running one included.
    Result<Duration> cancel_fan(std::uint32_t members);

  private:
    template <class T>
    struct Answered {
        Result<T> answer;
        BenchClock::time_point at;
    };
    template <CommandType C>
    using Pending = std::future<Answered<typename C::Answer>>;

    template <CommandType C>
    Pending<C> submit(C command);
    Pending<Claim> claim(std::uint32_t count);
    Result<BenchClock::time_point> complete(const std::vector<ClaimedExecution>& executions);
    Result<BenchClock::time_point> wait_until_completed(const FlowSubmitted& flow);
    Result<void> check_cancelled(const FlowSubmitted& flow);

    Engine& engine_;
    const std::string lane_;
};

}  // namespace flowfabric::bench
