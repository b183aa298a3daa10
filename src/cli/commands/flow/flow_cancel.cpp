#include <algorithm>
#include <future>

#include <fmt/format.h>

#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/commands/flow/flow_members.hpp"
#include "cli/place.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"
#include "cli/text/progress_bar.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::cli {
namespace {

struct FlowCancelOptions {
    std::string id;
    CancellationPolicy policy = CancellationPolicy::cancel_all;
    std::string reason;
    std::chrono::milliseconds wait{30'000};  // 0: leaves the members to engines that run
};

void show_ended_members(ProgressBar& progress, Client& client, const FlowId& flow) {
    const auto members = members_of(client, flow);
    if (!members) return;
    const auto ended =
        std::ranges::count_if(*members, [](const auto& member) { return member.terminal_at_ms.has_value(); });
    progress.show(static_cast<std::uint64_t>(ended), members->size(),
                  fmt::format("{} of {} members have ended", ended, members->size()));
}

// The call is answered when all members have ended.
Result<FlowCancelled> cancelled_with_members(Client& client, const CancelFlow& command) {
    constexpr std::chrono::milliseconds between_looks{500};
    ProgressBar progress("cancel");
    auto answer = std::async(std::launch::async, [&] { return client.cancel_flow(command); });
    do {
        if (progress.is_shown()) show_ended_members(progress, client, command.flow_id);
    } while (answer.wait_for(between_looks) != std::future_status::ready);
    return answer.get();
}

Result<FlowCancelled> cancel(const CommonOptions& common, const FlowCancelOptions& options) {
    const auto id = flow_argument(options.id);
    if (!id) return id.error();
    const auto client = open_client(common);
    if (!client) return client.error();
    CancelFlow command;
    command.flow_id = *id;
    command.policy = options.policy;
    command.reason = options.reason;
    command.requester = "ff";
    // This process does not see to the members, so other engines need not hold back.
    if (options.wait.count() == 0) command.grace_ms = 0;
    command.max_wait_ms = static_cast<std::uint64_t>(options.wait.count());
    auto cancelled = cancelled_with_members(**client, command);
    if (!cancelled || !cancelled->already_terminal) return cancelled;
    const auto flow = (*client)->describe_flow(*id);
    if (!flow) return flow.error();
    if (*flow && !(*flow)->cancelled_at_ms) {
        return EngineError{.kind = ErrorKind::flow_already_terminal,
                           .detail = fmt::format("{} is {}", options.id, to_string((*flow)->state)),
                           .not_active = {}};
    }
    return cancelled;
}

int run_flow_cancel(const CommonOptions& common, const FlowCancelOptions& options) {
    const auto cancelled = cancel(common, options);
    if (!cancelled) return fail_with(cancelled.error(), common.json);
    if (common.json) {
        print_json(api::to_json(*cancelled));
    } else {
        print_line(fmt::format("{} cancelled, {}: {} members{}", options.id, to_string(cancelled->policy),
                               cancelled->members.size(),
                               cancelled->members_pending ? ", some of them still to be cancelled" : ""));
    }
    return 0;
}

}  // namespace

void add_flow_cancel(CommandTable& table, CLI::App& flow) {
    auto added = table.add_to(flow, "cancel", "Cancel a flow and its members", run_flow_cancel);
    auto& command = added.command;
    auto& options = added.options;
    add_id(command, options.id, "The flow's id");
    add_choice<CancellationPolicy>(command, "--policy", "What becomes of the members",
                                   [&options](CancellationPolicy policy) { options.policy = policy; })
        ->default_str("cancel_all");
    command.add_option("--reason", options.reason, "Why, for those who look at it later")->type_name("TEXT");
    add_duration(command, "--wait", "How long to wait for the members' end; 0 leaves them to engines that run",
                 [&options](auto wait) { options.wait = wait; })
        ->default_str("30s");
    command.footer(
        "cancel_all        every member that has not ended is cancelled\n"
        "cancel_pending    those are that do not run and are not suspended; the others may finish\n"
        "cancel_flow_only  no member is");
    add_examples(command, {"ff flow cancel 01a1edbe-cf49-7ad4-aa04-0aa59e8fcf69 --reason 'not needed'"});
}

}  // namespace flowfabric::cli
