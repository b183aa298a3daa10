#include <fmt/format.h>

#include "api/type.hpp"
#include "cli/commands.hpp"
#include "cli/store_location.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {
namespace {

Result<ExecutionPage> page_of(const StoreOptions& store, const ListOptions& options) {
    ListExecutions query{
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
    Table table(
        {"execution_id", "public_state", "lane_id", "execution_kind", "priority", "total_attempt_count", "created_at"});
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
    if (common.json) {
        print_json(api::to_json(*page));
    } else {
        print_page(*page);
    }
    return 0;
}

}  // namespace flowfabric::cli
