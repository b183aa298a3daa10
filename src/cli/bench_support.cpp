#include "cli/bench_support.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>

namespace flowfabric::cli {
double seconds_between(BenchClock::time_point from, BenchClock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
}

double to_thousandths(double value) {
    return std::round(value * 1'000) / 1'000;
}

std::string bench_lane() {
    return fmt::format("bench-{:08x}", std::random_device{}());
}

Latencies summarise(std::vector<BenchClock::duration> samples) {
    if (samples.empty()) return {};
    std::sort(samples.begin(), samples.end());
    const auto at = [&](double share) {
        const auto rank = static_cast<std::size_t>(std::lround(share * static_cast<double>(samples.size() - 1)));
        return std::chrono::duration<double, std::milli>(samples[rank]).count();
    };
    return {.p50_ms = at(0.50), .p95_ms = at(0.95), .p99_ms = at(0.99), .max_ms = at(1.0)};
}

Result<WalMeter> WalMeter::open(const std::string& url) {
    WalMeter meter;
    if (store_kind(url) != "postgres") return meter;
    auto connected = WalPosition::connect(url);
    if (!connected) return connected.error();
    meter.position_ = *std::move(connected);
    // Otherwise it is chance whether the run meets a checkpoint and pays for full pages besides its own records.
    meter.position_->checkpoint();
    return meter;
}

Result<void> WalMeter::start() {
    if (!position_) return {};
    const auto bytes = position_->bytes();
    if (!bytes) return bytes.error();
    started_at_ = *bytes;
    return {};
}

Result<std::optional<double>> WalMeter::bytes_per_job(std::uint64_t jobs) const {
    if (!position_) return std::optional<double>{};
    const auto bytes = position_->bytes();
    if (!bytes) return bytes.error();
    return std::optional(static_cast<double>(*bytes - started_at_) / static_cast<double>(jobs));
}

}  // namespace flowfabric::cli
