#include "api/type.hpp"
#include "cli/commands.hpp"
#include "cli/store_location.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {
namespace {

Result<Explanation> explain(const StoreOptions& store, const std::string& text) {
    const auto id = execution_argument(text);
    if (!id) return id.error();
    const auto engine = open_existing(store);
    if (!engine) return engine.error();
    auto explanation = (*engine)->explain_execution(*id);
    if (!explanation) return explanation.error();
    if (!*explanation) return execution_not_found(text);
    return **std::move(explanation);
}

}  // namespace

int run_explain(const CommonOptions& common, const std::string& id) {
    const auto explanation = explain(common.store, id);
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

}  // namespace flowfabric::cli
