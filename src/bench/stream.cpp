#include <cmath>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "bench/report.hpp"
#include "bench/scenarios.hpp"
#include "bench/support.hpp"
#include "cli/store_location.hpp"
#include "flowfabric/engine.hpp"

// What streams of attempts take: frames that are appended one by one, many at a time to one stream and to many, frames
// that are read by a tail, and how long it takes until a waiting tail has a frame.
namespace flowfabric::bench {
namespace {

constexpr std::uint32_t in_flight = 64;
constexpr std::uint32_t tail_limit = 1'000;

// An attempt that runs, and so has a stream.
struct Attempt {
    ExecutionId id;
    std::uint32_t index = 0;
    Handle lease;
};

Result<std::vector<Attempt>> start(Engine& engine, std::uint32_t count) {
    const std::string lane = bench_lane();
    for (std::uint32_t i = 0; i < count; ++i) {
        CreateExecution create;
        create.lane_id = lane;
        create.execution_kind = "stream";
        if (auto created = engine.create_execution(std::move(create)); !created) return created.error();
    }
    Claim claim;
    claim.lanes = {lane};
    claim.worker_id = "ff-bench";
    claim.worker_instance_id = "ff-bench-stream";
    claim.lease_ttl_ms = 3'600'000;
    claim.max_count = count;
    auto claimed = engine.claim(std::move(claim));
    if (!claimed) return claimed.error();
    if (claimed->executions.size() != count) return broken("not everything was claimed");
    std::vector<Attempt> attempts;
    for (const auto& each : claimed->executions) {
        attempts.push_back({each.execution_id, static_cast<std::uint32_t>(each.attempt_index), each.handle});
    }
    return attempts;
}

Result<void> finish(Engine& engine, const std::vector<Attempt>& attempts) {
    for (const Attempt& attempt : attempts) {
        if (auto completed = engine.complete({.lease = attempt.lease}); !completed) return completed.error();
    }
    return {};
}

AppendFrame frame_of(const Attempt& attempt, std::size_t bytes) {
    AppendFrame frame;
    frame.lease = attempt.lease;
    frame.payload = Bytes(bytes, 'x');
    frame.kind = FrameKind::standard_output;
    return frame;
}

// Appends frames to the attempts in turns and keeps so many unanswered.
//
// Life cycle: one run per object; append_all() blocks the calling thread until every answer is in.
// Threads: answers arrive on the engine's executor; everything they touch is behind one mutex.
class AppendRun {
  public:
    explicit AppendRun(Engine& engine) : engine_(engine) {}

    // The seconds that it took.
    Result<double> append_all(const std::vector<Attempt>& attempts, std::uint64_t frames, std::uint32_t at_once,
                              std::size_t bytes) {
        const auto began = BenchClock::now();
        for (std::uint64_t i = 0; i < frames && enter(at_once); ++i) {
            const auto sent_at = BenchClock::now();
            engine_.submit(frame_of(attempts[i % attempts.size()], bytes),
                           [this, sent_at](const Result<FrameAppended>& answer) { on_answer(sent_at, answer); });
        }
        std::unique_lock lock(mutex_);
        answered_.wait(lock, [this] { return in_flight_ == 0; });
        if (error_) return *error_;
        return seconds_between(began, BenchClock::now());
    }

    // From a frame to its answer.
    Latencies latencies() const { return summarise(latencies_); }

  private:
    bool enter(std::uint32_t at_once) {
        std::unique_lock lock(mutex_);
        answered_.wait(lock, [&] { return in_flight_ < at_once; });
        if (error_) return false;
        ++in_flight_;
        return true;
    }

    void on_answer(BenchClock::time_point sent_at, const Result<FrameAppended>& answer) {
        const auto now = BenchClock::now();
        const std::scoped_lock lock(mutex_);
        if (answer) {
            latencies_.push_back(now - sent_at);
        } else if (!error_) {
            error_ = answer.error();
        }
        --in_flight_;
        answered_.notify_one();
    }

    Engine& engine_;

    std::mutex mutex_;  // guards everything below while answers are outstanding
    std::condition_variable answered_;
    std::uint32_t in_flight_ = 0;
    std::vector<BenchClock::duration> latencies_;
    std::optional<EngineError> error_;
};

struct Appended {
    double per_second = 0;
    Latencies latencies;
};

Result<Appended> measure_appends(Engine& engine, std::uint32_t streams, std::uint64_t frames, std::uint32_t at_once,
                                 std::size_t bytes) {
    const auto attempts = start(engine, streams);
    if (!attempts) return attempts.error();
    AppendRun run(engine);
    const auto seconds = run.append_all(*attempts, frames, at_once, bytes);
    if (!seconds) return seconds.error();
    if (auto done = finish(engine, *attempts); !done) return done.error();
    return Appended{static_cast<double>(frames) / *seconds, run.latencies()};
}

// Everything that is kept of one stream, from its first frame on.
Result<double> measure_tail(Engine& engine, std::uint64_t frames, std::size_t bytes) {
    const auto attempts = start(engine, 1);
    if (!attempts) return attempts.error();
    AppendRun run(engine);
    if (auto appended = run.append_all(*attempts, frames, in_flight, bytes); !appended) return appended.error();
    TailStream tail;
    tail.execution_id = attempts->front().id;
    tail.attempt_index = attempts->front().index;
    tail.limit = tail_limit;
    std::uint64_t read = 0;
    const auto began = BenchClock::now();
    for (;;) {
        const auto page = engine.tail_stream(tail);
        if (!page) return page.error();
        if (page->frames.empty()) break;
        read += page->frames.size();
        tail.after = page->frames.back().id;
    }
    const double seconds = seconds_between(began, BenchClock::now());
    if (read == 0) return broken("a stream with frames has none");
    if (auto done = finish(engine, *attempts); !done) return done.error();
    return static_cast<double>(read) / seconds;
}

// From a frame's submission until a tail that waits for it on the other engine, which may be the same, has it.
Result<Latencies> measure_first_frames(Engine& worker, Engine& reader, std::uint64_t samples, std::size_t bytes) {
    const auto attempts = start(worker, 1);
    if (!attempts) return attempts.error();
    const Attempt& attempt = attempts->front();
    std::vector<BenchClock::duration> latencies;
    TailStream tail;
    tail.execution_id = attempt.id;
    tail.attempt_index = attempt.index;
    tail.block_ms = max_tail_block_ms;
    for (std::uint64_t i = 0; i < samples; ++i) {
        std::promise<Result<StreamPage>> promise;
        auto page = promise.get_future();
        BenchClock::time_point seen;
        reader.submit_past_executor(tail, [&](Result<StreamPage> answer) {
            seen = BenchClock::now();
            promise.set_value(std::move(answer));
        });
        // Longer than the tail needs to look for a frame and, finding none, to wait.
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        const auto sent = BenchClock::now();
        if (auto appended = worker.append_frame(frame_of(attempt, bytes)); !appended) return appended.error();
        const auto answer = page.get();
        if (!answer) return answer.error();
        if (answer->frames.size() != 1) return broken("a tail did not get the one frame");
        tail.after = answer->frames.front().id;
        latencies.push_back(seen - sent);
    }
    if (auto done = finish(worker, *attempts); !done) return done.error();
    return summarise(std::move(latencies));
}

boost::json::object json_of(const Appended& appended) {
    boost::json::object object = json_of(appended.latencies);
    object["per_second"] = std::llround(appended.per_second);
    return object;
}

Result<boost::json::object> measure(const CommonOptions& common, const StreamOptions& options) {
    const auto url = cli::store_url(common.store);
    if (!url) return url.error();
    const auto worker = cli::open_engine(common.store, cli::Reconcilers::on);
    if (!worker) return worker.error();
    const auto reader = cli::open_engine(common.store, cli::Reconcilers::off);
    if (!reader) return reader.error();
    const auto single = measure_appends(**worker, 1, options.samples, 1, options.payload_bytes);
    if (!single) return single.error();
    const auto one = measure_appends(**worker, 1, options.frames, in_flight, options.payload_bytes);
    if (!one) return one.error();
    const auto many = measure_appends(**worker, in_flight, options.frames, in_flight, options.payload_bytes);
    if (!many) return many.error();
    const auto tailed = measure_tail(**worker, options.frames, options.payload_bytes);
    if (!tailed) return tailed.error();
    const auto near = measure_first_frames(**worker, **worker, options.samples, options.payload_bytes);
    if (!near) return near.error();
    const auto far = measure_first_frames(**worker, **reader, options.samples, options.payload_bytes);
    if (!far) return far.error();
    return boost::json::object{{"scenario", "stream"},
                               {"store", cli::store_kind(*url)},
                               {"frames", options.frames},
                               {"payload_bytes", options.payload_bytes},
                               {"samples", options.samples},
                               {"append_single", json_of(*single)},
                               {"append_64_to_one", json_of(*one)},
                               {"append_64_to_64", json_of(*many)},
                               {"tail_per_second", std::llround(*tailed)},
                               {"first_frame_one_engine", json_of(*near)},
                               {"first_frame_two_engines", json_of(*far)}};
}

}  // namespace

int run_stream(const CommonOptions& common, const StreamOptions& options) {
    const auto report = measure(common, options);
    if (!report) return fail_with(report.error(), common.json);
    print_reports({*report}, common.json);
    return 0;
}

}  // namespace flowfabric::bench
