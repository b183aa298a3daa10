#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "bench/postgres_probe.hpp"
#include "cli/store_location.hpp"
#include "flowfabric/ids.hpp"
#include "flowfabric/result.hpp"

// What the benchmarks share.
namespace flowfabric::bench {

// CLOCK_MONOTONIC: the same in every process of this machine.
using BenchClock = std::chrono::steady_clock;

double seconds_between(BenchClock::time_point from, BenchClock::time_point to);
std::int64_t nanoseconds(BenchClock::time_point at);
double to_thousandths(double value);
double median(std::vector<double> values);
// 0 for what is none.
std::int64_t number_in(std::string_view text);

// The benchmark itself went wrong.
EngineError broken(std::string detail);

// A lane that nothing else uses.
std::string bench_lane();

struct AnsweredComplete {
    ExecutionId execution_id;
    BenchClock::time_point answered_at;
};

struct Latencies {
    double p50_ms = 0;
    double p95_ms = 0;
    double p99_ms = 0;
    double max_ms = 0;
};
// All zero without samples.
Latencies summarise(std::vector<BenchClock::duration> samples);
boost::json::object json_of(const Latencies& latencies);

// In the order in which they are shown.
using NamedLatencies = std::vector<std::pair<std::string, Latencies>>;
boost::json::object json_of(const NamedLatencies& parts);

// What a stretch of work writes to PostgreSQL's WAL; on other stores it measures nothing.
class WalMeter {
  public:
    static Result<WalMeter> open(const std::string& url);
    Result<void> start();
    // Since start().
    Result<std::optional<double>> bytes_per_job(std::uint64_t jobs) const;

  private:
    std::optional<PostgresProbe> probe_;
    std::int64_t started_at_ = 0;
};

}  // namespace flowfabric::bench
