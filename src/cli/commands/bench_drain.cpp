#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <memory>
#include <mutex>

#include <fmt/format.h>

#include "cli/bench_support.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/store_location.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {
namespace {

using Clock = BenchClock;

constexpr std::size_t submits_in_flight = 2'000;

// Submits `tasks` executions to a lane of its own, then lets `workers` asynchronous loops claim and complete them all.
//
// Life cycle: one run per object; submit_all() and drain_all() block the calling thread until every answer is in.
// Threads: answers arrive on the engine's executor, everything they touch is behind one mutex.
// Stopping: the first error ends the run as soon as what is in flight has been answered.
class DrainRun {
  public:
    DrainRun(Engine& engine, const DrainOptions& options) : engine_(engine), options_(options), lane_(bench_lane()) {
        created_.reserve(options.tasks);
        completed_.reserve(options.tasks);
        latencies_.reserve(options.tasks);
    }

    Result<double> submit_all() {
        const auto started_at = Clock::now();
        for (std::uint64_t i = 0; i < options_.tasks; ++i) {
            std::unique_lock lock(mutex_);
            answered_.wait(lock, [this] { return in_flight_ < submits_in_flight; });
            if (error_) break;
            ++in_flight_;
            lock.unlock();
            CreateExecution command;
            command.lane_id = lane_;
            command.execution_kind = "noop";
            command.creator_identity = "ff-bench";
            engine_.submit(std::move(command), [this](Result<Created> answer) { on_created(std::move(answer)); });
        }
        if (auto failed = wait_for_answers()) return *std::move(failed);
        return seconds_between(started_at, Clock::now());
    }

    Result<double> drain_all() {
        const auto started_at = Clock::now();
        {
            const std::scoped_lock lock(mutex_);
            in_flight_ = options_.workers;
        }
        for (std::uint32_t worker = 0; worker < options_.workers; ++worker) claim(worker);
        if (auto failed = wait_for_answers()) return *std::move(failed);
        return seconds_between(started_at, last_completed_at_);
    }

    Result<void> verify_exactly_once() {
        std::sort(created_.begin(), created_.end());
        std::sort(completed_.begin(), completed_.end());
        if (created_ == completed_ && std::adjacent_find(created_.begin(), created_.end()) == created_.end()) return {};
        return EngineError{.kind = ErrorKind::internal,
                           .detail = fmt::format("{} executions submitted, {} completions answered, not one for each",
                                                 created_.size(), completed_.size()),
                           .not_active = std::nullopt};
    }

    // From the claim's submission to the answer of the job's complete.
    Latencies latencies() const { return summarise(latencies_); }

  private:
    std::optional<EngineError> wait_for_answers() {
        std::unique_lock lock(mutex_);
        answered_.wait(lock, [this] { return in_flight_ == 0; });
        return error_;
    }

    // With mutex_ held.
    void leave() {
        --in_flight_;
        answered_.notify_one();
    }

    void on_created(Result<Created> answer) {
        const std::scoped_lock lock(mutex_);
        if (answer) {
            created_.push_back(answer->execution_id);
        } else if (!error_) {
            error_ = std::move(answer).error();
        }
        leave();
    }

    void claim(std::uint32_t worker) {
        Claim command;
        command.lanes = {lane_};
        command.worker_id = "ff-bench";
        command.worker_instance_id = fmt::format("ff-bench-{}", worker);
        command.max_count = options_.batch;
        // Only a claim that found the rest of the lane locked by others ever waits.
        command.max_wait_ms = 20;
        const auto sent_at = Clock::now();
        engine_.submit(std::move(command), [this, worker, sent_at](Result<Claimed> answer) {
            on_claimed(worker, sent_at, std::move(answer));
        });
    }

    void on_claimed(std::uint32_t worker, Clock::time_point sent_at, Result<Claimed> answer) {
        if (!answer) {
            const std::scoped_lock lock(mutex_);
            if (!error_) error_ = std::move(answer).error();
            leave();
            return;
        }
        auto& executions = answer->executions;
        {
            const std::scoped_lock lock(mutex_);
            claimed_ += executions.size();
        }
        if (executions.empty()) {
            next_claim(worker);
            return;
        }
        const auto open = std::make_shared<std::size_t>(executions.size());
        for (auto& execution : executions) {
            Complete command;
            command.lease = std::move(execution.handle);
            engine_.submit(std::move(command), [this, worker, sent_at, open](Result<Completed> completed) {
                if (on_completed(sent_at, *open, std::move(completed))) next_claim(worker);
            });
        }
    }

    // Whether this was the last answer of its claim.
    bool on_completed(Clock::time_point sent_at, std::size_t& open, Result<Completed> answer) {
        const std::scoped_lock lock(mutex_);
        const auto now = Clock::now();
        if (answer) {
            completed_.push_back(answer->execution_id);
            latencies_.push_back(now - sent_at);
            last_completed_at_ = std::max(last_completed_at_, now);
        } else if (!error_) {
            error_ = std::move(answer).error();
        }
        return --open == 0;
    }

    void next_claim(std::uint32_t worker) {
        {
            const std::scoped_lock lock(mutex_);
            if (error_ || claimed_ >= options_.tasks) {
                leave();
                return;
            }
        }
        claim(worker);
    }

    Engine& engine_;
    const DrainOptions options_;
    const std::string lane_;

    std::mutex mutex_;  // guards everything below while answers are outstanding
    std::condition_variable answered_;
    std::size_t in_flight_ = 0;  // submits, later workers that have not ended
    std::uint64_t claimed_ = 0;
    std::vector<ExecutionId> created_;
    std::vector<ExecutionId> completed_;
    std::vector<Clock::duration> latencies_;
    Clock::time_point last_completed_at_{};
    std::optional<EngineError> error_;
};

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
