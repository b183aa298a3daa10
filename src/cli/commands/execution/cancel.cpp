#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::cli {
namespace {

struct CancelOptions {
    std::string id;
    std::string reason;
    std::string source = CancelExecution{}.source;
};

Result<Cancelled> cancel(const CommonOptions& common, const CancelOptions& options) {
    const auto client = open_client(common);
    if (!client) return client.error();
    const auto id = execution_argument(**client, options.id);
    if (!id) return id.error();
    return (*client)->cancel_execution(
        {.execution = {.execution_id = *id}, .reason = options.reason, .source = options.source});
}

int run_cancel(const CommonOptions& common, const CancelOptions& options) {
    const auto cancelled = cancel(common, options);
    if (!cancelled) return fail_with(cancelled.error(), common.json);
    if (common.json) {
        print_json(api::to_json(*cancelled));
    } else {
        print_line(cancelled->execution_id.to_string() + " " + std::string(to_string(cancelled->public_state)));
    }
    return 0;
}

}  // namespace

void add_cancel(CommandTable& table) {
    auto [command, options] = table.add("cancel", "Cancel an execution, running or not", run_cancel);
    add_id(command, options.id, "The execution's id");
    command.add_option("--reason", options.reason, "Why, for those who look at it later")->type_name("TEXT");
    command.add_option("--source", options.source, "On whose account")->type_name("TEXT")->capture_default_str();
    add_examples(command, {"ff cancel '{fp:32}:01a1edbd-5876-779f-8e55-23416a6eca5e' --reason 'not needed'"});
}

}  // namespace flowfabric::cli
