#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/execution_output.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::cli {
namespace {

struct Found {
    ExecutionView execution;
    std::vector<AttemptView> attempts;
    ExecutionResult result;
};

Result<Found> find(const CommonOptions& common, const std::string& text) {
    const auto client = open_client(common);
    if (!client) return client.error();
    const auto id = execution_argument(**client, text);
    if (!id) return id.error();
    auto execution = (*client)->describe_execution(*id);
    if (!execution) return execution.error();
    if (!*execution) return execution_not_found(text);
    auto attempts = (*client)->list_attempts(*id);
    if (!attempts) return attempts.error();
    auto result = (*client)->read(GetExecutionResult{*id});
    if (!result) return result.error();
    if (!*result) return execution_not_found(text);
    return Found{**std::move(execution), *std::move(attempts), **std::move(result)};
}

int run_get(const CommonOptions& common, const std::string& id) {
    const auto found = find(common, id);
    if (!found) return fail_with(found.error(), common.json);

    if (common.json) {
        auto shown = api::to_json(found->execution);
        auto& object = shown.as_object();
        object["attempts"] = api::to_json(found->attempts);
        const auto result = api::to_json(found->result);
        object.insert(result.as_object().begin(), result.as_object().end());
        print_json(shown);
        return 0;
    }
    print_execution(found->execution);
    if (!found->attempts.empty()) {
        print_line("");
        print_attempts(found->attempts);
    }
    if (found->result.result) print_result(*found->result.result);
    return 0;
}

}  // namespace

void add_get(CommandTable& table) {
    auto [command, id] = table.add("get", "Show an execution, its attempts and its result", run_get);
    add_id(command, id, "The execution's id");
    add_examples(command, {"ff get '{fp:32}:01a1edbd-5876-779f-8e55-23416a6eca5e'"});
}

}  // namespace flowfabric::cli
