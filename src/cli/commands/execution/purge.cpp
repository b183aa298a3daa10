#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"

namespace flowfabric::cli {
namespace {

Result<Purged> purge_once(const CommonOptions& common, const std::string& text) {
    const auto client = open_client(common);
    if (!client) return client.error();
    const auto id = execution_argument(**client, text);
    if (!id) return id.error();
    return (*client)->purge_execution({.execution_id = *id});
}

int run_purge(const CommonOptions& common, const std::string& id) {
    const auto purged = purge_once(common, id);
    if (!purged) return fail_with(purged.error(), common.json);
    if (common.json) {
        print_json(api::to_json(*purged));
    } else {
        print_line(purged->execution_id.to_string() + " is removed; it was " +
                   std::string(to_string(purged->public_state)));
    }
    return 0;
}

}  // namespace

void add_purge(CommandTable& table) {
    auto [command, id] = table.add("purge", "Remove an execution that has ended, before its retention does", run_purge);
    add_id(command, id, "The execution's id");
    add_examples(command, {"ff purge '{fp:32}:01a1edbd-5876-779f-8e55-23416a6eca5e'"});
}

}  // namespace flowfabric::cli
