#include <algorithm>
#include <cmath>
#include <future>
#include <thread>

#include <fmt/format.h>
#include <boost/json/array.hpp>

#include "bench/drain_run.hpp"
#include "bench/followers.hpp"
#include "bench/report.hpp"
#include "bench/scenarios.hpp"
#include "bench/support.hpp"
#include "cli/store_location.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/engine.hpp"

// What subscribers cost the work, and how soon they hear of it. They follow from another process; lag is the time
// from the answer to a complete until its event is delivered there, and nothing when the event was faster.
namespace flowfabric::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t subscribers = 3;

// Executions that are run one at a time, on a lane of their own.
class SingleRuns {
  public:
    explicit SingleRuns(Engine& engine, std::string lane = bench_lane()) : engine_(engine), lane_(std::move(lane)) {}

    const std::string& lane() const { return lane_; }

    Result<ExecutionId> create() {
        CreateExecution command;
        command.lane_id = lane_;
        command.execution_kind = "noop";
        command.creator_identity = "ff-bench";
        const auto created = engine_.create_execution(std::move(command));
        if (!created) return created.error();
        return created->execution_id;
    }

    // Claims one that was created, and completes it after the pause.
    Result<AnsweredComplete> run_one(std::chrono::milliseconds pause = 0ms) {
        Claim command;
        command.lanes = {lane_};
        command.worker_id = "ff-bench";
        command.worker_instance_id = "ff-bench-subscribe";
        command.max_wait_ms = 10'000;
        auto claimed = engine_.claim(std::move(command));
        if (!claimed) return claimed.error();
        if (claimed->executions.empty()) return broken("a created execution could not be claimed");
        std::this_thread::sleep_for(pause);
        return complete(std::move(claimed->executions.front().handle));
    }

  private:
    Result<AnsweredComplete> complete(Handle handle) {
        std::promise<Result<AnsweredComplete>> answered;
        Complete command;
        command.lease = std::move(handle);
        engine_.submit(std::move(command), [&answered](Result<Completed> answer) {
            const auto now = BenchClock::now();
            if (!answer) return answered.set_value(std::move(answer).error());
            answered.set_value(AnsweredComplete{.execution_id = answer->execution_id, .answered_at = now});
        });
        return answered.get_future().get();
    }

    Engine& engine_;
    const std::string lane_;
};

// ---- the phases -----------------------------------------------------------------------------------------------------

struct Idle {
    std::optional<double> queries_per_second;  // where the store counts them
    Latencies wake;
};

// One subscriber with nothing to read, then with one event at a time.
Result<Idle> measure_idle(const StoreOptions& store, const std::string& url, const SubscribeOptions& options) {
    Idle idle{.queries_per_second = std::nullopt, .wake = {}};
    std::string lane;
    std::optional<ExecutionId> last;
    {
        const auto engine = cli::open_engine(store, cli::Reconcilers::off);
        if (!engine) return engine.error();
        SingleRuns runs(**engine);
        const auto created = runs.create();
        if (!created) return created.error();
        lane = runs.lane();
        last = *created;
    }
    Followers follower(url, 1, *last);
    if (auto ready = follower.await_ready(); !ready) return ready.error();
    if (cli::store_kind(url) == "postgres" && options.idle_seconds > 0) {
        const std::chrono::seconds watched(options.idle_seconds);
        // What a server process has counted last it tells when it has been idle for 10 s; that was the subscriber's
        // start and not its idle time.
        std::this_thread::sleep_for(watched > 7s ? 11s : 2s);
        const auto probe = PostgresProbe::connect(url);
        if (!probe) return probe.error();
        const auto rate = probe->transaction_rate(watched);
        if (!rate) return rate.error();
        idle.queries_per_second = *rate;
    }

    const auto engine = cli::open_engine(store, cli::Reconcilers::off);
    if (!engine) return engine.error();
    SingleRuns samples(**engine);
    std::vector<AnsweredComplete> completed;
    for (std::uint64_t i = 0; i < options.samples; ++i) {
        if (const auto there = follower.still_there(); !there) return there.error();
        if (const auto created = samples.create(); !created) return created.error();
        // The claim's own events wake the subscriber too; it is back to rest by then.
        const auto answered = samples.run_one(20ms);
        if (!answered) return answered.error();
        completed.push_back(*answered);
    }
    if (const auto ended = SingleRuns(**engine, lane).run_one(); !ended) return ended.error();
    const auto sightings = follower.await_end();
    if (!sightings) return sightings.error();
    auto lag = lag_of(followed_by(1).front(), sightings->front(), std::move(completed));
    if (!lag) return lag.error();
    idle.wake = summarise(std::move(lag->samples));
    return idle;
}

struct Drains {
    std::vector<double> alone;  // per second, by round
    std::vector<double> followed;
    std::vector<Lag> lags;  // by subscriber
};

class DrainRounds {
  public:
    DrainRounds(Engine& engine, std::string url, const SubscribeOptions& options)
        : engine_(engine), url_(std::move(url)), options_(options) {
        drains_.lags.resize(subscribers);
    }

    Result<Drains> run() {
        for (std::uint32_t round = 0; round < options_.rounds; ++round) {
            // Each goes first as often as second, for the store grows from drain to drain.
            const bool followed_first = round % 2 == 1;
            if (auto first = drain(followed_first); !first) return first.error();
            if (auto second = drain(!followed_first); !second) return second.error();
        }
        return std::move(drains_);
    }

  private:
    Result<void> drain(bool followed) {
        // Otherwise it is chance which drain pays for a checkpoint.
        if (auto wal = WalMeter::open(url_); !wal) return wal.error();
        DrainRun run({&engine_}, options_.drain);
        if (const auto submitted = run.submit_all(); !submitted) return submitted.error();
        SingleRuns runs(engine_);
        const auto last = runs.create();
        if (!last) return last.error();
        std::optional<Followers> followers(std::in_place, url_, subscribers, *last);
        if (auto ready = followers->await_ready(); !ready) return ready.error();
        // Not before, for the pause that they take to start is good for the drain.
        if (!followed) followers.reset();
        const auto seconds = run.drain_all();
        if (!seconds) return seconds.error();
        if (const auto verified = run.verify_exactly_once(); !verified) return verified.error();
        if (const auto ended = runs.run_one(); !ended) return ended.error();
        const double rate = static_cast<double>(options_.drain.tasks) / *seconds;
        (followed ? drains_.followed : drains_.alone).push_back(rate);
        return followed ? judge(*followers, run.completed()) : Result<void>{};
    }

    Result<void> judge(Followers& followers, const std::vector<AnsweredComplete>& completed) {
        const auto sightings = followers.await_end();
        if (!sightings) return sightings.error();
        const auto followed = followed_by(subscribers);
        for (std::size_t i = 0; i < subscribers; ++i) {
            const auto lag = lag_of(followed[i], (*sightings)[i], completed);
            if (!lag) return lag.error();
            Lag& all = drains_.lags[i];
            all.events += lag->events;
            all.samples.insert(all.samples.end(), lag->samples.begin(), lag->samples.end());
        }
        return {};
    }

    Engine& engine_;
    const std::string url_;
    const SubscribeOptions& options_;
    Drains drains_;
};

// ---- the report -----------------------------------------------------------------------------------------------------

struct SubscribeReport {
    std::string store;
    Idle idle;
    Drains drains;

    double alone() const { return median(drains.alone); }
    double followed() const { return median(drains.followed); }
    // Round by round, for both drains of a round meet the same store.
    double speed_kept() const {
        std::vector<double> kept;
        kept.reserve(drains.alone.size());
        for (std::size_t i = 0; i < drains.alone.size(); ++i) kept.push_back(drains.followed[i] / drains.alone[i]);
        return median(std::move(kept));
    }
};

Result<SubscribeReport> measure(const StoreOptions& store, const SubscribeOptions& options) {
    const auto url = cli::store_url(store);
    if (!url) return url.error();
    SubscribeReport report{.store = cli::store_kind(*url), .idle = {}, .drains = {}};
    if (report.store == "memory") return invalid_input("store", "a memory store cannot be shared with another process");
    auto idle = measure_idle(store, *url, options);
    if (!idle) return idle.error();
    report.idle = *idle;
    const auto engine = cli::open_engine(store, cli::Reconcilers::off);
    if (!engine) return engine.error();
    auto drains = DrainRounds(**engine, *url, options).run();
    if (!drains) return drains.error();
    report.drains = *std::move(drains);
    return report;
}

std::vector<std::string> cells_of(const Latencies& latencies) {
    return {fmt::format("{:.2f}", latencies.p50_ms), fmt::format("{:.2f}", latencies.p95_ms),
            fmt::format("{:.2f}", latencies.p99_ms), fmt::format("{:.2f}", latencies.max_ms)};
}

void print_report(const SubscribeReport& report, const SubscribeOptions& options) {
    cli::Table drains(
        {"scenario", "store", "tasks", "workers", "batch", "rounds", "subscribers", "alone", "followed", "speed kept"});
    drains.add({"subscribe", report.store, fmt::to_string(options.drain.tasks), fmt::to_string(options.drain.workers),
                fmt::to_string(options.drain.batch), fmt::to_string(options.rounds), fmt::to_string(subscribers),
                fmt::format("{:.0f}/s", report.alone()), fmt::format("{:.0f}/s", report.followed()),
                fmt::format("{:.1f} %", report.speed_kept() * 100)});
    drains.print();
    cli::print_line("");
    cli::Table lags({"subscriber", "load", "events", "lag p50 ms", "p95 ms", "p99 ms", "max ms", "queries when idle"});
    const auto add = [&lags](std::string name, std::string load, std::uint64_t events, const Latencies& latencies,
                             std::string queries) {
        std::vector<std::string> row{std::move(name), std::move(load), fmt::to_string(events)};
        for (auto& cell : cells_of(latencies)) row.push_back(std::move(cell));
        row.push_back(std::move(queries));
        lags.add(std::move(row));
    };
    const auto followed = followed_by(subscribers);
    for (std::size_t i = 0; i < subscribers; ++i) {
        const Lag& lag = report.drains.lags[i];
        add(followed[i].name(), "drain", lag.events, summarise(lag.samples), "-");
    }
    const auto& queries = report.idle.queries_per_second;
    add(followed.front().name(), "idle", options.samples, report.idle.wake,
        queries ? fmt::format("{:.2f}/s", *queries) : "-");
    lags.print();
}

boost::json::array json_of(const std::vector<double>& rates) {
    boost::json::array array;
    for (const double rate : rates) array.emplace_back(std::llround(rate));
    return array;
}

boost::json::object json_of(const SubscribeReport& report, const SubscribeOptions& options) {
    boost::json::array lags;
    const auto followed = followed_by(subscribers);
    for (std::size_t i = 0; i < subscribers; ++i) {
        const Lag& lag = report.drains.lags[i];
        boost::json::object object = json_of(summarise(lag.samples));
        object["channel"] = to_string(followed[i].channel);
        if (followed[i].namespace_name) object["namespace"] = *followed[i].namespace_name;
        object["events"] = lag.events;
        lags.push_back(std::move(object));
    }
    boost::json::object idle{{"wake", json_of(report.idle.wake)}, {"queries_per_second", nullptr}};
    idle["samples"] = options.samples;
    if (report.idle.queries_per_second) {
        idle["queries_per_second"] = to_thousandths(*report.idle.queries_per_second);
    }
    return {{"scenario", "subscribe"},
            {"store", report.store},
            {"tasks", options.drain.tasks},
            {"workers", options.drain.workers},
            {"batch", options.drain.batch},
            {"alone_per_second", std::llround(report.alone())},
            {"followed_per_second", std::llround(report.followed())},
            {"speed_kept", to_thousandths(report.speed_kept())},
            {"alone_rounds", json_of(report.drains.alone)},
            {"followed_rounds", json_of(report.drains.followed)},
            {"subscribers", std::move(lags)},
            {"idle", std::move(idle)}};
}

}  // namespace

int run_subscribe(const CommonOptions& common, const SubscribeOptions& options) {
    if (options.follow > 0) return run_followers(common, options.follow, options.until);
    const auto report = measure(common.store, options);
    if (!report) return fail_with(report.error(), common.json);
    if (common.json) {
        cli::print_json(json_of(*report, options));
    } else {
        print_report(*report, options);
    }
    return 0;
}

}  // namespace flowfabric::bench
