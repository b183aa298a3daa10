#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::cli {
namespace {

Result<Explanation> explain(const CommonOptions& common, const std::string& text) {
    const auto client = open_client(common);
    if (!client) return client.error();
    const auto id = execution_argument(**client, text);
    if (!id) return id.error();
    auto explanation = (*client)->explain_execution(*id);
    if (!explanation) return explanation.error();
    if (!*explanation) return execution_not_found(text);
    return **std::move(explanation);
}

int run_explain(const CommonOptions& common, const std::string& id) {
    const auto explanation = explain(common, id);
    if (!explanation) return fail_with(explanation.error(), common.json);
    if (common.json) {
        print_json(api::to_json(*explanation));
        return 0;
    }
    Facts execution;
    execution.add("execution_id", explanation->execution_id.to_string());
    execution.add("public_state", std::string(to_string(explanation->public_state)));
    execution.print();
    for (const auto& obstacle : explanation->obstacles) {
        print_line("");
        Facts facts;
        facts.add("predicate", printable(obstacle.predicate));
        facts.add("detail", one_line(obstacle.detail));
        facts.add("since", iso_time(obstacle.since_ms));
        facts.add("until", iso_time(obstacle.until_ms));
        facts.add("remedy", printable(obstacle.remedy));
        facts.print();
    }
    return 0;
}

}  // namespace

void add_explain(CommandTable& table) {
    auto [command, id] = table.add("explain", "Say why an execution is not running", run_explain);
    add_id(command, id, "The execution's id");
    add_examples(command, {"ff explain '{fp:32}:01a1edbd-5876-779f-8e55-23416a6eca5e'"});
}

}  // namespace flowfabric::cli
