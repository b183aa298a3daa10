#include <cmath>
#include <condition_variable>
#include <mutex>

#include "bench/report.hpp"
#include "bench/scenarios.hpp"
#include "bench/support.hpp"
#include "cli/store_location.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::bench {
namespace {

// Submits `tasks` executions to a lane of its own and keeps `in_flight` of them unanswered.
//
// Life cycle: one run per object; submit_all() blocks the calling thread until every answer is in.
// Threads: answers arrive on the engine's executor, everything they touch is behind one mutex.
// Stopping: the first error ends the run as soon as what is in flight has been answered.
class SubmitRun {
  public:
    SubmitRun(Engine& engine, const SubmitOptions& options)
        : engine_(engine), options_(options), payload_(options.payload_bytes, 'x') {
        latencies_.reserve(options.tasks);
    }

    Result<double> submit_all() {
        const std::string lane = bench_lane();
        const auto started_at = BenchClock::now();
        for (std::uint64_t i = 0; i < options_.tasks && enter(); ++i) {
            CreateExecution command;
            command.lane_id = lane;
            command.execution_kind = "noop";
            command.creator_identity = "ff-bench";
            command.input_payload = payload_;
            const auto sent_at = BenchClock::now();
            engine_.submit(std::move(command),
                           [this, sent_at](Result<Created> answer) { on_created(sent_at, std::move(answer)); });
        }
        std::unique_lock lock(mutex_);
        answered_.wait(lock, [this] { return in_flight_ == 0; });
        if (error_) return *error_;
        return seconds_between(started_at, BenchClock::now());
    }

    // From the submission to its answer.
    Latencies latencies() const { return summarise(latencies_); }

  private:
    // Once there is room for one more; false after an error.
    bool enter() {
        std::unique_lock lock(mutex_);
        answered_.wait(lock, [this] { return in_flight_ < options_.in_flight; });
        if (error_) return false;
        ++in_flight_;
        return true;
    }

    void on_created(BenchClock::time_point sent_at, Result<Created> answer) {
        const auto now = BenchClock::now();
        const std::scoped_lock lock(mutex_);
        if (answer) {
            latencies_.push_back(now - sent_at);
        } else if (!error_) {
            error_ = std::move(answer).error();
        }
        --in_flight_;
        answered_.notify_one();
    }

    Engine& engine_;
    const SubmitOptions options_;
    const Bytes payload_;

    std::mutex mutex_;  // guards everything below while answers are outstanding
    std::condition_variable answered_;
    std::size_t in_flight_ = 0;
    std::vector<BenchClock::duration> latencies_;
    std::optional<EngineError> error_;
};

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
