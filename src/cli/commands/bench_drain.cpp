#include <cmath>

#include <fmt/format.h>

#include "cli/bench_support.hpp"
#include "cli/commands.hpp"
#include "cli/drain_run.hpp"
#include "cli/output.hpp"
#include "cli/store_location.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {
namespace {

struct DrainReport {
    std::string store;
    double submit_seconds = 0;
    double drain_seconds = 0;
    Latencies latencies;
    std::optional<double> wal_bytes_per_job;
};

Result<DrainReport> measure(const StoreOptions& store, const DrainOptions& options) {
    const auto url = store_url(store);
    if (!url) return url.error();
    DrainReport report{.store = store_kind(*url), .latencies = {}, .wal_bytes_per_job = std::nullopt};
    const auto engine = open_engine(store, Reconcilers::off);
    if (!engine) return engine.error();
    auto wal = WalMeter::open(*url);
    if (!wal) return wal.error();

    DrainRun run(**engine, options);
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

void print_report(const DrainReport& report, const DrainOptions& options) {
    const auto tasks = static_cast<double>(options.tasks);
    Table table({"scenario", "store", "tasks", "workers", "batch", "seconds", "p50 ms", "p95 ms", "p99 ms", "WAL B/job",
                 "submit", "drain"});
    table.add({"drain", report.store, fmt::to_string(options.tasks), fmt::to_string(options.workers),
               fmt::to_string(options.batch), fmt::format("{:.3f}", report.drain_seconds),
               fmt::format("{:.2f}", report.latencies.p50_ms), fmt::format("{:.2f}", report.latencies.p95_ms),
               fmt::format("{:.2f}", report.latencies.p99_ms),
               report.wal_bytes_per_job ? fmt::format("{:.0f}", *report.wal_bytes_per_job) : "-",
               fmt::format("{:.0f}/s", tasks / report.submit_seconds),
               fmt::format("{:.0f}/s", tasks / report.drain_seconds)});
    table.print();
}

boost::json::object json_of(const DrainReport& report, const DrainOptions& options) {
    const auto tasks = static_cast<double>(options.tasks);
    boost::json::object object{{"scenario", "drain"},
                               {"store", report.store},
                               {"tasks", options.tasks},
                               {"workers", options.workers},
                               {"batch", options.batch},
                               {"seconds", to_thousandths(report.drain_seconds)},
                               {"per_second", std::llround(tasks / report.drain_seconds)},
                               {"submit_per_second", std::llround(tasks / report.submit_seconds)},
                               {"p50_ms", to_thousandths(report.latencies.p50_ms)},
                               {"p95_ms", to_thousandths(report.latencies.p95_ms)},
                               {"p99_ms", to_thousandths(report.latencies.p99_ms)},
                               {"wal_bytes_per_job", nullptr}};
    if (report.wal_bytes_per_job) object["wal_bytes_per_job"] = std::llround(*report.wal_bytes_per_job);
    return object;
}

}  // namespace

int run_bench_drain(const CommonOptions& common, const DrainOptions& options) {
    const auto report = measure(common.store, options);
    if (!report) return fail_with(report.error(), common.json);
    if (common.json) {
        print_json(json_of(*report, options));
    } else {
        print_report(*report, options);
    }
    return 0;
}

}  // namespace flowfabric::cli
