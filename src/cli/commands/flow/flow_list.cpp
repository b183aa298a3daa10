#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"
#include "core/base/partition.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::cli {
namespace {

struct FlowListOptions {
    ListFlows query;
    std::optional<std::string> after;
};

Result<FlowPage> list(const CommonOptions& common, const FlowListOptions& options) {
    ListFlows query = options.query;
    if (options.after) {
        const auto after = flow_argument(*options.after);
        if (!after) return after.error();
        query.after = *after;
    }
    const auto client = open_client(common);
    if (!client) return client.error();
    return (*client)->list_flows(std::move(query));
}

void print_page(const FlowPage& page) {
    if (page.flows.empty()) {
        print_line(page.next ? "No flows so far." : "No flows.");
    } else {
        Table table({"flow_id", "status", "partition", "created_at"});
        for (const FlowSummary& flow : page.flows) {
            table.add({flow.flow_id.to_string(), std::string(to_string(flow.status)),
                       fmt::to_string(flow_partition(flow.flow_id)), iso_time(flow.created_at_ms)});
        }
        table.print();
    }
    if (page.next) print_line("\nmore: --after " + page.next->to_string());
}

// With the partition of each flow.
boost::json::value json_of(const FlowPage& page) {
    auto shown = api::to_json(page);
    auto& flows = shown.at("flows").as_array();
    for (std::size_t i = 0; i < flows.size(); ++i) {
        flows[i].as_object()["partition"] = flow_partition(page.flows[i].flow_id);
    }
    return shown;
}

int run_flow_list(const CommonOptions& common, const FlowListOptions& options) {
    const auto page = list(common, options);
    if (!page) return fail_with(page.error(), common.json);
    if (common.json) {
        print_json(json_of(*page));
    } else {
        print_page(*page);
    }
    return 0;
}

}  // namespace

void add_flow_list(CommandTable& table, CLI::App& flow) {
    auto [command, options] = table.add_to(flow, "list", "List flows by partition and id", run_flow_list);
    command.add_option("--partition", options.query.partition, "Only flows of this partition")->type_name("N");
    command.add_option("--namespace", options.query.namespace_name, "Only flows of this namespace");
    command.add_option("--limit", options.query.limit, "At most this many")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command.add_option("--after", options.after, "Continue after this flow, the last page's cursor")
        ->type_name("CURSOR");
    add_examples(command, {"ff flow list --limit 10", "ff flow list --namespace shop"});
}

}  // namespace flowfabric::cli
