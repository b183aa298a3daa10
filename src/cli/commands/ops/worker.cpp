#include <sysexits.h>
#include <unistd.h>

#include <algorithm>
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
#include "cli/command_table.hpp"
#include "cli/master_key.hpp"
#include "cli/place.hpp"
#include "cli/process/frame_pump.hpp"
#include "cli/process/orphan_guard.hpp"
#include "cli/process/signals.hpp"
#include "cli/process/subprocess.hpp"
#include "cli/process/task_file.hpp"
#include "cli/text/output.hpp"
#include "sdk/worker.hpp"

namespace flowfabric::cli {
namespace {

struct WorkerCommandOptions {
    std::vector<std::string> lanes = {"default"};
    std::vector<std::string> capabilities;
    std::string worker_id = "ff-worker";
    std::string worker_instance_id;  // empty: host, process id and a random part
    std::uint32_t concurrency = 1;
    std::optional<std::uint64_t> max_tasks;
    std::chrono::milliseconds lease_ttl{30'000};
    std::optional<int> frames_fd;
    std::vector<std::string> framed;  // stdout, stderr
};

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

// What the programs of this worker have in common.
struct ProgramRunner {
    const std::vector<std::string>& command;
    const OrphanGuard& guard;
    Client& client;
    const WorkerCommandOptions& options;
    std::vector<std::pair<std::string, std::string>> environment;  // where it finds the engine of its task
    std::vector<std::string_view> withheld;

    bool frames(std::string_view output) const {
        return std::ranges::find(options.framed, output) != options.framed.end();
    }
};

ProgramRunner runner_of(const CommonOptions& common, const WorkerCommandOptions& options, Client& client,
                        const OrphanGuard& guard) {
    const Place place = place_of(common);
    // With the master key a program could sign grants and tokens of the whole store.
    ProgramRunner runner{
        common.taken_as_they_are, guard, client, options, {}, {master_key_variable, master_key_file_variable}};
    if (options.frames_fd) runner.environment.emplace_back("FF_FRAMES_FD", fmt::to_string(*options.frames_fd));
    runner.withheld.emplace_back("FF_FRAMES_FD");
    // The trace is the execution's, not the worker's.
    runner.withheld.insert(runner.withheld.end(), {"FF_TRACEPARENT", "TRACEPARENT", "TRACESTATE"});
    if (!place.server.empty()) {
        runner.environment.emplace_back("FF_SERVER", place.server);
    } else if (const auto store = store_url(place.store)) {
        runner.environment.emplace_back("FF_STORE", *store);
        runner.withheld.insert(runner.withheld.end(), {"FF_SERVER", "FF_STORE_FILE"});
    }
    return runner;
}

void add_trace(const ClaimedExecution& execution, std::vector<std::pair<std::string, std::string>>& variables) {
    if (execution.traceparent) {
        variables.emplace_back("FF_TRACEPARENT", *execution.traceparent);
        variables.emplace_back("TRACEPARENT", *execution.traceparent);
    }
    if (execution.tracestate) variables.emplace_back("TRACESTATE", *execution.tracestate);
}

sdk::TaskOutcome run_program(const ProgramRunner& runner, const sdk::Task& task) {
    const auto& execution = task.execution;
    const TaskFile file;
    auto variables = runner.environment;
    variables.insert(variables.end(), {{"FF_EXECUTION_ID", execution.execution_id.to_string()},
                                       {"FF_ATTEMPT_INDEX", fmt::to_string(execution.attempt_index)},
                                       {"FF_LEASE_EPOCH", fmt::to_string(execution.lease_epoch.value)},
                                       {"FF_LANE", execution.lane_id},
                                       {"FF_KIND", execution.execution_kind},
                                       {"FF_LEASE", execution.handle.to_string()},
                                       {"FF_TASK_FILE", file.path()}});
    add_trace(execution, variables);
    Subprocess subprocess{.command = runner.command,
                          .environment = std::move(variables),
                          .withheld = runner.withheld,
                          .input = execution.input_payload,
                          .max_output = EngineOptions{}.max_payload_bytes};
    std::optional<FramePump> pump;
    if (runner.options.frames_fd || !runner.options.framed.empty()) {
        pump.emplace(runner.client, execution.handle);
        subprocess.frames.emplace(FramedOutput{.pump = *pump,
                                               .descriptor = runner.options.frames_fd,
                                               .of_stdout = runner.frames("stdout"),
                                               .of_stderr = runner.frames("stderr")});
    }
    auto result = run_subprocess(subprocess, runner.guard, task.stop);
    // The stream closes with the attempt.
    if (pump) pump->finish(task.stop);
    const bool ended = result.end == SubprocessEnd::exited;
    if (auto told = ended ? file.outcome(execution.handle) : std::nullopt) {
        const bool failed = std::holds_alternative<sdk::TaskFailure>(*told);
        if (failed || result.code == 0) return *std::move(told);
    }
    return outcome_of(std::move(result), subprocess);
}

std::string_view name_of(sdk::TaskEnd end) {
    switch (end) {
        case sdk::TaskEnd::completed:
            return "completed";
        case sdk::TaskEnd::retry_scheduled:
            return "retry_scheduled";
        case sdk::TaskEnd::failed:
            return "failed";
        case sdk::TaskEnd::suspended:
            return "suspended";
        case sdk::TaskEnd::delayed:
            return "delayed";
        case sdk::TaskEnd::released:
            return "released";
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
void announce(const Place& place, const sdk::WorkerOptions& options, bool json) {
    const auto shown = place.shown();
    std::string line;
    if (json) {
        line = api::json_text(
            boost::json::object{{"version", FF_VERSION},
                                {place.server.empty() ? "store" : "server", shown},
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
std::set<std::string> new_lanes(Client& client, const std::vector<std::string>& lanes) {
    std::set<std::string> unknown;
    for (const auto& lane : lanes) {
        const auto known = client.describe_lane(lane);
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
Result<void> wait_for_end(sdk::Worker& worker, Session& session, StopSignals& signals, std::atomic<bool>& stopping) {
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
        if (idle >= claim_grace) session.end_within(std::chrono::milliseconds(0));
    }
    session.end_within(stop_grace);
    return *ended;
}

sdk::WorkerOptions options_of(const WorkerCommandOptions& options) {
    sdk::WorkerOptions worker;
    worker.lanes = options.lanes;
    worker.capabilities = options.capabilities;
    worker.worker_id = options.worker_id;
    worker.worker_instance_id = options.worker_instance_id.empty() ? default_instance_id() : options.worker_instance_id;
    worker.concurrency = options.concurrency;
    if (options.max_tasks) worker.max_tasks = *options.max_tasks;
    worker.lease_ttl = options.lease_ttl;
    worker.claim_wait = claim_wait;
    worker.on_claim_error = [](const EngineError& error) {
        std::cerr << "ff: claim: " + printable(to_string(error)) + '\n';
    };
    worker.on_registration_refused = [](const EngineError& error) {
        std::cerr << "ff: registration: " + printable(to_string(error)) + '\n';
    };
    worker.on_mode = [](const WorkerMode& mode) {
        const std::string_view asked = mode == WorkerMode::quiet ? "be " : "";
        std::cerr << std::string("ff: an operator asks this worker to ").append(asked).append(to_string(mode)) + '\n';
    };
    return worker;
}

int run_worker(const CommonOptions& common, const WorkerCommandOptions& options) {
    const auto& program = common.taken_as_they_are.front();
    if (!can_execute(program)) {
        return fail_with(invalid_input("command", program + " cannot be executed"), common.json);
    }
    std::signal(SIGPIPE, SIG_IGN);
    const OrphanGuard guard;
    StopSignals signals;
    const auto session = open_session(common, Missing::create, Reconcilers::on);
    if (!session) return fail_with(session.error(), common.json);

    FinishedPrinter print_finished(common.json);
    auto worker_options = options_of(options);
    worker_options.on_finished = std::ref(print_finished);
    worker_options.repeats_claims = !place_of(common).server.empty();
    std::atomic<bool> stopping = false;
    const auto early = signals.react([&] {
        say_stopping();
        stopping = true;
    });
    announce(place_of(common), worker_options, common.json);
    for (const auto& lane : new_lanes((*session)->client(), options.lanes)) {
        std::cerr << "ff: lane " + printable(lane) + " is new: nothing has been submitted to it yet\n";
    }
    const auto runner = runner_of(common, options, (*session)->client(), guard);
    sdk::Worker worker((*session)->client(), std::move(worker_options),
                       [&](const sdk::Task& task) { return run_program(runner, task); });

    const auto ended = wait_for_end(worker, **session, signals, stopping);
    return ended ? 0 : fail_with(ended.error(), common.json);
}

}  // namespace

void add_worker(CommandTable& table) {
    auto added = table.add("worker", "Run a program for every execution of a lane", run_worker);
    auto& command = added.command;
    auto& options = added.options;
    command.add_option("--lane", options.lanes, "The lane to serve; repeatable")
        ->allow_extra_args(false)
        ->capture_default_str();
    command.add_option("--capability", options.capabilities, "A capability that this worker has; repeatable")
        ->allow_extra_args(false);
    command.add_option("--concurrency", options.concurrency, "How many programs run at once")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    command.add_option("--max-tasks", options.max_tasks, "End after this many executions")->check(CLI::PositiveNumber);
    add_duration(command, "--lease-ttl", "How long an execution stays ours without a renewal", [&options](auto ttl) {
        using namespace std::chrono_literals;
        if (ttl < 1s || ttl > 24h) throw CLI::ValidationError("--lease-ttl", "must be 1s to 24h");
        options.lease_ttl = ttl;
    })->default_str("30s");
    command
        .add_option("--frames-fd", options.frames_fd,
                    "Each line that the program writes to this descriptor becomes a frame of its attempt's stream")
        ->check(CLI::Range(3, 255))
        ->type_name("N");
    command
        .add_option("--frames", options.framed,
                    "So does each line of its standard output or standard error; repeatable")
        ->check(CLI::IsMember({"stdout", "stderr"}).description(""))
        ->allow_extra_args(false)
        ->type_name("stdout|stderr");
    command.add_option("--worker-id", options.worker_id, "The name of this pool of workers")->capture_default_str();
    command.add_option("--instance-id", options.worker_instance_id,
                       "The name of this process; by default host, process id and a random part");
    auto& program = table.common().taken_as_they_are;
    command.add_option("command", program, "The program and its arguments, after --")->type_name("");
    command.parse_complete_callback([&program] {
        if (program.empty()) throw CLI::RequiredError("command");
    });
    command.footer(
        "The program gets the payload on stdin; its stdout is the result. Exit status 0 completes the execution, 65\n"
        "(EX_DATAERR) fails it for good, any other fails the attempt; the end of its stderr is kept as the reason.\n"
        "With `ff task` it reports progress, suspends, delays or decides otherwise; see `ff task --help`.\n"
        "FF_EXECUTION_ID, FF_ATTEMPT_INDEX, FF_LEASE_EPOCH, FF_LANE and FF_KIND are set. A lost lease ends the "
        "program\n"
        "with SIGTERM, five seconds later SIGKILL. The first SIGINT or SIGTERM to the worker lets running programs\n"
        "finish, the second one ends them; their executions are reclaimed. A worker that is killed takes its programs\n"
        "and their children along.");
    add_examples(command,
                 {"ff worker --lane reports -- ./report", "ff worker --lane reports --concurrency 4 -- sh -c 'wc -l'",
                  "ff worker --frames-fd 3 --frames stderr -- sh -c 'echo half way >&3; ./report'"});
}

}  // namespace flowfabric::cli
