#include <fmt/format.h>
#include <boost/json/array.hpp>

#include "cli/commands.hpp"
#include "cli/store_location.hpp"
#include "cli/text/execution_output.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {
namespace {

Result<ExecutionPage> page_of(const StoreOptions& store, const ListOptions& options) {
    ExecutionListQuery query{
        .partition = options.partition, .state = options.state, .after = std::nullopt, .limit = options.limit};
    if (options.after) {
        const auto after = ExecutionId::parse(*options.after);
        if (!after) return after.error();
        query.after = *after;
    }
    const auto engine = open_existing(store);
    if (!engine) return engine.error();
    return (*engine)->list_executions(query);
}

void print_page(const ExecutionPage& page) {
    if (page.executions.empty()) {
        print_line("No executions.");
        return;
    }
    Table table({"id", "state", "lane", "kind", "priority", "attempts", "created"});
    for (const auto& view : page.executions) {
        table.add({view.execution_id.to_string(), std::string(to_string(view.vector.public_state)),
                   printable(view.lane_id), printable(view.execution_kind), fmt::to_string(view.priority),
                   fmt::to_string(view.total_attempt_count), iso_time(view.created_at_ms)});
    }
    table.print();
    if (page.next) print_line("\nmore: --after '" + page.next->to_string() + "'");
}

}  // namespace

int run_list(const CommonOptions& common, const ListOptions& options) {
    const auto page = page_of(common.store, options);
    if (!page) return fail_with(page.error(), common.json);
    if (!common.json) {
        print_page(*page);
        return 0;
    }
    boost::json::array executions;
    for (const auto& view : page->executions) executions.push_back(json_of(view));
    boost::json::object object{{"executions", std::move(executions)}, {"next", nullptr}};
    if (page->next) object["next"] = page->next->to_string();
    print_json(object);
    return 0;
}

}  // namespace flowfabric::cli
