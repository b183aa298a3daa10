#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/execution_output.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::cli {
namespace {

Result<std::vector<AttemptView>> attempts_of(const CommonOptions& common, const std::string& text) {
    const auto client = open_client(common);
    if (!client) return client.error();
    const auto id = execution_argument(**client, text);
    if (!id) return id.error();
    const auto state = (*client)->read_execution_state(*id);
    if (!state) return state.error();
    if (!*state) return execution_not_found(text);
    return (*client)->list_attempts(*id);
}

int run_attempts(const CommonOptions& common, const std::string& id) {
    const auto attempts = attempts_of(common, id);
    if (!attempts) return fail_with(attempts.error(), common.json);
    if (common.json) {
        print_json(boost::json::object{{"execution_id", id}, {"attempts", api::to_json(*attempts)}});
    } else if (attempts->empty()) {
        print_line("No attempts.");
    } else {
        print_attempts(*attempts);
    }
    return 0;
}

}  // namespace

void add_attempts(CommandTable& table) {
    auto [command, id] = table.add("attempts", "List the attempts of an execution", run_attempts);
    add_id(command, id, "The execution's id");
    add_examples(command, {"ff attempts '{fp:32}:01a1edbd-5876-779f-8e55-23416a6eca5e'"});
}

}  // namespace flowfabric::cli
