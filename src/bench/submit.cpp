#include <cmath>

#include "bench/report.hpp"
#include "bench/scenarios.hpp"
#include "bench/submit_run.hpp"
#include "cli/store_location.hpp"

namespace flowfabric::bench {
namespace {

struct SubmitReport {
    std::string store;
    double seconds = 0;
    Latencies latencies;
    std::optional<double> wal_bytes_per_job;
};

Result<SubmitReport> measure(const StoreOptions& store, const SubmitOptions& options) {
    const auto url = cli::store_url(store);
    if (!url) return url.error();
    SubmitReport report{.store = cli::store_kind(*url), .latencies = {}, .wal_bytes_per_job = std::nullopt};
    const auto engine = cli::open_engine(store, cli::Reconcilers::off);
    if (!engine) return engine.error();
    auto wal = WalMeter::open(*url);
    if (!wal) return wal.error();

    SubmitRun run(**engine, options);
    if (const auto begun = wal->start(); !begun) return begun.error();
    const auto seconds = run.submit_all();
    if (!seconds) return seconds.error();
    const auto wal_bytes = wal->bytes_per_job(options.tasks);
    if (!wal_bytes) return wal_bytes.error();

    report.seconds = *seconds;
    report.latencies = run.latencies();
    report.wal_bytes_per_job = *wal_bytes;
    return report;
}

boost::json::object json_of(const SubmitReport& report, const SubmitOptions& options) {
    boost::json::object object{{"scenario", "submit"},
                               {"store", report.store},
                               {"tasks", options.tasks},
                               {"in_flight", options.in_flight},
                               {"payload_bytes", options.payload_bytes},
                               {"seconds", to_thousandths(report.seconds)},
                               {"per_second", std::llround(static_cast<double>(options.tasks) / report.seconds)},
                               {"p50_ms", to_thousandths(report.latencies.p50_ms)},
                               {"p95_ms", to_thousandths(report.latencies.p95_ms)},
                               {"p99_ms", to_thousandths(report.latencies.p99_ms)},
                               {"wal_bytes_per_job", nullptr}};
    if (report.wal_bytes_per_job) object["wal_bytes_per_job"] = std::llround(*report.wal_bytes_per_job);
    return object;
}

}  // namespace

int run_submit(const CommonOptions& common, const SubmitOptions& options) {
    const auto report = measure(common.store, options);
    if (!report) return fail_with(report.error(), common.json);
    print_reports({json_of(*report, options)}, common.json);
    return 0;
}

}  // namespace flowfabric::bench
