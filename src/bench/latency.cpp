#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "bench/line_process.hpp"
#include "bench/report.hpp"
#include "bench/scenarios.hpp"
#include "bench/support.hpp"
#include "cli/store_location.hpp"
#include "flowfabric/engine.hpp"

// How long it takes from a submission to the start of its handler in another process. The payload is the time of the
// submission; the worker sends it back beside the time of the start, both of one clock.
namespace flowfabric::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view probe_ready_line = "ready";

// ---- the worker's process -----------------------------------------------------------------------------------------

// Keeps one waiting claim on the lane, completes what it gets and reports a line for each, until its input ends.
//
// Life cycle: run() blocks the calling thread, which alone writes to standard output.
// Threads: answers arrive on the engine's executor and only add to what is to be written.
// Stopping: by the end of the input, a closed output, or an error; the engine then answers what still waits.
class LatencyWorker {
  public:
    explicit LatencyWorker(std::string lane) : lane_(std::move(lane)), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
    ~LatencyWorker() { close(wake_); }
    LatencyWorker(const LatencyWorker&) = delete;
    LatencyWorker& operator=(const LatencyWorker&) = delete;

    Result<void> run(const StoreOptions& store) {
        auto engine = cli::open_engine(store, cli::Reconcilers::off);
        if (!engine) return engine.error();
        engine_ = engine->get();
        write_later(std::string(probe_ready_line) + "\n");
        claim();
        report();
        stopping_ = true;
        engine->reset();
        if (error_) return *error_;
        return {};
    }

  private:
    void claim() {
        Claim command;
        command.lanes = {lane_};
        command.worker_id = "ff-bench";
        command.worker_instance_id = "ff-bench-latency";
        command.max_count = 100;
        command.max_wait_ms = 60'000;
        engine_->submit(std::move(command), [this](Result<Claimed> answer) { on_claimed(std::move(answer)); });
    }

    void on_claimed(Result<Claimed> answer) {
        const std::int64_t started_at = nanoseconds(BenchClock::now());
        if (!answer) {
            give_up(std::move(answer).error());
            return;
        }
        if (stopping_) return;
        claim();
        for (auto& execution : answer->executions) {
            Complete command;
            command.lease = std::move(execution.handle);
            engine_->submit(std::move(command), [this, line = fmt::format("{} {}\n", execution.input_payload,
                                                                          started_at)](Result<Completed> completed) {
                if (!completed) return give_up(std::move(completed).error());
                write_later(line);
            });
        }
    }

    void write_later(const std::string& line) {
        const std::scoped_lock lock(mutex_);
        if (unwritten_.empty()) eventfd_write(wake_, 1);
        unwritten_ += line;
    }

    void give_up(EngineError error) {
        if (stopping_) return;
        const std::scoped_lock lock(mutex_);
        if (!error_) error_ = std::move(error);
        eventfd_write(wake_, 1);
    }

    // Until there is a reason to stop.
    void report() {
        std::array<pollfd, 2> watched{pollfd{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                                      pollfd{.fd = wake_, .events = POLLIN, .revents = 0}};
        for (;;) {
            if (poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) return;
            if (watched[0].revents != 0) return;
            eventfd_t woken = 0;
            eventfd_read(wake_, &woken);
            std::string text;
            {
                const std::scoped_lock lock(mutex_);
                if (error_) return;
                text.swap(unwritten_);
            }
            if (!write_all(text)) return;
        }
    }

    static bool write_all(std::string_view text) {
        while (!text.empty()) {
            const ssize_t count = write(STDOUT_FILENO, text.data(), text.size());
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) return false;
            text.remove_prefix(static_cast<std::size_t>(count));
        }
        return true;
    }

    const std::string lane_;
    const int wake_;
    Engine* engine_ = nullptr;
    std::atomic<bool> stopping_ = false;
    std::mutex mutex_;  // guards what follows
    std::string unwritten_;
    std::optional<EngineError> error_;
};

// ---- the submitter's process --------------------------------------------------------------------------------------

// Submits, and hears from the worker when each handler has started.
//
// Life cycle: lives between its engine and the worker's process; the destructor waits for the engine's answers.
// Threads: the phases run on the calling thread; answers arrive on the engine's executor, lines on the process's
// reader. Stopping: the first error, the worker's end, or a long silence ends the phase that is under way.
class LatencyRun {
  public:
    LatencyRun(Engine& engine, std::string lane) : engine_(engine), lane_(std::move(lane)) {}
    ~LatencyRun() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return unanswered_ == 0; });
    }
    LatencyRun(const LatencyRun&) = delete;
    LatencyRun& operator=(const LatencyRun&) = delete;

    LineProcess::Callbacks callbacks() {
        return {.on_line = [this](std::string_view line) { on_line(line); },
                .on_end = [this] { fail(broken("the worker's process has ended")); }};
    }

    Result<void> await_worker() {
        return await([this] { return ready_; });
    }

    // One at a time, with a pause in which the worker's next claim comes to rest.
    Result<Latencies> idle(std::uint64_t samples) {
        begin_phase();
        for (std::uint64_t i = 1; i <= samples; ++i) {
            std::this_thread::sleep_for(5ms);
            submit();
            if (auto seen = await_unseen(0); !seen) return seen.error();
        }
        return summarise(take_latencies());
    }

    // The rate at which both processes together move executions, when neither has to wait for the other.
    Result<double> peak_rate(std::chrono::seconds duration) {
        constexpr std::uint64_t window = 500;
        begin_phase();
        const auto started_at = BenchClock::now();
        while (BenchClock::now() < started_at + duration) {
            submit();
            if (auto seen = await_unseen(window); !seen) return seen.error();
        }
        if (auto seen = await_unseen(0); !seen) return seen.error();
        const double seconds = seconds_between(started_at, BenchClock::now());
        return static_cast<double>(take_latencies().size()) / seconds;
    }

    struct Loaded {
        std::uint64_t samples = 0;
        double per_second = 0;  // as submitted
        Latencies latencies;
    };
    Result<Loaded> at_rate(double per_second, std::chrono::seconds duration) {
        begin_phase();
        const std::chrono::duration<double> interval(1 / per_second);
        const auto count = static_cast<std::uint64_t>(static_cast<double>(duration.count()) * per_second);
        const auto started_at = BenchClock::now();
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto due = std::chrono::duration_cast<BenchClock::duration>(interval * i);
            std::this_thread::sleep_until(started_at + due);
            submit();
            if (auto failed = failure()) return *std::move(failed);
        }
        const double seconds = seconds_between(started_at, BenchClock::now());
        if (auto seen = await_unseen(0); !seen) return seen.error();
        return Loaded{.samples = count,
                      .per_second = static_cast<double>(count) / seconds,
                      .latencies = summarise(take_latencies())};
    }

  private:
    void begin_phase() {
        const std::scoped_lock lock(mutex_);
        latencies_.clear();
        submitted_ = 0;
    }

    void submit() {
        {
            const std::scoped_lock lock(mutex_);
            ++submitted_;
            ++unanswered_;
        }
        CreateExecution command;
        command.lane_id = lane_;
        command.execution_kind = "noop";
        command.creator_identity = "ff-bench";
        command.input_payload = fmt::to_string(nanoseconds(BenchClock::now()));
        engine_.submit(std::move(command), [this](Result<Created> answer) {
            if (!answer) fail(std::move(answer).error());
            const std::scoped_lock lock(mutex_);
            --unanswered_;
            changed_.notify_all();
        });
    }

    void on_line(std::string_view line) {
        const std::scoped_lock lock(mutex_);
        if (line == probe_ready_line) {
            ready_ = true;
        } else {
            const auto space = line.find(' ');
            latencies_.push_back(
                std::chrono::nanoseconds(number_in(line.substr(space + 1)) - number_in(line.substr(0, space))));
        }
        changed_.notify_all();
    }

    void fail(EngineError error) {
        const std::scoped_lock lock(mutex_);
        if (!error_) error_ = std::move(error);
        changed_.notify_all();
    }

    std::optional<EngineError> failure() {
        const std::scoped_lock lock(mutex_);
        return error_;
    }

    std::vector<BenchClock::duration> take_latencies() {
        const std::scoped_lock lock(mutex_);
        return std::exchange(latencies_, {});
    }

    Result<void> await_unseen(std::uint64_t at_most) {
        return await([this, at_most] { return submitted_ - latencies_.size() <= at_most; });
    }

    template <class Condition>
    Result<void> await(Condition condition) {
        std::unique_lock lock(mutex_);
        if (!changed_.wait_for(lock, 60s, [&] { return error_ || condition(); })) {
            return broken("the worker's process has reported nothing for a minute");
        }
        if (error_) return *error_;
        return {};
    }

    Engine& engine_;
    const std::string lane_;

    std::mutex mutex_;  // guards everything below
    std::condition_variable changed_;
    bool ready_ = false;
    std::uint64_t submitted_ = 0;   // in this phase
    std::uint64_t unanswered_ = 0;  // by the engine
    std::vector<BenchClock::duration> latencies_;
    std::optional<EngineError> error_;
};

struct LatencyReport {
    std::string store;
    Latencies idle;
    double peak_per_second = 0;
    std::optional<LatencyRun::Loaded> loaded;
};

Result<LatencyReport> measure(const StoreOptions& store, const LatencyOptions& options) {
    const auto url = cli::store_url(store);
    if (!url) return url.error();
    LatencyReport report{.store = cli::store_kind(*url), .idle = {}, .loaded = std::nullopt};
    if (report.store == "memory") return invalid_input("store", "a memory store cannot be shared with another process");
    const auto engine = cli::open_engine(store, cli::Reconcilers::off);
    if (!engine) return engine.error();
    const std::string lane = bench_lane();
    LatencyRun run(**engine, lane);
    // By the environment, where other users do not see a password.
    const LineProcess worker({"/proc/self/exe", "latency", "--worker-of", lane}, {{"FF_STORE", *url}}, run.callbacks());

    if (auto ready = run.await_worker(); !ready) return ready.error();
    if (auto warm = run.idle(20); !warm) return warm.error();
    const auto idle = run.idle(options.samples);
    if (!idle) return idle.error();
    report.idle = *idle;
    if (options.load_seconds == 0) return report;
    const std::chrono::seconds load(options.load_seconds);
    const auto peak = run.peak_rate(std::min(load, 2s));
    if (!peak) return peak.error();
    report.peak_per_second = *peak;
    const auto loaded = run.at_rate(*peak / 2, load);
    if (!loaded) return loaded.error();
    report.loaded = *loaded;
    return report;
}

boost::json::object json_of(const LatencyReport& report, const LatencyOptions& options) {
    boost::json::object idle = json_of(report.idle);
    idle["samples"] = options.samples;
    boost::json::object object{
        {"scenario", "latency"}, {"store", report.store}, {"idle", std::move(idle)}, {"loaded", nullptr}};
    if (report.loaded) {
        boost::json::object loaded = json_of(report.loaded->latencies);
        loaded["samples"] = report.loaded->samples;
        loaded["per_second"] = std::llround(report.loaded->per_second);
        loaded["peak_per_second"] = std::llround(report.peak_per_second);
        object["loaded"] = std::move(loaded);
    }
    return object;
}

int run_worker_of(const CommonOptions& common, const std::string& lane) {
    std::signal(SIGPIPE, SIG_IGN);  // an output without a reader ends the worker like an input that ends
    LatencyWorker worker(lane);
    if (const auto ended = worker.run(common.store); !ended) return fail_with(ended.error(), common.json);
    return 0;
}

}  // namespace

int run_latency(const CommonOptions& common, const LatencyOptions& options) {
    if (!options.worker_of.empty()) return run_worker_of(common, options.worker_of);
    const auto report = measure(common.store, options);
    if (!report) return fail_with(report.error(), common.json);
    print_reports({json_of(*report, options)}, common.json);
    return 0;
}

}  // namespace flowfabric::bench
