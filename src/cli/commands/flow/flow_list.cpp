#include <algorithm>

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::cli {
namespace {

struct FlowListOptions {
    std::optional<std::uint16_t> partition;
    std::optional<std::string> after;
    std::uint32_t limit = 50;
};

constexpr std::uint16_t partitions = 256;  // of every store

struct Listed {
    std::uint16_t partition = 0;
    FlowSummary flow;
};

struct Listing {
    std::vector<Listed> flows;
    bool more = false;
};

// Partition and flow id; the text is that of an execution's id.
std::string cursor_behind(const Listed& last) {
    return ExecutionId{last.partition, last.flow.flow_id.uuid}.to_string();
}

// One partition after the other, as far as the limit allows.
Result<Listing> list_from(Client& client, ListFlows query, std::uint16_t last_partition) {
    Listing listing;
    std::uint32_t left = query.limit;
    for (; query.partition <= last_partition; ++query.partition) {
        // With nothing left one more is asked for, to know whether it is there.
        query.limit = std::max(left, 1U);
        auto page = client.list_flows(query);
        if (!page) return page.error();
        listing.more = page->next || (left == 0 && !page->flows.empty());
        for (const auto& flow : page->flows) {
            if (left == 0) break;
            listing.flows.push_back({query.partition, flow});
            --left;
        }
        if (listing.more) return listing;
        query.after.reset();
    }
    return listing;
}

Result<Listing> list(const CommonOptions& common, const FlowListOptions& options) {
    ListFlows query{.partition = options.partition.value_or(0), .after = std::nullopt, .limit = options.limit};
    if (options.after) {
        const auto after = ExecutionId::parse(*options.after);
        if (!after) return after.error();
        if (options.partition.value_or(after->partition) != after->partition) {
            return invalid_input("--after", "is of another partition");
        }
        query.partition = after->partition;
        query.after = FlowId{after->uuid};
    }
    const auto client = open_client(common);
    if (!client) return client.error();
    return list_from(**client, query, options.partition.value_or(partitions - 1));
}

void print_listing(const Listing& listing) {
    if (listing.flows.empty()) {
        print_line("No flows.");
        return;
    }
    Table table({"flow_id", "status", "partition", "created_at"});
    for (const auto& [partition, flow] : listing.flows) {
        table.add({flow.flow_id.to_string(), std::string(to_string(flow.status)), fmt::to_string(partition),
                   iso_time(flow.created_at_ms)});
    }
    table.print();
    if (listing.more) print_line("\nmore: --after '" + cursor_behind(listing.flows.back()) + "'");
}

// A page as the client gives it, with the partition of each flow and a cursor that goes on over all of them.
boost::json::value json_of(const Listing& listing) {
    FlowPage page;
    for (const auto& [partition, flow] : listing.flows) page.flows.push_back(flow);
    auto shown = api::to_json(page);
    auto& flows = shown.at("flows").as_array();
    for (std::size_t i = 0; i < flows.size(); ++i) flows[i].as_object()["partition"] = listing.flows[i].partition;
    if (listing.more) shown.as_object()["next_cursor"] = cursor_behind(listing.flows.back());
    return shown;
}

int run_flow_list(const CommonOptions& common, const FlowListOptions& options) {
    const auto listing = list(common, options);
    if (!listing) return fail_with(listing.error(), common.json);
    if (common.json) {
        print_json(json_of(*listing));
    } else {
        print_listing(*listing);
    }
    return 0;
}

}  // namespace

void add_flow_list(CommandTable& table, CLI::App& flow) {
    auto [command, options] = table.add_to(flow, "list", "List flows by partition and id", run_flow_list);
    command.add_option("--partition", options.partition, "Only flows of this partition")->type_name("N");
    command.add_option("--limit", options.limit, "At most this many")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command.add_option("--after", options.after, "Continue after this flow, the last page's cursor")
        ->type_name("CURSOR");
    add_examples(command, {"ff flow list --limit 10"});
}

}  // namespace flowfabric::cli
