#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "bench/drain_run.hpp"
#include "bench/report.hpp"
#include "bench/scenarios.hpp"
#include "bench/support.hpp"
#include "cli/store_location.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::bench {
namespace {

struct DrainReport {
    std::string store;
    DrainOptions options;
    double submit_seconds = 0;
    double drain_seconds = 0;
    Latencies latencies;
    std::optional<double> wal_bytes_per_job;
};

Result<DrainReport> measure(const StoreOptions& store, const DrainOptions& options) {
    const auto url = cli::store_url(store);
    if (!url) return url.error();
    DrainReport report{
        .store = cli::store_kind(*url), .options = options, .latencies = {}, .wal_bytes_per_job = std::nullopt};
    std::vector<std::unique_ptr<Engine>> opened;
    std::vector<Engine*> engines;
    for (std::uint32_t i = 0; i < options.engines; ++i) {
        auto engine = cli::open_engine(store, cli::Reconcilers::off);
        if (!engine) return engine.error();
        engines.push_back(opened.emplace_back(std::move(*engine)).get());
    }
    auto wal = WalMeter::open(*url);
    if (!wal) return wal.error();

    DrainRun run(std::move(engines), options);
    const auto submitted = run.submit_all();
    if (!submitted) return submitted.error();
    if (const auto begun = wal->start(); !begun) return begun.error();
    const auto drained = run.drain_all();
    if (!drained) return drained.error();
    const auto wal_bytes = wal->bytes_per_job(options.tasks);
    if (!wal_bytes) return wal_bytes.error();
    if (const auto verified = run.verify_exactly_once(); !verified) return verified.error();

    report.submit_seconds = *submitted;
    report.drain_seconds = *drained;
    report.latencies = run.latencies();
    report.wal_bytes_per_job = *wal_bytes;
    return report;
}

// The same number of executions of one kind, with rows of the same size, in one engine.
DrainOptions of_one_kind(DrainOptions options) {
    options.priorities = 1;
    options.lanes = 1;
    options.same_set = true;
    options.engines = 1;
    return options;
}

double rate(const DrainReport& report) {
    return static_cast<double>(report.options.tasks) / report.drain_seconds;
}

// Spread executions are measured in turns with those of one kind: what a machine does changes from minute to minute.
Result<std::vector<DrainReport>> measure_all(const StoreOptions& store, const DrainOptions& options) {
    constexpr int turns = 5;
    std::vector<DrainOptions> runs{options};
    if (options.spread()) {
        runs.clear();
        for (int turn = 0; turn < turns; ++turn) runs.insert(runs.end(), {of_one_kind(options), options});
    }
    std::vector<DrainReport> reports;
    for (const DrainOptions& run : runs) {
        auto report = measure(store, run);
        if (!report) return report.error();
        reports.push_back(std::move(*report));
    }
    return reports;
}

// What is kept of the rate of one kind, by the medians.
std::optional<double> kept(const std::vector<DrainReport>& reports) {
    std::vector<double> spread;
    std::vector<double> plain;
    for (const DrainReport& report : reports) (report.options.spread() ? spread : plain).push_back(rate(report));
    return spread.empty() || plain.empty() ? std::nullopt : std::optional(median(spread) / median(plain));
}

std::uint32_t sets_of(const DrainOptions& options) {
    return options.same_set ? 1 : options.capability_sets;
}

boost::json::object json_of(const DrainReport& report) {
    const DrainOptions& options = report.options;
    boost::json::object object{
        {"scenario", "drain"},
        {"store", report.store},
        {"tasks", options.tasks},
        {"workers", options.workers},
        {"batch", options.batch},
        {"priorities", options.priorities},
        {"lanes", options.lanes},
        {"capability_sets", sets_of(options)},
        {"engines", options.engines},
        {"seconds", to_thousandths(report.drain_seconds)},
        {"per_second", std::llround(rate(report))},
        {"submit_per_second", std::llround(static_cast<double>(options.tasks) / report.submit_seconds)},
        {"p50_ms", to_thousandths(report.latencies.p50_ms)},
        {"p95_ms", to_thousandths(report.latencies.p95_ms)},
        {"p99_ms", to_thousandths(report.latencies.p99_ms)},
        {"wal_bytes_per_job", nullptr}};
    if (report.wal_bytes_per_job) object["wal_bytes_per_job"] = std::llround(*report.wal_bytes_per_job);
    return object;
}

}  // namespace

int run_drain(const CommonOptions& common, const DrainOptions& options) {
    const auto reports = measure_all(common.store, options);
    if (!reports) return fail_with(reports.error(), common.json);
    std::vector<boost::json::object> shown;
    for (const DrainReport& report : *reports) shown.push_back(json_of(report));
    print_reports(shown, common.json);
    const auto share = kept(*reports);
    if (share && !common.json) {
        cli::print_line(fmt::format("\nspread out: {:.0f} % of the rate of one kind", 100 * *share));
    }
    return 0;
}

}  // namespace flowfabric::bench
