#include <sysexits.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <iostream>
#include <mutex>
#include <random>
#include <system_error>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/signals.hpp"
#include "cli/store_location.hpp"
#include "cli/subprocess.hpp"
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
    switch (result.end) {
        case SubprocessEnd::stopped:
            return sdk::TaskAbandoned{};
        case SubprocessEnd::not_started:
            return sdk::TaskFailure{.reason = fmt::format("cannot run {}: {}", subprocess.command.front(),
                                                          std::generic_category().message(result.code)),
                                    .category = "infra_crash"};
        case SubprocessEnd::output_too_large:
            return sdk::TaskFailure{.reason = fmt::format("more than {} bytes on stdout", subprocess.max_output),
                                    .category = "permanent"};
        case SubprocessEnd::signaled:
            return sdk::TaskFailure{.reason = fmt::format("killed by signal {}", result.code),
                                    .category = "infra_crash"};
        case SubprocessEnd::exited:
            break;
    }
    if (result.code == 0) return sdk::TaskSuccess{.result = std::move(result.output), .result_encoding = std::nullopt};
    return sdk::TaskFailure{.reason = fmt::format("exit status {}", result.code),
                            .category = result.code == EX_DATAERR ? "permanent" : "transient"};
}

sdk::TaskOutcome run_command(const std::vector<std::string>& command, const sdk::Task& task) {
    const auto& execution = task.execution;
    const Subprocess subprocess{.command = command,
                                .environment = {{"FF_EXECUTION_ID", execution.execution_id.to_string()},
                                                {"FF_ATTEMPT_INDEX", fmt::to_string(execution.attempt_index)},
                                                {"FF_LANE", execution.lane_id},
                                                {"FF_KIND", execution.execution_kind}},
                                .input = execution.input_payload,
                                .max_output = EngineOptions{}.max_payload_bytes};
    return outcome_of(run_subprocess(subprocess, task.stop), subprocess);
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
            print_json(boost::json::object{{"id", id},
                                           {"kind", report.execution.execution_kind},
                                           {"attempt_index", report.execution.attempt_index},
                                           {"end", name_of(report.end)},
                                           {"detail", report.detail},
                                           {"elapsed_ms", report.elapsed.count()}});
        } else {
            auto line = fmt::format("{}  {}  {}  {} ms", id, report.execution.execution_kind, name_of(report.end),
                                    report.elapsed.count());
            if (!report.detail.empty()) line += "  " + report.detail;
            print_line(printable(line));
        }
        std::cout.flush();
    }

  private:
    const bool json_;
    std::mutex mutex_;  // guards standard output
};

}  // namespace

int run_worker(const CommonOptions& common, const WorkerCommandOptions& options) {
    if (!can_execute(options.command.front())) {
        return fail_with(invalid_input("command", options.command.front() + " cannot be executed"), common.json);
    }
    block_stop_signals();
    std::signal(SIGPIPE, SIG_IGN);
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
    sdk::Worker worker(**engine, std::move(worker_options),
                       [&options](const sdk::Task& task) { return run_command(options.command, task); });

    // The first signal lets the running programs finish, the second one ends them.
    std::atomic<bool> draining = false;
    const SignalWatcher watcher([&] {
        if (draining.exchange(true)) {
            worker.cancel_running();
        } else {
            std::cerr << "ff: stopping: no new claims; again to end what is running\n";
            worker.drain();
        }
    });
    const auto ended = worker.wait();
    return ended ? 0 : fail_with(ended.error(), common.json);
}

}  // namespace flowfabric::cli
