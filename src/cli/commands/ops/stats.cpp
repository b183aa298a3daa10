#include <algorithm>

#include <fmt/format.h>

#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::cli {
namespace {

struct StatsOptions {
    std::optional<std::string> lane;
};

// Page by page; what is of all lanes is as the last page tells it.
Result<Statistics> all_statistics(Client& client, const std::optional<std::string>& lane) {
    Statistics all;
    for (ReadStatistics query{.lane_id = lane, .after = std::nullopt, .limit = max_page};;) {
        auto page = client.read(query);
        if (!page) return page.error();
        page->lanes.insert(page->lanes.begin(), all.lanes.begin(), all.lanes.end());
        all = *std::move(page);
        if (!all.next) return all;
        query.after = all.next;
    }
}

std::string age_text(const std::optional<std::int64_t>& at_ms, std::int64_t now_ms) {
    if (!at_ms) return "-";
    return fmt::format("{:.1f} s", static_cast<double>(std::max<std::int64_t>(now_ms - *at_ms, 0)) / 1000);
}

std::string rate_text(const std::optional<LaneRates>& rates, double LaneRates::* rate) {
    return rates ? fmt::format("{:.1f}", (*rates).*rate) : "-";
}

std::vector<std::string> cells_of(const std::string& name, const StateCounts& depth) {
    const std::int64_t held = depth.delayed + depth.rate_limited + depth.waiting_children;
    const std::int64_t ended = depth.completed + depth.failed + depth.cancelled + depth.expired + depth.skipped;
    std::vector<std::string> cells{name};
    for (const std::int64_t count :
         {depth.waiting + depth.resumable, held, depth.active, depth.suspended, ended, depth.failed}) {
        cells.push_back(std::to_string(count));
    }
    return cells;
}

void print_statistics(const Statistics& statistics, bool of_one_lane) {
    Table table({"lane", "claimable", "held", "active", "suspended", "ended", "failed", "oldest", "created/s",
                 "claimed/s", "ended/s"});
    for (const LaneStatistics& lane : statistics.lanes) {
        auto cells = cells_of(printable(lane.lane_id), lane.depth);
        cells.push_back(age_text(lane.oldest_eligible_at_ms, statistics.as_of_ms));
        for (const auto rate : {&LaneRates::created, &LaneRates::claimed, &LaneRates::ended}) {
            cells.push_back(rate_text(lane.last_minute, rate));
        }
        table.add(std::move(cells));
    }
    if (!of_one_lane && statistics.lanes.size() > 1) {
        auto cells = cells_of("(all)", statistics.depth);
        cells.resize(11);
        table.add(std::move(cells));
    }
    table.print();
}

int run_stats(const CommonOptions& common, const StatsOptions& options) {
    const auto client = open_client(common);
    if (!client) return fail_with(client.error(), common.json);
    const auto statistics = all_statistics(**client, options.lane);
    if (!statistics) return fail_with(statistics.error(), common.json);
    if (common.json) {
        print_json(api::to_json(*statistics));
        return 0;
    }
    if (statistics->lanes.empty()) {
        print_line(options.lane ? "Nothing was ever created on this lane." : "Nothing was ever created.");
        return 0;
    }
    print_statistics(*statistics, options.lane.has_value());
    return 0;
}

}  // namespace

void add_stats(CommandTable& table) {
    auto [command, options] =
        table.add("stats", "Count executions by lane and state, with rates over the last minute", run_stats);
    command.add_option("lane", options.lane, "Only of this lane");
    add_examples(command, {"ff stats", "ff stats mail --json", "ff stats --server http://127.0.0.1:9090"});
}

}  // namespace flowfabric::cli
