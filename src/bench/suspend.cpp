#include <future>
#include <map>
#include <thread>

#include "bench/report.hpp"
#include "bench/scenarios.hpp"
#include "bench/support.hpp"
#include "cli/store_location.hpp"
#include "flowfabric/engine.hpp"

// How long a suspended execution takes to go on: a worker suspends it, a sender signals it, at once or when the
// worker has settled down to wait, and the worker has it back. Both may talk to one engine, as to a server's, or each
// to their own, as in two processes.
namespace flowfabric::bench {
namespace {

using Duration = BenchClock::duration;

struct Samples {
    std::vector<Duration> suspend, signal, resume, all;
};

enum class Signalled : std::uint8_t { at_once, after_a_pause };

struct Report {
    Samples prompt;  // one engine, at once
    Samples shared;  // one engine
    Samples apart;   // two
};

// By what is wrong with the token.
using Refusals = std::map<std::string, std::vector<Duration>>;

class SuspendRun {
  public:
    SuspendRun(Engine& worker, Engine& sender) : worker_(worker), sender_(sender), lane_(bench_lane()) {}

    Result<void> measure(Signalled when, Samples& samples) {
        const auto parked = park();
        if (!parked) return parked.error();
        auto resumed = claim();
        // Longer than the worker needs to look for other work and, finding none, to wait.
        if (when == Signalled::after_a_pause) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        const auto sending = BenchClock::now();
        auto sent = sender_.deliver_signal(go(parked->id, parked->waitpoint));
        if (!sent) return sent.error();
        const auto delivered = BenchClock::now();
        auto again = resumed.get();
        if (!again) return again.error();
        const auto back = answered_at_;

        samples.suspend.push_back(parked->took);
        samples.signal.push_back(delivered - sending);
        samples.resume.push_back(back - sending);
        samples.all.push_back(parked->took + (back - sending));
        auto completed = worker_.complete({.lease = again->executions.front().handle});
        if (!completed) return completed.error();
        return {};
    }

    // How long it takes to be refused. In turns, so that whatever else goes on meets all kinds alike.
    Result<void> measure_refusals(std::uint64_t count, Refusals& refusals) {
        const auto first = park();
        if (!first) return first.error();
        const auto second = park();
        if (!second) return second.error();
        const std::string& token = first->waitpoint.token;
        std::string forged = token;
        forged.back() = forged.back() == '0' ? '1' : '0';
        const std::map<std::string, std::string> tokens{{"forged", forged},
                                                        {"truncated", token.substr(0, token.size() - 9)},
                                                        {"unknown_kid", "nobody" + token.substr(token.find(':'))},
                                                        {"of_another_execution", second->waitpoint.token},
                                                        {"empty", ""}};
        for (std::uint64_t i = 0; i < count; ++i) {
            for (const auto& [kind, wrong] : tokens) {
                auto signal = go(first->id, first->waitpoint);
                signal.waitpoint_token = wrong;
                const auto began = BenchClock::now();
                const auto refused = sender_.deliver_signal(std::move(signal));
                refusals[kind].push_back(BenchClock::now() - began);
                if (refused || refused.error().kind != ErrorKind::invalid_token) {
                    return broken("a token was not refused as invalid: " + kind);
                }
            }
        }
        return {};
    }

  private:
    struct Parked {
        ExecutionId id;
        SuspendedWaitpoint waitpoint;
        Duration took;  // to suspend it
    };

    Result<Parked> park() {
        CreateExecution create;
        create.lane_id = lane_;
        if (auto created = sender_.create_execution(std::move(create)); !created) return created.error();
        auto claimed = claim().get();
        if (!claimed) return claimed.error();
        const auto& execution = claimed->executions.front();
        const auto began = BenchClock::now();
        auto suspended = worker_.suspend(waiting_for_go(execution.handle));
        const auto took = BenchClock::now() - began;
        if (!suspended) return suspended.error();
        return Parked{execution.execution_id, std::get<Suspended>(*suspended).details.primary, took};
    }

    static Suspend waiting_for_go(const Handle& handle) {
        Suspend command;
        command.lease = handle;
        command.waitpoints = {FreshWaitpoint{std::nullopt, "go"}};
        command.resume_condition.node = Single{"go", ByName{"go"}};
        return command;
    }

    static DeliverSignal go(const ExecutionId& id, const SuspendedWaitpoint& waitpoint) {
        DeliverSignal command;
        command.execution_id = id;
        command.waitpoint_id = waitpoint.waitpoint_id;
        command.waitpoint_token = waitpoint.token;
        command.signal_name = "go";
        command.source_type = "bench";
        command.source_identity = "ff-bench";
        return command;
    }

    std::future<Result<Claimed>> claim() {
        Claim command;
        command.lanes = {lane_};
        command.worker_id = "ff-bench";
        command.worker_instance_id = "ff-bench-suspend";
        command.max_wait_ms = 20'000;
        auto promise = std::make_shared<std::promise<Result<Claimed>>>();
        auto answer = promise->get_future();
        worker_.submit<Claim>(std::move(command), [this, promise](Result<Claimed> claimed) {
            answered_at_ = BenchClock::now();
            if (claimed && claimed->executions.empty()) claimed = broken("nothing came back");
            promise->set_value(std::move(claimed));
        });
        return answer;
    }

    Engine& worker_;
    Engine& sender_;
    const std::string lane_;
    BenchClock::time_point answered_at_;  // written before the promise, read behind its future
};

Result<void> measure(SuspendRun run, Signalled when, std::uint64_t count, Samples& samples) {
    constexpr int warm_up = 20;
    Samples ignored;
    for (int i = 0; i < warm_up; ++i) {
        if (auto done = run.measure(when, ignored); !done) return done.error();
    }
    for (std::uint64_t i = 0; i < count; ++i) {
        if (auto done = run.measure(when, samples); !done) return done.error();
    }
    return {};
}

Result<void> measure(const CommonOptions& common, std::uint64_t count, Report& report, Refusals& refusals) {
    // The sender's engine runs the reconcilers and sees to a signing key.
    const auto sender = cli::open_engine(common.store, cli::Reconcilers::on);
    if (!sender) return sender.error();
    const auto worker = cli::open_engine(common.store, cli::Reconcilers::off);
    if (!worker) return worker.error();
    const SuspendRun one(**sender, **sender);
    SuspendRun two(**worker, **sender);
    if (auto done = measure(one, Signalled::at_once, count, report.prompt); !done) return done.error();
    if (auto done = measure(one, Signalled::after_a_pause, count, report.shared); !done) return done.error();
    if (auto done = measure(two, Signalled::after_a_pause, count, report.apart); !done) return done.error();
    return two.measure_refusals(count, refusals);
}

NamedLatencies latencies_of(const Samples& samples) {
    return {{"suspend", summarise(samples.suspend)},
            {"signal", summarise(samples.signal)},
            {"signal_to_handler", summarise(samples.resume)},
            {"suspend_to_handler", summarise(samples.all)}};
}

}  // namespace

int run_suspend(const CommonOptions& common, const SuspendOptions& options) {
    const auto url = cli::store_url(common.store);
    if (!url) return fail_with(url.error(), common.json);
    Report report;
    Refusals refusals;
    if (auto done = measure(common, options.samples, report, refusals); !done) {
        return fail_with(done.error(), common.json);
    }
    NamedLatencies refused;
    for (const auto& [kind, times] : refusals) refused.emplace_back(kind, summarise(times));
    const boost::json::object object{{"scenario", "suspend"},
                                     {"store", cli::store_kind(*url)},
                                     {"samples", options.samples},
                                     {"one_engine_at_once", json_of(latencies_of(report.prompt))},
                                     {"one_engine", json_of(latencies_of(report.shared))},
                                     {"two_engines", json_of(latencies_of(report.apart))},
                                     {"refused", json_of(refused)}};
    print_reports({object}, common.json);
    return 0;
}

}  // namespace flowfabric::bench
