#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

// What the benchmarks share.
namespace flowfabric::cli {

// CLOCK_MONOTONIC: the same in every process of this machine.
using BenchClock = std::chrono::steady_clock;

double seconds_between(BenchClock::time_point from, BenchClock::time_point to);
double to_thousandths(double value);

// A lane that nothing else uses.
std::string bench_lane();

struct Latencies {
    double p50_ms = 0;
    double p95_ms = 0;
    double p99_ms = 0;
    double max_ms = 0;
};
// All zero without samples.
Latencies summarise(std::vector<BenchClock::duration> samples);

// A child process that reports in lines and ends when its standard input does.
//
// Life cycle: the constructor starts it and throws when it cannot; the destructor closes its input, waits for its end,
// kills it by its id when that does not come, and reaps it. It also sees its input end when this process dies.
// Threads: `on_line` and then, once, `on_end` are called on a thread of its own that the destructor joins.
class LineProcess {
  public:
    struct Callbacks {
        std::function<void(std::string_view)> on_line;
        std::function<void()> on_end;
    };

    LineProcess(std::vector<std::string> command, const std::vector<std::pair<std::string, std::string>>& environment,
                Callbacks callbacks);
    ~LineProcess();
    LineProcess(const LineProcess&) = delete;
    LineProcess& operator=(const LineProcess&) = delete;

  private:
    void read_lines();

    Callbacks callbacks_;
    int stdin_ = -1;
    int stdout_ = -1;
    pid_t pid_ = 0;
    std::thread reader_;
};

}  // namespace flowfabric::cli
