#include <fmt/format.h>

#include "api/type.hpp"
#include "cli/commands/task/task_commands.hpp"
#include "cli/place.hpp"
#include "cli/text/output.hpp"

namespace flowfabric::cli {
namespace {

struct TaskProgressOptions {
    std::optional<std::uint32_t> percent;
    std::optional<std::string> message;
};

int run_task_progress(const CommonOptions& common, const TaskProgressOptions& options) {
    const auto lease = lease_of_task();
    if (!lease) return fail_with(lease.error(), common.json);
    const auto client = open_client(common);
    if (!client) return fail_with(client.error(), common.json);
    const auto recorded =
        (*client)->progress({.lease = *lease, .percent = options.percent, .message = options.message});
    if (!recorded) return fail_with(recorded.error(), common.json);
    if (common.json) print_json(api::to_json(*recorded));
    return 0;
}

}  // namespace

void add_task_progress(CommandTable& table, CLI::App& task) {
    auto [command, options] = table.add_to(task, "progress", "Say how far it is; shows at once", run_task_progress);
    command.add_option("percent", options.percent, "How much is done, 0 to 100")->required()->type_name("PERCENT");
    command.add_option("message", options.message, "What is done, for people")->type_name("TEXT");
    add_examples(command, {"ff task progress 50 'half of the pages'"});
}

}  // namespace flowfabric::cli
