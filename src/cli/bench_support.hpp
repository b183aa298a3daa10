#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/store_location.hpp"
#include "cli/wal_position.hpp"
#include "flowfabric/result.hpp"

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

// What a stretch of work writes to PostgreSQL's WAL; on other stores it measures nothing.
class WalMeter {
  public:
    static Result<WalMeter> open(const std::string& url);
    Result<void> start();
    // Since start().
    Result<std::optional<double>> bytes_per_job(std::uint64_t jobs) const;

  private:
    std::optional<WalPosition> position_;
    std::int64_t started_at_ = 0;
};

}  // namespace flowfabric::cli
