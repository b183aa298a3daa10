#include <fmt/format.h>

#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"

namespace flowfabric::cli {
namespace {

struct PriorityOptions {
    std::string id;
    std::int32_t priority = 0;
};

Result<PriorityChanged> change_priority(const CommonOptions& common, const PriorityOptions& options) {
    const auto client = open_client(common);
    if (!client) return client.error();
    const auto id = execution_argument(**client, options.id);
    if (!id) return id.error();
    return (*client)->change_priority({.execution_id = *id, .new_priority = options.priority});
}

int run_priority(const CommonOptions& common, const PriorityOptions& options) {
    const auto changed = change_priority(common, options);
    if (!changed) return fail_with(changed.error(), common.json);
    if (common.json) {
        print_json(api::to_json(*changed));
    } else {
        print_line(fmt::format("{}: {} -> {}", changed->execution_id.to_string(), changed->old_priority,
                               changed->new_priority));
    }
    return 0;
}

}  // namespace

void add_priority(CommandTable& table) {
    auto [command, options] =
        table.add("priority", "Change the priority of an execution that waits for a worker", run_priority);
    add_id(command, options.id, "The execution's id");
    command.add_option("priority", options.priority, "0 to 9000; higher is claimed first")->required()->type_name("N");
    add_examples(command, {"ff priority '{fp:32}:01a1edbd-5876-779f-8e55-23416a6eca5e' 9000"});
}

}  // namespace flowfabric::cli
