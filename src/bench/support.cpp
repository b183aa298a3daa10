#include "bench/support.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>

#include <fmt/format.h>

namespace flowfabric::bench {

double seconds_between(BenchClock::time_point from, BenchClock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
}

std::int64_t nanoseconds(BenchClock::time_point at) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::ranges::nth_element(values, middle);
    return *middle;
}

double to_thousandths(double value) {
    return std::round(value * 1'000) / 1'000;
}

std::int64_t number_in(std::string_view text) {
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

EngineError broken(std::string detail) {
    return {.kind = ErrorKind::internal, .detail = std::move(detail), .not_active = std::nullopt};
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

boost::json::object json_of(const Latencies& latencies) {
    return {{"p50_ms", to_thousandths(latencies.p50_ms)},
            {"p95_ms", to_thousandths(latencies.p95_ms)},
            {"p99_ms", to_thousandths(latencies.p99_ms)},
            {"max_ms", to_thousandths(latencies.max_ms)}};
}

boost::json::object json_of(const NamedLatencies& parts) {
    boost::json::object object;
    for (const auto& [name, latencies] : parts) object[name] = json_of(latencies);
    return object;
}

Result<WalMeter> WalMeter::open(const std::string& url) {
    WalMeter meter;
    if (cli::store_kind(url) != "postgres") return meter;
    auto connected = PostgresProbe::connect(url);
    if (!connected) return connected.error();
    meter.probe_ = *std::move(connected);
    // Otherwise it is chance whether the run meets a checkpoint and pays for full pages besides its own records.
    meter.probe_->checkpoint();
    return meter;
}

Result<void> WalMeter::start() {
    if (!probe_) return {};
    const auto bytes = probe_->wal_bytes();
    if (!bytes) return bytes.error();
    started_at_ = *bytes;
    return {};
}

Result<std::optional<double>> WalMeter::bytes_per_job(std::uint64_t jobs) const {
    if (!probe_) return std::optional<double>{};
    const auto bytes = probe_->wal_bytes();
    if (!bytes) return bytes.error();
    return std::optional(static_cast<double>(*bytes - started_at_) / static_cast<double>(jobs));
}

}  // namespace flowfabric::bench
