#include <sysexits.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <iostream>
#include <mutex>
#include <random>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/json/array.hpp>

#include "api/json_text.hpp"
#include "cli/commands.hpp"
#include "cli/master_key.hpp"
#include "cli/process/orphan_guard.hpp"
#include "cli/process/signals.hpp"
#include "cli/process/subprocess.hpp"
#include "cli/store_location.hpp"
#include "cli/text/output.hpp"
#include "sdk/worker.hpp"

namespace flowfabric::cli {
namespace {

std::string default_instance_id() {
    std::array<char, 256> host{};
    if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
    return fmt::format("{}-{}-{:08x}", host[0] == '\0' ? "unknown" : host.data(), getpid(), std::random_device{}());
}

// What the program's end means: 0 completes with its stdout, EX_DATAERR (65) fails for good, anything else may be
// retried.
sdk::TaskOutcome outcome_of(SubprocessResult result, const Subprocess& subprocess) {
    const auto with_errors = [&](const std::string& reason) {
        const auto errors = text_tail(result.errors, subprocess.max_errors);
        return errors.empty() ? reason : reason + ": " + errors;
    };
    switch (result.end) {
        case SubprocessEnd::stopped:
            return sdk::TaskAbandoned{};
        case SubprocessEnd::not_started:
            return sdk::TaskFailure{.reason = fmt::format("cannot run {}: {}", subprocess.command.front(),
                                                          std::generic_category().message(result.code)),
                                    .category = "infra_crash"};
        case SubprocessEnd::output_too_large:
            return sdk::TaskFailure{
                .reason = with_errors(fmt::format("more than {} bytes on stdout", subprocess.max_output)),
                .category = "permanent"};
        case SubprocessEnd::signaled:
            return sdk::TaskFailure{.reason = with_errors(fmt::format("killed by signal {}", result.code)),
                                    .category = "infra_crash"};
        case SubprocessEnd::exited:
            break;
    }
    if (result.code == 0) return sdk::TaskSuccess{.result = std::move(result.output), .result_encoding = std::nullopt};
    return sdk::TaskFailure{.reason = with_errors(fmt::format("exit status {}", result.code)),
                            .category = result.code == EX_DATAERR ? "permanent" : "transient"};
}

sdk::TaskOutcome run_command(const std::vector<std::string>& command, const OrphanGuard& guard, const sdk::Task& task) {
    const auto& execution = task.execution;
    const Subprocess subprocess{.command = command,
                                .environment = {{"FF_EXECUTION_ID", execution.execution_id.to_string()},
                                                {"FF_ATTEMPT_INDEX", fmt::to_string(execution.attempt_index)},
                                                {"FF_LEASE_EPOCH", fmt::to_string(execution.lease_epoch.value)},
                                                {"FF_LANE", execution.lane_id},
                                                {"FF_KIND", execution.execution_kind}},
                                // With the master key a program could sign grants and tokens of the whole store.
                                .withheld = {master_key_variable, master_key_file_variable},
                                .input = execution.input_payload,
                                .max_output = EngineOptions{}.max_payload_bytes};
    return outcome_of(run_subprocess(subprocess, guard, task.stop), subprocess);
}

std::string_view name_of(sdk::TaskEnd end) {
    switch (end) {
        case sdk::TaskEnd::completed:
            return "completed";
        case sdk::TaskEnd::retry_scheduled:
            return "retry_scheduled";
        case sdk::TaskEnd::failed:
            return "failed";
        case sdk::TaskEnd::lease_lost:
            return "lease_lost";
        case sdk::TaskEnd::abandoned:
            return "abandoned";
        case sdk::TaskEnd::not_reported:
            return "not_reported";
    }
    return "unknown";
}

class FinishedPrinter {
  public:
    explicit FinishedPrinter(bool json) : json_(json) {}

    void operator()(const sdk::TaskReport& report) {
        const auto id = report.execution.execution_id.to_string();
        const std::scoped_lock lock(mutex_);
        if (json_) {
            print_json(boost::json::object{{"execution_id", id},
                                           {"execution_kind", report.execution.execution_kind},
                                           {"attempt_index", report.execution.attempt_index},
                                           {"end", name_of(report.end)},
                                           {"detail", report.detail},
                                           {"elapsed_ms", report.elapsed.count()}});
        } else {
            auto line = fmt::format("{}  {}  {}  {} ms", id, report.execution.execution_kind, name_of(report.end),
                                    report.elapsed.count());
            if (!report.detail.empty()) line += "  " + report.detail;
            print_line(one_line(line));
        }
        std::cout.flush();
    }

  private:
    const bool json_;
    std::mutex mutex_;  // guards standard output
};

// On standard error: a line of standard output is an execution that was dealt with.
void announce(const std::string& store, const sdk::WorkerOptions& options, bool json) {
    const auto shown = store_for_display(store);
    std::string line;
    if (json) {
        line = api::json_text(
            boost::json::object{{"version", FF_VERSION},
                                {"store", shown},
                                {"lanes", boost::json::array(options.lanes.begin(), options.lanes.end())},
                                {"worker_id", options.worker_id},
                                {"worker_instance_id", options.worker_instance_id},
                                {"concurrency", options.concurrency}});
    } else {
        line = printable(fmt::format("FlowFabric " FF_VERSION " on {}: worker {} serves {} {}, {} at a time", shown,
                                     options.worker_instance_id, options.lanes.size() == 1 ? "lane" : "lanes",
                                     fmt::join(options.lanes, ", "), options.concurrency));
    }
    std::cerr << line + '\n';
}

// Lanes that the store does not know. A failed read is no reason not to work.
std::set<std::string> new_lanes(Engine& engine, const std::vector<std::string>& lanes) {
    std::set<std::string> unknown;
    for (const auto& lane : lanes) {
        const auto known = engine.describe_lane(lane);
        if (!known && known.error().kind != ErrorKind::corruption) return {};
        if (known && !*known) unknown.insert(lane);
    }
    return unknown;
}

// An idle worker's claim ends before the engine is ended for its sake, so that it can still take itself off the
// registry.
constexpr std::chrono::milliseconds claim_wait{700};
constexpr std::chrono::milliseconds claim_grace{1000};

void say_stopping() {
    std::cerr << "ff: stopping: no new claims; again to end what is running\n";
}

// The first signal lets the running programs finish. What then still waits for the store, with no program running, gets
// a moment.
Result<void> wait_for_end(sdk::Worker& worker, Engine& engine, StopSignals& signals, std::atomic<bool>& stopping) {
    constexpr std::chrono::milliseconds check{100};
    const auto reaction = signals.react([&] {
        worker.drain();
        say_stopping();
        stopping = true;
    });
    if (stopping) worker.drain();
    std::optional<Result<void>> ended;
    for (std::chrono::milliseconds idle{0}; !(ended = worker.wait_for(check));) {
        idle = stopping && !worker.handling() ? idle + check : std::chrono::milliseconds(0);
        if (idle >= claim_grace) engine.end_within(std::chrono::milliseconds(0));
    }
    engine.end_within(stop_grace);
    return *ended;
}

}  // namespace

int run_worker(const CommonOptions& common, const WorkerCommandOptions& options) {
    if (!can_execute(options.command.front())) {
        return fail_with(invalid_input("command", options.command.front() + " cannot be executed"), common.json);
    }
    const auto store = store_url(common.store);
    if (!store) return fail_with(store.error(), common.json);
    std::signal(SIGPIPE, SIG_IGN);
    const OrphanGuard guard;
    StopSignals signals;
    const auto engine = open_engine(common.store, Reconcilers::on);
    if (!engine) return fail_with(engine.error(), common.json);

    FinishedPrinter print_finished(common.json);
    sdk::WorkerOptions worker_options;
    worker_options.lanes = options.lanes;
    worker_options.capabilities = options.capabilities;
    worker_options.worker_id = options.worker_id;
    worker_options.worker_instance_id =
        options.worker_instance_id.empty() ? default_instance_id() : options.worker_instance_id;
    worker_options.concurrency = options.concurrency;
    worker_options.lease_ttl = options.lease_ttl;
    worker_options.on_finished = std::ref(print_finished);
    worker_options.on_claim_error = [](const EngineError& error) {
        std::cerr << "ff: claim: " + printable(to_string(error)) + '\n';
    };
    worker_options.on_registration_refused = [](const EngineError& error) {
        std::cerr << "ff: registration: " + printable(to_string(error)) + '\n';
    };
    worker_options.claim_wait = claim_wait;
    std::atomic<bool> stopping = false;
    const auto early = signals.react([&] {
        say_stopping();
        stopping = true;
    });
    announce(*store, worker_options, common.json);
    for (const auto& lane : new_lanes(**engine, options.lanes)) {
        std::cerr << "ff: lane " + printable(lane) + " is new: nothing has been submitted to it yet\n";
    }
    sdk::Worker worker(**engine, std::move(worker_options),
                       [&](const sdk::Task& task) { return run_command(options.command, guard, task); });

    const auto ended = wait_for_end(worker, **engine, signals, stopping);
    return ended ? 0 : fail_with(ended.error(), common.json);
}

}  // namespace flowfabric::cli
