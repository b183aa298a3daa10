#include "cli/command_table.hpp"
#include "cli/commands/execution/waitpoint_choice.hpp"
#include "cli/place.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"

namespace flowfabric::cli {
namespace {

struct ApproveOptions {
    std::string id;
    std::string waitpoint;
    std::string signal = "approved";
};

Result<SignalOutcome> approve(const CommonOptions& common, const ApproveOptions& options) {
    const auto client = open_client(common);
    if (!client) return client.error();
    const auto id = execution_argument(**client, options.id);
    if (!id) return id.error();
    const auto execution = (*client)->describe_execution(*id);
    if (!execution) return execution.error();
    if (!*execution) return execution_not_found(options.id);
    const auto waitpoint = choose_waitpoint(**client, *id, options.waitpoint);
    if (!waitpoint) return waitpoint.error();
    // Approving a waitpoint twice is approving it once.
    return (*client)->deliver_approval_signal({.execution_id = *id,
                                               .lane_id = (*execution)->lane_id,
                                               .waitpoint_id = waitpoint->waitpoint_id,
                                               .signal_name = options.signal,
                                               .idempotency_suffix = waitpoint->waitpoint_id.to_string(),
                                               .max_signals_per_execution = std::nullopt});
}

int run_approve(const CommonOptions& common, const ApproveOptions& options) {
    const auto outcome = approve(common, options);
    if (!outcome) return fail_with(outcome.error(), common.json);
    print_signal_outcome(*outcome, common.json);
    return 0;
}

}  // namespace

void add_approve(CommandTable& table) {
    auto [command, options] =
        table.add("approve", "Approve or reject what an execution waits for, as an operator", run_approve);
    add_id(command, options.id, "The execution's id");
    command.add_option("--waitpoint", options.waitpoint, "The key or id of the waitpoint, if there are several")
        ->type_name("WAITPOINT");
    auto* signal = command.add_option("--signal", options.signal, "The signal's name")->capture_default_str();
    command
        .add_flag_callback(
            "--reject", [&options = options] { options.signal = "rejected"; }, "Send the signal rejected instead")
        ->excludes(signal);
    add_examples(command, {"ff approve '{fp:32}:01a1edbd-5876-779f-8e55-23416a6eca5e'",
                           "ff approve '{fp:32}:01a1edbd-5876-779f-8e55-23416a6eca5e' --reject"});
}

}  // namespace flowfabric::cli
