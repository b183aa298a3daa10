#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include <fmt/format.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "bench/drain_run.hpp"
#include "bench/http_load.hpp"
#include "bench/report.hpp"
#include "bench/scenarios.hpp"
#include "bench/server_process.hpp"
#include "bench/submit_run.hpp"
#include "cli/store_location.hpp"

namespace flowfabric::bench {
namespace {

namespace json = boost::json;

constexpr std::size_t payload_bytes = 128;

std::string worker_path(std::uint32_t worker) {
    return fmt::format("/v1/workers/ff-bench-{}/exchange", worker);
}

// Executions by hand: one request creates one of them.
Result<double> submit_over_http(std::uint16_t port, const HttpOptions& options, const std::string& lane) {
    const std::string body = json::serialize(json::object{{"lane_id", lane},
                                                          {"execution_kind", "noop"},
                                                          {"creator_identity", "ff-bench"},
                                                          {"input", std::string(payload_bytes, 'x')}});
    std::uint64_t sent = 0;
    return run_load({.port = port,
                     .target = "/v1/executions",
                     .connections = options.connections,
                     .next = [&](std::uint32_t, std::string_view) -> std::optional<std::string> {
                         if (sent == options.tasks) return std::nullopt;
                         ++sent;
                         return body;
                     }});
}

// Workers whose every round reports what the last one took and asks for more.
class ExchangeDrain {
  public:
    ExchangeDrain(const HttpOptions& options, std::string lane) : options_(options), lane_(std::move(lane)) {}

    Result<double> run(std::uint16_t port) {
        auto seconds = run_load(
            {.port = port,
             .target = worker_path(0),
             .connections = options_.workers,
             .next = [this](std::uint32_t worker, std::string_view answer) { return next_round(worker, answer); }});
        if (seconds && completed_ != options_.tasks) {
            return broken(fmt::format("{} of {} executions were completed", completed_, options_.tasks));
        }
        return seconds;
    }

  private:
    std::optional<std::string> next_round(std::uint32_t worker, std::string_view answer) {
        json::array done;
        if (!answer.empty()) {
            const json::value last = json::parse(answer);
            for (const json::value& report : last.at("done").as_array()) {
                if (report.as_object().contains("answer")) ++completed_;
            }
            for (const json::value& task : last.at("tasks").as_array()) {
                done.push_back({{"lease", task.at("lease")}, {"outcome", "complete"}});
            }
            claimed_ += done.size();
        }
        const bool wants_more = claimed_ < options_.tasks;
        if (done.empty() && !wants_more) return std::nullopt;
        json::object round{{"worker_instance_id", fmt::format("ff-bench-{}", worker)}, {"done", std::move(done)}};
        // Only a claim that found the rest of the lane locked by others ever waits.
        if (wants_more)
            round["claim"] = {{"max", options_.batch}, {"wait_ms", 20}, {"lanes", json::array{json::value(lane_)}}};
        return json::serialize(round);
    }

    const HttpOptions options_;
    const std::string lane_;
    std::uint64_t claimed_ = 0;
    std::uint64_t completed_ = 0;
};

// Executions per second.
struct Rates {
    double submit = 0;
    double drain = 0;
};

struct Round {
    Rates in_process;
    Rates http;
};

Result<Rates> measure_in_process(const StoreOptions& store, const HttpOptions& options) {
    const auto engine = cli::open_engine(store, cli::Reconcilers::off);
    if (!engine) return engine.error();
    SubmitRun submit(**engine,
                     {.tasks = options.tasks, .in_flight = options.connections, .payload_bytes = payload_bytes});
    const auto submitted = submit.submit_all();
    if (!submitted) return submitted.error();
    DrainRun drain({engine->get()}, {.tasks = options.tasks, .workers = options.workers, .batch = options.batch});
    if (const auto filled = drain.submit_all(); !filled) return filled.error();
    const auto drained = drain.drain_all();
    if (!drained) return drained.error();
    const auto tasks = static_cast<double>(options.tasks);
    return Rates{.submit = tasks / *submitted, .drain = tasks / *drained};
}

Result<Rates> measure_http(const std::string& store_url, const HttpOptions& options) {
    const auto server = ServerProcess::start(store_url);
    if (!server) return server.error();
    const std::string lane = bench_lane();
    const auto submitted = submit_over_http((*server)->port(), options, lane);
    if (!submitted) return submitted.error();
    const auto drained = ExchangeDrain(options, lane).run((*server)->port());
    if (!drained) return drained.error();
    const auto tasks = static_cast<double>(options.tasks);
    return Rates{.submit = tasks / *submitted, .drain = tasks / *drained};
}

// What claims that wait for nothing cost the server.
struct IdleCost {
    double megabytes = 0;
    double cpu_percent = 0;         // of one core
    double cpu_percent_before = 0;  // without them
};

double cpu_percent_over(const ServerProcess& server, std::chrono::seconds time) {
    const double before = server.cpu_seconds();
    std::this_thread::sleep_for(time);
    return 100 * (server.cpu_seconds() - before) / static_cast<double>(time.count());
}

// A server answers in the order in which requests come: this one's answer says that earlier ones have been taken in.
Result<void> await_turn(std::uint16_t port) {
    bool asked = false;
    const auto answered = run_load({.port = port,
                                    .target = worker_path(0),
                                    .connections = 1,
                                    .next = [&](std::uint32_t, std::string_view) -> std::optional<std::string> {
                                        if (std::exchange(asked, true)) return std::nullopt;
                                        return R"({"worker_instance_id":"ff-bench","done":[]})";
                                    }});
    if (!answered) return answered.error();
    return {};
}

Result<IdleCost> measure_idle(const std::string& store_url, const HttpOptions& options) {
    const auto server = ServerProcess::start(store_url);
    if (!server) return server.error();
    const std::string lane = bench_lane();
    const std::string body = json::serialize(
        json::object{{"worker_instance_id", "ff-bench"},
                     {"claim", {{"max", 1}, {"wait_ms", 50'000}, {"lanes", json::array{json::value(lane)}}}}});
    const std::chrono::seconds time(options.idle_seconds);
    if (const auto ready = await_turn((*server)->port()); !ready) return ready.error();
    IdleCost cost{.cpu_percent_before = cpu_percent_over(**server, time)};
    const auto before = static_cast<double>((*server)->resident_bytes());
    const auto polls = UnreadConnections::open((*server)->port(), worker_path(0), body, options.idle_polls);
    if (!polls) return polls.error();
    if (const auto taken = await_turn((*server)->port()); !taken) return taken.error();
    cost.cpu_percent = cpu_percent_over(**server, time);
    cost.megabytes = (static_cast<double>((*server)->resident_bytes()) - before) / 1e6;
    return cost;
}

void allow_many_descriptors() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

// Each part compares the two measurements of one round.
json::object compared(const std::vector<Round>& rounds, double Rates::* rate) {
    std::vector<double> http;
    std::vector<double> in_process;
    std::vector<double> kept;
    for (const Round& round : rounds) {
        http.push_back(round.http.*rate);
        in_process.push_back(round.in_process.*rate);
        kept.push_back(100 * http.back() / in_process.back());
    }
    return {{"per_second", std::llround(median(std::move(http)))},
            {"in_process", std::llround(median(std::move(in_process)))},
            {"kept_percent", to_thousandths(median(std::move(kept)))}};
}

json::object json_of(const IdleCost& idle, const HttpOptions& options) {
    return {{"polls", options.idle_polls},
            {"megabytes", to_thousandths(idle.megabytes)},
            {"cpu_percent", to_thousandths(idle.cpu_percent)},
            {"cpu_percent_without", to_thousandths(idle.cpu_percent_before)}};
}

Result<json::object> measure_all(const StoreOptions& store, const std::string& url, const HttpOptions& options) {
    std::vector<Round> rounds;
    for (std::uint32_t i = 0; i < options.rounds; ++i) {
        const auto in_process = measure_in_process(store, options);
        if (!in_process) return in_process.error();
        const auto http = measure_http(url, options);
        if (!http) return http.error();
        rounds.push_back({.in_process = *in_process, .http = *http});
    }
    json::object report{{"scenario", "http"},
                        {"store", cli::store_kind(url)},
                        {"tasks", options.tasks},
                        {"submit", compared(rounds, &Rates::submit)},
                        {"drain", compared(rounds, &Rates::drain)}};
    if (options.idle_polls > 0) {
        const auto idle = measure_idle(url, options);
        if (!idle) return idle.error();
        report["idle"] = json_of(*idle, options);
    }
    return report;
}

}  // namespace

int run_http(const CommonOptions& common, const HttpOptions& options) {
    allow_many_descriptors();
    const auto url = cli::store_url(common.store);
    if (!url) return fail_with(url.error(), common.json);
    const auto report = measure_all(common.store, *url, options);
    if (!report) return fail_with(report.error(), common.json);
    print_reports({*report}, common.json);
    return 0;
}

}  // namespace flowfabric::bench
