#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"

namespace flowfabric::cli {
namespace {

Result<Replayed> replay_once(const CommonOptions& common, const std::string& text) {
    const auto client = open_client(common);
    if (!client) return client.error();
    const auto id = execution_argument(**client, text);
    if (!id) return id.error();
    return (*client)->replay_execution({.execution_id = *id});
}

int run_replay(const CommonOptions& common, const std::string& id) {
    const auto replayed = replay_once(common, id);
    if (!replayed) return fail_with(replayed.error(), common.json);
    if (common.json) {
        print_json(api::to_json(*replayed));
    } else {
        print_line(replayed->execution_id.to_string() + " " + std::string(to_string(replayed->public_state)));
    }
    return 0;
}

}  // namespace

void add_replay(CommandTable& table) {
    auto [command, id] = table.add("replay", "Run an execution that has ended once more", run_replay);
    add_id(command, id, "The execution's id");
    add_examples(command, {"ff replay '{fp:32}:01a1edbd-5876-779f-8e55-23416a6eca5e'"});
}

}  // namespace flowfabric::cli
