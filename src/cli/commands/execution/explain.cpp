#include <boost/json/array.hpp>

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

boost::json::object json_of(const Obstacle& obstacle) {
    boost::json::object object{{"predicate", obstacle.predicate},
                               {"detail", obstacle.detail},
                               {"since_ms", obstacle.since_ms},
                               {"remedy", obstacle.remedy}};
    if (obstacle.until_ms) object["until_ms"] = *obstacle.until_ms;
    return object;
}

}  // namespace

int run_explain(const CommonOptions& common, const std::string& id) {
    const auto explanation = explain(common.store, id);
    if (!explanation) return fail_with(explanation.error(), common.json);
    const auto state = to_string(explanation->public_state);

    if (common.json) {
        boost::json::array obstacles;
        for (const auto& obstacle : explanation->obstacles) obstacles.push_back(json_of(obstacle));
        print_json(boost::json::object{
            {"id", explanation->execution_id.to_string()}, {"state", state}, {"obstacles", std::move(obstacles)}});
        return 0;
    }
    Facts execution;
    execution.add("id", explanation->execution_id.to_string());
    execution.add("state", std::string(state));
    execution.print();
    for (const auto& obstacle : explanation->obstacles) {
        print_line("");
        Facts facts;
        facts.add("predicate", printable(obstacle.predicate));
        facts.add("detail", one_line(obstacle.detail));
        facts.add("since", iso_time(obstacle.since_ms));
        facts.add("until", iso_time(obstacle.until_ms));
        facts.add("would change it", printable(obstacle.remedy));
        facts.print();
    }
    return 0;
}

}  // namespace flowfabric::cli
